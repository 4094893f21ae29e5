#!/usr/bin/env python3
"""linchpin rules: verdicts of the shipped automata, differences, drawings, faults of files."""
import pathlib
import subprocess

from program import SOURCE, Case, main

RULES = SOURCE / "examples" / "rules"


def shipped(name):
    return sorted(RULES.glob(name + "_*.txt"))


class Rules(Case):
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

    def test_clients_in_turn(self):
        for name, automata in (("mutex", ["mutex_pair"]), ("semaphore(2)", ["semaphore_inside"])):
            (answer,) = self.expect(0, "rules", "--json", "-b", "6", "--in-turn", "-s",
                                    name).objects()
            self.assertEqual([row["name"] for row in answer["automata"]], automata)
            self.assertEqual(answer["sizes"][0]["histories"], 1)  # a lone acquire
        self.expect(1, "rules", RULES / "mutex_pair.txt")

    def test_marked_operations(self):
        paths = [RULES / f"register_{name}.txt" for name in ("fresh", "init", "conflict_marked")]
        result = self.expect(0, "rules", "-b", "3", "-e", *paths)
        self.assertIn("    marked: Read a, Write b\n", result.out)
        (answer,) = self.expect(0, "rules", "-b", "3", "--json", *paths).objects()
        marked = [op["method"] for op in answer["automata"][2]["example"] if op.get("marked")]
        self.assertEqual(sorted(marked), ["Read", "Write"])

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
        self.assertIn('0 -> 1 [label="ret Unlock 1"];', result.out)
        self.assertIn('1 [label="accepted", peripheries=2];', result.out)
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
                ([], "expected AUTOMATON... or --spec NAME, found nothing"),
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
