#!/usr/bin/env python3
"""verify --checkpoint: runs that are killed at any moment, and go on; what may be there already;
disks that are full."""
import json
import random
import resource
import shutil
import signal
import subprocess

from program import SOURCE, Case, main

MODELS = SOURCE / "examples/models"
KILLS = 10

# 42,875 states, two assertions
COUNTERS = """
#define N 35;
var x[3]; var y;
Count(i) = step.i{x[i] = (x[i] + 1) % N; y = (y + x[i]) % 2} -> Count(i);
Main() = ||| i:{0..2} @ Count(i);
#define far x[0] == N - 1 && x[1] == N - 1 && x[2] == N - 1;
#assert Main() deadlockfree;
#assert Main() reaches far;
"""


def normal(result):
    """What does not depend on time, and on who decided it."""
    objects = [json.loads(line) for line in result.out.splitlines()]
    for found in objects:
        for key in ("seconds", "memory_bytes", "resumed"):
            found.pop(key, None)
    return objects


class Checkpoint(Case):
    def verify(self, *arguments, **more):
        return self.run_program("verify", "--json", *arguments, **more)

    def kept(self, *arguments, **more):
        return self.verify("--checkpoint", "kept", *arguments, **more)

    def files(self, end=""):
        return sorted(path for path in (self.folder / "kept").glob("*" + end))

    def kill_until_done(self, whole, kills, seed, *arguments):
        """Ends runs at random moments; a run that comes to its end ends that."""
        moments = random.Random(seed)
        for i in range(kills):
            process = self.start("verify", "--json", "--checkpoint", "kept",
                                 *arguments)
            try:
                process.communicate(timeout=moments.uniform(0.02, 0.4))
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGTERM if i % 5 == 4 else signal.SIGKILL)
                process.communicate()
        result = self.kept(*arguments)
        self.assertEqual(result.status, whole.status, result.err)
        self.assertEqual(normal(result), normal(whole))
        self.assertEqual(self.files(".search"), [])
        again = self.kept(*arguments)
        self.assertEqual(normal(again), normal(whole))
        for line in again.out.splitlines():
            self.assertTrue(json.loads(line)["resumed"])

    def test_killed_runs_go_on(self):
        self.file("counters.csp", COUNTERS)
        treiber = (MODELS / "treiber.lin").read_text().split("\nassert ")[0]
        self.file("t.lin", treiber + "\nassert treiber linearizes stack with threads = 2, ops = 5;"
                  "\nassert untagged linearizes stack with threads = 2, ops = 4, nodes = 2;")
        for seed, arguments in enumerate([("t.lin",), ("counters.csp",),
                                          ("--reduce=none", "counters.csp")]):
            whole = self.verify(*arguments)
            self.kill_until_done(whole, KILLS, seed, *arguments)
            shutil.rmtree(self.folder / "kept")

    def test_an_answer_is_kept_with_its_shortest_execution_only(self):
        treiber = (MODELS / "treiber.lin").read_text().split("\nassert ")[0]
        self.file("t.lin", treiber + "\nassert untagged linearizes stack with threads = 2, ops = 4, nodes = 2;")
        whole = self.verify("t.lin")
        with self.start("verify", "-vv", "--checkpoint", "kept", "t.lin") as process:
            for line in process.stderr:
                if b"looking for a shorter execution" in line:
                    process.send_signal(signal.SIGTERM)
            process.stdout.read()
        self.assertEqual(normal(self.kept("t.lin")), normal(whole))

    def test_a_search_is_removed_once_there_is_an_answer(self):
        self.file("counters.csp", COUNTERS)
        self.assertEqual(self.kept("counters.csp:7").status, 0)
        result, = self.files(".result")
        left = result.with_suffix(".search")
        self.assertEqual(self.kept("--timeout=1ms", "counters.csp:8").status, 3)
        self.files(".search")[0].rename(left)  # as a run that was killed between the two leaves it
        again = self.kept("counters.csp:7")
        self.assertEqual(again.status, 0, again.err)
        self.assertTrue(json.loads(again.out)["resumed"])
        self.assertFalse(left.exists())

    def test_time_limits_add_up(self):
        self.file("counters.csp", COUNTERS)
        whole = self.verify("--reduce=none", "counters.csp")
        for tenths in range(1, 200):  # longer and longer: reading takes time, too
            result = self.kept("--reduce=none", f"--timeout={tenths * 20}ms", "counters.csp")
            if result.status != 3:
                break
        self.assertEqual(result.status, 0, result.err)
        self.assertEqual(normal(result), normal(whole))

    def test_others_are_refused(self):
        self.file("counters.csp", COUNTERS)
        self.assertEqual(self.kept("counters.csp").status, 0)
        before = [path.read_bytes() for path in self.files()]
        result = self.kept("--reduce=none", "counters.csp")
        self.assertEqual(result.status, 2)
        self.assertIn("expected a checkpoint of `--reduce=none`, found one of `--reduce=", result.err)
        result = self.kept("--search=depth", "counters.csp")
        self.assertIn("`--search=depth`, found one of `--search=auto`", result.err)
        self.file("counters.csp", COUNTERS + "// more\n")
        result = self.kept("counters.csp")
        self.assertEqual(result.status, 2)
        self.assertIn("expected a checkpoint of `the model's text ", result.err)
        # nor is an assertion decided of which there is nothing yet
        self.file("counters.csp", COUNTERS + "#assert Main() nonterminating;\n")
        result = self.kept("counters.csp:9")
        self.assertEqual(result.status, 2)
        self.assertIn("expected a checkpoint of `the model's text ", result.err)
        self.assertEqual([path.read_bytes() for path in self.files()], before)

    def test_damage_is_an_error(self):
        self.file("counters.csp", COUNTERS)
        self.assertEqual(self.kept("counters.csp:7").status, 0)
        path, = self.files()
        whole = path.read_bytes()
        for damaged in (whole[:-1], whole[:20], b"", whole[:-9] + b"x" + whole[-8:], b"x" + whole,
                        whole + b"x"):
            path.write_bytes(damaged)
            result = self.kept("counters.csp:7")
            self.assertEqual((result.status, result.out), (2, ""), damaged[-20:])
            self.assertIn(path.name, result.err)
        path.write_bytes(whole.replace(b"linchpin ", b"linchpin-"))
        self.assertEqual(self.kept("counters.csp:7").status, 2)

    def test_what_is_left_of_killed_runs_goes(self):
        self.file("counters.csp", COUNTERS)
        self.kept("counters.csp:7")
        path, = self.files()
        (self.folder / "kept" / (path.name + ".a1b2c3.tmp")).write_bytes(b"half")
        self.assertEqual(self.kept("counters.csp:7").status, 0)
        self.assertEqual(self.files(), [path])

    def test_full_disks(self):
        self.file("counters.csp", COUNTERS)
        whole = self.verify("--reduce=none", "counters.csp")
        result = self.kept("--reduce=none", "counters.csp", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (100, 100)))  # less than any file has
        self.assertEqual(result.status, 2)
        self.assertEqual(normal(result), normal(whole))
        self.assertRegex(result.err, r"cannot write 'kept/counters.csp-\w+-0.\w+': File too large")
        self.assertEqual(self.files(), [])
        result = self.kept("--reduce=none", "counters.csp")
        self.assertEqual(normal(result), normal(whole))

    def test_folders(self):
        self.file("counters.csp", COUNTERS)
        self.file("kept", "a file")
        result = self.kept("counters.csp")
        self.assertEqual((result.status, result.out), (2, ""))
        self.assertIn("'kept'", result.err)
        result = self.verify("--checkpoint", "none/there", "counters.csp")
        self.assertEqual(result.status, 2)
        self.assertIn("cannot create the folder 'none/there'", result.err)

    def test_what_there_is_none_for(self):
        self.file("counters.csp", COUNTERS + "#assert Main() |= []<> step.0;\n")
        for option, what in (("--bitstate", "--bitstate"), ("--swarm", "--swarm"),
                             ("--reduce=paper", "--reduce=paper")):
            result = self.expect(2, "verify", option, "--checkpoint=kept", "counters.csp:7")
            self.assertIn("counters.csp:7: error: --checkpoint is not supported for " + what,
                          result.err)
        result = self.expect(2, "verify", "--checkpoint=kept", "counters.csp:9")
        self.assertIn("is not supported for temporal formulas", result.err)
        result = self.expect(2, "verify", "--checkpoint=kept", f"{MODELS}/treiber.lin:103")
        self.assertIn("is not supported for progress", result.err)


if __name__ == "__main__":
    main()
