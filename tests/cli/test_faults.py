#!/usr/bin/env python3
"""Memory that is refused, at each allocation or at some: the right verdict, `unknown`, or an error,
and never a crash, a leak or another verdict. Only in builds with LINCHPIN_FAULTS.

LINCHPIN_FAULTS_EACH=N refuses N allocations of each run, drawn with LINCHPIN_SEED; 0: every one."""
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess

from program import SOURCE, Case, Result, main

SEED = int(os.environ.get("LINCHPIN_SEED") or random.SystemRandom().randrange(1 << 32))
EACH = int(os.environ.get("LINCHPIN_FAULTS_EACH", "4"))
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

RUNS = [
    ("check", "--json", "--spec", "cas-register", HISTORIES / "jepsen-register.edn"),
    ("check", "--json", "--spec", "cas-register", "--independent", HISTORIES / "jepsen-stale-reads.edn"),
    ("check", "--json", "--spec", "map", HISTORIES / "kv-stale-reads.txt"),
    ("check", "--json", HISTORIES / "mutex-test-then-set.jsonl"),
    ("check", "--json", HISTORIES / "queue-two-lanes.edn"),
    ("check", "--json", "-j2", HISTORIES / "stack-aba.jsonl"),
    ("check", "--json", "--spec", EXAMPLES / "specs/queue.lin", HISTORIES / "queue-plain-head.jsonl"),
    ("check", "--json", "--follow", "--spec", "queue", "-", "<", HISTORIES / "queue-plain-head.jsonl"),
    ("check", "--json", "--follow", "--spec", "mutex", "-", "<", HISTORIES / "mutex-test-then-set.jsonl"),
    ("convert", "--to", "edn", HISTORIES / "queue-correct.jsonl"),
    ("cover", "--json", NETS / "two_locks.spec"),
    ("cover", "--json", NETS / "producer_consumer.pnml"),
    ("cover", "--json", NETS / "test_then_set.spec"),
    ("verify", "--json", MODELS / "peterson.csp"),
    ("verify", "--json", MODELS / "hasty_register.csp"),
    ("verify", "--json", MODELS / "mailbox.lin"),
    ("verify", "--json", MODELS / "any/locks.lin"),
    ("verify", "--json", MODELS / "any/lock_queue.lin"),
    ("verify", "--json", "right2.lin"),
    ("verify", "--json", "-j2", "right2.lin"),
    ("verify", "--json", "wrong2.lin"),
    ("verify", "--json", "any.lin"),
    ("rules", "--json", EXAMPLES / "rules/mutex.lin"),
    ("fmt", MODELS / "treiber.lin"),
]


def verdicts(out):
    """The verdicts of the answers, by their places in the output."""
    found = []
    for line in out.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and "verdict" in answer:
            found.append((str(answer.get("assertion", len(found))), answer["verdict"]))
    return dict(found)


class Faults(Case):
    def run_with(self, arguments, **environment):
        """`<` and a file behind it, at the end, are standard input."""
        arguments = list(map(str, arguments))
        given = pathlib.Path(arguments[-1]).read_bytes() if "<" in arguments else b""
        if given:
            del arguments[-2:]
        process = self.start(*arguments, environment=environment, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(given, timeout=HANGS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += b"it does not end"
        return Result(process.returncode, out.decode(), err.decode())

    def refused(self, arguments, normal, which):
        result = self.run_with(arguments, LINCHPIN_REFUSE=which)
        told = "LINCHPIN_REFUSE=%s %s\n%s%s" % (which, " ".join(map(str, arguments)), result.out, result.err)
        if result.status not in (normal.status, 3):
            return told
        usual = verdicts(normal.out)
        for name, verdict in verdicts(result.out).items():
            if verdict not in ("unknown", usual.get(name)):
                return told
        return None

    def test_refused_memory_changes_no_verdict(self):
        self.file("right2.lin", RIGHT + "assert stack_of linearizes stack with threads = 2, ops = 2;\n")
        self.file("wrong2.lin", WRONG + "assert stack_of linearizes stack with threads = 2, ops = 2;\n")
        self.file("any.lin", RIGHT + "assert stack_of linearizes stack with threads = any, nodes = 2;\n")
        print("LINCHPIN_SEED=%d" % SEED)
        draw = random.Random(SEED)
        tasks = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for number, arguments in enumerate(RUNS):
                count = self.folder / ("count%d" % number)
                normal = self.run_with(arguments, LINCHPIN_COUNT=str(count))
                self.assertIn(normal.status, (0, 1), normal.out + normal.err)
                if not count.exists():
                    self.skipTest("not a build with LINCHPIN_FAULTS")
                asked = int(count.read_text())
                self.assertGreater(asked, 10, arguments)
                chosen = range(1, asked + 1)
                if EACH and asked > EACH:
                    chosen = sorted(draw.sample(chosen, EACH))
                for n in chosen:
                    tasks.append(pool.submit(self.refused, arguments, normal, "%d%s" % (n, "+" if n % 2 else "")))
            wrong = [task.result() for task in tasks if task.result()]
        self.assertEqual(wrong, [], "\n".join(wrong[:5]))


if __name__ == "__main__":
    main()
