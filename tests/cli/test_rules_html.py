#!/usr/bin/env python3
"""Reports of violation automata in HTML: the automata as their files have them, and the histories
that they accept, read again here letter by letter."""
import re

from program import QUEUE_BAD, SOURCE, Case, answers, main

RULES = SOURCE / "examples" / "rules"


class Automaton:
    """One in a text file, read without linchpin."""

    def __init__(self, text):
        self.next, self.accepting = {}, set()
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["trans"]:
                self.next[(int(words[1]), " ".join(words[2:5]))] = int(words[5])
            elif words[:1] == ["accept"]:
                self.accepting = set(map(int, words[1:]))
            elif words[:1] == ["init"]:
                self.initial = int(words[1])
            elif words[:1] == ["name"]:
                self.name = words[1]


def before(events):
    """Which operations return before which others are called; events are (operation, returned)."""
    return {(one, other) for i, (one, returned) in enumerate(events) if returned
            for other, late in events[i:] if not late and other != one}


def by_place(history, call, ret):
    """The events of a history of the JSON."""
    placed = [(operation[call], (i, 0)) for i, operation in enumerate(history)]
    placed += [(operation[ret], (i, 1)) for i, operation in enumerate(history)]
    return [event for _, event in sorted(placed)]


class RulesHtml(Case):
    def report(self, status, *words):
        self.expect(status, "rules", "--html", "r.html", *map(str, words))
        return answers((self.folder / "r.html").read_text())

    def read_again(self, automaton, drawn, reading):
        """Takes the letters to the states, and to acceptance; gives the events."""
        state = automaton.initial
        self.assertEqual(drawn["initial"], state)
        for _, returned, letter, after in reading["steps"]:
            marked, event, method, colour = re.fullmatch(
                r"(marked )?(call|ret) (\w+)\(([123])\)", letter).groups()
            self.assertEqual(event, "ret" if returned else "call")
            method += "M" if marked else ""
            state = automaton.next[state, "%s %s %s" % (event, method, colour)]
            self.assertEqual(after, state)
        self.assertIn(state, automaton.accepting)
        return [(step[0], step[1]) for step in reading["steps"]]

    def test_automata_and_what_they_accept(self):
        for files in ("queue_*", "stack_*", "register_*", "set_*"):
            paths = sorted(RULES.glob(files + ".txt"))
            answer, = self.report(0, "-b", 3, "--random", 0, *paths)
            self.assertEqual(answer["verdict"], "holds")
            self.assertEqual(len(answer["automata"]), len(paths))
            for path, drawn, told in zip(paths, answer["automata"], answer["fields"]["automata"]):
                automaton = Automaton(path.read_text())
                self.assertEqual(drawn["name"], automaton.name)
                self.assertEqual({i for i, state in enumerate(drawn["states"]) if "accepts" in state},
                                 automaton.accepting)
                known = {(start, end) for (start, _), end in automaton.next.items()}
                self.assertLessEqual({(edge[0], edge[1]) for edge in drawn["edges"]}, known)
                reading, = drawn["readings"]
                read = self.read_again(automaton, drawn, reading)
                self.assertEqual(before(read), before(by_place(told["example"], "call", "return")))
                self.assertEqual(reading["events"], len(read))

    def test_a_false_alarm(self):
        wrong = (RULES / "queue_order.txt").read_text() + "trans 1 call Enq 2 3\n"
        self.file("wrong.txt", wrong)
        others = [RULES / ("queue_%s.txt" % name) for name in ("empty", "fresh", "repeat")]
        for words in ("exact", "strict", "closure"):
            answer, = self.report(1, "-b", 4, "--words", words, *others, "wrong.txt")
            drawn, = [each for each in answer["automata"] if each["name"] == "queue_order"]
            reading = drawn["readings"][0]
            self.assertTrue(reading["about"].startswith("a false alarm"))
            read = self.read_again(Automaton(wrong), drawn, reading)
            order = before(by_place(answer["fields"]["history"], "call", "return"))
            if words == "closure":
                self.assertLessEqual(before(read), order)
            else:
                self.assertEqual(before(read), order)

    def test_a_recorded_history(self):
        self.file("h", QUEUE_BAD)
        answer, = self.report(3, "--on", "h", *sorted(RULES.glob("queue_*.txt")))
        self.assertEqual(answer["history"]["operations"], 5)
        readings = {drawn["name"]: drawn["readings"] for drawn in answer["automata"]}
        self.assertEqual([name for name, found in readings.items() if found], ["queue_order"])
        drawn = answer["automata"][2]
        read = self.read_again(Automaton((RULES / "queue_order.txt").read_text()), drawn,
                               drawn["readings"][0])
        self.assertEqual(read, [(0, 0), (0, 1), (1, 0), (2, 0), (1, 1), (2, 1), (3, 0), (3, 1)])

    def test_long_histories_have_the_letters_that_matter(self):
        lines = []
        events = [(f, v) for v in range(298) for f in ("enqueue", "dequeue")]
        events += [("enqueue", 298), ("enqueue", 299), ("dequeue", 299), ("dequeue", 298)]
        for f, value in events:
            lines += ['{"process": 0, "type": "invoke", "f": "%s", "value": %s}'
                      % (f, value if f == "enqueue" else "null"),
                      '{"process": 0, "type": "ok", "f": "%s", "value": %d}' % (f, value)]
        self.file("h", "\n".join(lines) + "\n")
        answer, = self.report(0, "--on", "h", "--spec", "queue")
        reading, = [drawn["readings"][0] for drawn in answer["automata"] if drawn["readings"]]
        self.assertEqual(reading["events"], 1200)
        self.assertLess(len(reading["steps"]), 10)

    def test_one_file_of_rules_and_automata(self):
        found = self.report(0, "-b", 3, RULES / "queue.lin", *sorted(RULES.glob("queue_*.txt")))
        self.assertEqual([("automata" in answer, answer["subject"]) for answer in found],
                         [(False, "queue"), (True, "queue")])

    def test_no_page_of_drawings(self):
        for option in ("--draw", "--write"):
            result = self.expect(2, "rules", "--html", "r.html", option, RULES / "queue_order.txt")
            self.assertIn("--html is about answers", result.err)
            self.assertFalse((self.folder / "r.html").exists())
        self.file("rules.txt", "name x")
        self.expect(2, "rules", "--html", "rules.txt", "rules.txt")
        self.assertEqual((self.folder / "rules.txt").read_text(), "name x")


main()
