#!/usr/bin/env python3
"""What --json writes is what docs/schema says."""
import json
import os
import sys

try:
    import jsonschema
except ImportError: # another Python than the system's, which has it
    if sys.executable == "/usr/bin/python3":
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

from program import QUEUE_BAD, REGISTER_BAD, SOURCE, Case, events, hard, main

EXAMPLES = SOURCE / "examples"


def validator(command):
    schema = json.loads((SOURCE / "docs/schema" / (command + ".json")).read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


class Schema(Case):
    def test_runs_without_a_history(self):
        self.file("store/t/1/history.edn", QUEUE_BAD)
        for run in (2, 10):
            self.file("store/t/%d/jepsen.log" % run, "")
        self.file("store/t/4/notes", "")  # nothing of Jepsen's
        self.file("store/t/5/jepsen.log", "")
        self.file("store/t/5/independent/1/history.edn", QUEUE_BAD)
        told = self.run_program("check", "--json", "store", "store/t/1")
        self.assertEqual([answer["verdict"] for answer in told.objects()], ["violation"] * 2)
        notes = [json.loads(line) for line in told.err.splitlines()]
        self.assertEqual([note["input"] for note in notes],
                         ["store/t/2", "store/t/5", "store/t/10"])
        check = validator("without")
        for note in notes:
            self.assertEqual([error.message for error in check.iter_errors(note)], [])
        self.assertTrue(list(check.iter_errors({**notes[0], "more": 1})))
        said = self.run_program("check", "store")
        self.assertEqual(said.status, 1)
        self.assertRegex(said.err, r"^1 history: 0 linearizable, 1 violation; "
                                   r"3 runs without a history \(")
        said = self.run_program("check", "-v", "store")
        self.assertIn("store/t/10: note: a run without a history\n", said.err)
        self.assertEqual(self.run_program("check", "-q", "store").err, "")
        self.assertEqual(self.run_program("check", "store/t/2").status, 2)  # by itself
        self.assertNotIn("without", self.run_program("check", "store/t/1").err)

    def fits(self, command, *words, least=1):
        answers = self.run_program(command, "--json", *map(str, words)).objects()
        self.assertGreaterEqual(len(answers), least, words)
        check = validator(command)
        for answer in answers:
            problems = [error.message[:300] for error in check.iter_errors(answer)]
            self.assertEqual(problems, [], (words, str(answer)[:300]))
        return answers

    def test_check(self):
        histories = [path for path in sorted((EXAMPLES / "histories").iterdir())
                     if path.suffix in (".edn", ".jsonl") or path.name.startswith("kv")]
        self.fits("check", "--witness", *histories, least=8)
        self.fits("check", "--all", "--method=search", *histories, least=8)
        self.file("bad", QUEUE_BAD)
        self.file("register", REGISTER_BAD)
        self.file("keys", events("""
            0 invoke write [[1 2.5] 1]
            0 ok write [[1 2.5] 1]
            0 invoke read [[1 2.5] nil]
            0 ok read [[1 2.5] :x]
        """))
        self.file("hard", hard())
        self.fits("check", "bad", "register")
        self.fits("check", "--independent", "--spec=register", "keys")
        unknown, = self.fits("check", "--method=definition", "--timeout=10ms", "hard")
        self.assertEqual((unknown["verdict"], unknown["limit"]), ("unknown", "time"))
        self.file("large", "".join(events("%d invoke write 1\n%d ok write 1" % (i, i))
                                   for i in range(20000)))
        self.fits("check", "--timeout=1ms", "--spec=register", "large")
        self.file("empty", "")
        warned, = self.fits("check", "--spec=register", "--format=json", "empty")
        self.assertTrue(warned["warnings"])

    def test_verify(self):
        found = self.fits("verify", "--timeout=1s", EXAMPLES / "models/treiber.lin",
                          EXAMPLES / "models/locks.lin", EXAMPLES / "models/hasty_register.csp",
                          EXAMPLES / "models/peterson.csp", least=20)
        lines = [step["line"] for answer in found for step in answer.get("trace", ()) if "line" in step]
        self.assertIn(44, lines)
        self.fits("verify", "--search=depth", EXAMPLES / "models/hasty_register.csp", least=2)
        self.fits("verify", "--timeout=1ms", EXAMPLES / "models/ms_queue.lin", least=2)
        self.file("most.csp", "var x = 0; P = [x < 3] a{x = x + 1} -> P;"
                              "#define done x == 3; #assert P() reaches done with max(x);")
        most, = self.fits("verify", "most.csp")
        self.assertEqual(most["extreme"], 3)
        self.fits("verify", "--timeout=1s", *sorted((EXAMPLES / "models/any").iterdir()), least=3)

    def test_lines_of_included_files(self):
        self.file("parts/c.lin", "impl bad() {\n    shared int x;\n    op inc() {\n        int t = x;\n"
                                 "        x = t + 1;\n        return t;\n    }\n}\n"
                                 "spec from_0() { int n; op inc() { n = n + 1; return n - 1; } }\n")
        self.file("m.lin", '#include "parts/c.lin"\nassert bad linearizes from_0;\n')
        self.expect(1, "verify", "--trace=t.json", "m.lin")
        walk, = self.fits("simulate", "--seed=1", "m.lin", "bad")
        for answer in (*self.fits("verify", "m.lin"), *self.fits("replay", "t.json"), walk):
            places = [(step.get("file"), step.get("line")) for step in answer["trace"]]
            self.assertEqual(set(places), {(None, None), ("parts/c.lin", 4), ("parts/c.lin", 5)})

    def test_waiting_threads_have_lines(self):
        model = EXAMPLES / "models/dual_stack.lin"
        texts = model.read_text().splitlines()
        seen = 0
        for answer in self.fits("verify", "--timeout=5s", model, least=2):
            for step in answer.get("trace", ()):
                if step["event"].startswith("waits at"):
                    seen += 1
                    self.assertIn(step["event"].split(": ", 1)[1], texts[step["line"] - 1])
        self.assertGreater(seen, 0)

    def test_cover(self):
        self.fits("cover", *sorted((EXAMPLES / "nets").glob("*.spec")), least=4)

    def test_specs(self):
        self.fits("specs", least=12)

    def test_simulate(self):
        self.fits("simulate", "--seed=1", "--steps=9", EXAMPLES / "models/treiber.lin")

    def test_graph(self):
        check = validator("graph")
        self.file("m.csp", "var x:{0..1}; P = a{x = 1 - x} -> P [] b -> Stop; #assert P deadlockfree;")
        drawn = []
        for words in (["m.csp"], ["--normal", "m.csp"], ["--max-states=1", "m.csp"], ["--ltl", "[] (a -> <> b)"],
                      ["--max-states=50", str(EXAMPLES / "models/treiber.lin")]):
            answer, = self.run_program("graph", "--to=json", *words).objects()
            self.assertEqual([error.message[:300] for error in check.iter_errors(answer)], [], words)
            drawn.append(answer)
        self.assertIn("normalised", drawn[1])
        self.assertFalse(drawn[2]["complete"])

    def test_test(self):
        code = EXAMPLES / "code"
        right, = self.fits("test", "--test=treiber", "--scenario=push; pop | push; pop", code / "treiber.c")
        self.assertEqual(right["verdict"], "holds")
        found = self.fits("test", "--ops=3", "--timeout=20s", code / "treiber.c", least=3)
        self.assertTrue(any(answer.get("trace") for answer in found))
        self.fits("test", "--ops=3", "--timeout=20s", code / "locks.c", least=3)

    def test_stress(self):
        self.fits("stress", "--timeout=1s", "--rounds=200", EXAMPLES / "code/treiber.c", least=3)

    def test_rules(self):
        rules = EXAMPLES / "rules"
        for path in sorted(rules.glob("*.lin")):
            self.fits("rules", "-b", "3", path)
            self.fits("rules", "-b", "2", "--random=0", "--made", path, least=0)
        for object_ in ("queue", "stack", "register", "mutex", "semaphore(2)", "set"):
            self.fits("rules", "-b", "3", "--random=50", "--spec", object_)
        missed, = self.fits("rules", "-b", "2", rules / "queue_order.txt")
        self.assertEqual((missed["verdict"], missed["difference"]), ("violated", "missed"))
        wrong = (rules / "queue_order.txt").read_text() + "trans 1 call Enq 2 3\n"
        self.file("wrong.txt", wrong)
        alarm, = self.fits("rules", "-b", "3", "wrong.txt", *sorted(rules.glob("queue_[efr]*.txt")))
        self.assertEqual((alarm["difference"], alarm["automaton"]), ("false alarm", "queue_order"))
        self.fits("rules", "-b", "8", "--timeout=1ms", "--spec", "queue")
        self.fits("rules", "-b", "8", "--timeout=1ms", rules / "queue.lin")
        self.file("bad", QUEUE_BAD)
        for history in ("bad", EXAMPLES / "histories/queue-correct.jsonl"):
            self.fits("rules", "--spec", "queue", "--on", history)

    def test_replay(self):
        self.file("bad", QUEUE_BAD)
        for words in (("check", "--method=search", "bad"),
                      ("check", EXAMPLES / "histories/kv-stale-reads.txt"),
                      ("verify", EXAMPLES / "models/treiber.lin"),
                      ("verify", EXAMPLES / "models/hasty_register.csp"),
                      ("verify", EXAMPLES / "models/locks.lin"),
                      ("cover", EXAMPLES / "nets/test_then_set.spec"),
                      ("test", "--ops=3", "--test=treiber_relaxed", EXAMPLES / "code/treiber.c")):
            self.expect(1, *words, "--trace=t.json", "-q")
            answer, = self.fits("replay", "t.json")
            self.assertEqual(answer["command"], words[0])
            kept = json.loads((self.folder / "t.json").read_text())
            told = set(kept) - {"reason", "seconds"}
            self.assertEqual({name: kept[name] for name in answer if name in told},
                             {name: answer[name] for name in answer if name in told})
            self.assertTrue(answer["checked"] or words[0] == "test")

    def test_schemas_refuse(self):
        answer = self.fits("specs", least=12)[0]
        check = validator("specs")
        self.assertTrue(list(check.iter_errors({**answer, "more": 1})))
        del answer["operations"]
        self.assertTrue(list(check.iter_errors(answer)))


main()
