#!/usr/bin/env python3
"""bench/: generated histories are what they claim to be, and the tables can be made."""
import collections
import json
import shutil
import subprocess

from program import PROGRAM, SOURCE, Case, main

GENERATOR = PROGRAM.parent / "bin" / "generate-history"
OBJECTS = ("queue", "register", "set", "stack", "priority-queue", "unordered-queue", "grow-set",
           "cas-register", "map", "multi-register", "bank")
SPECS = {"bank": str(SOURCE / "bench" / "histories" / "bank.lin")}


class Generated(Case):
    def generate(self, *options):
        """The name of a file with what generate-history writes."""
        done = subprocess.run([GENERATOR, "--object", *map(str, options)], check=True,
                              stdout=subprocess.PIPE)
        return self.file("-".join(map(str, options)), done.stdout)

    def events(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def decide(self, status, *options):
        """Checks such a history."""
        result = self.expect(status, "check", "--json", "--spec",
                             SPECS.get(options[0], options[0]),
                             self.generate(*options))
        answer = result.objects()[0]
        self.assertEqual(answer["verdict"], ("linearizable", "violation")[status])
        return answer

    def test_new_values(self):
        for name in OBJECTS:
            for seed in range(2):
                size = ("--operations", 2000, "--seed", seed)
                self.assertEqual(self.decide(0, name, *size)["operations"], 2000)
                self.assertEqual(self.decide(1, name, *size, "--violation")["operations"], 2000)

    def test_repeated_values(self):
        for name in OBJECTS:
            for seed in range(2):
                size = ("--operations", 20, "--threads", 3, "--values", 3, "--seed", seed)
                self.decide(0, name, *size)
                self.decide(1, name, *size, "--violation")

    def test_pending_operations(self):
        for name in OBJECTS:
            for seed in range(4):
                size = ("--operations", 40, "--threads", 3, "--pending", 0.2, "--seed", seed)
                self.assertGreater(self.decide(0, name, *size)["pending"], 0)
                self.decide(1, name, *size, "--violation")

    def test_the_least_violation(self):
        for name in OBJECTS:
            self.decide(1, name, "--operations", 4, "--violation")

    def test_the_lie_is_near_the_end(self):
        """Without the lies' values, -2 and -1, what is left is right; and so is the beginning."""
        for name in OBJECTS[:-1]:  # a bank's lie is a wrong sum
            file = self.generate(name, "--operations", 2000, "--violation")
            events = self.events(file)
            honest = [event for event in events
                      if not {-2, -1} & set(self.numbers(event["value"]))]
            self.assertGreater(len(events), len(honest))
            lines = (self.folder / file).read_text().splitlines(True)
            first = next(i for i, event in enumerate(events) if event not in honest)
            self.assertGreater(first, 0.95 * len(events))
            self.expect(0, "check", "--spec", name, self.file("begin", "".join(lines[:first])))

    @classmethod
    def numbers(cls, value):
        if not isinstance(value, list):
            return [value]
        return [number for item in value for number in cls.numbers(item)]

    def test_every_process_is_always_busy(self):
        """A process calls again at once, so at any time all but one run an operation."""
        events = self.events(self.generate("queue", "--operations", 500, "--threads", 7))
        running, called = set(), 0
        for event in events:
            if event["type"] == "invoke":
                running.add(event["process"])
                called += 1
            else:
                running.remove(event["process"])
            if 7 <= called < 500:
                self.assertGreaterEqual(len(running), 6)

    def test_new_values_are_new(self):
        for name, add in ("queue", "enqueue"), ("priority-queue", "insert"), ("set", "add"):
            events = self.events(self.generate(name, "--operations", 3000))
            added = collections.Counter(event["value"] for event in events
                                        if event["f"] == add and event["type"] == "invoke")
            self.assertEqual(max(added.values()), 1)
            self.assertGreater(len(added), 800)

    def test_the_seed_is_the_history(self):
        def content(seed):
            return (self.folder / self.generate("map", "--seed", seed)).read_text()
        self.assertEqual(content(1), content(1))
        self.assertNotEqual(content(1), content(2))

    def test_keys_and_values(self):
        events = self.events(self.generate("map", "--keys", 3, "--values", 2))
        puts = {tuple(event["value"]) for event in events if event["f"] == "put"}
        self.assertEqual(puts, {(key, value) for key in range(3) for value in range(2)})

    def test_wrong_options(self):
        for options in (["--object", "queue", "--threads", "0"], ["--object", "tree"], [],
                        ["--object", "queue", "--violation", "--operations", "3"],
                        ["--object", "queue", "--pending", "2"], ["--object", "queue", "more"]):
            done = subprocess.run([GENERATOR, *options], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(), r"^generate-history: .*\n$")


class Tables(Case):
    def test_a_table(self):
        """The script runs, and stops where a verdict is not the expected one."""
        done = subprocess.run([SOURCE / "bench" / "run", PROGRAM, "--divide", "500",
                               "--repeat", "1", "--only", "monitors", "--only", "violations"],
                              stdout=subprocess.PIPE, check=True)
        for name in OBJECTS[:7]:
            self.assertEqual(done.stdout.decode().count("\n" + name + " "), 2)

    def test_what_is_hard(self):
        """A bank with 30 busy processes, a thousand registers: decided, or the script stops."""
        done = subprocess.run([SOURCE / "bench" / "run", PROGRAM, "--repeat", "1", "--only", "hard"],
                              stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout.decode().count(" linearizable\n"), 9)

    def test_temporal_formulas_beside_spin(self):
        """The verdicts are the same; where there is no SPIN, rows without it."""
        words = ["readers"] + (["peterson"] if shutil.which("spin") else [])
        for word in words:
            done = subprocess.run([SOURCE / "bench" / "ltl" / "models", "--program", PROGRAM,
                                   "--only", word], stdout=subprocess.PIPE, check=True)
            rows = done.stdout.decode().splitlines()[2:]
            self.assertEqual([row.split(" | ")[3] for row in rows], ["violated", "holds"])

    def lin(self, *arguments):
        """The rows of a table of bench/models/lin, by their first cell."""
        done = subprocess.run([SOURCE / "bench" / "models" / "lin", "--program", PROGRAM,
                               "--timeout", "60", *arguments], stdout=subprocess.PIPE, check=True)
        rows = [[cell.strip() for cell in line.strip("| ").split("|")]
                for line in done.stdout.decode().splitlines()[2:]]
        return {row[0]: row[1:] for row in rows}

    def test_the_rows_of_the_paper_in_lin(self):
        """The verdicts are those of the paper: only Shann, Huang and Chen's queue is wrong."""
        rows = self.lin("paper", "register", "size 2", "12", "queue", "3 operations")
        self.assertEqual(len(rows), 16)
        for row, cells in rows.items():
            self.assertEqual(cells[2], "violated" if "buggy" in row else "holds", row)

    def test_limits(self):
        """Where no memory is given nothing can be decided."""
        rows = self.lin("limits", "--memory", "1K", "Harris")
        self.assertEqual(rows, {"Harris's list": ["3", "0", "–", "–", "–", "memory"]})

    def cover(self, *arguments):
        """The rows of a table of bench/cover/run, which stops at a wrong verdict."""
        done = subprocess.run([SOURCE / "bench" / "cover" / "run", "--program", PROGRAM, "--repeat", "1",
                               *arguments], stdout=subprocess.PIPE, check=True)
        return [[cell.strip() for cell in line.strip("| ").split("|")]
                for line in done.stdout.decode().splitlines()[2:]]

    def test_any_number_of_threads(self):
        """A ticket lock modulo two takes three threads to fail; the nets are smaller than the prototype's."""
        self.assertIn(["ticket(2) of locks", "violated", "3"],
                      [row[:3] for row in self.cover("verify", "locks", "register")])
        for row in self.cover("nets", "hw_queue(2)", "locks"):
            if len(row) > 8:  # one that was published
                self.assertLess(int(row[5]), int(row[8]))

    def test_any_number_of_threads_beside_spin(self):
        if shutil.which("spin"):
            rows = self.cover("spin", "2", "3")
            self.assertEqual([row[1] for row in rows], ["any", "2", "3"])


main()
