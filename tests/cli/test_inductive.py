#!/usr/bin/env python3
"""Inductive rules: testing them, deciding histories and models with them, laying them out."""
import re

from program import SOURCE, Case, main

RULES = SOURCE / "examples" / "rules"

# the obvious rules of a register: what may stand behind a write is not restricted
REGISTER = """rules register {
    input Write = write(value);
    method Read = read() -> value;
    method ReadInit = read() -> empty;
    rule R0: empty;
    rule RWriteRead: u => Write Read* u;
    rule RReadInit: u => ReadInit u;
}
"""
TREIBER = """
impl treiber {
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
            if (cas(top, t, x)) return t.item;
        }
    }
}
impl early {
    shared value cell;
    op push(value v) { cell = v; return ok; }
    op pop() { return swap(cell, null); }
}
"""


def history(text):
    """JSON lines from `process f argument result`, one operation after the other; - is null."""
    lines = []
    for words in map(str.split, text.strip().splitlines()):
        process, function, argument, result = words
        for kind, value in ("invoke", argument), ("ok", result):
            lines.append('{"process": %s, "type": "%s", "f": "%s", "value": %s}'
                         % (process, kind, function, "null" if value == "-" else value))
    return "\n".join(lines) + "\n"


class Inductive(Case):
    def test_shipped_rules_hold(self):
        outside = {"set": "they are only about values that are distinct",
                   "priority_queue": "they compare values"}
        for path in sorted(RULES.glob("*.lin")):
            if "rules " not in path.read_text():
                continue
            with self.subTest(path.name):
                answer = self.expect(0, "rules", "--json", "-b", "3", path).objects()[0]
                self.assertEqual((answer["input"], answer["verdict"], answer["size"]),
                                 (str(path), "holds", 3))
                self.assertEqual([size["events"] for size in answer["sizes"]], [1, 2, 3])
                self.assertEqual(answer.get("outside"), outside.get(answer["rules"]))
                verdicts = {row["name"]: row["verdict"] for row in answer["properties"]}
                asked = "not asked" if "outside" in answer else "holds"
                self.assertEqual(verdicts.pop("equal-values"), asked)
                self.assertEqual(set(verdicts.values()), {"holds"})
                self.assertIn("specification", answer)

    def test_no_expression_needs_an_input(self):
        # nobody sees who holds a mutex, so that an input method restricts nothing
        mutex = (RULES / "mutex.lin").read_text()
        self.file("mutex.lin", mutex.replace("input Lock", "method Lock"))
        answers = [self.expect(0, "rules", "--json", "-b", "4", path).objects()[0]
                   for path in (RULES / "mutex.lin", "mutex.lin")]
        self.assertEqual(answers[0]["sizes"], answers[1]["sizes"])
        self.assertEqual({row["verdict"] for row in answers[1]["properties"]}, {"holds"})
        # what draws any ball: each time a value that nothing has brought in, one again as well
        self.file("draws.lin", """rules draws {
            method Draw = draw() -> value;
            method None = draw() -> empty;
            rule R0: empty;
            rule RDraw: u where u in Draw* => u Draw;
            rule RNone: u => u None;
        }
        """)
        self.expect(0, "rules", "draws.lin")
        self.file("again.jsonl", history("0 draw - 7\n0 draw - 7\n1 draw - -\n"))
        self.expect(0, "check", "--spec", "draws.lin", "again.jsonl")
        self.file("late.jsonl", history("0 draw - 7\n0 draw - -\n1 draw - 7\n"))
        self.expect(1, "check", "--spec", "draws.lin", "late.jsonl")

    def test_automata_are_made_from_rules(self):
        counts = {"queue": [0, 3, 1], "stack": [3, 1, 1], "register": [2, 1], "mutex": [1, 3]}
        for name, expected in counts.items():
            with self.subTest(name):
                path = RULES / (name + ".lin")
                answer = self.expect(0, "rules", "--json", "-b", "3", path).objects()[0]
                self.assertEqual([row["automata"] for row in answer["automata"]], expected)
                self.assertTrue(all(row["made"] for row in answer["automata"]))
                self.assertEqual({row["missed"] + row["false_alarms"]
                                  for row in answer["automata"]}, {0})
                made = self.expect(0, "rules", "--made", "--write", path).out
                self.file("made.lin", made)
                both = [self.expect(0, "rules", "--json", "-b", "3", "--random", "50",
                                    *words).objects()[0]
                        for words in (["--made", path], ["made.lin"])]
                for answer in both:
                    answer.pop("seconds")
                    for row in answer["automata"]:
                        row.pop("input")
                self.assertEqual(both[0], both[1])
                self.assertEqual(len(both[0]["automata"]), sum(expected))
        drawn = self.expect(0, "rules", "--made", "--draw", RULES / "queue.lin").out
        self.assertEqual(drawn.count("digraph"), 4)

    def test_automata_belong_to_rules(self):
        queue = (RULES / "queue.lin").read_text()
        made = self.expect(0, "rules", "--made", "--write", RULES / "queue.lin").out
        self.file("both.lin", queue + made)
        rules = self.expect(0, "rules", "--json", "-b", "3", "--random", "50",
                            "both.lin").objects()[0]
        self.assertEqual([(row["own"], row["made"], row["automata"]) for row in rules["automata"]],
                         [(False, True, 0), (True, False, 3), (True, False, 1)])
        # what is right for the queue as a whole is wrong for a rule
        self.file("wrong.lin", queue + made.replace("violates REnqDeq;", "violates RDeqEmpty;", 1))
        answers = self.expect(1, "rules", "--json", "-b", "3", "--random", "50",
                              "wrong.lin").objects()
        rows = answers[0]["automata"]
        self.assertEqual([row["missed"] > 0 for row in rows], [False, True, False])
        self.assertEqual([len(row.get("history", [])) for row in rows], [0, 1, 0])  # a lone Deq
        self.assertEqual(answers[1]["verdict"], "holds")
        for text, message in (("violates R0;", "expected a rule of `queue` other than the empty"),
                              ("violates Foo;", "one, found `Foo`"),
                              ("violates REnq; violates REnq;", "expected one `violates`")):
            self.file("bad.lin", queue + made.replace("violates REnqDeq;", text, 1))
            self.assertIn(message, self.expect(2, "rules", "bad.lin").err)

    def test_automata_are_not_made_from_all_rules(self):
        answer = self.expect(0, "rules", "--json", "-b", "2", RULES / "set.lin").objects()[0]
        self.assertEqual(answer["not_compared"], "values are not renamed")
        self.assertIn("automata are made from rules of a specification that neither compare",
                      self.expect(2, "rules", "--made", RULES / "set.lin").err)
        self.assertIn("expected `rules` in the file, to make automata from, found none",
                      self.expect(2, "rules", "--made", RULES / "bag.lin").err)
        self.expect(2, "rules", "--made", RULES / "queue_order.txt")
        # without its condition a queue's rule derives more, and has another shape
        queue = (RULES / "queue.lin").read_text()
        self.file("queue.lin", queue.replace("u in Enq*, v in {Enq, Deq}*", "v in {Enq, Deq}*"))
        answer = self.expect(1, "rules", "--json", "-b", "3", "queue.lin").objects()[0]
        self.assertEqual([row["made"] for row in answer["automata"]], [True, False, True])
        # methods that stand for the same calls are not what automata of such calls are about
        self.assertIn("whose methods calls and answers tell apart, not from those of semaphore",
                      self.expect(2, "rules", "--made", RULES / "semaphore.lin").err)

    def test_what_rules_without_automata_leave_open(self):
        queue = (RULES / "queue.lin").read_text()
        self.file("q.lin", queue.replace("u in Enq*, v in {Enq, Deq}*", "v in {Enq, Deq}*"))
        line = "no automata of REnqDeq: its conditions"
        # a lone Deq is not linearizable; what is accepted is right
        (answer,) = self.expect(3, "rules", "--json", "--made", "-b", "3", "--random", "50",
                                "q.lin").objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", None))
        self.assertEqual([row["rule"] for row in answer["not_made"]], ["REnqDeq"])
        self.assertEqual(answer["difference"], "missed")
        self.assertEqual(len(answer["history"]), 1)
        self.assertEqual([size["operations"] for size in answer["sizes"]], [1, 2, 3])
        self.assertEqual({size["false_alarms"] for size in answer["sizes"]}, {0})
        text = " ".join(self.expect(3, "rules", "--made", "-b", "3", "q.lin").out.split())
        self.assertIn("they may be what violates REnqDeq, of which no automata are made", text)
        self.assertIn(line, text)
        written = self.expect(0, "rules", "--made", "--write", "q.lin")
        self.assertIn("q.lin: " + line, written.err)
        self.assertIn("automaton RDeqEmpty_empty", written.out)
        self.assertEqual(self.expect(0, "rules", "--made", "--write", RULES / "queue.lin").err, "")

        def run(status, text):
            self.file("h.jsonl", history(text))
            return self.expect(status, "rules", "--json", "--made", "--on", "h.jsonl",
                               "q.lin").objects()[0]

        lone = run(3, "0 deq - 7\n")
        self.assertEqual((lone["history"], lone["verdict"]), ("violation", "unknown"))
        self.assertIn("of some rules, which it may violate, no automata are made", lone["reason"])
        self.assertEqual([row["rule"] for row in lone["not_made"]], ["REnqDeq"])
        self.assertEqual(run(0, "0 enq 7 7\n0 deq - 7\n")["verdict"], "holds")

    def test_what_is_violated_is_shown(self):
        self.file("register.lin", REGISTER)
        result = self.expect(1, "rules", "register.lin")
        self.assertTrue(result.out.startswith("register: violated (3 rules, "))
        self.assertIn("2 of the properties are violated", result.out)
        self.assertIn("every projection of `Write a, ReadInit` matches a rule", result.out)
        self.assertRegex(result.out, r"┣━ Write a ━┫\n +┣━ ReadInit ━┫\n")
        (answer,) = self.expect(1, "rules", "--json", "register.lin").objects()
        found = {row["name"]: row for row in answer["properties"] if row["verdict"] == "violated"}
        self.assertEqual(set(found), {"matched", "by-projections"})
        self.assertEqual({row["events"] for row in found.values()}, {2})
        write, read = found["by-projections"]["history"]
        self.assertEqual((write["method"], write["value"], read["method"]),
                         ("Write", 1, "ReadInit"))
        self.assertLess(write["return"], read["call"])
        self.assertEqual(self.expect(1, "rules", "-q", "register.lin").out.count("\n"), 1)

    def test_files_of_several(self):
        self.file("both.lin", REGISTER + (RULES / "queue.lin").read_text() + """
            automaton fresh of queue { initial state x { ret Deq(1) -> y; call Enq(2, 3) -> x; }
              accepting state y { others -> y; } }""")
        result = self.run_program("rules", "-b", "2", "both.lin", RULES / "stack.lin")
        self.assertEqual(result.status, 1)
        heads = [line for line in result.out.splitlines() if re.match(r"\w", line)]
        self.assertEqual([head.split(" (")[0] for head in heads],
                         ["register: violated", "queue: holds", "stack: holds", "queue: violated"])
        self.assertEqual(len(self.run_program("rules", "--json", "-b", "2", "both.lin",
                                              RULES / "stack.lin").objects()), 4)

    def test_threads_change_nothing(self):
        answers = []
        self.file("register.lin", REGISTER)
        for jobs in "1", "3":
            (answer,) = self.expect(1, "rules", "--json", "-j", jobs, "register.lin").objects()
            answer.pop("seconds")
            answers.append(answer)
        self.assertEqual(answers[0], answers[1])

    def test_limits(self):
        result = self.expect(3, "rules", "-b", "8", "--timeout", "300ms", RULES / "queue.lin")
        self.assertRegex(result.out.replace("\n ", ""), r"the time limit of 300 ms was reached; up "
                         r"to \d events? *no *property is violated")
        self.assertRegex(result.out, r"step-by-step linearizable \(Definition 7\) +unknown\n")
        (answer,) = self.expect(3, "rules", "--json", "-b", "8", "--timeout", "100ms",
                                RULES / "set.lin").objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "time"))

    def test_without_a_specification(self):
        self.file("own.lin", REGISTER.replace("rules register", "rules own"))
        result = self.run_program("rules", "--json", "own.lin")
        (answer,) = result.objects()
        self.assertNotIn("specification", answer)
        reasons = {row["name"]: row.get("reason") for row in answer["properties"]
                   if row["verdict"] == "not asked"}
        self.assertEqual(reasons, {name: "there is no specification of that name"
                                   for name in ("allowed", "all-allowed", "equal-values")})

    def test_wrong_files(self):
        self.file("empty.lin", "spec s { op f() { return ok; } }")
        self.file("place.lin", REGISTER.replace("ReadInit u", "ReadInit v"))
        self.file("subject.lin", REGISTER.replace("rules register", "rules r of semaphore(0)"))
        for words, complaint in (
                (["empty.lin"], "empty.lin: error: expected `rules` or an `automaton` in the file, "
                                "found neither"),
                (["place.lin"], "place.lin:7: error: expected a method (Write, Read, ReadInit), "
                                "found `v`\n        rule RReadInit: u => ReadInit v;\n"),
                (["subject.lin"], "expected an operation of `semaphore`, found `write`"),
                (["nosuch.lin", "place.lin"], "place.lin:7"),
                ([], "expected FILE... or --spec NAME")):
            with self.subTest(words):
                result = self.expect(2, "rules", *words)
                self.assertEqual(result.out, "")
                self.assertIn(complaint, result.err)

    def test_histories_are_decided(self):
        good = history("0 enqueue 1 1\n1 enqueue 1 1\n0 dequeue - 1\n1 dequeue - 1\n0 deq - null")
        bad = history("0 enqueue 1 1\n1 enqueue 2 2\n0 dequeue - 2")
        self.file("good.jsonl", good)
        self.file("bad.jsonl", bad)
        name = RULES / "queue.lin"
        self.expect(0, "check", "--spec", name, "good.jsonl")
        result = self.expect(1, "check", "--spec", str(name) + ":queue", "bad.jsonl")
        self.assertIn("dequeue → 2", result.out)

    def test_values_that_come_twice(self):
        self.file("twice.jsonl", history("0 add 1 true\n0 remove 1 true\n0 add 1 true"))
        result = self.expect(2, "check", "--spec", RULES / "set.lin", "twice.jsonl")
        self.assertEqual(result.out, "")
        self.assertIn("set.lin:4: error: the rules of set are about executions in which each value "
                      "is given to an input method once, found a second `add 1`", result.err)
        self.file("once.jsonl", history("0 add 1 true\n0 contains 1 true\n1 remove 1 true\n"
                                        "0 contains 1 false"))
        self.expect(0, "check", "--spec", RULES / "set.lin", "once.jsonl")
        self.file("words.jsonl", history('0 insert "a" "a"'))
        result = self.expect(2, "check", "--spec", RULES / "priority_queue.lin", "words.jsonl")
        self.assertIn("expected a number, for values are ordered, found", result.err)

    def test_names(self):
        both = (RULES / "queue.lin").read_text() + (RULES / "stack.lin").read_text()
        self.file("both.lin", both)
        self.file("h.jsonl", history("0 push 1 1\n0 pop - 1"))
        result = self.expect(2, "check", "--spec", "both.lin", "h.jsonl")
        self.assertIn("one of its specifications (queue, stack)", result.err)
        self.expect(0, "check", "--spec", "both.lin:stack", "h.jsonl")
        result = self.expect(2, "check", "--spec", "both.lin:stack(3)", "h.jsonl")
        self.assertIn("stack is given by rules: it takes no arguments", result.err)
        result = self.expect(2, "check", "--initial", "[1]", "--spec", "both.lin:stack", "h.jsonl")
        self.assertIn("takes no initial value", result.err)
        # a specification of that name is the one that is meant
        self.file("spec.lin", "spec stack { op push(value v) { return ok; } op pop() { return 7; } }"
                  + (RULES / "stack.lin").read_text())
        self.expect(1, "check", "--spec", "spec.lin", "h.jsonl")

    def test_models_are_decided(self):
        lifo = (RULES / "stack.lin").read_text().replace("rules stack", "rules lifo of stack")
        assertions = "".join("assert %s linearizes %s with threads = 2, ops = 3;\n" % (impl, name)
                             for impl in ("treiber", "early") for name in ("lifo", "stack"))
        self.file("model.lin", lifo + TREIBER + assertions)
        answers = self.run_program("verify", "--json", "model.lin").objects()
        self.assertEqual([answer["verdict"] for answer in answers],
                         ["holds", "holds", "violated", "violated"])
        self.assertEqual(answers[0]["states"], answers[1]["states"])

    def test_layout(self):
        text = (RULES / "queue.lin").read_text()
        self.file("wide.lin", text.replace("    rule", "  rule").replace("\n\n", "\n\n\n"))
        self.expect(0, "fmt", "wide.lin")
        self.assertEqual((self.folder / "wide.lin").read_text(), text)
        self.expect(0, "fmt", "--check", *RULES.glob("*.lin"))


if __name__ == "__main__":
    main()
