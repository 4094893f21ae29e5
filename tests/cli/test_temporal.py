#!/usr/bin/env python3
"""linchpin verify of temporal formulas: what is said of a violation, and that it can be replayed."""
import json

from program import Case, main

TWO = """var last = 0;
P(i) = step.i{last = i} -> P(i) [] stop.i -> Q(i);
Q(i) = [last == i] again.i -> P(i);
Both() = P(0) ||| P(1);
#define zero last == 0;
#assert Both() |= [] <> step.0;
#assert Both() |= [] (stop.1 -> <> again.1);
#assert Both() |= [] !again.1 || <> !zero;
#assert Both() |= [] !typo.3;
"""

LIN = """impl cell() {
    shared int(0..2) x;
    op up() { x = 1; return ok; }
    op down() { x = 2; return ok; }
}
assert cell satisfies (x == 0) W (x == 1) with threads = 2, ops = 1;
assert cell satisfies ((x == 0) W (x == 1)) || call.down || call.up with threads = 2, ops = 1;
assert cell satisfies !((x < 2) W (x == 3)) || call.down with threads = 2, ops = 1;
"""


class Temporal(Case):
    def ask(self, line, *options):
        self.file("two.csp", TWO)
        result = self.run_program("verify", "--json", *options, "two.csp:%d" % line)
        return result.status, result.objects()[0]

    def test_json_has_the_kind_of_fairness(self):
        status, answer = self.ask(6)
        self.assertEqual((status, answer["verdict"], answer["method"], answer["fairness"]),
                         (1, "violated", "automaton", "none"))
        status, answer = self.ask(8, "--fairness=event-weak")
        self.assertEqual((status, answer["fairness"]), (0, "event-weak"))

    def test_a_loop_that_fairness_would_leave_out_says_so(self):
        answer = self.ask(6)[1]
        self.assertIn("`step.0` never comes", answer["reason"])
        self.assertRegex(answer["reason"], r"--fairness=(process|event)-weak leaves this loop out")
        loop = answer["trace"][answer["loop_start"]:]
        self.assertTrue(loop)
        self.assertNotIn("step.0", [step["event"] for step in loop])

    def test_who_is_passed_over_is_named(self):
        answer = self.ask(7, "--fairness=process-weak")[1]
        self.assertEqual(answer["verdict"], "violated")
        self.assertRegex(answer["reason"], r"`stop.1` comes in step \d, but `again.1` never comes "
                                           r"after step \d")
        self.assertIn("process 1 can do nothing in the loop, so fairness asks nothing of it",
                      answer["reason"])
        loop = answer["trace"][answer["loop_start"]:]
        self.assertEqual({step["process"] for step in loop}, {0})

    def test_stronger_fairness_decides_otherwise(self):
        self.file("s.csp", "var free = true;\n"
                           "P(i) = [free] take.i{free = false} -> give.i{free = true} -> P(i);\n"
                           "Both() = P(0) ||| P(1);\n#assert Both() |= [] <> take.1;")
        weak = self.expect(1, "verify", "--fairness=process-weak", "s.csp")
        self.assertRegex(" ".join(weak.out.split()),
                         r"process 1 takes no step in the loop, and could only in place of step \d, "
                         r"so process-weak asks nothing of it")
        self.expect(0, "verify", "--fairness=process-strong", "s.csp")

    def test_an_event_that_never_comes_is_pointed_out(self):
        self.assertEqual(self.ask(9)[1]["reason"], "no run has the event `typo.3`")

    def test_lassos_replay_and_must_close(self):
        self.file("two.csp", TWO)
        for fairness in ("none", "process-weak"):
            self.run_program("verify", "--fairness", fairness, "--trace", "t.json", "two.csp:7")
            result = self.expect(1, "replay", "t.json")
            self.assertIn("the loop", result.out)
            self.assertIn("taken again on the model", result.out)
        trace = json.loads((self.folder / "t.json").read_text())
        self.assertEqual(trace["process"], "Both() with processes = apart")
        self.assertEqual(trace["options"]["fairness"], "process-weak")
        trace["loop_start"] = 0
        self.file("open.json", json.dumps(trace))
        result = self.expect(2, "replay", "open.json")
        self.assertIn("does not lead back to where its loop begins", result.err)

    def test_atoms_must_mean_something(self):
        for atom, what in (("x", "variable"), ("P", "process")):
            self.file("m.csp", "var x; P = a -> P;\n#assert P |= [] %s;" % atom)
            result = self.expect(2, "verify", "m.csp")
            self.assertIn("m.csp:2: error: expected an event, or a proposition that `#define` gives, "
                          "found the %s `%s`" % (what, atom), result.err)
        result = self.expect(2, "verify", "--fairness=fair", "m.csp")
        self.assertIn("--fairness: expected none, weak, strong, event-weak", result.err)

    def test_faults_are_found_on_the_way(self):
        self.file("m.csp", "var x:{0..2}; P = a{x = x + 1} -> P;\n#assert P |= [] <> a;")
        result = self.expect(2, "verify", "m.csp")
        self.assertIn("expected `x` between 0 and 2, found 3", result.err)
        self.assertRegex(result.err, r"2  •  a +x = 2")

    def test_weak_until_is_told_in_terms_of_until_and_always(self):
        self.file("cell.lin", LIN)
        results = self.expect(1, "verify", "--json", "cell.lin").objects()
        self.assertEqual([result["reason"] for result in results],
                         ["neither `(x == 0) U (x == 1)` nor `[] (x == 0)` holds at the start",
                          "neither `((x == 0) U (x == 1)) || [] (x == 0) || call.down` nor "
                          "`call.up` holds at the start",
                          "neither `!(((x < 2) U (x == 3)) || [] (x < 2))` nor `call.down` holds "
                          "at the start"])

    def test_weak_untils_may_be_nested(self):
        nested = "(" * 40 + "(x < 3)" + " W call.up)" * 40
        self.file("cell.lin", LIN + "assert cell satisfies %s with threads = 2;\n" % nested)
        self.expect(0, "verify", "cell.lin:9")

    def test_limits_leave_it_open(self):
        self.file("m.csp", "var x; P = a{x = x + 1} -> P;\n#assert P |= [] <> a;")
        result = self.expect(3, "verify", "--timeout=200ms", "m.csp")
        self.assertIn("the time limit of 200 ms was reached after", result.out)
        result = self.expect(3, "verify", "--memory=30M", "m.csp")
        self.assertIn("memory", result.out)

    def test_more_processes_than_fairness_can_tell_apart(self):
        self.file("m.csp", "P(i) = a.i -> P(i);\nMany() = ||| i:{1..70} @ P(i);\n"
                           "#assert Many() |= <> c;")
        self.expect(1, "verify", "m.csp")
        result = self.expect(3, "verify", "--fairness=process-weak", "m.csp")
        self.assertIn("at most 63", result.out)


main()
