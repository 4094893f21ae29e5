#!/usr/bin/env python3
"""linchpin verify: verdicts, errors, limits, and what is shown of an execution."""
import json
import os
import pty
import re
import signal
import subprocess
import xml.etree.ElementTree

from program import SOURCE, Case, blocks_interrupts, main, wait_until

REGISTER = SOURCE / "docs" / "manual" / "models" / "register.csp"

# the second process may take the lock while the first is between its test and its set
LOCK = """
var locked = false;
var inside = 0;
Enter(i) = ifa (!locked) { test.i -> tau{locked = true} -> in.i{inside = inside + 1} ->
           out.i{inside = inside - 1; locked = false} -> Skip } else { Skip };
Both() = Enter(0) ||| Enter(1);
#define both inside == 2;
#assert Both() reaches both;
#assert Both() deadlockfree;
"""
ENDLESS = "var x; P = a{x = x + 1} -> P; #assert P deadlockfree;"


class Verify(Case):
    def verify(self, status, text, *options):
        self.file("m.csp", text)
        return self.expect(status, "verify", "--json", *options, "m.csp").objects()

    def test_libraries_are_files_beside_the_model(self):
        model = """#import "C:\\PAT\\Lib\\PAT.Lib.Bank.dll"; #import "PAT.Lib.Orders";
            var x; P = e{x = call(fee, 300)} -> Stop; #define right x == 3;
            R = inv.take.0 -> res.take.0.1 -> R; #assert P reaches right; #assert R linearizes order;"""
        self.file("m.csp", model)
        error = self.expect(2, "verify", "m.csp").err
        self.assertIn("m.csp:1: error: expected PAT.Math, a library of PAT's own", error)
        self.assertIn("a file `PAT.Lib.Bank.csp` or `PAT.Lib.Bank.lin` beside the model", error)
        self.file("PAT.Lib.Bank.csp", """#define fee(n) { var part = n / 100; part };
            #assert Nothing deadlockfree;""")
        self.file("PAT.Lib.Orders.lin", "spec order { op take() { return 1; } }")
        holds = self.expect(0, "verify", "--json", "--trace", "t.json", "m.csp").objects()
        self.assertEqual([answer["verdict"] for answer in holds], ["holds", "holds"])
        self.file("PAT.Lib.Bank.csp", "#define fee(n) { n / 10 };")
        fails = self.expect(1, "verify", "--json", "m.csp").objects()
        self.assertEqual([answer["verdict"] for answer in fails], ["violated", "holds"])

    def test_paths_of_windows_lead_to_files_of_that_name(self):
        self.file("m.csp", """#include "C:\\Users\\Me\\parts\\a.csp"; #include "parts\\b.csp";
            #assert A deadlockfree; #assert B deadlockfree;""")
        error = self.expect(2, "verify", "m.csp").err
        self.assertIn("m.csp:1: error: #include", error)
        self.assertIn("No such file or directory: a.csp", error)
        (self.folder / "parts").mkdir()
        self.file("a.csp", "A = Stop;")
        self.file("parts/b.csp", "B = b -> B;")
        verdicts = self.expect(1, "verify", "--json", "m.csp").objects()
        self.assertEqual([answer["verdict"] for answer in verdicts], ["violated", "holds"])
        self.file("parts/a.csp", "A = a -> A;")
        verdicts = self.expect(0, "verify", "--json", "m.csp").objects()
        self.assertEqual([answer["verdict"] for answer in verdicts], ["holds", "holds"])

    def test_one_object_for_each_assertion(self):
        reach, free = self.verify(0, LOCK)
        self.assertEqual((reach["input"], reach["line"], reach["assertion"]),
                         ("m.csp", 8, "Both() reaches both"))
        self.assertEqual((reach["verdict"], free["verdict"]), ("holds", "holds"))
        self.assertEqual((free["reason"], "trace" in free), (None, False))
        self.assertEqual(free["method"], "reachability")

    def test_the_execution_is_the_shortest_and_says_what_changed(self):
        reach, _ = self.verify(0, LOCK)
        # both test before either sets; then each goes in: three steps a process
        self.assertEqual(len(reach["trace"]), 6)
        self.assertEqual(reach["start"], {"locked": "false", "inside": "0"})
        self.assertEqual(sorted(step["process"] for step in reach["trace"]), [0, 0, 0, 1, 1, 1])
        self.assertEqual(reach["trace"][-1]["changes"], {"inside": "2"})
        self.assertEqual([step["visible"] for step in reach["trace"]],
                         [step["event"] != "τ" for step in reach["trace"]])

    def test_reductions_do_not_make_executions_longer(self):
        """The steps of the other processes have nothing to do with the goal."""
        text = ("var x; var y[3]; #define goal x == 2; P = (a{x = x + 1} -> b{x = x + 1} -> Stop) "
                "||| (||| i:{0..2} @ (c.i{y[i] = 1} -> tau{y[i] = 2} -> Stop)); Q = Stop;"
                "#assert P reaches goal;")
        for options in ([], ["--reduce=none"], ["--reduce=partial-order"]):
            (answer,) = self.verify(0, text, *options)
            self.assertEqual([step["event"] for step in answer["trace"]], ["a", "b"])
        (answer,) = self.verify(0, text, "--search=depth")
        self.assertEqual(answer["trace"][-1]["event"], "b")

    def test_a_refinement_says_what_was_offered(self):
        (answer,) = self.verify(1, "P = a -> c -> Stop; S = a -> (b -> Stop [] d -> Stop);"
                                   "#assert P refines S;")
        self.assertEqual((answer["verdict"], answer["failure"]), ("violated", "event"))
        self.assertEqual(sorted(answer["offered"]), ["b", "d"])
        self.assertEqual([step["event"] for step in answer["trace"]], ["a", "c"])
        self.assertIn("`c` is not possible", answer["reason"])

    def test_of_many_offered_events_the_reason_names_some(self):
        (answer,) = self.verify(1, "P = x -> Stop; S = [] i:{0..8} @ (a.i -> Stop);"
                                   "#assert P refines S;")
        self.assertEqual(sorted(answer["offered"]), ["a.%d" % i for i in range(9)])
        self.assertTrue(answer["reason"].endswith(" and 5 more"))
        self.assertIn("all that the specification offers at the end: ",
                      self.expect(1, "verify", "m.csp").out)

    def test_divergence_is_a_lasso(self):
        (answer,) = self.verify(1, "P = a -> Q; Q = tau -> tau -> Q; #assert P divergencefree;")
        events = [step["event"] for step in answer["trace"]]
        # `a`, then round and round: whichever state the loop is entered at, all behind it is τ
        self.assertEqual(events[0], "a")
        loop = answer["loop_start"]
        self.assertGreaterEqual(loop, 1)
        self.assertEqual(set(events[loop:]), {"τ"})
        shown = self.expect(1, "verify", "m.csp").out
        self.assertIn("── the loop ──", shown)
        self.assertIn("── back to step %d ──" % (loop + 1), shown)

    def test_a_refinement_that_fails_by_divergence_shows_the_loop(self):
        # after `a` two invisible steps lead back to Q; `b` is the other way on
        text = ("P = a -> Q; Q = tau -> tau -> Q [] b -> Stop;"
                "S = (a -> S [] b -> S) <> Stop; #assert P refines<FD> S;")
        (answer,) = self.verify(1, text)
        self.assertEqual(answer["failure"], "divergence")
        self.assertEqual([step["event"] for step in answer["trace"]], ["a", "τ", "τ"])
        self.assertEqual(answer["loop_start"], 1)
        shown = self.expect(1, "verify", "--trace", "t.json", "m.csp").out
        self.assertIn("── back to step 2 ──", shown)
        self.assertIn("── back to step 2 ──", self.expect(1, "replay", "t.json").out)

    def test_the_loop_of_a_divergence_closes_on_every_variable(self):
        """x is never read, so states are stored without it; the first round begins with another x
        than it ends with."""
        for assertion in "P divergencefree", "P refines<FD> S":
            (answer,) = self.verify(1, "var x = 0; P = tau{x = 1} -> P; S = a -> S <> Stop;"
                                       "#assert %s;" % assertion)
            self.assertEqual([step["changes"] for step in answer["trace"]], [{"x": "1"}, {}])
            self.assertEqual(answer["loop_start"], 1)
            self.expect(1, "verify", "--trace", "t.json", "m.csp")
            self.expect(1, "replay", "t.json")

    def errors_of(self, name, text, *options):
        """Line and complaint of each error, in the order told."""
        self.file(name, text)
        result = self.expect(2, "verify", "--json", *options, name)
        self.assertEqual(result.out, "")
        found = [json.loads(line) for line in result.err.splitlines()]
        self.assertEqual({error["input"] for error in found}, {name})
        return [(error.get("line"), error["error"].splitlines()[0]) for error in found]

    def test_a_fault_of_a_csp_model_is_an_object(self):
        text = "var a[2];\nvar i;\nP = e{a[i] = i; i++} -> P;\n#assert P deadlockfree;\n"
        self.file("m.csp", text)
        for options in [], ["-q"]:
            result = self.expect(2, "verify", "--json", *options, "m.csp")
            self.assertEqual(result.out, "")
            fault = json.loads(result.err)
            self.assertEqual((fault["input"], fault["file"], fault["line"]), ("m.csp", "m.csp", 3))
            self.assertEqual((fault["assertion"], fault["assertion_line"]), ("P deadlockfree", 4))
            self.assertIn("expected an index from 0 to 1, found 2", fault["error"])
            if options:
                self.assertNotIn("trace", fault)
                continue
            self.assertEqual(fault["start"], {"a": "[0, 0]", "i": "0"})
            self.assertEqual([step["changes"] for step in fault["trace"]],
                             [{"i": "1"}, {"a": "[0, 1]", "i": "2"}])

    def test_a_large_array_is_shown_by_what_changes(self):
        self.file("m.csp", "var a[500][2] = [7, 0(998), 3];\nvar i = 499;\n"
                           "P = [i > 497] e{a[i][1] = i - a[0][0]; i--} -> P;\n"
                           "#assert P deadlockfree;\n")
        answer = json.loads(self.expect(1, "verify", "--json", "m.csp").out)
        self.assertEqual(answer["start"], {"a": "[7, 0(998), 3]", "i": "499"})
        self.assertEqual([step["changes"] for step in answer["trace"]],
                         [{"a[499][1]": "492", "i": "498"}, {"a[498][1]": "491", "i": "497"}])
        self.expect(1, "verify", "--trace", "t.json", "m.csp")
        self.expect(1, "replay", "t.json")

    def test_all_errors_of_a_csp_model_are_told(self):
        text = ("var x = 0\nvar y;\nP = a -> Stop [ b -> Stop;\nQ = e{x = 1; y = ;} -> P;\n"
                "#define goal x == 1;\nR = a -> -> Stop;\nS = a -> P;\n")
        # a semicolon is missing before line 2; what is right between the others is not accused
        self.assertEqual([line for line, _ in self.errors_of("m.csp", text)], [2, 3, 4, 6])
        text = ("var x = 0;\nP = a -> Qq;\nQ = e{x = 1; z = 2} -> P(1);\n"
                "R = a -> Qq;\n#alphabet T {a};\n#assert P deadlockfree;\n")
        self.assertEqual(self.errors_of("m.csp", text),
                         [(2, "expected a process, found `Qq`, which is not declared"),
                          (3, "expected a variable or constant, found `z`, which is not declared"),
                          (5, "expected a process, found `T`, which is not declared")])

    def test_all_errors_of_a_lin_model_are_told(self):
        text = ("impl a {\n    shared int n;\n    op f() {\n        if (n { return ok; }\n"
                "        n = = 3;\n        int y = n;\n        y = y +;\n        return ok;\n"
                "    }\n    op g() { n = ; return ok; }\n}\n"
                "impl b { shared bool q; op z() { q = 1 return ok; } }\nassert a never (n == 4);\n")
        self.assertEqual([line for line, _ in self.errors_of("m.lin", text)], [4, 5, 7, 10, 12])
        # `x` is wrong, so that nothing is said of what uses it; `g` and `b` are looked at
        text = ("impl a {\n    struct node { int v; } struct cell { int v; }\n"
                "    shared node top; shared cell c; shared bool b;\n    op f() {\n"
                "        node x = c;\n        x.v = true;\n        return ok;\n    }\n"
                "    op g() {\n        b = 1;\n        b = true;\n        foo(1);\n"
                "        foo(2);\n        if (b) { top = c; } return ok;\n    }\n}\n"
                "impl b { shared bool q; op z() { q = 1; return ok; } }\n"
                "assert a never (b);\nassert b never (missing);\n")
        different = "expected a reference to a `node`, found a reference to a `cell`"
        self.assertEqual(self.errors_of("m.lin", text),
                         [(5, different), (10, "expected a bool, found an int"),
                          (12, "expected a function, found `foo`, which is not declared"),
                          (14, different), (17, "expected a bool, found an int"),
                          (19, "expected a declared name, found `missing`, which is not declared")])

    def test_a_missing_semicolon_hides_nothing_and_invents_nothing(self):
        text = ("var x = 0\nvar y = ;\nP = a -> Stop\nQ = b -> -> Q;\nR = c -> R\n"
                "#define goal x = = 1;\n#assert R deadlockfree\nS = d -> S;\n")
        self.assertEqual([line for line, _ in self.errors_of("m.csp", text)],
                         [2, 2, 4, 4, 6, 6, 8])
        text = ("impl a {\n    shared int n\n    shared bool = 3;\n    op f() {\n"
                "        int y = 3\n        y = y +;\n        n = 1\n"
                "        if (n == ) { return ok; } else { return; }\n    }\n"
                "    struct node { int v node next; }\n    op g( { n = 3; }\n"
                "    op h() { n = 1; return ok\n    }\n    op i() { n = 1; return ok; }\n}\n"
                "impl b { shared bool q; op z() { q = true; return ok; } }\n"
                "assert a never (n == 4)\nassert b never (q);\n")
        self.assertEqual([line for line, _ in self.errors_of("m.lin", text)],
                         [3, 3, 6, 6, 8, 8, 10, 11, 13, 18])

    def test_a_missing_brace_is_one_error(self):
        text = ("impl a {\n    shared int n;\n    op f() {\n        if (n == 1) { return ok;\n"
                "        return ok;\n    }\n" +
                "".join("    op f%d() { n = 1; return ok; }\n" % i for i in range(9)) +
                "}\nassert a never (n == 4);\n")
        self.assertEqual(len(self.errors_of("m.lin", text)), 1)

    def test_errors_beyond_twenty_are_counted(self):
        text = "var x;\n" + "".join("P%d = a -> Q%d;\n" % (i, i) for i in range(25))
        found = self.errors_of("m.csp", text)
        self.assertEqual([line for line, _ in found], [*range(2, 22), None])
        self.assertEqual(found[-1][1], "5 more errors are not listed")
        shown = self.expect(2, "verify", "m.csp").err
        self.assertIn("m.csp: error: 5 more errors are not listed\n", shown)
        self.assertIn("\n25 errors", shown)
        for command in "simulate", "graph":
            self.assertEqual(self.expect(2, command, "m.csp").err.count(": error: "), 21)

    def test_a_thousand_errors_end_the_reading(self):
        for name, text in (("m.csp", "var x;\n" + "".join("P%d = a -> Q%d;\n" % (i, i) for i in range(1200))),
                           ("n.csp", "".join("P%d = = a;\n" % i for i in range(1200))),
                           ("m.lin", "spec s {\n value v;\n op r() {\n" + " v = = 1;\n" * 1200 + " }\n}\n"),
                           ("n.lin", "spec s {\n value v;\n op r() {\n" +
                            "".join(" v = x%d;\n" % i for i in range(1200)) + " }\n}\n")):
            found = self.errors_of(name, text)
            self.assertEqual(len(found), 21)
            self.assertEqual([line for line, _ in found[:20]], sorted(line for line, _ in found[:20]))
            self.assertEqual(found[-1][1], "980 more errors are not listed, and what is behind them was not read")
            self.assertIn("\n1000 errors", self.expect(2, "verify", name).err)

    def test_searches_without_a_store_find_and_prove_nothing(self):
        for option in ("--bitstate", "--swarm"):
            answers = self.verify(3, LOCK, option, "--trace", "t.json")
            self.assertEqual([answer["verdict"] for answer in answers], ["holds", "unknown"])
            self.assertIn("nothing was found in", answers[1]["reason"])
            self.assertIn("it seems that this is all there is", answers[1]["reason"])
            self.assertIsNone(answers[1]["limit"])
        wrong = LOCK.replace("deadlockfree", "|= [] !both")
        for option in ("--bitstate", "--swarm"):
            answers = self.verify(3, wrong, option)
            self.assertIn("do not look for runs that go on for ever", answers[1]["reason"])
            self.assertEqual(answers[1]["states"], 0)

    def test_what_is_found_without_a_store_is_told_and_replayed(self):
        model = str(SOURCE / "examples" / "models" / "treiber.lin") + ":101"
        for option in ("--bitstate", "--swarm"):
            done = self.expect(1, "verify", option, "--trace", "t.json", model)
            self.assertIn("there is no legal order of", done.out)
            self.expect(1, "replay", "t.json")
            plain = self.expect(1, "verify", option, model).out
            self.assertIn("linchpin verify %s --trace" % option, plain)

    def test_an_endless_model_ends_by_the_limit_of_memory(self):
        # One state that is taken for another would end a model in which each has one step.
        text = "var x; var y; P = a{x = x + 1} -> P [] b{y = y + 1} -> P; #assert P deadlockfree;"
        answers = self.verify(3, text, "--bitstate", "--memory", "4M")
        self.assertEqual(answers[0]["limit"], "memory")
        answers = self.verify(3, ENDLESS, "--swarm", "--timeout", "1s", "-j2")
        self.assertRegex(answers[0]["reason"], "after [0-9]+ random search.* of [0-9]+ states")

    def test_one_order_is_chosen(self):
        self.file("m.csp", LOCK)
        for options in (["--bitstate", "--swarm"], ["--search=depth", "--swarm"]):
            self.assertIn("expected one of --search, --bitstate and --swarm",
                          self.expect(2, "verify", *options, "m.csp").err)

    def test_extremes(self):
        text = ("var x = 3; #define small x < 3; P = ifa (x > 0) { a{x = x - 1} -> P } else { Stop };"
                "#assert P reaches small with min(x); #assert P reaches small with max(x);")
        least, most = self.verify(0, text, "--reduce=none")
        self.assertEqual((least["extreme"], most["extreme"]), (0, 2))
        self.assertIn("at least 0", least["reason"])
        self.assertEqual((len(least["trace"]), len(most["trace"])), (3, 1))

    def test_the_full_product_has_the_states_of_the_definition(self):
        # three processes that each take one step: 2^3 states, the first of them `P` itself
        text = "P = a -> Stop ||| b -> Stop ||| c -> Stop; #assert P deterministic;"
        (answer,) = self.verify(0, text, "--reduce=none")
        self.assertEqual((answer["states"], answer["reductions"]), (8, []))

    def test_reductions_by_name(self):
        text = "P = a -> P; #assert P refines P;"
        (answer,) = self.verify(0, text, "--reduce=antichain")
        self.assertEqual(answer["reductions"], ["antichain"])
        (answer,) = self.verify(0, text, "--reduce=none")
        self.assertEqual(answer["reductions"], [])
        result = self.expect(2, "verify", "--reduce=magic", "m.csp")
        self.assertIn("linchpin verify: --reduce: expected `none`", result.err)
        self.assertIn("found `magic`", result.err)

    def test_both_searches_agree(self):
        for search in ("breadth", "depth"):
            answers = self.verify(0, LOCK, "--search", search)
            self.assertEqual([answer["verdict"] for answer in answers], ["holds", "holds"])
        result = self.expect(2, "verify", "--search", "random", "m.csp")
        self.assertIn("--search: expected auto, breadth or depth, found 'random'", result.err)

    def test_errors_have_a_place_and_the_rest_is_decided(self):
        self.file("good.csp", "P = a -> P; #assert P deadlockfree;")
        self.file("bad.csp", "P = a ->\n  ;\n")
        self.file("some.csp", "P = a -> P;\n#assert P |= []<> P;\n#assert P linearizes banana;\n"
                              "#assert P deadlockfree;")
        result = self.expect(2, "verify", "bad.csp", "good.csp", "absent.csp", "some.csp")
        self.assertRegex(result.out, r"\Agood.csp:1: holds: P deadlockfree .*\n"
                                     r"some.csp:4: holds: P deadlockfree .*\n\Z")
        self.assertRegex(result.err, r"(?m)^bad.csp:2: error: expected .*\n      ;\n      \^\n")
        self.assertIn("absent.csp: error: cannot open: No such file or directory", result.err)
        self.assertIn("some.csp:2: error: expected an event", result.err)
        self.assertRegex(result.err, r"some.csp:3: error: expected a specification .*banana")
        self.assertIn("2 assertions: 2 hold; 4 errors", result.err)

    def test_processes_stand_beside_one_another_where_there_is_room(self):
        """Their events run on below others if need be; the table is that of the trace."""
        model = str(SOURCE / "docs/tutorial/models/counted.lin")
        steps = json.loads(self.expect(1, "verify", "--json", model).out)["trace"]
        self.assertEqual({0, 1}, {step["process"] for step in steps})
        for columns, beside in ((200, True), (90, True), (80, False)):
            lines = self.expect(1, "verify", model, environment={"COLUMNS": str(columns)}).out.split("\n")
            head = next(line for line in lines if line.startswith("    step "))
            rows = {int(found.group(1)): line for line in lines if (found := re.match(r" {4} *(\d+)  [^ ]? ", line))}
            self.assertEqual(beside, "process 1" in head)
            for number, step in enumerate(steps, 1):
                row = rows[number]
                self.assertTrue(row[head.index("process %d" % step["process"]) if beside else 13:].startswith(step["event"]))
                self.assertTrue(len(row) <= columns or not beside, row)
                self.assertEqual(not beside, "(process %d)" % step["process"] in row)

    def test_an_error_that_several_assertions_have_is_told_once(self):
        self.file("two.lin", """impl c { shared int x; shared int y;
 op read() { if (x == y) return 0; return x; } }
assert c linearizes counter;
assert c lock_free;
impl d { shared int x; op read() { return x; } }
assert d linearizes counter;
assert c deadlock_free;
""")
        found = self.expect(2, "verify", "two.lin")
        self.assertEqual(1, found.err.count("two.lin:2: error: "))
        self.assertIn("  (the same 2 more times)\n", found.err)
        self.assertEqual(1, found.out.count("two.lin:6: holds"))
        objects = self.expect(2, "verify", "--json", "two.lin").err.strip().split("\n")
        self.assertEqual([2, 2, 2], [json.loads(one)["line"] for one in objects])

    def test_an_error_prints_nothing_on_standard_output(self):
        self.file("m.csp", "#assert P deadlockfree")
        self.assertEqual(self.expect(2, "verify", "--json", "m.csp").out, "")

    def test_a_model_without_assertions_is_an_error(self):
        self.file("m.csp", "P = a -> P;")
        result = self.expect(2, "verify", "m.csp")
        self.assertEqual(result.err, "m.csp: error: expected at least one assertion, found none\n")

    def test_a_fault_at_run_time_has_a_place_and_an_execution(self):
        self.file("m.csp", "var a[2]; var i;\nP = step{i = i + 1} -> get.a[i] -> P;\n"
                           "#assert P deadlockfree;")
        result = self.expect(2, "verify", "m.csp")
        self.assertEqual(result.out, "")
        self.assertRegex(result.err, r"\Am.csp:2: error: .*\n.*\n.*\^\n")
        self.assertIn("found while deciding m.csp:3: P deadlockfree", result.err)
        # step, get.0, step: then a[2] is looked at
        self.assertEqual(re.findall(r"^ +\d+  •  (\S+)", result.err, re.M),
                         ["step", "get.0", "step"])

    def test_limits(self):
        self.file("m.csp", ENDLESS)
        result = self.expect(3, "verify", "--json", "--timeout", "300ms", "m.csp")
        (answer,) = result.objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "time"))
        self.assertRegex(answer["reason"], r"\Athe time limit of 300 ms was reached after \d+ states")
        result = self.expect(3, "verify", "--json", "--memory", "40M", "m.csp")
        (answer,) = result.objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "memory"))
        self.assertLess(answer["memory_bytes"], 40 << 20)
        self.assertIn("the memory limit of 40 MiB was reached", answer["reason"])

    def test_a_step_that_never_ends_stops_in_time(self):
        """The specification's first normalised state has no end; so has the search for divergence."""
        text = ("var x; S = tau{x = x + 1} -> S [] a -> S; P = a -> P; #assert P refines S;"
                "#assert P refines<FD> S; #assert S refines<FD> P;")
        for answer in self.verify(3, text, "-j1", "--timeout", "300ms", "--memory", "2G"):
            self.assertEqual(answer["limit"], "time")
        result = self.expect(3, "graph", "--max-states=100000000", "--normal", "--timeout=300ms",
                             "m.csp", "S")
        self.assertIn("the time limit of 300 ms was reached", result.err)

    def test_a_graph_of_growing_states_stops_in_time(self):
        """One state's steps take long before 1,000 states are found."""
        self.file("grow.csp", "#alphabet D {d}; D = d -> (D || E); #alphabet E {e}; E = e -> E;")
        result = self.expect(3, "graph", "--max-states=1000", "--timeout=200ms", "grow.csp", "D")
        self.assertIn("the time limit of 200 ms was reached", result.err)

    def test_states_without_number_or_measure_stop_in_time(self):
        """Processes whose states grow, an alphabet, initial states."""
        text = ("#alphabet D {d}; D = d -> (D || E); #alphabet E {e}; E = e -> E;"
                "#assert D refines D; #assert D deadlockfree;"
                "#alphabet B {i:{0..2000000000} @ e.i}; B = a -> B; C = B || B;"
                "#assert C divergencefree;")
        limits = ("-j1", "--timeout", "200ms", "--memory", "8G")
        answers = self.verify(3, text, *limits)
        answers += self.verify(3, "var x:{0..2000000000} = *; A = a -> A; #assert A refines A;",
                               *limits)
        self.assertEqual([(each["limit"], each["method"]) for each in answers],
                         [("time", "refinement"), ("time", "reachability"),
                          ("time", "reachability"), ("time", "refinement")])

    def test_a_share_of_the_memory_decides_nothing(self):
        """Several at once: one that needs more than its share gets all of it in the end."""
        count = "var x:{0..%d}; P = [x < %d] a{x = x + 1} -> P; #assert P divergencefree;"
        self.file("large.csp", count % (300000, 300000))
        for i in range(7):
            self.file("small%d.csp" % i, count % (9, 9))
        small = ["small%d.csp" % i for i in range(7)]
        result = self.expect(0, "verify", "--json", "-v", "-j8", "--memory", "80M", "large.csp",
                             *small)
        self.assertEqual(result.err.count("large.csp:1: done"), 2)
        self.assertEqual([answer["input"] for answer in result.objects()], ["large.csp", *small])
        self.assertEqual(result.objects()[0]["states"], 300001)

    def test_the_total_limit(self):
        self.file("m.csp", ENDLESS + "#assert P divergencefree; #assert P nonterminating;")
        result = self.expect(3, "verify", "--json", "-j1", "--total-timeout", "60ms", "m.csp")
        self.assertEqual([answer["verdict"] for answer in result.objects()], ["unknown"] * 3)
        self.assertIn("the total time limit of 60 ms", result.objects()[0]["reason"])

    def test_list(self):
        self.file("m.csp", LOCK)
        result = self.expect(0, "verify", "--list", "m.csp")
        self.assertEqual(result.out, "m.csp:8: Both() reaches both\nm.csp:9: Both() deadlockfree\n")

    def test_a_list_that_a_limit_stopped_is_no_error_of_the_model(self):
        self.file("large.csp", "P = Stop; #assert P deadlockfree;" + 200000 * " // a comment\n")
        result = self.expect(3, "verify", "--list", "--memory", "1M", "large.csp")
        self.assertEqual(result.out, "")
        self.assertIn("a limit was reached before the model was read", result.err)

    def test_quiet(self):
        result = self.expect(1, "verify", "-q", REGISTER)
        self.assertEqual(len(result.out.splitlines()), 4)
        self.assertEqual(result.err, "")
        self.file("fault.csp", "var a[2]; var i;\nP = step{a[i] = 1; i++} -> P;\n"
                  "#assert P deadlockfree;\n")
        loud = self.expect(2, "verify", "fault.csp").err
        self.assertIn("  found while deciding fault.csp:3: P deadlockfree\n", loud)
        self.assertIn("step    a = [1, 1], i = 2", loud)
        quiet = self.expect(2, "verify", "-q", "fault.csp").err
        self.assertIn("expected an index from 0 to 1, found 2", quiet)
        self.assertTrue(quiet.endswith("  found while deciding fault.csp:3: P deadlockfree\n"))

    def test_standard_input(self):
        result = self.expect(0, "verify", "-", given=b"P = a -> P; #assert P deadlockfree;")
        self.assertTrue(result.out.startswith("-:1: holds: P deadlockfree (reachability, "))

    def test_junit(self):
        self.file("m.csp", LOCK + "S = Stop; #assert Both() refines S; #assert Both() |= S;")
        self.expect(2, "verify", "--junit", "out.xml", "m.csp")
        cases = (self.folder / "out.xml").read_text()
        self.assertIn('tests="4" failures="1" errors="1"', cases)
        self.assertIn('name="m.csp:8: Both() reaches both"', cases)
        self.assertIn('<failure type="violated"', cases)

    def test_every_error_of_a_model_is_in_its_one_test_case(self):
        self.file("bad.lin", "impl a {\n    bool x = false;\n}\nimpl b {\n    bool y = false;\n}\n")
        self.expect(2, "verify", "--junit", "out.xml", "--html", "out.html", "bad.lin")
        suite, = xml.etree.ElementTree.parse(self.folder / "out.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("errors"), len(suite)), ("1", "1", 1))
        error, = suite[0]
        self.assertTrue(error.get("message").endswith("of one operation belong into it)"))
        for place in "bad.lin:2: expected `shared`", "bad.lin:5: expected `shared`":
            self.assertIn(place, error.text)
            self.assertIn(place, (self.folder / "out.html").read_text())

    def test_of_a_file_and_line_that_assertion_is_decided(self):
        self.file("m.csp", LOCK)
        result = self.expect(0, "verify", "--json", "m.csp:9")
        self.assertEqual([(answer["input"], answer["line"]) for answer in result.objects()],
                         [("m.csp", 9)])
        result = self.expect(2, "verify", "m.csp:7")
        self.assertEqual(result.err, "m.csp: error: expected at least one assertion in line 7, "
                                     "found none\n")
        self.file("m.csp:7", LOCK)
        self.assertEqual(len(self.expect(0, "verify", "--json", "m.csp:7").objects()), 2)

    def test_a_trace_replays(self):
        self.file("m.csp", LOCK + "S = test.0 -> S [] test.1 -> S; #assert Both() refines S;")
        result = self.expect(1, "verify", "--trace", "t.json", "m.csp")
        self.assertIn("linchpin verify --trace trace.json m.csp:10\n", result.out)
        result = self.expect(1, "verify", "--trace", "t.json", "m.csp:10")
        self.assertIn("linchpin replay t.json\n", result.out)
        trace = json.loads((self.folder / "t.json").read_text())
        self.assertEqual((trace["command"], trace["line"]), ("verify", 10))
        again = self.expect(1, "replay", "t.json")
        table = re.findall(r"^ +[1-9]  . .*", result.out, re.M)
        self.assertEqual(len(table), 3)
        self.assertEqual(re.findall(r"^ +[1-9]  . .*", again.out, re.M), table)
        self.assertIn("3 steps, taken again on the model", again.out)

    def test_a_lasso_replays(self):
        self.file("m.csp", "P = a -> Q; Q = tau -> tau -> Q; #assert P divergencefree;")
        self.expect(1, "verify", "--trace", "t.json", "m.csp")
        self.assertIn("── back to step ", self.expect(1, "replay", "t.json").out)

    def test_equal_steps_to_different_states_replay(self):
        """Which `a` was taken only the last step tells."""
        self.file("m.csp", "P = a -> b -> Stop [] a -> c -> Stop; S = a -> b -> Stop;"
                           "#assert P refines S;")
        self.expect(1, "verify", "--trace", "t.json", "m.csp")
        self.assertRegex(self.expect(1, "replay", "t.json").out, r"1  •  a\n +2  ✗  c\n")

    def test_replay_takes_as_many_copies_as_the_reason_names(self):
        self.file("m.csp", "var n; P() = tau -> a{n = n + 1} -> Stop; Main() = ||| {..} @ P();"
                           "Spec() = a -> Stop; #assert Main() refines Spec();")
        self.expect(1, "verify", "--trace", "t", "m.csp")
        self.assertIn("n = 2", self.expect(1, "replay", "t").out)
        self.expect(0, "simulate", "--seed", "1", "m.csp", "Main() with copies = 3")
        self.expect(2, "simulate", "m.csp", "Main() with copies = no")
        walks = [self.expect(0, "simulate", "--seed", "1", "m.csp", "Main() with " + settings).out
                 for settings in ("copies = 3, processes = apart", "processes = apart, copies = 3")]
        self.assertEqual(*walks)

    def test_replay_refuses_another_model_and_a_trace_that_is_wrong(self):
        self.file("m.csp", LOCK + "S = Stop; #assert Both() refines S;")
        self.expect(1, "verify", "--trace", "t.json", "m.csp")
        text = (self.folder / "t.json").read_text()
        self.file("wrong.json", text.replace('"event":"test.0"', '"event":"test.7"'))
        self.assertIn("wrong.json: error: the model cannot take step 1 of the trace",
                      self.expect(2, "replay", "wrong.json").err)
        self.file("cut.json", text.replace('"trace":', '"other":'))
        self.assertIn("expected a trace", self.expect(2, "replay", "cut.json").err)
        self.file("m.csp", LOCK)
        self.assertIn("m.csp: error: expected the model that the trace was made of",
                      self.expect(2, "replay", "t.json").err)

    def test_no_violation_leaves_the_trace_alone(self):
        self.file("m.csp", LOCK)
        self.file("t.json", "old")
        self.expect(0, "verify", "--trace", "t.json", "m.csp")
        self.assertEqual((self.folder / "t.json").read_text(), "old")

    def test_nothing_is_written_over(self):
        self.file("m.csp", LOCK)
        for arguments in (["--trace", "m.csp", "m.csp:8"], ["--junit", "m.csp", "m.csp"]):
            result = self.expect(2, "verify", *arguments)
            self.assertIn("'m.csp' is an input, and would be written over", result.err)
        self.assertEqual((self.folder / "m.csp").read_text(), LOCK)

    def test_a_model_that_is_not_read_is_unknown(self):
        self.file("m.csp", LOCK)
        result = self.expect(3, "verify", "--json", "--memory", "1M", "m.csp")
        (answer,) = result.objects()
        self.assertEqual((answer["verdict"], answer["assertion"], answer["limit"]),
                         ("unknown", None, "memory"))
        self.assertIn("before it was read", answer["reason"])

    def test_an_interrupt_while_a_model_is_read(self):
        process = self.start("verify", "--json", "-", stdin=subprocess.PIPE)
        wait_until(lambda: blocks_interrupts(process))
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)  # standard input is open still
        out, _ = process.communicate()
        self.assertEqual(process.returncode, 3)
        self.assertEqual(json.loads(out)["limit"], "interrupt")

    def test_an_interrupt_while_assertions_are_decided(self):
        self.file("m.csp", ENDLESS + "#assert P nonterminating;")
        process = self.start("verify", "--json", "-j1", "m.csp")
        wait_until(lambda: blocks_interrupts(process))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn("interrupt", [json.loads(line)["limit"] for line in out.splitlines()])

    def test_an_event_out_of_place_is_shown_where_it_comes(self):
        self.file("m.csp", "P = inv.write.0.1 -> lin.write.0.1 -> lin.write.0.1 -> res.write.0 -> P;"
                           "#assert P linearizes register with points;")
        for reduce in "none", "antichain":
            told = self.expect(2, "verify", "--reduce", reduce, "m.csp").err
            self.assertIn("expected one linearization point of each operation, found the event "
                          "`lin.write.0.1`", told)
            self.assertRegex(told, "(?s)1 +. +inv.write.0.1\n +2 +. +lin.write.0.1\n"
                                   " +3 +. +lin.write.0.1\n")

    def test_operations_that_nobody_calls_are_told(self):
        self.file("half.csp", "Half = inv.enqueue.0.1 -> res.enqueue.0 -> Stop;\n"
                              "Both = inv.enqueue.0.1 -> res.enqueue.0 -> inv.dequeue.0 -> "
                              "res.dequeue.0.1 -> Stop;\n"
                              "#assert Half linearizes queue;\n#assert Both linearizes queue;")
        half, both = self.expect(0, "verify", "--json", "half.csp").objects()
        self.assertEqual((half["missing"], both.get("missing")), (["dequeue"], None))
        self.assertIn("nothing is proved of `dequeue`, which the specification has and the implementation lacks",
                      " ".join(self.expect(0, "verify", "half.csp").out.split()))

    def test_what_is_refused_is_said(self):
        (answer,) = self.verify(1, "I = a -> Stop <> b -> Stop; S = a -> Stop [] b -> Stop;"
                                   "#assert I refines<F> S;")
        self.assertEqual(answer["reason"],
                         "here the implementation refuses more than the specification may: every "
                         "state that this can be in offers something, of a, b, that the "
                         "implementation does not")

    def test_the_event_of_a_choice_is_named(self):
        (answer,) = self.verify(1, "P = a -> (b -> P [] b -> Stop); #assert P deterministic;")
        self.assertEqual(answer["reason"],
                         "a state has two steps of this event to different states: b")

    def test_a_long_line_is_shown_around_the_mistake(self):
        self.file("m.csp", "/* " + "\u00e4" * 99 + " */ P = a -> [1 == 1] b -> P; // " + "x" * 200)
        lines = self.expect(2, "verify", "m.csp").err.splitlines()
        self.assertIn("behind `->` a guard stands in parentheses", lines[0])
        self.assertIn("P = a -> [1 == 1] b -> P;", lines[1])
        self.assertEqual(lines[1][lines[2].index("^")], "[")
        self.assertLessEqual(len(lines[1]), 180)

    def test_incomplete_points_leave_it_unknown(self):
        """The write takes effect before its point, so that a read sees it too early."""
        points = ("var x; var y;"
                  "P = (inv.write.0.5 -> tau{x = 5} -> lin.write.0.5 -> res.write.0 -> Skip)"
                  " ||| (inv.read.1 -> lin.read.1.x{y = x} -> res.read.1.y -> Skip);"
                  "#assert P linearizes register(initial = 0) with points;")
        (answer,) = self.verify(3, points)
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", None))
        self.assertIn("lin.read.1.5", [step["event"] for step in answer["trace"]])

    # the item is written after the tail has moved: a dequeue can find nothing in its place
    QUEUE = ("var tail; var item[2] = [9, 9]; Enq(v) = inv.enqueue.0.v -> tau{tail = tail + 1} -> "
             "tau{item[tail - 1] = v} -> res.enqueue.0 -> Skip;"
             "Deq() = inv.dequeue.1 -> ifa (tail == 0) { res.dequeue.1 -> Skip } else {"
             " res.dequeue.1.item[0] -> Skip };"
             "P = Enq(1) ||| Deq(); #assert P linearizes queue;")

    def test_a_violation_of_linearizability_is_one_of_a_history(self):
        (answer,) = self.verify(1, self.QUEUE)
        history = answer["history"]
        self.assertEqual(history["spec"], "queue")
        self.assertIn("9", history["reason"])
        self.assertEqual([event["f"] for event in history["events"]][-1], "dequeue")
        self.file("h.jsonl", "".join(json.dumps(event) + "\n" for event in history["events"]))
        result = self.expect(1, "check", "--json", "--spec", "queue", "h.jsonl").objects()[0]
        self.assertEqual((result["reason"], result["core"]), (history["reason"], history["core"]))
        out = self.expect(1, "verify", "m.csp").out
        self.assertIn("its operations: " + history["reason"], out)
        self.assertIn("dequeue → 9 ━┫", out)

    def test_what_histories_do_not_say_is_left_out(self):
        """A compare-and-swap that fails must have found another value; of a history it is gone."""
        text = ("P = inv.cas.0.0.1 -> res.cas.0.false -> Stop;"
                "#assert P linearizes cas_register(initial = 0);")
        (answer,) = self.verify(1, text)
        self.assertNotIn("history", answer)
        self.assertNotIn("its operations", self.expect(1, "verify", "m.csp").out)

    def test_many_columns_share_one(self):
        text = "P = (||| i:{0..8} @ (tau -> Stop)) ||| (a -> Stop); S = Stop; #assert P refines S;"
        self.file("m.csp", text)
        out = self.expect(1, "verify", "--reduce=none", "m.csp").out
        self.assertRegex(out, r"\n +1  ✗  a \(process 9\)\n")

    def test_long_executions_are_shown_without_their_middle(self):
        self.file("m.csp", "var x; P = a{x = x + 1} -> P; #define far x == 1000;"
                           "#assert P reaches far;")
        out = self.expect(0, "verify", "m.csp").out
        self.assertRegex(out, r"\n +200  •  .*\n +\.\.\. 600 steps are left out here; --json lists "
                              r"all\n +801  •  ")
        (answer,) = self.verify(0, "var x; P = a{x = x + 1} -> P; #define far x == 1000;"
                                   "#assert P reaches far;")
        self.assertEqual(len(answer["trace"]), 1000)

    def test_progress_is_drawn_on_a_terminal_only(self):
        self.file("m.csp", ENDLESS)
        ours, theirs = pty.openpty()
        process = self.start("verify", "--timeout", "1s", "m.csp", stderr=theirs)
        os.close(theirs)
        process.communicate()
        drawn = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertRegex(drawn, r"m\.csp:1: [\d,]+ states \([\d,]+/s\), \d+ MB, \d s")
        self.assertEqual(self.expect(3, "verify", "--timeout", "500ms", "m.csp").err, "")

    def test_narrow_terminals_and_those_without_unicode(self):
        narrow = self.expect(1, "verify", REGISTER, environment={"COLUMNS": "60"})
        self.assertIn("read_inv (process 0)", narrow.out)
        for line in narrow.out.splitlines():
            if not re.match(r".*\.csp:\d+: |    linchpin ", line):
                self.assertLessEqual(len(line), 60)
        plain = self.expect(1, "verify", REGISTER, environment={"LC_ALL": "C"})
        self.assertTrue(plain.out.isascii())
        self.assertRegex(plain.out, r"\n +7 +tau +B = \[1, 1, 1\]\n")


main()
