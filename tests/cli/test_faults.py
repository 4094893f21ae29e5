#!/usr/bin/env python3
"""Memory that is refused, at each allocation or at some, and reads and writes that fail: the right verdict, `unknown`, or an error,
and never a crash, a leak, another verdict or half a file. Only in builds with LINCHPIN_FAULTS.

LINCHPIN_FAULTS_EACH=N refuses N allocations of each run, and N reads or writes, drawn with LINCHPIN_SEED; 0: every one.
Unless it is given, some of the runs are drawn, too."""
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess

from program import LOST, SOURCE, Case, Result, main

SEED = int(os.environ.get("LINCHPIN_SEED") or random.SystemRandom().randrange(1 << 32))
ALL = "LINCHPIN_FAULTS_EACH" in os.environ
EACH = int(os.environ.get("LINCHPIN_FAULTS_EACH", "4"))
DRAWN = 8  # runs, of each test
BEHIND = "", "+", "*"  # only the one that is drawn; all from there on; each multiple of it
ONLY = os.environ.get("LINCHPIN_FAULTS_ONLY")  # the runs that have these words
HANGS = 120  # seconds; each run takes a fraction of one
EXAMPLES = SOURCE / "examples"
HISTORIES = EXAMPLES / "histories"
MODELS = EXAMPLES / "models"
NETS = EXAMPLES / "nets"

SMALL = """impl stack_of {
    struct node { value item; node next; }
    shared node top;
    op push(value v) {
        node n = new node;
        n.item = v;
        node t;
        do { t = top; n.next = t; } while (!cas(top, t, n));
        return ok;
    }
    op pop() {
        while (true) {
            node t = top;
            if (t == null) return empty;
            node x = t.next;
            %s
        }
    }
}
"""
RIGHT = SMALL % "if (cas(top, t, x)) return t.item;"
WRONG = SMALL % "top = x; return t.item;"

SESSION = [("initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
           ("textDocument/didOpen", None),
           ("textDocument/documentSymbol", {}),
           ("textDocument/hover", {"position": {"line": 4, "character": 6}}),
           ("textDocument/completion", {"position": {"line": 5, "character": 8}}),
           ("textDocument/references", {"position": {"line": 2, "character": 12},
                                        "context": {"includeDeclaration": True}}),
           ("textDocument/formatting", {"options": {"tabSize": 4, "insertSpaces": True}}),
           ("textDocument/codeLens", {}),
           ("shutdown", {}), ("exit", None)]

# PRODUCE: a file that the run writes, of its own; `<`: what follows is standard input
PRODUCE = "produced"
RUNS = [
    ("check", "--json", "--spec", "cas-register", HISTORIES / "jepsen-register.edn"),
    ("check", "--json", "--spec", "cas-register", "--independent", HISTORIES / "jepsen-stale-reads.edn"),
    ("check", "--json", "--spec", "map", HISTORIES / "kv-stale-reads.txt"),
    ("check", "--json", HISTORIES / "mutex-test-then-set.jsonl"),
    ("check", "--json", HISTORIES / "queue-two-lanes.edn"),
    ("check", "--json", "-j2", HISTORIES / "stack-aba.jsonl"),
    ("check", "--json", "--spec", EXAMPLES / "specs/queue.lin", HISTORIES / "queue-plain-head.jsonl"),
    ("check", "--json", "--witness", HISTORIES / "stack-correct.jsonl"),
    ("check", "--json", "--html", PRODUCE, HISTORIES / "queue-two-lanes.edn"),
    ("check", "--json", "--junit", PRODUCE, HISTORIES / "stack-aba.jsonl"),
    ("check", "--json", "--follow", "--spec", "queue", "-", "<", HISTORIES / "queue-plain-head.jsonl"),
    ("check", "--json", "--follow", "--spec", "mutex", "-", "<", HISTORIES / "mutex-test-then-set.jsonl"),
    ("check", "--json", "--follow", "--spec", "cas-register", "--metrics", PRODUCE, "-", "<",
     HISTORIES / "jepsen-register.edn"),
    ("check", "--json", "--follow", "--independent", "--spec", "cas-register", "-", "<",
     HISTORIES / "jepsen-stale-reads.edn"),  # a file would go on, for keys that are not there yet
    ("check", "--json", "--proof", PRODUCE, HISTORIES / "queue-two-lanes.edn"),
    ("convert", "--to", "edn", HISTORIES / "queue-correct.jsonl"),
    ("convert", "--to", "tla", "-o", PRODUCE, HISTORIES / "stack-correct.jsonl"),
    ("cover", "--json", NETS / "two_locks.spec"),
    ("cover", "--json", NETS / "producer_consumer.pnml"),
    ("cover", "--json", NETS / "test_then_set.spec"),
    ("cover", "--json", NETS / "ticket_lock.tts"),
    ("cover", "--json", NETS / "spawn_twice.tts"),
    ("verify", "--json", MODELS / "peterson.csp"),
    ("verify", "--json", MODELS / "hasty_register.csp"),
    ("verify", "--json", MODELS / "mailbox.lin"),
    ("verify", "--json", MODELS / "dining_philosophers.csp"),
    ("verify", "--json", MODELS / "any/locks.lin"),
    ("verify", "--json", MODELS / "any/lock_queue.lin"),
    ("verify", "--json", "right2.lin"),
    ("verify", "--json", "-j2", "right2.lin"),
    ("verify", "--json", "--reduce=none", "right2.lin"),
    ("verify", "--json", "--search=depth", "right2.lin"),
    ("verify", "--json", "--method=automata", "right2.lin"),
    ("verify", "--json", "--engine=native", "right2.lin"),
    ("verify", "--json", "--stats", "--html", PRODUCE, "wrong2.lin"),
    ("verify", "--json", "--trace", PRODUCE, "wrong2.lin"),
    ("verify", "--json", "-j2", "wrong2.lin"),
    ("verify", "--json", "lock_free.lin"),
    ("verify", "--json", "any.lin"),
    ("replay", "history.trace"),
    ("replay", "model.trace"),
    ("replay", "test.trace"),
    ("simulate", "--json", "--seed", "7", "--steps", "30", "wrong2.lin", "stack_of"),
    ("graph", "--to", "json", MODELS / "register.csp"),
    ("graph", "--normal", "--to", "dot", "-o", PRODUCE, MODELS / "mailbox.csp"),
    ("graph", "--ltl", "[] (p -> <> q)", "--to", "hoa"),
    ("rules", "--json", EXAMPLES / "rules/mutex.lin"),
    ("rules", "--json", "--bound", "3", "--random", "50", EXAMPLES / "rules/mutex_pair.txt"),
    ("rules", "--write", "--spec", "queue"),
    ("rules", "--json", "--spec", "stack", "--on", HISTORIES / "stack-aba.jsonl"),
    ("test", "--json", "--scenario", "push; pop | pop", "./treiber"),
    ("test", "--json", "--scenario", "inc; read | inc; read", "./lost"),
    ("stress", "--json", "--rounds", "3", "--seed", "1", "--test=treiber", EXAMPLES / "code/treiber.c"),
    ("fmt", MODELS / "treiber.lin"),
    ("fmt", PRODUCE),
    ("lsp", "<", "session"),
]


PIECE = 97  # bytes of a followed log that are read between two checkpoints
FOLLOWED = [("--spec", "queue", HISTORIES / "queue-plain-head.jsonl"),
            ("--spec", "mutex", HISTORIES / "mutex-test-then-set.jsonl"),
            ("--spec", "stack", HISTORIES / "stack-aba.jsonl")]  # of several objects it would go on where one is given up
SEARCHED = MODELS / "mailbox.lin"


def session(text):
    """What an editor says: one message after the other."""
    said = b""
    for number, (method, params) in enumerate(SESSION):
        message = {"jsonrpc": "2.0", "method": method}
        document = {"uri": "file:///right.lin"}
        if method.endswith("didOpen"):
            params = {"textDocument": dict(document, languageId="lin", version=1, text=text)}
        elif method != "exit":
            message["id"] = number
        if method.startswith("textDocument/") and "textDocument" not in params:
            params = dict(params, textDocument=document)
        if params is not None:
            message["params"] = params
        body = json.dumps(message).encode()
        said += b"Content-Length: %d\r\n\r\n" % len(body) + body
    return said


def verdicts(out):
    """The verdicts of the answers, by what they are about, or their places in the output."""
    found = []
    for line in out.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and "verdict" in answer:
            found.append((str(answer.get("assertion") or answer.get("test") or len(found)), answer["verdict"]))
    return dict(found)


def is_json(content):
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


class Faults(Case):
    made = {}  # what the first test has made: programs and traces

    def setUp(self):
        super().setUp()
        self.file("right.lin", RIGHT)
        for name, text, clients in (("right2.lin", RIGHT, "linearizes stack with threads = 2, ops = 2"),
                                    ("wrong2.lin", WRONG, "linearizes stack with threads = 2, ops = 2"),
                                    ("lock_free.lin", RIGHT, "lock_free with threads = 2, ops = 1"),
                                    ("any.lin", RIGHT, "linearizes stack with threads = any, nodes = 2")):
            self.file(name, text + "assert stack_of %s;\n" % clients)
        self.file("session", session((self.folder / "right2.lin").read_text()))
        self.file("lost.c", LOST)
        for name, content in self.made.items():
            self.file(name, content)
            (self.folder / name).chmod(0o755)
        if not self.made:
            self.make()

    def make(self):
        for source in EXAMPLES / "code/treiber.c", "lost.c":
            self.expect(0, "cc", "-O1", "-o", pathlib.Path(source).stem, source)
        self.expect(1, "check", "--trace", "history.trace", HISTORIES / "queue-plain-head.jsonl")
        self.expect(1, "verify", "--trace", "model.trace", "wrong2.lin")
        self.expect(1, "test", "--trace", "test.trace", "--scenario", "inc; read | inc; read", "./lost")
        for name in "treiber", "lost", "history.trace", "model.trace", "test.trace":
            self.made[name] = (self.folder / name).read_bytes()

    def run_with(self, arguments, folder, **environment):
        """`<` and a file behind it, at the end, are standard input; what it writes is in `folder`,
        where there is something before only for fmt. The result, and what is in the folder behind."""
        folder = self.folder / folder
        folder.mkdir()
        if arguments[0] == "fmt":
            (folder / PRODUCE).write_text(RIGHT.replace("    ", "  "))
        arguments = [folder / word if word == PRODUCE else word for word in arguments]
        given = (self.folder / arguments[-1]).read_bytes() if "<" in arguments else b""
        if given:
            del arguments[-2:]
        process = self.start(*map(str, arguments), environment=environment, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(given, timeout=HANGS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += b"it does not end"
        files = {path.name: path.read_text() for path in folder.iterdir()}
        shutil.rmtree(folder)
        return Result(process.returncode, out.decode(), err.decode()), files

    def whole(self, arguments, files, normal):
        """Whether what was written is whole, or was not touched, and stands alone."""
        if not set(files) <= set(normal):
            return False
        if arguments[0] == "fmt":
            return files[PRODUCE] in (normal[PRODUCE], RIGHT.replace("    ", "  "))
        return all(content[-1] == "\n" and is_json(content) >= is_json(normal[name])
                   for name, content in files.items())

    def faulty(self, arguments, usual, folder, **faults):
        """What is wrong when something fails, or None."""
        normal, files = usual
        result, produced = self.run_with(arguments, folder, **faults)
        told = "%s %s\n%s%s%s" % (" ".join("%s=%s" % fault for fault in faults.items()),
                                  " ".join(map(str, arguments)), result.out, result.err, sorted(produced))
        allowed = (normal.status, 3, 2) if "LINCHPIN_FAIL" in faults else (normal.status, 3)
        if result.status not in allowed or "Sanitizer" in result.err or (result.status == 2 and not result.err):
            return told
        known = verdicts(normal.out)
        for name, verdict in verdicts(result.out).items():
            if verdict not in ("unknown", known.get(name)):
                return told
        return None if self.whole(arguments, produced, files) else told

    def usual(self, number, arguments):
        """What it answers when nothing fails, and how many allocations and how many reads and writes it asks for."""
        count = self.folder / ("count%d" % number)
        usual = self.run_with(arguments, "usual%d" % number, LINCHPIN_COUNT=str(count))
        self.assertIn(usual[0].status, (0, 1), "%s\n%s%s" % (arguments, usual[0].out, usual[0].err))
        if not count.exists():
            self.skipTest("not a build with LINCHPIN_FAULTS")
        asked = tuple(map(int, count.read_text().split()))
        self.assertGreater(asked[0], 1, arguments)
        return usual, asked

    def fails_at_some(self, fault, counted):
        """Every run answers rightly whichever of what it asks for fails, `counted` of it."""
        print("LINCHPIN_SEED=%d" % SEED)
        draw = random.Random(SEED)
        tasks = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, arguments in self.runs(draw):
                usual, asked = self.usual(number, arguments)
                chosen = range(1, asked[counted] + 1)
                if EACH and len(chosen) > EACH:
                    chosen = sorted(draw.sample(chosen, EACH))
                for n in chosen:
                    behind = draw.choice(BEHIND)
                    if behind == "*" and EACH:  # several, rather than one and the double of it
                        n = int(n ** draw.random())
                    tasks.append(pool.submit(self.faulty, arguments, usual, "run%d.%d" % (number, len(tasks)),
                                             **{fault: "%d%s" % (n, behind)}))
            wrong = [task.result() for task in tasks if task.result()]
        self.assertEqual(len(wrong), 0, "\n" + "\n\n".join(wrong))

    def test_refused_memory_changes_no_verdict(self):
        self.fails_at_some("LINCHPIN_REFUSE", 0)

    def test_a_command_without_any_memory_says_so(self):
        firsts = {arguments[0]: number for number, arguments in reversed(list(enumerate(RUNS)))}
        for number in firsts.values():
            usual, _ = self.usual(number, RUNS[number])
            self.assertIsNone(self.faulty(RUNS[number], usual, "none%d" % number, LINCHPIN_REFUSE="1+"))

    def test_reads_and_writes_that_fail_change_no_verdict(self):
        """A disk that is full, or broken: what was read before is not taken for a whole history."""
        self.fails_at_some("LINCHPIN_FAIL", 1)

    def runs(self, draw):
        """Those of this test, with their numbers."""
        chosen = [(number, arguments) for number, arguments in enumerate(RUNS)
                  if not ONLY or ONLY in " ".join(map(str, arguments))]
        return chosen if ALL or len(chosen) < DRAWN else draw.sample(chosen, DRAWN)

    def fails_not(self, **faults):
        """Every run answers as it does when nothing fails, or `unknown`."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = []
            for number, arguments in self.runs(random.Random(SEED)):
                usual, _ = self.usual(number, arguments)
                tasks.append(pool.submit(self.faulty, arguments, usual, "run%d" % number, **faults))
            wrong = [task.result() for task in tasks if task.result()]
        self.assertEqual(len(wrong), 0, "\n" + "\n\n".join(wrong))

    def test_reads_that_are_short_and_interrupted(self):
        self.fails_not(LINCHPIN_READS="61")  # results of tests are long

    def test_a_clock_that_jumps(self):
        self.fails_not(LINCHPIN_CLOCK="3")

    def test_a_core_depends_on_no_clock(self):
        """Of a large part, too: a counter of 30 additions, of which a read answers far too little."""
        history = self.folder / "counter.jsonl"
        events = []
        for i in range(30):
            events += [(i % 3, "invoke", "add", 1 + i % 3), (i % 3, "ok", "add", None)]
        events += [(0, "invoke", "read", None), (1, "invoke", "add", 2), (0, "ok", "read", 3), (1, "ok", "add", None)]
        history.write_text("".join('{"process": %d, "type": "%s", "f": "%s", "value": %s}\n' % (
            process, kind, f, "null" if value is None else value) for process, kind, f, value in events))
        told = []
        for clock in ("0", "1"):
            result, _ = self.run_with(["check", "--json", "--spec", "counter", history], "core" + clock,
                                      LINCHPIN_CLOCK=clock)
            self.assertEqual(result.status, 1, result)
            answer = json.loads(result.out)
            told.append([answer.get(key) for key in ("core", "core_complete", "context", "evidence", "reason")])
        self.assertTrue(told[0][0] and told[0][0] == told[1][0], told)
        self.assertEqual(told[0], told[1])


class Checkpoints(Case):
    def follow(self, arguments, folder, before=None, **faults):
        """Follows a log that is violated, a few lines at a time, each time with a checkpoint; `before`: the one that is there at first.
        The result, and what it leaves: the checkpoint, or nothing."""
        folder = self.folder / folder
        folder.mkdir()
        if before:
            (folder / PRODUCE).write_bytes(before)
        process = self.start("check", "--json", "--follow", "--checkpoint", folder / PRODUCE, *map(str, arguments),
                             environment={"LINCHPIN_CLOCK": "1", "LINCHPIN_READS": "%d" % PIECE, **faults})
        try:
            out, err = process.communicate(timeout=HANGS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += b"it does not end"
        left = {path.name: path.read_bytes() for path in folder.iterdir()}
        shutil.rmtree(folder)
        return Result(process.returncode, out.decode(), err.decode()), left

    def follow_with_faults(self, number, arguments, before, faults):
        """What is wrong where something fails, or where it is gone on from what that left, or None."""
        folder = "follow%d" % number
        result, left = self.follow(arguments, folder, before, **faults)
        told = "%s %s\n%s%s%s" % (faults, " ".join(map(str, arguments)), result.out, result.err, sorted(left))
        allowed = (1, 3, 2) if "LINCHPIN_FAIL" in faults else (1, 3)
        good = result.status in allowed and "Sanitizer" not in result.err and set(left) <= {PRODUCE}
        good = good and set(verdicts(result.out).values()) <= {"violation", "unknown"} and not (before and not left)
        if not good:
            return told
        again, _ = self.follow(arguments, folder, left.get(PRODUCE))
        return None if again.status in (1, 3) else "%s\nand then:\n%s%s" % (told, again.out, again.err)

    def test_checkpoints_of_followed_logs(self):
        """What is saved while something fails is whole, and the violation is found, or it is unknown, behind it; so it is where a
        checkpoint is read."""
        print("LINCHPIN_SEED=%d" % SEED)
        draw = random.Random(SEED)
        tasks = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for arguments in FOLLOWED if ALL else draw.sample(FOLLOWED, 1):
                count = self.folder / "followed"
                result, left = self.follow(arguments, "usual", LINCHPIN_COUNT=str(count))
                if not count.exists():
                    self.skipTest("not a build with LINCHPIN_FAULTS")
                self.assertEqual((result.status, set(left)), (1, {PRODUCE}), result)
                asked = list(map(int, count.read_text().split()))
                half = {}
                for n in range(asked[1] // 2, asked[1]):  # the first that is not before there is a checkpoint
                    if not half:
                        _, half = self.follow(arguments, "half", LINCHPIN_FAIL="%d+" % n)
                for fault, most in zip(("LINCHPIN_REFUSE", "LINCHPIN_FAIL"), asked):
                    for before in None, half[PRODUCE]:
                        for n in sorted(draw.sample(range(1, most + 1), min(most, EACH))) if EACH else range(1, most + 1):
                            faults = {fault: "%d%s" % (n, draw.choice(BEHIND[:2]))}
                            tasks.append(pool.submit(self.follow_with_faults, len(tasks), arguments, before, faults))
            wrong = [task.result() for task in tasks if task.result()]
        self.assertEqual(len(wrong), 0, "\n" + "\n\n".join(wrong))

    def search_with_faults(self, number, usual, faults):
        """What is wrong where something fails in a search that keeps checkpoints, or where that is gone on with, or None."""
        arguments = "verify", "--json", "--checkpoint", "kept%d" % number, str(SEARCHED)
        result = self.run_program(*arguments, environment={"LINCHPIN_CLOCK": "1", **faults})
        told = "%s\n%s%s" % (faults, result.out, result.err)
        good = result.status in ((1, 3, 2) if "LINCHPIN_FAIL" in faults else (1, 3)) and "Sanitizer" not in result.err
        if not good or any(verdict not in ("unknown", usual[name]) for name, verdict in verdicts(result.out).items()):
            return told
        again = self.run_program(*arguments)
        return None if verdicts(again.out) == usual else "%s\nand then:\n%s%s" % (told, again.out, again.err)

    def test_checkpoints_of_searches(self):
        print("LINCHPIN_SEED=%d" % SEED)
        draw = random.Random(SEED)
        count = self.folder / "searched"
        result = self.run_program("verify", "--json", "--checkpoint", "kept", str(SEARCHED),
                                  environment={"LINCHPIN_CLOCK": "1", "LINCHPIN_COUNT": str(count)})
        if not count.exists():
            self.skipTest("not a build with LINCHPIN_FAULTS")
        self.assertEqual(result.status, 1, result)
        tasks = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for fault, most in zip(("LINCHPIN_REFUSE", "LINCHPIN_FAIL"), map(int, count.read_text().split())):
                for n in sorted(draw.sample(range(1, most + 1), min(most, EACH))) if EACH else range(1, most + 1):
                    faults = {fault: "%d%s" % (n, draw.choice(BEHIND[:2]))}
                    tasks.append(pool.submit(self.search_with_faults, len(tasks), verdicts(result.out), faults))
            wrong = [task.result() for task in tasks if task.result()]
        self.assertEqual(len(wrong), 0, "\n" + "\n\n".join(wrong))


if __name__ == "__main__":
    main()
