#!/usr/bin/env python3
"""The shipped histories: their verdicts, and that the simulated ones can be made again."""
import re
import shlex
import subprocess

from program import ENVIRONMENT, PROGRAM, SOURCE, Case, main

HISTORIES = SOURCE / "examples" / "histories"


def expected():
    for line in (HISTORIES / "expected.tsv").read_text().splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


class Examples(Case):
    def test_each_has_its_verdict(self):
        for file, options, verdict, words in expected():
            with self.subTest(file):
                status = 0 if verdict == "linearizable" else 1
                result = self.expect(status, "check", "--json", *shlex.split(options),
                                     HISTORIES / file)
                (answer,) = result.objects()
                self.assertEqual(answer["verdict"], verdict)
                self.assertIn(words, answer["reason"] or "")

    def test_each_is_found_without_being_told_the_specification(self):
        for file, options, verdict, _ in expected():
            with self.subTest(file):
                name = options.split()[1]
                rest = options.split()[2:]
                result = self.run_program("check", "--json", *rest, HISTORIES / file)
                (answer,) = result.objects()
                self.assertEqual((answer["spec"], answer["verdict"]), (name, verdict))

    def test_none_is_forgotten(self):
        files = {path.name for path in HISTORIES.iterdir()
                 if path.suffix in (".edn", ".jsonl", ".txt") and path.name != "CMakeLists.txt"}
        self.assertEqual(files, {line[0] for line in expected()})
        for file in files:
            self.assertLess((HISTORIES / file).stat().st_size, 60_000, file)

    def simulate(self, *options):
        made = subprocess.run([HISTORIES / "store.py", *options], stdout=subprocess.PIPE,
                              check=True)
        return made.stdout

    def test_the_simulation_makes_the_same_files_again(self):
        commands = re.findall(r"^\| `([^`]+)` \| `\./store\.py([^`]*)`",
                              (HISTORIES / "README.md").read_text(), re.M)
        self.assertEqual(len(commands), 4)
        for file, options in commands:
            with self.subTest(file):
                same = self.simulate(*options.split()) == (HISTORIES / file).read_bytes()
                self.assertTrue(same, "other bytes")

    def decide_simulated(self, status, forms, *options):
        for seed in range(1, 9):
            for form in forms:
                more = ["--format", "porcupine"] if form == "kv" else []
                self.file("h", self.simulate("--workload", form, "--seed", str(seed), "--keys",
                                             "1" if form == "register" else "3", *more, *options))
                keyed = ["--independent"] if form == "keyed" else []
                with self.subTest(seed=seed, form=form):
                    self.expect(status, "check", "-q", *keyed, "h")

    def test_reads_through_the_log_are_right(self):
        self.decide_simulated(0, ("register", "keyed", "kv"), "--reads", "log")

    def test_local_reads_are_wrong(self):
        """Of several keys: with one, some write of the same value often excuses a stale read."""
        self.decide_simulated(1, ("keyed", "kv"), "--reads", "local")

    def test_what_make_run_shows(self):
        shown = subprocess.run([SOURCE / "examples" / "run", PROGRAM], stdout=subprocess.PIPE,
                               check=True, env=ENVIRONMENT).stdout.decode()
        self.assertRegex(shown, r"jepsen-register.edn: linearizable \(")
        self.assertRegex(shown, r"kv-stale-reads.txt: violation \(")
        self.assertIn('┣━ get → "v79" ━┫', shown)
        self.assertRegex(shown, r"hasty_register.csp:33: violated: Register\(\) linearizes ")
        self.assertRegex(shown, r"locks.lin:\d+: violated: .* any .*\n *4 threads are enough")


main()
