#!/usr/bin/env python3
"""The log: --log FILE and -vv tell what engines do; without them nothing changes."""
import json
import re

from program import QUEUE_BAD, QUEUE_OK, SOURCE, Case, main

LINE = re.compile(r" *\d+\.\d{3} s  (\S+): ([a-z ]+): \S.*")
MODEL = str(SOURCE / "examples/models/hasty_register.csp") + ":32"
NET = str(SOURCE / "examples/nets/readers_writers.spec")


def without_times(text):
    return re.sub(r"\d+\.\d+ s\b", "TIME", text)


class Log(Case):
    def told(self, name="log"):
        """(input, what it speaks of, the whole line) of each line."""
        lines = (self.folder / name).read_text().splitlines()
        for line in lines:
            self.assertRegex(line, LINE)
        return [(*LINE.match(line).groups(), line) for line in lines]

    def test_check(self):
        self.file("h", QUEUE_BAD)
        self.expect(1, "check", "--log", "log", "h")
        told = self.told()
        self.assertEqual({name for name, _, _ in told}, {"h"})
        self.assertEqual([about for _, about, _ in told], ["deciding", "monitor", "core"])
        self.assertIn("part 1, a violation after", told[1][2])
        self.assertIn("part 1, 2 of", told[2][2])

    def test_verify(self):
        self.expect(1, "verify", "--log", "log", MODEL)
        told = self.told()
        self.assertIn("reduction: slice on, of the implementation", told[0][2])
        self.assertRegex("\n".join(line for _, _, line in told),
                         r"refinement: pair \(\d+, \d+\) cannot follow res\.read\.1\.0\n.*"
                         r"refinement: done after \d+ pairs were taken up\n.*"
                         r"verification: violated in 14 steps; looking for a shorter execution")

    def test_cover(self):
        self.expect(0, "cover", "--log", "log", NET)
        self.assertRegex(self.told()[-1][2], r"coverability: safe by \w+, and checked$")

    def test_a_formula(self):
        self.expect(1, "verify", "--log", "log", str(SOURCE / "examples/models/peterson.csp"))
        told = "\n".join(line for _, about, line in self.told() if about == "liveness")
        self.assertRegex(told, r"liveness: automaton with \d+ states, 1 acceptance sets\n")
        self.assertRegex(told, r"liveness: \d+ pairs, \d+ of them on the path\n")
        self.assertRegex(told, r"liveness: done after \d+ pairs were taken up")

    def test_the_reduction_of_the_paper(self):
        self.expect(1, "verify", "--reduce=paper", "--log", "log", MODEL)
        told = "\n".join(line for _, _, line in self.told())
        self.assertIn("reduction: partial order of the paper on, of the implementation", told)
        self.assertRegex(told, r"refinement: pair \(\d+, \d+\) cannot follow res\.read\.1\.0\n.*"
                               r"refinement as in the paper: done after [\d,]+ pairs were taken up")

    def test_rules(self):
        self.expect(0, "rules", "--log", "log", "--spec", "queue", "--bound", "2",
                    "--random", "10")
        told = [line.split("queue: ")[1] for _, _, line in self.told()]
        self.assertEqual(told, [
            "rules: 4 automata on histories of at most 2 operations",
            "rules: 3 histories of 1 operations, 2 linearizable, 0 missed, 0 false alarms",
            "rules: 24 histories of 2 operations, 10 linearizable, 0 missed, 0 false alarms",
            "rules: 10 random histories, seed 1", told[4]])
        self.assertRegex(told[4], r"^rules: 10 of the random histories looked at, \d+ linearizable$")

    def test_inductive_rules(self):
        self.expect(0, "rules", "--log", "log", "--bound", "2",
                    str(SOURCE / "examples/rules/queue.lin"))
        told = "\n".join(line for _, _, line in self.told())
        self.assertRegex(told, r"inductive rules: \d+ executions of 2 operations, \d+ derived; "
                               r"\d+ histories, \d+ linearizable\n")
        self.assertIn("automata compared rule by rule on histories of 2 operations", told)

    def test_graph(self):
        drawn = json.loads(self.expect(0, "graph", "--normal", "--to", "json", "--log", "log",
                                       MODEL).out)
        told = [line for _, about, line in self.told() if about == "graph"]
        self.assertIn("done after %d states" % len(drawn["states"]), "\n".join(told))
        self.assertIn("done after %d normalised states" % len(drawn["normalised"]), told[-1])
        self.expect(0, "graph", "--ltl", "<> p", "--log", "log")
        self.assertRegex(self.told()[0][2], r"formula: automaton: 2 states, \d+ edges, \d acceptance")

    def test_simulate(self):
        walk = json.loads(self.expect(0, "simulate", "--json", "--seed", "1", "--steps", "5", "-vv",
                                      "--log", "log", MODEL).out)
        told = [line for _, about, line in self.told() if about == "walk"]
        self.assertIn("the first of 1 initial states", told[0])
        for number, step in enumerate(walk["trace"], 1):
            self.assertIn("walk: step %d: %s of process %d," % (number, step["event"], step["process"]),
                          told[number])
        self.assertEqual(len(told), 6)

    def test_a_linearizable_part_is_told_only_where_each_step_is(self):
        self.file("h", QUEUE_OK)
        self.expect(0, "check", "--log", "log", "h")
        self.assertNotIn("monitor", [about for _, about, _ in self.told()])
        self.expect(0, "check", "-vv", "--log", "log", "h")
        self.assertIn("monitor", [about for _, about, _ in self.told()])

    def test_twice_verbose_is_a_log_on_standard_error(self):
        self.file("h", QUEUE_BAD)
        self.assertNotIn("deciding", self.expect(1, "check", "-v", "h").err)
        self.assertIn("deciding", self.expect(1, "check", "-vv", "h").err)
        self.assertIn("deciding", self.expect(1, "check", "--log", "-", "h").err)
        for words in (["graph", "--to", "dot", MODEL], ["simulate", "--seed", "1", MODEL],
                      ["rules", "--bound", "1", "--spec", "queue"]):
            self.assertRegex(self.expect(0, words[0], "-v", *words[1:]).err,
                             r"^[^ ]*: done, .* at most\n$")

    def test_lines_of_several_threads_are_whole(self):
        names = [self.file("h%d" % i, QUEUE_BAD) for i in range(40)]
        self.expect(1, "check", "-vv", "--jobs", "8", "--log", "log", *names)
        self.assertEqual(len(self.told()), 3 * len(names))

    def test_nothing_else_changes(self):
        for command in ["check", self.file("h", QUEUE_BAD)], ["verify", MODEL], ["cover", NET]:
            for form in [], ["--json"]:
                plain, logged = (self.run_program(*command, *form, *more)
                                 for more in ([], ["--log", "log"]))
                plain.out, logged.out = (re.sub(r'"seconds":[^,]*|"memory_bytes":[^,]*', "", text)
                                         for text in (plain.out, logged.out))
                self.assertEqual(without_times(plain.out), without_times(logged.out))
                self.assertEqual(without_times(plain.err), without_times(logged.err))

    def test_the_file(self):
        self.file("h", QUEUE_OK)
        self.assertIn("'h' is an input", self.expect(2, "check", "--log", "h", "h").err)
        self.assertIn("--trace and --log are the same file",
                      self.expect(2, "check", "--trace", "x", "--log", "x", "h").err)
        self.assertRegex(self.expect(2, "check", "--log", "none/x", "h").err,
                         "^linchpin check: cannot write 'none/x': No such file")


main()
