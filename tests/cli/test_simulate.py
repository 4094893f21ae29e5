#!/usr/bin/env python3
"""linchpin simulate: random, guided, and along a trace."""
import json
import re

from program import Case, main

# an event for each of the ways that a walk can end
MODEL = """
var x = 0;
Count(n) = [n > 0] down.n{x = x + n} -> Count(n - 1) [] [n == 0] Skip;
Stuck = a -> Stop;
Two = (l -> l -> Stop) ||| (r -> r -> Stop);
Bad = a -> b.(1 / x) -> Stop;
Same = a -> b -> Stop [] a -> c -> Stop;
Spec = a -> b -> Stop;
#assert Same refines Spec;
#assert Two deadlockfree;
"""


class Simulate(Case):
    def setUp(self):
        super().setUp()
        self.file("m.csp", MODEL)

    def walk(self, *arguments, **more):
        (walk,) = self.expect(0, "simulate", "--json", *arguments, **more).objects()
        return walk

    def events(self, *arguments, **more):
        return [step["event"] for step in self.walk(*arguments, **more)["trace"]]

    def test_a_walk_ends_where_it_must(self):
        walk = self.walk("m.csp", "Count(3)")
        self.assertEqual([step["event"] for step in walk["trace"]],
                         ["down.3", "down.2", "down.1", "terminate"])
        self.assertEqual([step["changes"] for step in walk["trace"]],
                         [{"x": "3"}, {"x": "5"}, {"x": "6"}, {}])
        self.assertEqual((walk["start"], walk["ended"]), ({"x": "0"}, "terminated"))
        self.assertEqual(self.walk("m.csp", "Stuck")["ended"], "deadlock")
        walk = self.walk("-n2", "m.csp", "Count(3)")
        self.assertEqual((walk["ended"], len(walk["trace"])), ("steps", 2))

    def test_a_line_stands_for_what_is_asserted_there(self):
        line = 1 + MODEL.split("\n").index("#assert Two deadlockfree;")
        self.assertEqual(self.walk("m.csp:%d" % line)["process"], "Two")
        self.assertEqual(self.walk("m.csp:%d" % (line - 1))["process"], "Same")
        self.assertEqual(self.walk("m.csp:%d" % line)["input"], "m.csp")
        result = self.expect(2, "simulate", "m.csp:2")
        self.assertEqual(result.err.splitlines()[-1],
                         "m.csp: error: expected an assertion in line 2, found none")
        result = self.expect(2, "simulate", "m.csp:%d" % line, "Stuck")
        self.assertIn("expected a line or a process, found both", result.err)

    def test_an_implementation_stands_for_the_first_assertion_about_it(self):
        self.file("m.lin", """
            impl cell(N) { shared int(0..9) n; op put() { n = N; return ok; } }
            impl other { shared bool b; op set() { b = true; return ok; } }
            assert other never (b);
            assert cell(3) never (n == 1) with threads = 1, ops = 1;
            assert cell(4) never (n == 1) with threads = 1, ops = 2;
            """)
        for name, process in (("cell", "cell(3) never (n == 1) with threads = 1, ops = 1"),
                              ("cell(4)", "cell(4) never (n == 1) with threads = 1, ops = 2"),
                              ("other", "other never (b)")):
            self.assertEqual(self.walk("m.lin", name)["process"], process)
        # nothing is asserted of these: their threads alone; 5 is put once by each of 2 threads
        walk = self.walk("m.lin", "cell(5) with ops = 1")
        self.assertEqual([step["event"] for step in walk["trace"]].count("res.put.0"), 1)
        self.assertEqual([step["event"] for step in walk["trace"]].count("res.put.1"), 1)
        self.assertEqual([step["changes"] for step in walk["trace"] if step["changes"]], [{"n": "5"}])
        self.assertEqual(self.walk("m.lin", "cell(6)")["ended"], "terminated")
        self.assertIn("expected an implementation, found `none`",
                      self.expect(2, "simulate", "m.lin", "none").err)

    def test_the_same_seed_the_same_walk(self):
        self.file("coin.csp", "P = head -> P [] tail -> P;")
        walks = {tuple(self.events("--seed", str(seed), "-n", "64", "coin.csp"))
                 for seed in range(8)}
        self.assertEqual(len(walks), 8)
        first = self.walk("-n64", "coin.csp")
        self.assertEqual(self.walk("-n64", "--seed", str(first["seed"]), "coin.csp"), first)
        heads = self.events("--seed", "1", "-n", "1000", "coin.csp").count("head")
        self.assertTrue(400 < heads < 600)  # six standard deviations

    def test_the_seed_of_an_unnamed_walk_is_said(self):
        result = self.expect(0, "simulate", "m.csp", "Two")
        seed = re.fullmatch(r"linchpin simulate: --seed (\d+) takes this walk again\n", result.err)
        again = self.expect(0, "simulate", "--seed", seed.group(1), "m.csp", "Two")
        self.assertEqual((again.out, again.err), (result.out, ""))

    def test_text_shows_a_column_for_each_process(self):
        out = self.expect(0, "simulate", "--seed", "1", "m.csp", "Two").out
        self.assertRegex(out, r"\A    step     process 0   process 1   changes\n       0 +x = 0\n")
        self.assertEqual(re.findall(r"^ +\d  •  l$", out, re.M), [line for line in out.splitlines()
                                                                 if line.endswith("  l")])
        self.assertIn("deadlock: no step is possible here", out)

    def test_guided(self):
        # l, then r, one step back, l: the processes are listed in their order
        walk = self.walk("--guided", "m.csp", "Two", given=b"1\n2\nb\n1\nq\n")
        self.assertEqual([step["event"] for step in walk["trace"]], ["l", "l"])
        self.assertEqual(walk["ended"], "quit")
        result = self.expect(0, "simulate", "-g", "m.csp", "Two", given=b"3\nx\n1\n")
        self.assertEqual(result.out.count("expected a number from 1 to 2, b or q"), 2)
        self.assertIn("  1  process 0  l\n    2  process 1  r\n", result.out)
        # nothing can be taken back at the beginning
        self.assertEqual(self.events("-g", "m.csp", "Two", given=b"b\nb\n2\n"), ["r"])

    def test_along_a_trace(self):
        self.expect(1, "verify", "--trace", "t.json", "m.csp:9")
        self.assertEqual(self.events("--along", "t.json", "m.csp"), ["a", "c"])
        walk = self.walk("--along", "t.json", "--guided", "m.csp", given=b"b\nb\n1\nq\n")
        self.assertEqual([step["event"] for step in walk["trace"]], ["a"])
        self.file("other.csp", MODEL + "\n")
        result = self.expect(2, "simulate", "--along", "t.json", "other.csp")
        self.assertIn("t.json: error: expected a trace of this model", result.err)

    def test_the_process_that_is_meant(self):
        self.assertEqual(self.walk("m.csp")["process"], "Same")
        self.file("none.csp", "P = a -> P; Q = b -> Q; R(i) = c.i -> R(i);")
        self.assertEqual(self.walk("-n1", "none.csp")["process"], "Q")
        self.file("only.csp", "R(i) = c.i -> R(i);")
        self.assertIn("expected the name of a process", self.expect(2, "simulate", "only.csp").err)
        for wrong in ("Nobody", "Count", "Count(1, 2)", "Two; #assert Two deadlockfree", "", "/*"):
            result = self.expect(2, "simulate", "--seed=1", "m.csp", wrong)
            self.assertEqual(result.out, "")
            self.assertRegex(result.err, r"\Alinchpin simulate: `.*` names no process")

    def test_a_fault_of_the_model(self):
        result = self.expect(2, "simulate", "--seed=1", "m.csp", "Bad")
        self.assertRegex(result.err, r"\Am.csp:6: error: .*zero")
        self.assertIn("1  •  a", result.out)
        self.assertEqual(self.expect(2, "simulate", "--json", "m.csp", "Bad").out, "")

    def test_wild_variables_start_somewhere(self):
        self.file("w.csp", "var w:{1..3} = *; P = a.w -> P; #define two w == 2; S = a.1 -> S; "
                           "#assert P refines S;")
        self.expect(1, "verify", "--trace", "t.json", "w.csp")
        (start,) = json.loads((self.folder / "t.json").read_text())["start"].items()
        walk = self.walk("--along", "t.json", "w.csp")
        self.assertEqual(walk["start"], dict([start]))
        self.assertEqual(walk["trace"][-1]["event"], "a." + start[1])


main()
