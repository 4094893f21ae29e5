#!/usr/bin/env python3
"""Every command with every kind of bad input: a message with a place, exit status 2 and nothing on
standard output; with --json the same message as an object."""
import gzip
import json
import sys

from program import BROKEN, QUEUE_BAD, QUEUE_OK, SOURCE, Case, main

EXAMPLES = SOURCE / "examples"

try:
    import jsonschema
    SCHEMA = json.loads((SOURCE / "docs/schema/error.json").read_text())
    CHECK = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
except ImportError: # another Python than the system's, which has it
    if sys.executable == "/usr/bin/python3":
        raise
    CHECK = None

# Files that no format takes.
GARBAGE = {
    "garbage": bytes(range(256)) * 4,
    "zeros": bytes(100),
    "text": b"this is a letter to my aunt,\nnot a thing to be checked\n",
    "half.gz": gzip.compress(b"{:process 0}" * 1000)[:60],
    "json": b'{"what": [1, 2, 3]}\n',
}

SPEC = "spec s() { int(0..3) x; op go() { x = y; } }\n"
MODEL = "impl i() {\n    shared int x;\n    op go() { x = yy; }\n}\nassert i linearizes counter;\n"
FAULT = "var x = 0;\nP = a{x = 1 / x} -> P;\n#assert P deadlockfree;\n"
AUTOMATON = (EXAMPLES / "rules/queue_order.txt").read_text()


class Errors(Case):
    def bad(self, *words, answers=False, way=False):
        """Both ways; the errors as objects. `answers`: there are some, too; `way`: to people the way to
        a fault is shown."""
        words = list(map(str, words))
        plain = self.run_program(*words)
        told = self.run_program(words[0], "--json", *words[1:])
        about = (words, plain.err, told.err)
        self.assertEqual((plain.status, told.status), (2, 2), about)
        if not answers:
            self.assertEqual(("" if way else plain.out, told.out), ("", ""), about)
        found = []
        for line in told.err.splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                self.fail(about)
        self.assertTrue(found, about)
        for error in found:
            if CHECK:
                self.assertEqual([str(each)[:200] for each in CHECK.iter_errors(error)], [], about)
            self.assertIn(error["error"].splitlines()[0], plain.err, about)
            place = error["file"] + (":%d" % error["line"] if "line" in error else "")
            if not plain.err.startswith("linchpin "): # the whole command line is meant
                self.assertIn(place, plain.err, about)
        return found

    def garbage(self, ending=""):
        yield "missing" + ending
        self.folder.joinpath("folder" + ending).mkdir(exist_ok=True)
        yield "folder" + ending
        for name, content in GARBAGE.items():
            yield self.file("bad-" + name + ending, content)

    def test_check(self):
        for name in self.garbage():
            self.bad("check", "--spec=queue", name)
        error, = self.bad("check", self.file("broken", BROKEN))
        self.assertEqual((error["input"], error["line"]), ("broken", 2))
        self.file("good", QUEUE_OK)
        self.bad("check", "good#H7")
        self.bad("check", "--spec=stack", "good")
        self.bad("check", "good", "broken", answers=True)

    def test_specifications(self):
        self.file("good", QUEUE_OK)
        for name in self.garbage(".lin"):
            self.bad("check", "--spec", name, "good")
        error, = self.bad("check", "--spec", self.file("s.lin", SPEC), "good")
        self.assertEqual((error["file"], error["line"]), ("s.lin", 1))
        self.bad("check", "--spec", self.file("two.lin", SPEC.replace("x = y", "x = y; z = 1")), "good")

    def test_verify_and_simulate(self):
        for ending in (".lin", ".csp"):
            for name in self.garbage(ending):
                self.bad("verify", name)
                self.bad("simulate", "--seed=1", name)
        error, = self.bad("verify", self.file("m.lin", MODEL))
        self.assertEqual(error["line"], 3)
        self.bad("simulate", "--seed=1", "m.lin")
        no_member = "impl s {\n    shared int x = 0\n    return x;\n    op get() { return x; }\n}\n"
        errors = self.bad("verify", self.file("no_member.lin", no_member))
        self.assertEqual([error["line"] for error in errors], [3, 3])
        fault, = self.bad("verify", self.file("fault.csp", FAULT))
        self.assertEqual((fault["line"], fault["assertion_line"]), (2, 3))
        self.bad("simulate", "--seed=1", "--steps=3", "fault.csp", "P", way=True)
        self.bad("simulate", "--seed=1", EXAMPLES / "models/treiber.lin:1")

    def test_simulate_along(self):
        model = EXAMPLES / "models/hasty_register.csp"
        for name in self.garbage():
            self.bad("simulate", "--along", name, model)
        self.file("h", QUEUE_BAD)
        self.expect(1, "check", "--trace=other.json", "h")
        self.bad("simulate", "--along=other.json", model)

    def test_cover(self):
        for ending in (".spec", ".pnml", ".tts"):
            for name in self.garbage(ending):
                self.bad("cover", name)

    def test_rules(self):
        for ending in (".txt", ".lin"):
            for name in self.garbage(ending):
                self.bad("rules", name)
        error, = self.bad("rules", self.file("a.txt", AUTOMATON + "trans 1 call Enq 2 9\n"))
        self.assertEqual(error["line"], AUTOMATON.count("\n") + 1)
        self.bad("rules", self.file("a.lin", "rules queue { rule R: u where v in Enq* => u; }"))
        self.bad("rules", "--made", EXAMPLES / "rules/set.lin")
        self.bad("rules", "--made", EXAMPLES / "rules/bag.lin")
        for name in self.garbage():
            self.bad("rules", "--spec=queue", "--on", name)
        self.file("twice", QUEUE_OK.replace("7", "3"))
        self.bad("rules", "--spec=queue", "--on", "twice")

    def test_code(self):
        for name in ("missing.c", self.file("text.c", GARBAGE["text"]), self.file("none.c", "int x;\n")):
            self.bad("test", name)
            self.bad("stress", "--timeout=1s", name)

    def kept(self, *words):
        """A trace, as a dictionary."""
        self.expect(1, *words, "--trace=t.json", "-q")
        return json.loads((self.folder / "t.json").read_text())

    def replay(self, kept, **changes):
        self.file("changed.json", json.dumps({**kept, **changes}))
        return self.bad("replay", "changed.json")

    def test_replay(self):
        for name in self.garbage():
            self.bad("replay", name)
        self.file("h", QUEUE_BAD)
        trace = self.kept("check", "h")
        self.replay(trace, core=[99])
        self.replay(trace, core=[0])
        self.replay(trace, hash="xxh3:0000000000000000")
        self.replay(trace, input="gone")
        self.replay(trace, options={**trace["options"], "spec": ["gone.lin"]})
        self.replay(trace, options={**trace["options"], "spec": [7]})
        self.replay(trace, core="all")

    def test_replay_of_models_and_nets(self):
        for words in (("verify", EXAMPLES / "models/hasty_register.csp"),
                      ("verify", EXAMPLES / "models/treiber.lin"),
                      ("cover", EXAMPLES / "nets/test_then_set.spec")):
            trace = self.kept(*words)
            steps = trace["trace"]
            self.replay(trace, trace=steps[1:])
            self.replay(trace, trace=[{**steps[0], "event": "nothing"}])
            self.replay(trace, trace=[{"event": 3}])
            self.replay(trace, hash="xxh3:0000000000000000")
            self.replay(trace, input="gone")
            if words[0] == "cover":
                self.replay(trace, trace=steps[:-1])

    def test_replay_of_code(self):
        trace = self.kept("test", "--ops=3", "--test=treiber_relaxed", EXAMPLES / "code/treiber.c")
        self.replay(trace, hash="xxh3:0000000000000000")
        self.replay(trace, options={"sources": ["gone.c"], "flags": []})
        self.replay(trace, calls=[])


main()
