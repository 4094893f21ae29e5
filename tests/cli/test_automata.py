#!/usr/bin/env python3
"""`verify --method=automata`: the shipped models, what is told and replayed, what it refuses and what it leaves open."""
import json
import re

from program import SOURCE, Case, main

MODELS = sorted((SOURCE / "examples" / "models").rglob("*.lin"))
LINE = re.compile(r"assert \w+(\([^)]*\))? linearizes (?![^;]*threads = any)[^;]*;[ \t]*"
                  r"// expect: (holds|violated|unknown)")

NEWEST = """impl newest_first {
    shared value a;
    shared value b;
    op enqueue(value v) { atomic { b = a; a = v; } return ok; }
    op dequeue() { atomic { value v = a; a = b; b = null; return v; } }
}
assert newest_first linearizes queue with threads = 1, ops = 3, values = 1;
assert newest_first linearizes stack;
assert newest_first never (a != null && b == null) with threads = 1;
"""

# An enqueue is seen before it waits for ever.
STUCK = """impl stuck {
    shared value a;
    shared bool never;
    op enqueue(value v) {
        a = v;
        await (never);
        return ok;
    }
    op dequeue() { return swap(a, null); }
}
assert stuck linearizes queue with threads = 2, ops = 1;
"""


class Automata(Case):
    def automata(self, status, *words):
        return self.expect(status, "verify", "--json", "--method=automata", *words).objects()

    def test_shipped_models_have_the_answers_that_their_lines_say(self):
        found = 0
        for model in MODELS:
            expected = {number: match.group(2)
                        for number, line in enumerate(model.read_text().splitlines(), 1)
                        if (match := LINE.match(line))}
            lines = ["%s:%d" % (model, number) for number in expected]
            result = self.run_program("verify", "--json", "--method=automata", *lines or [model])
            self.assertIn(result.status, (0, 1, 2), result.err)
            for answer in result.objects():
                if answer["method"] == "automata":
                    with self.subTest(model=model.name, line=answer["line"]):
                        self.assertEqual(answer["verdict"], expected[answer["line"]])
                    found += 1
        self.assertGreater(found, 30)

    def test_a_violation_is_told_with_its_rule_and_replayed(self):
        self.file("n.lin", NEWEST)
        violated, = self.automata(1, "n.lin:7")
        self.assertEqual((violated["verdict"], violated["method"], violated["values"]),
                         ("violated", "automata", 3))
        self.assertRegex(violated["reason"], r"^`res.dequeue.0.2` is not possible .*; it breaks "
                                             r"the rule `queue_order`: of two values")
        self.assertEqual(violated["trace"][-1]["event"], "res.dequeue.0.2")
        self.assertEqual(violated["failure"], "event")
        self.assertIn("value 2 was dequeued though value 1", violated["history"]["reason"])
        text = self.expect(1, "verify", "--method", "automata", "--trace", "t.json", "n.lin:7").out
        self.assertIn("(automata, ", text)
        self.assertIn("it breaks the rule", " ".join(text.split()))
        self.assertIn("linchpin replay t.json", text)
        trace = json.loads((self.folder / "t.json").read_text())
        self.assertEqual(trace["options"]["method"], "automata")
        self.assertIn("steps, taken again on the model", self.expect(1, "replay", "t.json").out)

    def test_the_command_that_shows_a_violation_again_names_the_method(self):
        self.file("n.lin", NEWEST)
        self.assertIn("linchpin verify --method automata --trace trace.json n.lin:7",
                      self.expect(1, "verify", "--method=automata", "n.lin:7").out)

    def test_values_are_without_number(self):
        self.file("n.lin", NEWEST)
        by_refinement, = self.expect(0, "verify", "--json", "n.lin:7").objects()
        self.assertEqual(by_refinement["verdict"], "holds")  # with one value

    def test_what_holds_names_the_automata(self):
        self.file("r.lin", "impl r { shared value s; op write(value v) { s = v; return ok; }\n"
                           "op read() { return s; } }\nassert r linearizes register with ops = any;\n")
        holds, = self.automata(0, "r.lin")
        self.assertEqual(holds["reason"], "no history is accepted by register_conflict, "
                                          "register_fresh or register_init, whatever the values are")
        self.assertNotIn("values", holds)
        self.assertEqual(holds["reductions"],
                         ["intervals", "partial-order", "symmetry", "antichain", "slice"])

    def test_other_assertions_are_decided_as_always(self):
        self.file("n.lin", NEWEST)
        result = self.expect(2, "verify", "--json", "--method=automata", "n.lin")
        self.assertEqual([(answer["line"], answer["method"]) for answer in result.objects()],
                         [(7, "automata"), (9, "reachability")])
        self.assertIn("n.lin:4: error: expected an operation of `stack`", result.complaints())

    def test_what_it_does_not_know_is_an_error_with_its_place(self):
        for spec, options, complaint in (
                ("map", "", "one of the file that has some), found `map`"),
                ("set", "", "expected operations that bring in a value"),
                ("own", "", "found `own`"),
                ("register(initial = 3)", "", "without `initial`"),
                ("register", " with points", "expected no `points`")):
            operations = {"map": "op put(value k, value v) { linearize; s = v; return ok; }",
                          "set": "op add(value v) { s = v; return true; }"}.get(
                              spec, "op write(value v) { s = v; linearize; return ok; }")
            self.file("e.lin", "spec own { value s; op write(value v) { s = v; return ok; } }\n"
                               "impl i { shared value s; %s }\n"
                               "assert i linearizes %s%s;\n" % (operations, spec, options))
            with self.subTest(spec=spec, options=options):
                result = self.expect(2, "verify", "--method=automata", "e.lin")
                self.assertIn("e.lin:3: error: ", result.err)
                self.assertIn(complaint, result.err)
        self.file("e.csp", "P = inv.read.0 -> res.read.0 -> P;\n#assert P linearizes register;\n")
        self.assertIn("e.csp:2: error: expected an implementation in `.lin`",
                      self.expect(2, "verify", "--method=automata", "e.csp").err)
        self.assertIn("--method: expected refinement or automata, found 'search'",
                      self.expect(2, "verify", "--method=search", "e.lin").err)

    def test_an_answer_that_automata_do_not_read_is_refused(self):
        """A bag with room for nine values. That a tenth is refused its automata do not read, so that they would take a bag which has
        room for one."""
        text = (SOURCE / "examples" / "rules" / "bag.lin").read_text()
        put = "    op put(value v) {\n"
        self.assertEqual(text.count(put), 1)
        text = text.replace(put, put + "        if (len(items) == 9) return full;\n") + """impl small {
    shared value s;
    op put(value v) { if (s != null) return full; s = v; return ok; }
    op take() { value v = swap(s, null); if (v == null) return empty; return v; }
}
assert small linearizes bag with threads = 1, ops = 2;
"""
        self.file("full.lin", text)
        refused = self.expect(2, "verify", "--method=automata", "full.lin")
        self.assertIn("full.lin:%d: error: expected an operation that has nothing to answer in `bag`, whose automata do not read "
                      "what it answers, found `put`" % (text.count("\n") - 3), refused.err)
        self.expect(1, "verify", "full.lin")  # `put -> full`, where there is room

    def test_what_may_never_return_is_left_open(self):
        self.file("s.lin", STUCK)
        stuck, = self.automata(3, "s.lin")
        self.assertEqual((stuck["verdict"], stuck["limit"]), ("unknown", None))
        self.assertRegex(stuck["reason"], "^`enqueue` may never return, once it stands before line 6: "
                                          "await")
        holds, = self.expect(0, "verify", "--json", "s.lin").objects()
        self.assertEqual(holds["verdict"], "holds")

    def test_who_waits_before_anything_is_changed_does_no_harm(self):
        self.file("w.lin", STUCK.replace("        a = v;\n        await (never);",
                                         "        await (never);\n        a = v;"))
        self.assertEqual(self.automata(0, "w.lin")[0]["verdict"], "holds")

    def test_values_are_only_copied(self):
        for statement, complaint in (
                ("if (s == v) return ok;", "expected a comparison with null, found one of two values: for "
                                           "violation automata values may only be copied"),
                ("value o = s; cas(s, o, v);", "expected null as what `cas` compares with")):
            self.file("c.lin", "impl i { shared value s; shared int n;\n"
                               "op write(value v) { n = thread;\n%s\ns = v; return ok; }\n"
                               "op read() { return s; } }\n"
                               "assert i linearizes register with threads = 2;\n" % statement)
            result = self.expect(2, "verify", "--json", "--method=automata", "c.lin")
            self.assertIn("c.lin:3: error: " + complaint, result.complaints())
            self.assertEqual(result.out, "")

    def bags(self, automata):
        self.file("b.lin", automata + """
            impl cells { shared value a; shared value b;
                op put(value v) { while (true) { if (cas(a, null, v)) return ok; if (cas(b, null, v)) return ok; } }
                op take() { value v = swap(a, null); if (v != null) return v; return swap(b, null); } }
            impl twice { shared value a;
                op put(value v) { await (cas(a, null, v)); return ok; }
                op take() { value v = a; a = null; return v; } }
            impl forgets { shared value a; shared value b;
                op put(value v) { if (cas(a, null, v)) return ok; await (cas(b, null, v)); return ok; }
                op take() { return swap(a, null); } }
            assert cells linearizes bag with threads = 3, ops = 2;
            assert twice linearizes bag with threads = 2, ops = 2;
            assert forgets linearizes bag with threads = 2;
            """)

    def test_automata_of_the_file(self):
        bag = (SOURCE / "examples/rules/bag.lin").read_text()
        self.bags(bag)
        cells, twice, forgets = self.automata(1, "b.lin")
        self.assertEqual([answer["verdict"] for answer in (cells, twice, forgets)],
                         ["holds", "violated", "violated"])
        self.assertIn("accepted by bag_fresh, bag_repeat or bag_empty, whatever the values are, if "
                      "these describe all violations of `bag`", cells["reason"])
        self.assertIn("it breaks the rule `bag_repeat`: a value is taken twice", twice["reason"])
        self.assertIn("it breaks the rule `bag_empty`", forgets["reason"])
        # the operation that finds nothing is marked in place of coloured
        head, tail = bag.split("automaton bag_empty")
        tail = re.sub(r"(call |ret |)TakeEmpty\(2\)", r"marked \1TakeEmpty", tail)
        tail = re.sub(r"( *)others -> (\w+);", r"\1others -> \2;\n\1marked others -> \2;", tail)
        self.bags(head + "automaton bag_empty" + tail)
        self.assertEqual([answer["reason"] for answer in self.automata(1, "b.lin")],
                         [answer["reason"] for answer in (cells, twice, forgets)])

    def test_an_automaton_of_the_file_that_is_wrong(self):
        bag = (SOURCE / "examples/rules/bag.lin").read_text()
        self.bags(bag.replace("ret Take(1) -> taken;", "ret Take(3) -> taken;", 1))
        result = self.expect(2, "verify", "--json", "--method=automata", "b.lin")
        self.assertIn("b.lin:21: error: expected violations of `bag` only to be accepted",
                      result.complaints())
        self.assertIn("res.take.0.3", result.err)

    def test_any_number_of_threads_is_decided_as_always(self):
        self.file("a.lin", "impl r { shared value s; op write(value v) { s = v; return ok; }\n"
                           "op read() { return s; } }\nassert r linearizes register with threads = any;\n")
        self.assertEqual(self.automata(0, "a.lin")[0]["method"], "coverability")

    def test_limits_are_told(self):
        result = self.run_program("verify", "--json", "--method=automata", "--timeout", "10ms",
                                  SOURCE / "examples/models/elimination_stack.lin")
        unknown = [answer for answer in result.objects() if answer["verdict"] == "unknown"]
        self.assertEqual({answer["limit"] for answer in unknown}, {"time"})


main()
