#!/usr/bin/env python3
"""Histories decided against a specification in a .lin file."""
import os

from program import Case, events, main

STACK = """spec bounded(K) {
    list items = [];
    op push(value v) { if (len(items) == K) return full; items = items + [v]; return ok; }
    op pop() { if (items == []) return empty; value v = last(items); items = but_last(items);
        return v; }
}
"""

DOUBLE_CAS = """spec dcas {
    int x = 0;
    int y = 0;
    op dcas(int a, int b, int c, int d) {
        if (x == a && y == b) { x = c; y = d; return true; }
        return false;
    }
    op read() { return x; }
}
"""

FULL = events("""
    0 invoke push 1
    0 ok push
    1 invoke push 2
    1 ok push "full"
""")


class OwnSpecification(Case):
    def test_the_only_one_of_a_file(self):
        self.file("one.lin", "spec s { op f() { return 1; } }")
        self.file("h", events("0 invoke f\n0 ok f 1"))
        answer = self.expect(0, "check", "--json", "--spec", "one.lin", "h").objects()[0]
        self.assertEqual((answer["spec"], answer["method"]), ("one.lin", "search"))

    def test_a_set_may_be_recorded_as_a_list(self):
        """JSON has no sets; and a list that an object keeps is none."""
        self.file("s.lin", "spec s { set m = {}; value kept = empty;\n"
                           "op add(value v) { m = m + {v}; return ok; }\n"
                           "op read() { return m; }\n"
                           "op nested() { return [m, {m}]; }\n"
                           "op keep(value v) { kept = v; return ok; }\n"
                           "op get() { return kept; } }")
        begin = "".join("0 invoke add %d\n0 ok add\n" % v for v in (3, 1, 2))
        for f, answer, status in (("read", "[1 2 3]", 0), ("read", "[3 1 2]", 0),
                                  ("read", "#{1 2 3}", 0), ("read", "[1 1 2 3]", 1),
                                  ("read", "[1 2]", 1), ("read", "[1 2 4]", 1),
                                  ("nested", "[[2 1 3] [[3 1 2]]]", 0),
                                  ("nested", "[[2 1 3] [3 1 2]]", 1)):
            self.file("h", events(begin + "1 invoke %s\n1 ok %s %s" % (f, f, answer)))
            self.expect(status, "check", "--spec", "s.lin", "h")
            self.expect(0, "convert", "--to", "json", "-o", "h.json", "h")
            self.expect(status, "check", "--spec", "s.lin", "h.json")
        for kept, read, status in (("#{1 2}", "#{2 1}", 0), ("#{1 2}", "[1 2]", 0),
                                   ("[1 2]", "#{1 2}", 1)):
            self.file("h", events("0 invoke keep %s\n0 ok keep\n0 invoke get\n0 ok get %s"
                                  % (kept, read)))
            self.expect(status, "check", "--spec", "s.lin", "h")

    def test_parameters_decide(self):
        self.file("stack.lin", STACK)
        self.file("h", FULL)
        self.expect(0, "check", "--spec", "stack.lin:bounded(1)", "h")
        answer = self.expect(1, "check", "--json", "--spec", "stack.lin:bounded(2)", "h")
        self.assertEqual(answer.objects()[0]["core"], [1])

    def test_a_violation_is_replayed(self):
        self.file("stack.lin", STACK)
        self.file("h", FULL)
        self.expect(1, "check", "--spec", "stack.lin:bounded(2)", "--trace", "t", "h")
        self.assertIn("push", self.expect(1, "replay", "t").out)

    def test_one_for_each_object(self):
        self.file("stack.lin", STACK)
        self.file("h", '{"process":0,"type":"invoke","f":"push","value":1,"object":"s"}\n'
                       '{"process":1,"type":"invoke","f":"read","object":"r"}\n')
        self.expect(0, "check", "--spec", "s=stack.lin:bounded(2)", "--spec", "r=register", "h")

    def test_what_the_core_builds_on_is_context(self):
        """From 1 to 2 is only possible after from 0 to 1, which is in no core: it may as well be
        pending. The others are not needed."""
        self.file("dcas.lin", DOUBLE_CAS)
        self.file("h", events("0 invoke dcas [0,0,1,1]\n0 ok dcas true\n"
                              "1 invoke read\n1 ok read 1\n"
                              "1 invoke dcas [5,5,7,7]\n1 ok dcas false\n"
                              "0 invoke dcas [1,1,2,2]\n0 ok dcas true\n"
                              "1 invoke read\n1 ok read 0\n"))
        answer = self.expect(1, "check", "--json", "--spec", "dcas.lin", "h").objects()[0]
        self.assertEqual((answer["core"], answer["context"]), ([3, 4], [0]))

    def test_a_mistake_in_the_file(self):
        self.file("bad.lin", "spec s {\n op f() { return x + 1; }\n}\n")
        self.file("h", FULL)
        found = self.expect(2, "check", "--json", "--spec", "bad.lin", "h")
        self.assertIn("bad.lin:2: error: expected a declared name, found `x`", found.complaints())
        self.assertEqual(found.out, "")

    def test_a_fault_while_deciding(self):
        self.file("bad.lin", "spec s {\n list l;\n op f() { return l[3]; }\n}\n")
        self.file("h", events("0 invoke f\n0 ok f 1"))
        for jobs in "1", "2":
            found = self.expect(2, "check", "--json", "-j", jobs, "--spec", "bad.lin", "h")
            self.assertIn("bad.lin:3: error: expected an index", found.complaints())
            self.assertEqual(found.out, "")

    def test_a_fault_in_orders_that_the_history_forbids(self):
        """Nobody went below 0: that is only tried, while the core is looked for, with the increment
        pending. So the history is a violation, and the increment belongs to the core."""
        self.file("level.lin", "spec level {\n int(0..3) n;\n op inc() { n = n + 1; }\n"
                               " op dec() { n = n - 1; }\n op read() { return n; }\n}\n")
        history = events("0 invoke inc\n0 ok inc\n0 invoke dec\n0 ok dec\n"
                         "0 invoke read\n0 ok read 2")
        self.file("h", history)
        for how in ["--method=auto"], ["--method=definition"], ["-j", "1"]:
            answer = self.expect(1, "check", "--json", "--trace", "t", *how, "--spec", "level.lin",
                                 "h").objects()[0]
            self.assertEqual((answer["verdict"], answer["core"]), ("violation", [0, 2]))
            self.assertIn("a violation, and no fewer", self.expect(1, "replay", "t").out)
        self.expect(1, "check", "--follow", "--spec", "level.lin", "-", given=history.encode())
        self.file("below", events("0 invoke inc\n1 invoke dec\n0 ok inc\n1 ok dec\n"
                                  "0 invoke read\n0 ok read 2"))
        found = self.expect(2, "check", "--json", "--spec", "level.lin", "below")
        self.assertIn("level.lin:4: error: expected an int from 0 to 3", found.complaints())

    def test_what_cannot_be_read(self):
        self.file("h", FULL)
        found = self.expect(2, "check", "--spec", "none.lin", "h")
        self.assertIn("none.lin: error:", found.err)

    def test_who_calls_matters(self):
        # Both processes have the same two calls with the same answers: an order that gives the
        # lock first to process 0 and one that gives it first to process 1 are told apart.
        self.file("lock.lin", """spec lock {
    int holder = -1;
    op acquire() { if (holder != -1) return busy; holder = thread; return ok; }
    op release() { if (holder != thread) return denied; holder = -1; return ok; }
}
""")
        calls = """
            0 invoke acquire
            1 invoke acquire
            1 ok acquire "ok"
            1 invoke release
            1 ok release "ok"
            0 ok acquire "ok"
            {} invoke release
            {} ok release "ok"
        """
        self.file("right", events(calls.format(0, 0)))
        self.file("wrong", events(calls.format(1, 1)))
        for method in "search", "definition":
            self.expect(0, "check", "--method", method, "--spec", "lock.lin", "right")
            self.expect(1, "check", "--method", method, "--spec", "lock.lin", "wrong")

    def test_forced_monitors_are_refused(self):
        self.file("stack.lin", STACK)
        self.file("h", FULL)
        self.expect(2, "check", "--method=monitor", "--spec", "stack.lin:bounded(2)", "h")

    def test_shared_samples(self):
        treiber = os.path.join(os.path.dirname(__file__), "../../../shared/models/treiber.lin")
        if not os.path.exists(treiber):
            self.skipTest("the sample models are not there")
        self.file("h", FULL)
        self.expect(0, "check", "--spec", f"{treiber}:bounded_stack(1)", "h")


main()
