#!/usr/bin/env python3
"""--proof and linchpin-recheck: certificates of right answers are accepted, spoiled ones and those of wrong answers are refused.

CASES histories are drawn with SEED: CASES=100000 SEED=7 tests/cli/test_proof.py PROGRAM SOURCE"""
import decimal
import hashlib
import json
import math
import os
import random
import re

from program import QUEUE_BAD, SOURCE, main
from proofs import ProofCase, digest, lines

SEED = int(os.environ.get("SEED", "1"))
CASES = int(os.environ.get("CASES", "600"))
BATCH = max(60, CASES // 200)  # histories that are decided by one run of the program
HISTORIES = SOURCE / "examples" / "histories"


# ---- objects: what an operation answers, said a third time ----

class Register:
    spec = "cas-register"

    def __init__(self):
        self.held = None

    def call(self, draw):
        f = draw.choice(["read", "write", "cas"])
        return f, None if f == "read" else draw.randrange(3) if f == "write" else [draw.choice([None, 0, 1, 2]), draw.randrange(3)]

    def act(self, f, argument):
        if f == "read":
            return "ok", self.held
        if f == "cas" and argument[0] != self.held:
            return "fail", argument
        self.held = argument if f == "write" else argument[1]
        return "ok", argument


class Map:
    spec = "map"

    def __init__(self):
        self.held = {}

    def call(self, draw):
        f, key = draw.choice(["get", "get", "put", "delete", "cas"]), draw.choice("xy")
        rest = {"put": [draw.randrange(3)], "cas": [draw.choice([None, 0, 1]), draw.randrange(3)]}
        return f, [key] + rest[f] if f in rest else key

    def act(self, f, argument):
        if f == "get":
            return "ok", self.held.get(argument)
        if f == "cas":
            if self.held.get(argument[0]) != argument[1]:
                return "ok", False
            self.held[argument[0]] = argument[2]
            return "ok", True
        if f == "put":
            self.held[argument[0]] = argument[1]
        else:
            self.held.pop(argument, None)
        return "ok", None


class Sequence:
    """A queue, stack or deque; the names of its operations say at which ends."""
    bound = None

    def __init__(self):
        self.held = []

    def call(self, draw):
        f = draw.choice(self.inserts + self.removes)
        return f, draw.randrange(4) if f in self.inserts else None

    def act(self, f, argument):
        front = f in ("push-front", "pop-front", "dequeue")
        if f in self.removes:
            return "ok", self.held.pop(0 if front else -1) if self.held else None
        if self.bound is not None and len(self.held) >= self.bound:
            return "ok", False
        self.held.insert(0 if front else len(self.held), argument)
        return "ok", True if self.bound is not None else argument


class Queue(Sequence):
    spec, inserts, removes = "queue", ["enqueue"], ["dequeue"]


class ShortQueue(Queue):
    spec, bound = "queue(2)", 2


class Stack(Sequence):
    spec, inserts, removes = "stack", ["push"], ["pop"]


class Deque(Sequence):
    spec, inserts, removes = "deque", ["push-front", "push-back"], ["pop-front", "pop-back"]


class Lock:
    spec = "mutex"

    def __init__(self):
        self.held = 0

    def call(self, draw):
        return draw.choice(["acquire", "release", "try-acquire"]), None

    def act(self, f, argument):
        taken = self.held
        self.held = 0 if f == "release" else 1
        return "ok", not taken if f == "try-acquire" else None


class Semaphore(Lock):
    spec = "semaphore(2)"

    def call(self, draw):
        return draw.choice(["acquire", "release"]), None


class Set:
    spec = "set"

    def __init__(self):
        self.held = set()

    def call(self, draw):
        return draw.choice(["add", "remove", "contains"]), draw.randrange(2)

    def act(self, f, argument):
        there = argument in self.held
        if f == "add":
            self.held.add(argument)
        elif f == "remove":
            self.held.discard(argument)
        return "ok", not there if f == "add" else there


class Counter:
    spec = "counter"

    def __init__(self):
        self.held = 0

    def call(self, draw):
        f = draw.choice(["add", "inc", "read"])
        return f, draw.choice([1, -2, 5]) if f == "add" else None

    def act(self, f, argument):
        if f != "read":
            self.held += 1 if f == "inc" else argument
        return "ok", self.held if f == "read" else None


OBJECTS = [Register, Map, Queue, ShortQueue, Stack, Deque, Lock, Semaphore, Set, Counter]


def draw_history(draw, kind, pairs=False):
    """A run of an object by some processes; some answers are wrong, some are not recorded. With `pairs` values are [key value]."""
    states, events, running = {}, [], {}
    processes, todo = draw.randint(1, 4), draw.randint(1, 14)
    keys = ["a", 2] if pairs else draw.choice([None, None, None, ["a", "b"]]) if kind is not Map else None
    wrong = draw.choice([0, 0, 0.1, 0.3])
    while todo or running:
        process = draw.randrange(processes)
        if process not in running:
            if not todo:
                if draw.random() < 0.1:
                    break
                continue
            todo -= 1
            key = draw.choice(keys) if keys else None
            object_ = states.setdefault(key, kind())
            f, argument = object_.call(draw)
            event = {"process": process, "type": "invoke", "f": f, "value": argument}
            if pairs:
                event["value"] = [key, argument]
            elif key is not None:
                event["key"] = key
            running[process] = [event, object_, None]
            events.append(event)
            continue
        event, object_, answer = running[process]
        if answer is None:
            running[process][2] = object_.act(event["f"], event["value"][1] if pairs else event["value"])
            continue
        del running[process]
        type_, result = answer
        chance = draw.random()
        if chance < 0.1:
            type_ = draw.choice(["info", "fail"])
        if draw.random() < wrong:
            result = draw.choice([None, True, False, 0, 1, 2, 3])
            if event["f"] in ("read",) and kind is Counter:
                result = draw.randrange(5)
        done = dict(event, type=type_)
        if chance < 0.95:
            done["value"] = [event["value"][0], result] if pairs else result
        else:
            del done["value"]
        events.append(done)
    return events


class Histories(ProofCase):
    command = "check"

    # ---- what is accepted ----

    def test_shipped_histories(self):
        paths = sorted(str(path) for path in HISTORIES.glob("*.jsonl"))
        answers, claims = self.prove(*paths)
        self.assertEqual({answer["proof"] for answer in answers}, {"written"})
        self.assertEqual({answer["verdict"] for answer in answers}, {"linearizable", "violation"})
        said = self.recheck(0, "proof").out
        for answer in answers:
            self.assertIn(": accepted: %s: %s: %s\n" % (answer["input"], answer["verdict"], answer["spec"]), said)
        self.assertEqual(self.recheck(0, "-q", "proof").out, "")
        self.assertEqual(claims[-1], {"claims": len(paths)})

    def test_histories_of_other_formats(self):
        """Written as json, what has a certificate is accepted."""
        names = []
        for path in sorted([*HISTORIES.glob("*.edn"), *HISTORIES.glob("*.txt"), *(SOURCE / "docs/manual/histories").iterdir()]):
            written = self.run_program("convert", "--to", "json", str(path))
            if written.status == 0:
                names.append(self.file(path.name + ".json", written.out))
        answers, _ = self.prove("--order=file", *names)
        kept = [answer["input"] for answer in answers if answer["proof"] == "written"]
        self.assertGreater(len(kept), 6)
        self.run_program("check", "--order=file", "--proof", "proof", *kept)
        self.assertEqual(len(self.recheck(0, "proof").out.splitlines()), len(kept))

    def test_told_as_it_was_asked(self):
        self.file("h", lines([{"process": 0, "type": "invoke", "f": "read"}, {"process": 0, "type": "ok", "f": "read", "value": 5}]))
        self.assertEqual(self.prove("--initial", "5", "h")[0][0]["verdict"], "linearizable")
        self.assertEqual(self.recheck(0, "proof").out, "proof:2: accepted: h: linearizable: register, initial\n")
        self.assertEqual(self.prove("h")[0][0]["verdict"], "violation")
        self.assertEqual(self.recheck(0, "proof").out, "proof:2: accepted: h: violation: register\n")
        _, claims = self.prove("--spec", "cas-register", "h")
        self.assertIn("an order", self.refused([claims[0], dict(claims[1], options={"initial": 5}), *claims[2:]]))

    def test_nothing_is_told_that_was_not_checked(self):
        """A certificate cannot have other options, another input or another claim told as accepted, nor write lines of its own."""
        self.file("h", lines(self.history()))
        _, claims = self.prove("--spec", "queue", "h")
        told = "proof:2: accepted: h: %s: queue\n" % claims[1]["verdict"]
        self.assertEqual(self.recheck(0, "proof").out, told)
        change = lambda **fields: lines([claims[0], dict(claims[1], **fields), *claims[2:]])
        for option in ("independent", "owned"):
            for value in (1, "x", "true", [], None):
                self.file("spoiled", change(options={option: value}))
                self.assertIn("the option %s is true or false" % option, self.recheck(1, "spoiled").out)
        self.file("spoiled", change(options=[]))
        self.assertIn("the options are no object", self.recheck(1, "spoiled").out)
        line = "x\nproof:9: accepted: other"
        self.file("spoiled", change(options={line: True}))
        self.assertEqual(self.recheck(3, "spoiled").out.count("\n"), 1)
        self.file("proof", change(assertion="assert stack linearizes stack", automaton="other"))
        self.assertEqual(self.recheck(0, "proof").out, told)
        self.file("proof", change(input=line))
        self.assertEqual(self.recheck(0, "proof", "h").out, told)
        self.file("proof", lines([claims[0], {"claim": "none", "input": "x", "none": line + "\x1b[2J"}, {"claims": 1}]))
        self.assertEqual(self.recheck(3, "proof").out, "proof:2: unknown: no certificate: x\\x0aproof:9: accepted: other\\x1b[2J\n")

    def test_empty_collections(self):
        """A line that is nothing but an empty object, or an empty list, says nothing; it is read all the same."""
        for first in ("{}", "[]", "{} x"):
            self.file("proof", first + "\n")
            self.assertIn("error: ", self.recheck(2, "proof").err)

    def test_inputs_elsewhere(self):
        self.file("one/h.jsonl", (HISTORIES / "stack-aba.jsonl").read_text())
        self.prove("one/h.jsonl")
        os.rename(self.folder / "one", self.folder / "two")
        self.assertIn("one/h.jsonl", self.recheck(2, "proof").err)
        self.recheck(0, "proof", "two/h.jsonl")
        self.file("other", "")
        self.assertIn("no input that was given", self.recheck(1, "proof", "other").out)

    def test_random_histories(self):
        draw = random.Random(SEED)
        for first in range(0, CASES, BATCH):
            self.batch(draw, first, OBJECTS[first // BATCH % len(OBJECTS)])

    def batch(self, draw, first, kind):
        names, contents, pairs = [], {}, draw.random() < 0.3
        for case in range(first, min(CASES, first + BATCH)):
            name = "h%d" % (case % BATCH)
            contents[name] = lines(draw_history(draw, kind, pairs))
            names.append(self.file(name, contents[name]))
        answers, claims = self.prove("--spec", kind.spec, *(["--independent"] if pairs else []), *names)
        where = "SEED=%d, from case %d on, %s" % (SEED, first, kind.spec)
        self.assertEqual(len(answers), len(names), where)
        self.assertEqual({answer["proof"] for answer in answers}, {"written"}, where)
        said = self.recheck(0, "proof", where=where).out
        told = re.findall(r"accepted: (\S+): (\S+):", said)
        self.assertEqual(told, [(answer["input"], answer["verdict"]) for answer in answers])
        for answer in draw.sample(answers, min(len(answers), 20)):
            self.spoil(draw, answer, contents[answer["input"]], kind, pairs)

    def spoil(self, draw, answer, content, kind, pairs):
        """Claims the contrary of an answer, and leaves something out."""
        operations = []
        running = {}
        for event in map(json.loads, content.splitlines()):
            if event["type"] == "invoke":
                running[event["process"]] = len(operations)
                operations.append(None)
            else:
                operations[running.pop(event["process"])] = event["type"]
        happened = [i for i, type_ in enumerate(operations) if type_ == "ok"]
        claim = {"claim": "history", "input": answer["input"], "sha256": digest(content), "spec": kind.spec,
                 "options": {"independent": pairs}, "operations": len(operations)}
        frame = lambda verdict, line: [{"linchpin_proof": 1}, dict(claim, verdict=verdict), line, {"end": 1}, {"claims": 1}]
        if answer["verdict"] == "linearizable":
            order = list(happened)
            chosen = happened if draw.random() < 0.5 else draw.sample(happened, draw.randint(0, len(happened)))
            self.refused(frame("violation", {"core": chosen}))
            if happened:
                order.remove(draw.choice(happened))
                self.refused(frame("linearizable", {"order": order}))
        else:
            order = list(happened)
            draw.shuffle(order)
            self.refused(frame("linearizable", {"order": happened}))
            self.refused(frame("linearizable", {"order": order}))
            core = answer["core"]
            if answer["core_complete"]:
                lost = draw.choice(core)
                self.refused(frame("violation", {"core": [i for i in core if i != lost]}))

    # ---- what is refused ----

    def history(self):
        events = []
        for i, (f, argument, result) in enumerate([("enqueue", 1, 1), ("enqueue", 2, 2), ("dequeue", None, 1),
                                                   ("enqueue", 3, 3), ("dequeue", None, 2)]):
            events.append({"process": i, "type": "invoke", "f": f, "value": argument})
            events.append({"process": i, "type": "ok", "f": f, "value": result})
        return events

    def test_spoiled_orders(self):
        self.file("h", lines(self.history()))
        _, claims = self.prove("h")
        self.recheck(0, "proof")
        self.assertEqual(claims[2], {"order": [0, 1, 2, 3, 4]})
        for i in range(5):
            less = [k for k in range(5) if k != i]
            self.assertIn("not in the order", self.refused(claims[:2] + [{"order": less}] + claims[3:]))
            for j in range(i):
                swapped = list(range(5))
                swapped[i], swapped[j] = j, i
                self.assertRegex(self.refused(claims[:2] + [{"order": swapped}] + claims[3:]),
                                 "had returned before|cannot answer so")
        for order, why in (([0, 1, 2, 3, 4, 4], "twice"), ([0, 1, 2, 3, 5], "no operation 5"), ([0, 1, 2, 3, -1], "no operation -1"),
                           ([0, 1, 2, 3, "4"], "no operation 4"), ("01234", "expected a list")):
            self.assertIn(why, self.refused(claims[:2] + [{"order": order}] + claims[3:]))

    def test_spoiled_answers_and_digests(self):
        events = self.history()
        self.file("h", lines(events))
        _, claims = self.prove("h")
        for at in (5, 9):
            changed = [dict(event) for event in events]
            changed[at]["value"] = 7
            self.file("h", lines(changed))
            self.assertIn("another SHA-256", self.recheck(1, "proof").out)
            own = [dict(claims[1], sha256=digest(lines(changed)))]
            self.assertIn("cannot answer so", self.refused(claims[:1] + own + claims[2:]))
        self.file("h", lines(events))
        for i in range(64):
            wrong = "%x" % (15 - int(claims[1]["sha256"][i], 16))
            sha = claims[1]["sha256"][:i] + wrong + claims[1]["sha256"][i + 1:]
            self.assertIn("another SHA-256", self.refused([claims[0], dict(claims[1], sha256=sha)] + claims[2:]))
        for key in ("input", "sha256", "spec", "verdict", "operations", "claim"):
            less = {name: value for name, value in claims[1].items() if name != key}
            self.refused([claims[0], less] + claims[2:])
        for key, value in (("operations", 6), ("verdict", "violation"), ("verdict", "unknown"), ("spec", "stack"),
                           ("spec", "fifo"), ("spec", "queue(0)"), ("spec", "queue(1)"), ("claim", "future")):
            self.refused([claims[0], dict(claims[1], **{key: value})] + claims[2:])

    def test_spoiled_frames(self):
        self.file("h", lines(self.history()))
        _, claims = self.prove("h")
        for i in range(1, len(claims)):
            self.refused(claims[:i] + claims[i + 1:])
            self.refused(claims[:i])
        self.refused(claims + claims[1:])
        self.refused([claims[0], dict(claims[1], verdict="unknown"), {"end": 0}, {"claims": 1}])
        self.refused(claims + [{}])
        self.refused(claims[:2] + [claims[2]] + claims[2:])
        self.refused(claims[:3] + [{"end": 2}] + claims[4:])
        self.refused(claims[:4] + [{"claims": 2}])
        self.refused([claims[0], {"claims": 0}])
        self.file("broken", lines(claims)[:-20])
        self.recheck(2, "broken")
        self.file("later", lines([{"linchpin_proof": 2}] + claims[1:]))
        self.assertIn("version 1", self.recheck(2, "later").err)
        self.assertIn("cannot be read", self.recheck(2, "nowhere").err)
        self.recheck(2)
        self.recheck(2, "--limit", "x", "proof")

    def test_a_core_needs_its_operations(self):
        path = str(HISTORIES / "queue-plain-head.jsonl")
        answers, claims = self.prove(path)
        core = claims[2]["core"]
        self.assertTrue(answers[0]["core_complete"])
        for lost in core:
            less = [i for i in core if i != lost]
            said = self.refused(claims[:2] + [{"core": less}] + claims[3:])
            self.assertRegex(said, "have an order|has no operation")
        self.assertIn("too large", self.recheck(3, "--limit", "1", "proof").out)

    def test_what_has_none_hides_nothing(self):
        """What stands behind an answer without a certificate is checked all the same: accepted, or refused."""
        self.file("h", lines(self.history()))
        _, claims = self.prove("h")
        none = {"claim": "none", "input": "x", "none": "why not"}
        self.file("both", lines([claims[0], none, *claims[1:-1], {"claims": 2}]))
        said = self.recheck(3, "both").out
        self.assertIn("both:2: unknown: no certificate: why not\n", said)
        self.assertIn("both:3: accepted: h: ", said)
        self.assertNotIn("accepted", self.recheck(3, "-q", "both").out)
        self.refused([claims[0], none, dict(claims[1], operations=6), *claims[2:-1], {"claims": 2}])

    # ---- numbers ----

    def draw_real(self, draw, one):
        """Another way to write a number, or another number that is close to it."""
        digits, zeros, power = "".join(draw.choices("0159", k=draw.choice([1, 2, 17, 40]))), draw.choice([0, 1, 330]), draw.choice([
            -324, -323, -309, 0, 308, 309, 400, -400])
        if one and draw.random() < 0.6:
            sign, digits, exponent = decimal.Decimal(one).as_tuple()
            digits, power = "-" * sign + "".join(map(str, digits)), exponent
            power += draw.choice([0, 0, 1])
        negative = digits.startswith("-")
        digits = digits.lstrip("-0") or "0"
        at = draw.randrange(len(digits) + 1)
        power += len(digits) - at
        written = "%s.%s%s" % (digits[:at] or "0", digits[at:] or "0", "0" * zeros)
        if draw.random() < 0.2 and not zeros:
            written, power = digits + "0" * 330, power - 330 - len(digits) + at
        return "%s%s%s%s%03d" % ("-" * negative, written, draw.choice("eE"), "-" if power < 0 else draw.choice(["", "+"]), abs(power))

    def test_reals(self):
        """A real is the nearest double, or if there is none but 0 and infinity, exactly the number that is written."""
        def meaning(text):
            real, exact = float(text), decimal.Decimal(text)
            return real if math.isfinite(real) and (real or not exact) else exact

        draw = random.Random(SEED)
        pairs = [("1e400", "1e500"), ("1e400", "10e399"), ("1e400", "1" + 399 * "0" + "0.0"), ("1e-400", "0.0"), ("1e-400", "1e-500"), ("1e309", "1e310"),
                 ("1e309", "-1e309"), ("1.7976931348623159e308", "1e309"), ("1.7976931348623158e308", "1.7976931348623157e308"), ("0.0", "-0e9"),
                 ("0.1", "0.1" + 400 * "0"), ("0.1", "0.1000000000000000055511151231257827"), ("1.0", "1." + 400 * "0" + "1"), ("2e-324", "0.0"),
                 ("1.0000000000000001110223024625156541", "1.0"), ("1.00000000000000011102230246251565404236316680908203125", "1.0"),
                 ("1.00000000000000011102230246251565404236316680908203125" + 900 * "0" + "1", "1.0"), ("1e99999999999999999", "10e99999999999999998"),
                 ("0.1e-99999999999999999", "1e-0099999999999999999"), ("1e99999999999999999", "1e99999999999999998")]
        while len(pairs) < 20 + CASES // 10:
            pairs.append((one := self.draw_real(draw, None), self.draw_real(draw, one)))
        names = [self.file("h%d" % i, self.REAL % pair) for i, pair in enumerate(pairs)]
        answers, claims = self.prove(*names)
        self.recheck(0, "proof")
        kept = draw.sample(range(20, len(pairs)), min(8, len(pairs) - 20))
        for i, (pair, answer) in enumerate(zip(pairs, answers)):
            equal = meaning(pair[0]) == meaning(pair[1])
            self.assertEqual(answer["verdict"], "linearizable" if equal else "violation", pair)
            claim = {"claim": "history", "input": names[i], "sha256": digest(self.REAL % pair), "spec": "register", "options": {}, "operations": 2,
                     "verdict": "violation" if equal else "linearizable"}
            if i < 20 or i in kept:
                self.refused([claims[0], claim, {"core" if equal else "order": [0, 1]}, {"end": 1}, {"claims": 1}], where=str(pair))

    REAL = ('{"process": 0, "type": "invoke", "f": "write", "value": %s}\n{"process": 0, "type": "ok", "f": "write"}\n'
            '{"process": 0, "type": "invoke", "f": "read"}\n{"process": 0, "type": "ok", "f": "read", "value": %s}\n')

    def test_reals_that_are_too_long(self):
        for real in ("1e999999999999999999", "0e-999999999999999999", "1." + 800 * "3" + "e400"):
            self.file("h", self.REAL % (real, "7"))
            self.assertIn("h:1: error: expected a number of fewer digits", self.expect(2, "check", "h").err)
            claim = {"claim": "history", "input": "h", "sha256": digest(self.REAL % (real, "7"))}
            self.file("proof", lines([{"linchpin_proof": 1}, claim, {"end": 0}, {"claims": 1}]))
            self.assertIn("h:1: error: expected a", self.recheck(2, "proof").err)

    # ---- what linchpin does not read ----

    def forge(self, name, content, spec, count, happened, **options):
        """Both verdicts about a history, with whatever happened as evidence."""
        claim = {"claim": "history", "input": name, "sha256": digest(content), "spec": spec, "options": options, "operations": count}
        for verdict, key in (("linearizable", "order"), ("violation", "core")):
            self.file("forged", lines([{"linchpin_proof": 1}, dict(claim, verdict=verdict), {key: happened}, {"end": 1}, {"claims": 1}]))
            ran = self.run_recheck("forged")
            self.assertIn(ran.status, (1, 2, 3), "%s %s: %s%s" % (spec, verdict, content, ran.out + ran.err))

    def test_what_is_no_history(self):
        """Of an input that linchpin refuses no claim is accepted."""
        event = lambda process, type_, f, **more: json.dumps(dict({"process": process, "type": type_, "f": f}, **more)) + "\n"
        pair = lambda f, argument, answer, **more: event(0, "invoke", f, value=argument, **more) + event(0, "ok", f, value=answer, **more)
        write, read = pair("write", 1, 1), pair("read", None, 1)
        for spec, count, content in (
                ("register", 2, event("n", "ok", "write", value=1) + write + read), ("register", 2, event("n", "fail", "write", value=1) + write + read),
                ("register", 2, write + event("n", "info", "write") + read.replace("0", '"n"')),
                ("register", 2, (write + read).replace("1", '"\\ud800"', 2).replace("1", '"\\udc01"')), ("register", 1, pair("write", "\\", 1).replace("\\\\", "\\udc00")),
                ("register", 2, pair("write", 1, 1, key="a") + read), ("register", 2, write + pair("read", None, None, key="a")),
                ("register", 2, write + pair("read", [1, None], [1, 1])), ("mutex", 1, pair("acquire", [1, None], [1, 1])),
                ("register", 3, write + event(0, "invoke", "jump") + event(0, "fail", "jump") + read), ("counter", 1, pair("inc", 7, None)),
                ("register", 2, (write + read).replace("write", "write\\u0000")), ("register", 2, write + pair("read", None, None, object="a")),
                ("register", 2, pair("write", 1, None, object=1) + pair("read", None, None, object="1")),  # the same object
                ("map", 2, pair("put", ["x", 1], None) + pair("get", "x", ["x", 1])), ("map", 1, pair("get", "x", ["x", 1])),
                ("map", 1, pair("get", ["x", None], ["x", None]))):
            self.file("h", content)
            self.forge("h", content, spec, count, list(range(count)))
        for content in (b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xc3", b"\x80"):
            content = write.replace("1", '"x"').encode().replace(b"x", content)
            self.file("h", content)
            self.expect(2, "check", "h")
            self.file("forged", lines([{"linchpin_proof": 1}, {"claim": "history", "input": "h", "sha256": hashlib.sha256(content).hexdigest()}]))
            self.recheck(2, "forged")

    def test_what_cannot_be_held_at_first(self):
        for spec, f, wrong, right in (("counter", "inc", ["x", None, 1.5, [1]], 1), ("queue", "dequeue", ["x", None, {"a": 1}, [1, None]], []),
                                      ("queue(2)", "dequeue", [[1, 2, 3]], [1]), ("set", "add", ["x", 1, [None]], [2]), ("mutex", "acquire", ["taken", None, 0], "free"),
                                      ("semaphore(2)", "release", [-1, 3, "x", None], 1)):
            content = "".join(json.dumps({"process": 0, "type": type_, "f": f, "value": 1 if f == "add" else None}) + "\n" for type_ in ("invoke", "info"))
            self.file("h", content)
            for initial in wrong:
                self.expect(2, "check", "--spec", spec, "--initial", json.dumps(initial).replace("null", "nil").replace(":", ""), "h")
                self.forge("h", content, spec, 1, [0], initial=initial)
            self.prove("--spec", spec, "--initial", json.dumps(right), "h")
            self.recheck(0, "proof")
        self.forge("h", content, "semaphore(2)", 1, [0], owned=True)
        for spec in ("semaphore(2", "semaphore(2x)", "semaphore( 2)", "semaphore(2)(3)", "semaphore()", "semaphore(99999999999999999999)", "mutex(1)"):
            self.forge("h", content, spec, 1, [0])

    def test_parameters_of_the_specification(self):
        self.file("h", '{"process": 0, "type": "invoke", "f": "acquire"}\n{"process": 0, "type": "ok", "f": "acquire"}\n')
        for spec in ("mutex(owned)", "mutex(initial = \"held\")", "semaphore(2, initial = 0)"):
            self.assertIn("more than a number", self.prove("--spec", spec, "h")[0][0]["proof"])
        self.assertEqual(self.prove("--spec", "semaphore( 2 )", "h")[0][0]["proof"], "written")
        self.recheck(0, "proof")

    def test_random_inputs(self):
        """What linchpin decides has a certificate; of what it refuses no claim is accepted."""
        draw, seen = random.Random(SEED), {}
        values = [None, "x", 1, "1", True, [1, 2], [1, None], ["a", 1], {"a": 1}, 1.5, "", "info", "ok", "invoke", "fail", "read", "write", "a"]
        for kind in (Register, Map, Counter, ShortQueue, Lock, Set):
            contents = {}
            for i in range(max(20, CASES // 30)):
                events = [dict(event) for event in draw_history(draw, kind)[:8]]
                for _ in range(draw.choice([1, 1, 2])):
                    event = draw.choice(events)
                    event[draw.choice(["process", "type", "f", "value", "value", "key", "object"])] = draw.choice(values)
                contents[self.file("h%d" % i, lines(events))] = events
            self.run_program("check", "--json", "--spec", kind.spec, "--proof", "proof", *contents)
            claims = [json.loads(line) for line in (self.folder / "proof").read_text().splitlines()]
            where = "SEED=%d, %s" % (SEED, kind.spec)
            told = {claim["input"]: claim["claim"] for claim in claims if "claim" in claim}
            self.assertNotIn("refused", self.run_recheck("proof").out, where)
            seen.update((claim, True) for claim in told.values())
            for name in draw.sample(list(contents), max(8, CASES // 100)):
                if told.get(name) == "none":
                    count = sum(event["type"] == "invoke" for event in contents[name])
                    self.forge(name, lines(contents[name]), kind.spec, count, [i for i in range(count)])
        self.assertEqual(set(seen), {"history", "none"})

    def claim_violation(self, spec, core, events):
        content = lines(events)
        self.file("h", content)
        self.assertEqual(self.run_program("check", "--json", "--spec", spec, "h").objects()[0]["verdict"], "linearizable")
        return self.refused([{"linchpin_proof": 1},
                             {"claim": "history", "input": "h", "sha256": digest(content), "spec": spec, "verdict": "violation",
                              "options": {}, "operations": sum(event["type"] == "invoke" for event in events)},
                             {"core": core}, {"end": 1}, {"claims": 1}])

    def test_what_others_may_have_done(self):
        """Operations that never returned make the core possible."""
        def run(*operations):
            events = [{"process": i, "type": "invoke", "f": f, "value": argument} for i, (f, argument, *_) in enumerate(operations)]
            for i, (f, _, *result) in enumerate(operations):
                if result:
                    events.append({"process": i, "type": "ok", "f": f, "value": result[0]})
            return events

        for spec, core, operations in (
                ("cas-register", [3], [("cas", [None, 1]), ("cas", [1, 2]), ("cas", [2, 3]), ("read", None, 3)]),
                ("cas-register", [2], [("write", 1), ("write", 2), ("read", None, 2)]),
                ("cas-register", [0, 2], [("write", 0, 0), ("write", 5), ("cas", [0, 1], False)]),
                ("cas-register", [2, 3], [("write", 1), ("write", 1), ("cas", [1, 0], True), ("cas", [1, 0], True)]),
                ("queue", [0, 1, 3], [("enqueue", 1, 1), ("enqueue", 2, 2), ("dequeue", None), ("dequeue", None, 2)]),
                ("queue", [1, 3], [("enqueue", 1), ("dequeue", None, 1), ("enqueue", 2), ("dequeue", None, 2)]),
                ("queue(1)", [2], [("enqueue", 1), ("enqueue", 2), ("enqueue", 3, False)]),
                ("stack", [0, 1, 3], [("push", 1, 1), ("push", 2, 2), ("pop", None), ("pop", None, 1)]),
                ("counter", [2], [("add", 2), ("add", 3), ("read", None, 5)]),
                ("set", [1, 2], [("add", 1), ("contains", 1, True), ("contains", 1, False)]),
                ("mutex", [0, 2], [("acquire", None, None), ("release", None), ("acquire", None, None)])):
            self.assertIn("have an order", self.claim_violation(spec, core, run(*operations)), operations)

    def test_what_did_not_happen(self):
        events = self.history()
        failed = [{"process": 9, "type": "invoke", "f": "enqueue", "value": 9}, {"process": 9, "type": "fail", "f": "enqueue", "value": 9}]
        self.file("h", lines(events + failed))
        _, claims = self.prove("h")
        self.recheck(0, "proof")
        said = self.refused(claims[:2] + [{"order": [0, 1, 2, 3, 4, 5]}] + claims[3:])
        self.assertIn("operation 5 did not happen", said)
        self.assertIn("operation 5 did not happen", self.claim_violation("queue", [5], events + failed))

    def test_changed_bytes(self):
        draw = random.Random(SEED)
        for name in ("stack-aba.jsonl", "mutex-correct.jsonl"):
            content = (HISTORIES / name).read_text()
            self.file("h", content)
            self.prove("h")
            proof = (self.folder / "proof").read_text()
            self.survives_changes(draw, CASES // 20, "proof", proof)
            sha = proof.index(digest(content))
            for _ in range(CASES // 60):
                at = draw.randrange(len(content))
                changed = content[:at] + draw.choice(["0", "nil", "[1, 2]", "{}", "-"]) + content[at + draw.choice([0, 1, 3]):]
                self.file("h", changed)
                self.survives_changes(draw, 1, "proof", proof[:sha] + digest(changed) + proof[sha + 64:])

    # ---- where there is none ----

    def test_no_certificate(self):
        self.file("h.edn", QUEUE_BAD)
        self.file("broken", '{"process": 0, "type": "ok", "f": "read"}\n')
        self.file("map", lines([{"process": 0, "type": "invoke", "f": "append", "value": ["x", "a"]}]))
        for arguments, why in (((), "not in the format json"),):
            said = self.run_program("check", "--proof", "proof", "h.edn", *arguments)
            self.assertIn("no certificate: ", said.out)
            self.assertIn(why, said.out)
            self.assertIn("unknown: no certificate: ", self.recheck(3, "proof").out)
        self.expect(2, "check", "--proof", "proof", "broken")
        self.assertIn("error in the input", self.recheck(3, "proof").out)
        said = self.run_program("check", "--proof", "proof", "map").out
        self.assertIn("no certificate: linchpin-recheck does not know", said)
        told = self.run_program("verify", "--json", "--proof", "proof", str(SOURCE / "examples/models/treiber.lin")).objects()
        self.assertRegex(told[0]["proof"], "^no certificate: ")
        self.recheck(3, "proof")
        self.expect(2, "check", "--follow", "--spec", "queue", "--proof", "proof", "h.edn")
        self.expect(2, "check", "--proof", "h.edn", "h.edn")


if __name__ == "__main__":
    main()
