#!/usr/bin/env python3
"""linchpin rules: verdicts of the shipped automata, differences, drawings, faults of files."""
import pathlib
import re
import subprocess

from program import SHARED, SOURCE, Case, main

RULES = SOURCE / "examples" / "rules"


def shipped(name):
    return sorted(RULES.glob(name + "_*.txt"))


def as_lin(text):
    """The same automaton as a block in `.lin`."""
    lines = [line.split() for line in text.splitlines()]
    head = {words[0]: words[1:] for words in lines if words[0] not in ("#", "trans")}
    out = ["automaton %s of %s {" % (head["name"][0], head["adt"][0])]
    out += ["for %s;" % word for word in head.get("for", [])]
    out += ["single %s;" % word for word in head.get("single", [])]
    for state in map(str, range(int(head["states"][0]))):
        kind = "initial " * (state in head["init"]) + "accepting " * (state in head["accept"])
        out.append(kind + "complete " * (state in head.get("complete", ())) + "state s%s {" % state)
        for words in lines:
            if words[0] == "trans" and words[1] == state:
                _, _, event, method, colour, to = words
                marked = method[-1] == "M" and method[:-1] in head["methods"]
                out.append("%s%s %s(%s) -> s%s;" % ("marked " * marked, event,
                                                    method[:-1] if marked else method, colour, to))
        out.append("}")
    return "\n".join(out + ["}", ""])


class Rules(Case):
    def run_program(self, command, *arguments, **options):
        """Few random histories, unless a test says how many: they take a while with sanitizers."""
        if command == "rules" and not {"--random", "--on"} & set(arguments):
            arguments += "--random", "50"
        return super().run_program(command, *arguments, **options)

    def test_shipped_automata_hold(self):
        for name in "queue", "stack", "register", "mutex", "semaphore", "set":
            with self.subTest(name):
                shown = "semaphore(2)" if name == "semaphore" else name
                (answer,) = self.expect(0, "rules", "--json", "-b", "3", *shipped(name)).objects()
                self.assertEqual((answer["object"], answer["verdict"], answer["size"]),
                                 (shown, "holds", 3))
                self.assertEqual([size["operations"] for size in answer["sizes"]], [1, 2, 3])
                self.assertEqual(answer["histories"],
                                 sum(size["histories"] for size in answer["sizes"]))
                self.assertEqual([row["input"] for row in answer["automata"]],
                                 [str(path) for path in shipped(name)])
                self.assertNotIn("difference", answer)

    def test_what_comes_with_the_program(self):
        for name in "queue", "semaphore(2)":
            paths = shipped(name.split("(")[0])
            (files,) = self.expect(0, "rules", "--json", "-b", "3", *paths).objects()
            (inside,) = self.expect(0, "rules", "--json", "-b", "3", "--spec", name).objects()
            for answer in files, inside:
                answer.pop("seconds")
                for row in answer["automata"]:
                    row.pop("input")
            self.assertEqual(files, inside)
        (answer,) = self.expect(0, "rules", "--json", "-s", "semaphore(3)").objects()
        self.assertEqual((answer["object"], answer["automata"][0]["input"]), ("semaphore(3)",) * 2)

    def test_random_histories(self):
        # DeqEmpty, called while 1 is inside, runs on until 1 has been dequeued: with all that
        # takes, and with what keeps the call in a block of its own, there are many operations
        order = (RULES / "queue_order.txt").read_text()
        self.file("queue_order.txt", re.sub("trans 2 call DeqEmpty . 2\n", "", order))
        paths = ["queue_order.txt"] + [RULES / f"queue_{name}.txt"
                                       for name in ("empty", "fresh", "repeat")]
        self.expect(0, "rules", "-q", "-b", "4", "--random", "0", *paths)
        result = self.expect(1, "rules", "-b", "4", "--random", "5000", *paths)
        self.assertIn("found at random (seed 1)", " ".join(result.out.split()))
        (answer,) = self.expect(1, "rules", "--json", "--random", "5000", *paths).objects()
        self.assertEqual(answer["difference"], "missed")
        self.assertEqual(answer["random"]["seed"], 1)
        self.assertLess(answer["random"]["histories"], 5000)
        self.assertIn("DeqEmpty", [op["method"] for op in answer["history"]])
        again, other = (self.expect(0, "rules", "--json", "--seed", seed, "--random", "200", "-s",
                                    "queue").objects()[0] for seed in ("1", "2"))
        self.assertEqual(again["random"]["histories"], 200)
        self.assertNotEqual(again["random"], other["random"])
        (none,) = self.expect(0, "rules", "--json", "--random", "0", "-s", "queue").objects()
        self.assertNotIn("random", none)
        (matched,) = self.expect(0, "rules", "--json", "--matched", "-s", "stack").objects()
        self.assertNotIn("random", matched)

    def test_recorded_histories(self):
        def lines(text):
            kinds = {"+": "invoke", "-": "ok", "?": "info", "!": "fail"}
            return "".join('{"process": %s, "type": "%s", "f": "%s", "value": %s}\n'
                           % (words[1], kinds[words[0]], words[2], words[3])
                           for words in map(str.split, text.strip().split(",")))

        def run(status, text, *names):
            self.file("h.jsonl", lines(text))
            return self.expect(status, "rules", "--json", "--on", "h.jsonl", *names).objects()[0]

        order = "+ 0 enq 7, - 0 enq 7, + 0 enq 8, - 0 enq 8, + 0 deq null, - 0 deq 8"
        answer = run(0, order, "-s", "queue")
        self.assertEqual((answer["verdict"], answer["history"]), ("holds", "violation"))
        accepts = [row for row in answer["automata"] if row["accepts"]]
        self.assertEqual([(row["name"], row["colours"], row["operation"], row["event"])
                          for row in accepts], [("queue_order", [1, 2, 2], 2, "return")])
        # the other three miss it
        answer = run(1, order, *(RULES / f"queue_{name}.txt"
                                 for name in ("empty", "fresh", "repeat")))
        self.assertEqual(answer["verdict"], "violated")
        fine = run(0, order.replace("deq 8", "deq 7"), "-s", "queue")
        self.assertEqual([row["accepts"] for row in fine["automata"]], [False] * 4)
        # what did not happen is left out; of what may have happened more cannot be said
        failed = run(0, order + ", + 1 enq 9, ! 1 enq 9", "-s", "queue")
        self.assertEqual((failed["verdict"], failed["failed"]), ("holds", 1))
        pending = run(3, order + ", + 1 enq 9, ? 1 enq 9, + 2 deq null", "-s", "queue")
        self.assertEqual((pending["verdict"], pending["completed"], pending["left_out"]),
                         ("unknown", 1, 1))
        # a DeqEmpty that 1, and then 2, covers
        answer = run(0, "+ 0 enq 1, - 0 enq 1, + 3 deq null, + 0 enq 2, - 0 enq 2, + 1 deq null,"
                        "- 1 deq 1, - 3 deq null", "-s", "queue")
        accepts = [row for row in answer["automata"] if row["accepts"]]
        self.assertEqual([(row["name"], row["colours"]) for row in accepts],
                         [("queue_empty", [1, 2, 1, 1])])
        # values of a mutex are who holds it, each time anew
        answer = run(0, "+ 0 acquire null, - 0 acquire null, + 0 release null, - 0 release null,"
                        "+ 0 acquire null, - 0 acquire null, + 1 acquire null, - 1 acquire null",
                     "-s", "mutex")
        accepts = {row["name"]: row["colours"] for row in answer["automata"] if row["accepts"]}
        self.assertEqual(accepts["mutex_pair"], [3, 3, 1, 1])

    def test_recorded_histories_that_do_not_fit(self):
        event = '{"process": 0, "type": "%s", "f": "%s", "value": %s}\n'

        def refuse(text, expected, *names):
            self.file("h.jsonl", text)
            result = self.expect(2, "rules", "--on", "h.jsonl", *(names or ("-s", "queue")))
            self.assertEqual(result.out, "")
            self.assertIn(expected, result.err)

        refuse("", "linchpin rules: expected one of --on and --random, found both",
               "-s", "queue", "--random", "3")
        twice = (event % ("invoke", "enq", 1) + event % ("ok", "enq", 1)) * 2
        refuse(twice, "h.jsonl:3: error: expected each value to be added once, which is what the "
                      "automata are for, found a second `enq 1`")
        refuse(event % ("invoke", "pop", "null") + event % ("ok", "pop", 1),
               "h.jsonl:1: error: expected an operation of a queue, found `pop`")
        refuse(event % ("invoke", "release", "null") + event % ("ok", "release", "null"),
               "expected a process to release what it has acquired", "-s", "mutex")
        refuse(twice.replace("}", ', "key": 3}'), "expected a history of one object, without keys")
        refuse("", "--on runs automata, and there are none", RULES / "stack.lin")
        refuse("", "expected one of --on and --draw", "-s", "queue", "--draw")
        self.expect(2, "rules", "-s", "queue", "--format", "edn")

    def test_clients_in_turn(self):
        for name, automata in (("mutex", ["mutex_pair"]), ("semaphore(2)", ["semaphore_inside"])):
            (answer,) = self.expect(0, "rules", "--json", "-b", "6", "--in-turn", "-s",
                                    name).objects()
            self.assertEqual([row["name"] for row in answer["automata"]], automata)
            self.assertEqual(answer["sizes"][0]["histories"], 1)  # a lone acquire
        self.expect(1, "rules", RULES / "mutex_pair.txt")

    def test_automata_written_by_others(self):
        folder = SHARED / "automata"
        if not folder.exists():
            self.skipTest("not there")
        for name in "queue", "stack", "mutex":
            self.expect(0, "rules", "-b", "3", *sorted(folder.glob(name + "_*.txt")))
        for kind in "conflict", "conflict_marked":
            # the marked one does not know ReadInit, which four operations would show
            self.expect(0, "rules", "-b", "3", "--random", "0",
                        *(folder / f"register_{name}.txt" for name in ("fresh", "init", kind)))
        result = self.expect(1, "rules", "-b", "6", "--matched", "--words", "exact",
                             folder / "NAIVE_stack_order.txt")
        self.assertIn("that no automaton accepts", result.out)

    def test_marked_operations(self):
        paths = [RULES / f"register_{name}.txt" for name in ("fresh", "init", "conflict_marked")]
        result = self.expect(0, "rules", "-b", "3", "-e", *paths)
        self.assertIn("    marked: Read a, Write b\n", result.out)
        (answer,) = self.expect(0, "rules", "-b", "3", "--json", *paths).objects()
        marked = [op["method"] for op in answer["automata"][2]["example"] if op.get("marked")]
        self.assertEqual(sorted(marked), ["Read", "Write"])

    def test_blocks_say_the_same_as_files(self):
        for path in sorted(RULES.glob("*_*.txt")):
            with self.subTest(path.name):
                self.file("a.lin", as_lin(path.read_text()))
                answers = []
                for name in path, "a.lin":
                    result = self.run_program("rules", "-b", "3", "--json", name)
                    (answer,) = result.objects()
                    answer.pop("seconds")
                    answer["automata"][0].pop("input")
                    drawing = self.expect(0, "rules", "--draw", name).out
                    labels = [sorted(re.search(r'"(.*)"', line)[1].split("\\n"))
                              for line in drawing.splitlines()
                              if re.match(r"  \d+ -> \d+ \[", line)]
                    answers.append((result.status, answer, sorted(labels)))
                self.assertEqual(answers[0], answers[1])

    def test_a_file_with_its_own_specification(self):
        bag = RULES / "bag.lin"
        (answer,) = self.expect(0, "rules", "--json", bag).objects()
        self.assertEqual((answer["object"], answer["verdict"]), ("bag", "holds"))
        self.assertEqual([row["input"] for row in answer["automata"]], [str(bag)] * 3)
        # without rotation it is a queue, whose order these automata do not know
        self.file("queue.lin", bag.read_text().replace("int i = choose(0..len(items) - 1)",
                                                       "int i = 0"))
        (answer,) = self.expect(1, "rules", "--json", "queue.lin").objects()
        self.assertEqual(answer["difference"], "missed")
        self.assertEqual([op["method"] for op in answer["history"]], ["Put", "Take", "Put"])

    def test_one_answer_for_each_specification(self):
        loop = "{ initial accepting state x { others -> x; } }\n"
        self.file("two.lin", "automaton a of queue " + loop + "automaton b of semaphore(2) " + loop
                  + "automaton c of queue " + loop)
        self.file("all.lin", '#include "two.lin"\nautomaton d of stack ' + loop)
        answers = self.expect(1, "rules", "--json", "two.lin", "all.lin", "-s", "mutex").objects()
        self.assertEqual([(answer["object"], [row["name"] for row in answer["automata"]])
                          for answer in answers],
                         [("mutex", ["mutex_covered", "mutex_fresh", "mutex_pair", "mutex_repeat"]),
                          ("queue", ["a", "c"]), ("semaphore(2)", ["b"]), ("stack", ["d"])])

    def test_faults_of_a_specification(self):
        self.file("a.lin", """spec odd { int(0..1) n;
            op put(value v) { n = n + 1; return ok; } }
            automaton a of odd { input Put = put(value);
              initial state x { } accepting state y { } }""")
        result = self.expect(2, "rules", "a.lin")
        self.assertEqual(result.out, "")
        self.assertRegex(result.err, r"a.lin:2: error: expected an int from 0 to 1, found 2\n")
        self.file("d.lin", """spec odd { int n; op put(int(0..1) v) { n = v; return ok; } }
            automaton a of odd { input Put = put(value);
              initial state x { } accepting state y { } }""")
        self.assertIn("d.lin: error: put: expected an integer from 0 to 1 as `v`, found 2",
                      self.expect(2, "rules", "d.lin").err)
        self.file("b.lin", "spec empty { op get() { return ok; } }")
        self.assertIn("b.lin: error: expected `rules` or an `automaton` in the file, found neither",
                      self.expect(2, "rules", "b.lin").err)
        self.file("c.lin", "automaton a of queue {\n  initial accepting state x { y -> x; }\n}")
        self.assertIn("c.lin:2: error: expected a method of `queue` (Enq, Deq, DeqEmpty), found "
                      "`y`\n", self.expect(2, "rules", "c.lin").err)

    def test_the_script_writes_what_is_shipped(self):
        subprocess.run([RULES / "generate", self.folder], check=True)
        for path in RULES.glob("*.txt"):
            self.assertEqual((pathlib.Path(self.folder) / path.name).read_text(), path.read_text())

    def test_examples_are_accepted_violations(self):
        result = self.expect(0, "rules", "-e", "-b", "3", *shipped("queue"))
        story = result.out.split("queue_order accepts\n")[1].split("\n\n")[0]
        self.assertEqual(sorted(word for word in story.split() if word in ("Enq", "Deq")),
                         ["Deq", "Enq", "Enq"])
        (answer,) = self.expect(0, "rules", "--json", "-b", "3", *shipped("queue")).objects()
        example = {row["name"]: row["example"] for row in answer["automata"]}["queue_order"]
        first, = (op for op in example if op["method"] == "Enq" and op["colour"] == 1)
        second, = (op for op in example if op["method"] == "Enq" and op["colour"] == 2)
        self.assertLess(first["return"], second["call"])

    def test_what_is_missed_is_drawn(self):
        paths = [path for path in shipped("queue") if "repeat" not in path.name]
        result = self.expect(1, "rules", *paths)
        self.assertIn("not linearizable and that no automaton accepts", result.out)
        self.assertEqual(result.out.count("Deq a"), 2)
        (answer,) = self.expect(1, "rules", "--json", *paths).objects()
        self.assertEqual((answer["verdict"], answer["difference"]), ("violated", "missed"))
        self.assertEqual([op["method"] for op in answer["history"]], ["Enq", "Deq", "Deq"])

    def test_a_false_alarm_names_its_automaton(self):
        text = (RULES / "queue_order.txt").read_text().replace("accept 4", "accept 3")
        self.file("wrong.txt", text.replace("name queue_order", "name wrong"))
        result = self.expect(1, "rules", *shipped("queue"), "wrong.txt")
        self.assertIn("wrong accepts a history that is linearizable", result.out)
        self.assertRegex(result.out, r"colours: (a 1, b 2|a 2, b 1)\n")
        self.assertTrue(result.out.startswith("queue: violated (5 automata, "))
        (answer,) = self.expect(1, "rules", "--json", *shipped("queue"), "wrong.txt").objects()
        self.assertEqual((answer["difference"], answer["automaton"]), ("false alarm", "wrong"))
        self.assertEqual({op["method"] for op in answer["history"]}, {"Enq"})

    def test_threads_change_nothing(self):
        answers = []
        for jobs in "1", "2", "7":
            (answer,) = self.expect(1, "rules", "--json", "-j", jobs,
                                    *shipped("register")[:-1]).objects()
            answer.pop("seconds")
            answers.append(answer)
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def test_limits(self):
        result = self.expect(3, "rules", "-b", "8", "--timeout", "300ms", *shipped("queue"))
        self.assertRegex(result.out, r"the time limit of 300 ms was reached; up to \d operations? "
                                     "there is no\n? *difference")
        (answer,) = self.expect(3, "rules", "--json", "-b", "8", "--timeout", "100ms",
                                *shipped("queue")).objects()
        self.assertEqual((answer["verdict"], answer["limit"]), ("unknown", "time"))

    def test_drawing(self):
        result = self.expect(0, "rules", "--draw", RULES / "mutex_fresh.txt")
        self.assertIn('digraph "mutex_fresh"', result.out)
        self.assertIn('0 -> 1 [label="ret Unlock(1)"];', result.out)
        self.assertIn('1 -> 1 [label="all"];', result.out)
        self.assertIn("colours 2 and 3 change nothing, and are left out", result.out)
        self.assertIn('1 [label="accepted", peripheries=2];', result.out)
        stack = self.expect(0, "rules", "--draw", RULES / "stack_order.txt").out
        self.assertIn('1 -> 1 [label="call Push(2)\\nret Pop\\nPopEmpty"];', stack)
        self.assertIn('[label="late", peripheries=2, style=dashed];', stack)
        marked = self.expect(0, "rules", "--draw", RULES / "set_late.txt").out
        self.assertIn('[label="marked call Contains(1)\\nmarked call AddFail(1)"];', marked)
        self.expect(0, "rules", "--draw", "-o", "a.dot", RULES / "mutex_fresh.txt")
        self.assertEqual((pathlib.Path(self.folder) / "a.dot").read_text(), result.out)

    def test_wrong_files(self):
        queue = (RULES / "queue_fresh.txt").read_text()
        self.file("map.txt", queue.replace("adt queue", "adt map"))
        self.file("method.txt", queue.replace("Deq ", "Pull ").replace("DeqEmpty", "PullEmpty"))
        self.file("line.txt", queue.replace("trans 0 call Enq 2 0", "trans 0 call Enq 2 7"))
        for words, complaint in (
                (["map.txt"], "map.txt: error: expected an automaton of a queue, stack, register, "
                              "mutex, semaphore(N) or set, found one of 'map'"),
                (["--spec", "map"], "linchpin rules: expected a queue, stack, register, mutex, "
                                    "semaphore(N) or set, found 'map'"),
                (["--spec", "semaphore"], "found 'semaphore'"),
                (["--spec", "queue", "--in-turn"], "only clients of a mutex or semaphore"),
                (["--spec", "mutex", "--in-turn", "--matched"], "one of --matched and --in-turn"),
                ([], "expected FILE... or --spec NAME, found nothing"),
                (["method.txt"], "expected methods of a queue (Enq, Deq, DeqEmpty), found 'Pull'"),
                (["line.txt"], "line.txt:11: error: expected a state from 0 to 1, found '7'\n"
                               "    trans 0 call Enq 2 7\n                       ^\n"),
                ([RULES / "queue_fresh.txt", RULES / "stack_fresh.txt"],
                 "expected an automaton of the same object as 'queue_fresh', a queue, found one of "
                 "a stack"),
                ([RULES / "queue_fresh.txt", RULES / "queue_fresh.txt"], "found a second"),
                (["nosuch.txt"], "nosuch.txt"),
                (["-b", "9", RULES / "queue_fresh.txt"], "a number from 1 to 8, found 9"),
                (["-o", "x", RULES / "queue_fresh.txt"], "--draw"),
                (["--words", "all", RULES / "queue_fresh.txt"], "strict, exact or closure")):
            with self.subTest(words):
                result = self.expect(2, "rules", *words)
                self.assertEqual(result.out, "")
                self.assertIn(complaint, result.err)


if __name__ == "__main__":
    main()
