#!/usr/bin/env python3
"""--mpi: ranks on one machine give the answers of one process, whichever rank decided what; and no answer at all once
one of them is lost. Mostly skipped where there is no mpirun, or the program was built without MPI."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest

from program import BROKEN, ENVIRONMENT, PROGRAM, QUEUE_BAD, QUEUE_OK, REGISTER_BAD, SOURCE, Case, Result, \
    events, hard, main, wait_until

LIBRARY = PROGRAM.parent / "lib/linchpin/mpi.so"
# What Open MPI keeps is not ours to release.
ALONE = dict(ENVIRONMENT, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
             ASAN_OPTIONS="detect_leaks=0:" + ENVIRONMENT["ASAN_OPTIONS"])


def without_times(text):
    text = re.sub(r"\d+\.\d+ s\)", "TIME)", text)
    text = re.sub(r'"seconds":[-0-9.e]+', '"seconds":0', text)
    return re.sub(r' time="[0-9.]+"', "", text)


def children(process):
    """The ranks that a running mpirun has started, by their number."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "environ").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        rank = [word for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if parent == process.pid and rank:
            found[int(rank[0].split(b"=")[1])] = int(folder.name)
    return found


MISSING = [str(name) for name, there in (("mpirun", shutil.which("mpirun")), (LIBRARY, LIBRARY.exists())) if not there]


@unittest.skipIf(MISSING, "not there: " + ", ".join(MISSING))
class Ranks(Case):
    def start_ranks(self, count, *arguments, **more):
        options = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                       env=dict(ALONE, **more.pop("environment", {})))
        options.update(more)
        return subprocess.Popen(["mpirun", "-q", "--oversubscribe", "-n", str(count), PROGRAM, *arguments], **options)

    def ranks(self, count, *arguments, given=None, **more):
        if given is not None:
            more["stdin"] = subprocess.PIPE
        process = self.start_ranks(count, *arguments, **more)
        out, err = process.communicate(given, timeout=250)
        return Result(process.returncode, out.decode(), err.decode())

    def same(self, *arguments, counts=(2, 3), **more):
        """What ranks say is what one process says."""
        one = self.run_program(*[word for word in arguments if word != "--mpi"], **more)
        for count in counts:
            several = self.ranks(count, *arguments, **more)
            self.assertEqual(several.status, one.status, several.err)
            self.assertEqual(without_times(several.out), without_times(one.out))
            self.assertEqual(without_times(several.err), without_times(one.err))
        return one

    def histories(self):
        names = []
        for i in range(4):
            for name, content in (("good", QUEUE_OK), ("bad", QUEUE_BAD), ("wrong", BROKEN), ("register", REGISTER_BAD)):
                names.append(self.file("%02d-%s.edn" % (i, name), content))
        return names


class Check(Ranks):
    def test_says_what_one_process_says(self):
        names = self.histories()
        self.assertEqual(self.same("check", "--mpi", *names).status, 2)
        self.assertEqual(self.same("check", "--mpi", "--json", *names, counts=(4,)).status, 2)
        good = [name for name in names if "wrong" not in name]
        self.assertEqual(self.same("check", "--mpi", "-q", *good, counts=(2,)).status, 1)
        good = [name for name in names if "good" in name]
        self.assertEqual(self.same("check", "--mpi", "--witness", *good, counts=(3,)).status, 0)

    def test_more_ranks_than_inputs(self):
        self.file("good.edn", QUEUE_OK)
        self.assertEqual(self.same("check", "--mpi", "good.edn", counts=(1, 4)).status, 0)

    def test_files_of_results(self):
        names, files = self.histories(), ("junit", "sarif", "html", "trace")

        def written(folder):
            (self.folder / folder).mkdir()
            return ["--%s=%s/%s" % (name, folder, name) for name in files]
        self.expect(2, "check", *written("one"), *names)
        several = self.ranks(3, "check", "--mpi", *written("several"), *names)
        self.assertEqual(several.status, 2, several.err)
        for name in files:
            one, other = ((self.folder / folder / name).read_text() for folder in ("one", "several"))
            if name == "trace":
                one, other = (json.loads(text) for text in (one, other))
                one.pop("seconds"), other.pop("seconds")
            else:
                one, other = without_times(one), without_times(other)
            self.assertEqual(one, other, name)

    def test_standard_input(self):
        self.file("good.edn", QUEUE_OK)
        result = self.ranks(2, "check", "--mpi", "good.edn", "-", "good.edn", given=QUEUE_BAD.encode())
        self.assertEqual(result.status, 1, result.err)
        self.assertEqual([line.split(":")[0] for line in result.out.splitlines() if ": linear" in line
                          or ": violation" in line], ["good.edn", "-", "good.edn"])

    def test_mistakes_are_said_once(self):
        for arguments, said in ((("--nonsense", "x.edn"), "there is no option '--nonsense'"),
                                (("--spec", "nonsense", "x.edn"), "nonsense"),
                                (("nowhere.edn",), "nowhere.edn: error: "),
                                (("--follow", "--spec=queue", "x.edn"), "--follow does not go with --mpi")):
            result = self.ranks(3, "check", "--mpi", *arguments)
            self.assertEqual((result.status, result.out), (2, ""))
            self.assertEqual(len([line for line in result.err.splitlines() if said in line]), 1, result.err)

    def test_each_rank_has_a_log(self):
        names = self.histories()
        self.ranks(2, "check", "--mpi", "--log=log", *names)
        self.assertTrue((self.folder / "log").exists() and (self.folder / "log.1").exists())

    def test_a_rank_that_is_killed_ends_all(self):
        for victim in (0, 1):
            name = self.file("hard%d.edn" % victim, hard())
            process = self.start_ranks(2, "check", "--mpi", "--method=definition", "-j1", name, name)
            wait_until(lambda: len(children(process)) == 2 or process.poll() is not None)
            os.kill(children(process)[victim], signal.SIGKILL)
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 128 + signal.SIGKILL, err)
            self.assertNotIn(b"linearizable", out)

    def test_without_mpirun_it_is_one_rank(self):
        self.file("bad.edn", QUEUE_BAD)
        one = self.run_program("check", "bad.edn")
        alone = self.run_program("check", "--mpi", "bad.edn", environment=ALONE)
        self.assertEqual((alone.status, without_times(alone.out)), (1, without_times(one.out)))


class Test(Ranks):
    def test_tests_of_a_program_are_shared(self):
        self.same("test", "--mpi", "--ops=2", SOURCE / "examples/code/treiber.c", counts=(3,))


class Verify(Ranks):
    MODEL = (SOURCE / "examples/models/treiber.lin").read_text().split("assert ")[0]

    def test_says_what_one_process_says(self):
        self.file("model.lin", self.MODEL + """
            assert treiber linearizes stack with threads = 2, ops = 2;
            assert untagged linearizes stack with threads = 2, ops = 3, values = 1, nodes = 2;
            assert treiber lock_free with threads = 2, ops = 1;
            assert tagged linearizes stack with threads = 2, ops = 2, nodes = 2;
        """)
        one = {answer["line"]: answer for answer in self.expect(1, "verify", "--json", "model.lin").objects()}
        for count in (1, 2, 4):
            several = self.ranks(count, "verify", "--mpi", "--json", "model.lin")
            self.assertEqual(several.status, 1, several.err)
            self.assertEqual([answer["line"] for answer in several.objects()], list(one))
            for answer in several.objects():
                known = one[answer["line"]]
                self.assertEqual(answer["verdict"], known["verdict"])
                if known["verdict"] == "holds":
                    self.assertEqual([answer[name] for name in ("states", "transitions")],
                                     [known[name] for name in ("states", "transitions")])
                else:
                    self.assertEqual(len(answer["trace"]), len(known["trace"]))

    def test_ranks_have_equal_shares_and_send_little(self):
        self.file("model.lin", self.MODEL + "assert treiber linearizes stack with threads = 3, ops = 2;\n")
        self.ranks(4, "verify", "--mpi", "--log=log", "model.lin")
        ranks, states, most, sent = map(int, re.search(
            r"ranks: (\d+), (\d+) states, (\d+) on the rank with most, (\d+) bytes sent",
            (self.folder / "log").read_text()).groups())
        self.assertEqual(ranks, 4)
        self.assertLess(most / states, 1 / 4 + 0.02)
        self.assertLess(sent / states, 40)  # some of it is for each round, whatever its states are

    def test_limits_are_told(self):
        self.file("model.lin", self.MODEL + "assert treiber linearizes stack with threads = 4, ops = 4;\n")
        result = self.ranks(2, "verify", "--mpi", "--timeout=1s", "model.lin")
        self.assertEqual(result.status, 3, result.out + result.err)
        self.assertIn(" unknown: assert", result.out)
        self.assertIn("the time limit of 1 s was reached", result.out)

    def test_mistakes_in_a_model_are_said_once(self):
        self.file("model.lin", "impl x {\n")
        result = self.ranks(2, "verify", "--mpi", "model.lin")
        self.assertEqual((result.status, result.out, result.err.count("model.lin:")), (2, "", 1), result.err)

    def test_refuses_what_is_one_process_s_own(self):
        for words, said in ((["--checkpoint", "kept"], "--checkpoint"), (["--bitstate"], "--bitstate"),
                            (["--swarm"], "--swarm")):
            result = self.ranks(2, "verify", "--mpi", *words, "model.lin")
            self.assertEqual((result.status, result.err),
                             (2, "linchpin verify: %s does not go with --mpi\n" % said))

    def test_a_rank_that_is_killed_ends_all(self):
        self.file("model.lin", self.MODEL + "assert treiber linearizes stack with threads = 4, ops = 4;\n")
        process = self.start_ranks(2, "verify", "--mpi", "model.lin")
        wait_until(lambda: len(children(process)) == 2 or process.poll() is not None)
        os.kill(children(process)[1], signal.SIGKILL)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (128 + signal.SIGKILL, b""), err)


class Missing(Case):
    def test_is_refused_where_it_is_not_installed(self):
        result = self.expect(2, "check", "--mpi", "x.edn", environment={"LINCHPIN_RUNTIME": str(self.folder)})
        self.assertIn("this linchpin has no mpi.so: install the package linchpin-mpi, or build linchpin where "
                      "libopenmpi-dev is installed", result.err)

    def test_is_not_shortened(self):
        self.assertIn("--mpi is not to be shortened", self.expect(2, "check", "--mp", "x.edn").err)


if MISSING:
    print("skipped, but for what is refused without ranks: there is no " + ", ".join(MISSING))
main()
