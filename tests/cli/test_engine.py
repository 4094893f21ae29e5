#!/usr/bin/env python3
"""verify --engine: compiled steps of .lin models, the cache that they are kept in, and what happens
where they cannot be had."""
import os
import pathlib
import re
import shutil
import stat
import tempfile
import time

from program import ENVIRONMENT, SOURCE, Case, main

TREIBER = SOURCE / "examples/models/treiber.lin"
COMPILER = shutil.which(os.environ.get("CC", "cc").split()[0])

# of which an answer would take long, or whose answer is a matter of time
LONG = {"mcas.lin", "rdcss.lin", "snark.lin", "wait_free_queue.lin", "harris_list.lin"}


class Engine(Case):
    def setUp(self):
        super().setUp()
        if not COMPILER:
            self.skipTest("there is no C compiler")
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="linchpin-engine-"))
        self.addCleanup(shutil.rmtree, self.home, True)
        self.temporary = self.home / "tmp"
        self.temporary.mkdir()

    def cache(self):
        return self.home / "linchpin"

    def kept(self):
        return sorted(self.cache().glob("*")) if self.cache().exists() else []

    def verify(self, *arguments, **environment):
        """What the program prints, without times, and what it says of its engine."""
        known = dict(ENVIRONMENT, XDG_CACHE_HOME=str(self.home), TMPDIR=str(self.temporary))
        known.update(environment)
        result = self.run_program("verify", "-v", *arguments, env=known)
        self.assertIn(result.status, (0, 1, 3), result.err)
        said = re.findall("engine: (.*)", result.err)
        self.assertEqual(list(self.temporary.iterdir()), [])
        printed = re.sub(r"[\d.]+ s\)", "s)", result.out)
        return re.sub(r"\d+\.\d{3}$", "", printed, flags=re.M), said

    def expect_native(self, said, how):
        self.assertTrue(said)
        for line in said:
            self.assertRegex(line, "^native from state 0 on, %s in" % how)

    def expect_bytecode(self, why, **environment):
        printed, said = self.verify("--engine=native", f"{TREIBER}:100", **environment)
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], "^bytecode, " + why)
        self.assertEqual(printed, self.verify("--engine=bytecode", f"{TREIBER}:100")[0])


class Examples(Engine):
    def quick_compiler(self):
        """One that does not optimise, which would take most of the time."""
        compiler = self.home / "compiler"
        compiler.write_text(f'#!/bin/sh\nexec "{COMPILER}" "$@" -O0\n')
        compiler.chmod(0o755)
        return str(compiler)

    def test_they_are_decided_alike(self):
        compiler = self.quick_compiler()
        for model in sorted((SOURCE / "examples/models").glob("*.lin")):
            if model.name in LONG:
                continue
            with self.subTest(model=model.name):
                plain, said = self.verify("--engine=bytecode", model)
                self.assertEqual(said, [])
                self.assertEqual(self.verify("--engine=native", model, CC=compiler)[0], plain)


class Cache(Engine):
    def test_what_was_compiled_is_found_again(self):
        first, said = self.verify("--engine=native", f"{TREIBER}:99")
        self.expect_native(said, "compiled")
        self.assertEqual(len(self.kept()), 1)
        again, said = self.verify("--engine=native", f"{TREIBER}:99")
        self.expect_native(said, "found")
        self.assertEqual(first, again)
        self.assertEqual(stat.S_IMODE(self.cache().stat().st_mode), 0o700)

    def test_it_is_compiled_anew_by_another_compiler(self):
        self.verify("--engine=native", f"{TREIBER}:99")
        self.expect_native(self.verify("--engine=native", f"{TREIBER}:99",
                                       CC=f"{COMPILER} -g")[1], "compiled")
        self.assertEqual(len(self.kept()), 2)

    def test_a_spoiled_library_is_compiled_anew(self):
        self.verify("--engine=native", f"{TREIBER}:99")
        library = self.kept()[0]
        whole = library.read_bytes()
        for spoiled in (b"", b"garbage", whole[:-1], whole[:2000] + b"x" + whole[2001:]):
            library.write_bytes(spoiled)
            self.expect_native(self.verify("--engine=native", f"{TREIBER}:99")[1], "compiled")
            self.assertEqual(len(self.kept()), 1)

    def test_nothing_is_loaded_that_others_may_write(self):
        self.verify("--engine=native", f"{TREIBER}:99")
        self.kept()[0].chmod(0o666)
        self.expect_native(self.verify("--engine=native", f"{TREIBER}:99")[1], "compiled")

    def test_a_folder_that_others_may_see_is_not_used(self):
        self.cache().mkdir()
        for mode in (0o755, 0o777):
            self.cache().chmod(mode)
            self.expect_native(self.verify("--engine=native", f"{TREIBER}:99")[1], "compiled")
            self.assertEqual(self.kept(), [])

    def test_a_link_is_not_used(self):
        target = self.home / "elsewhere"
        target.mkdir(mode=0o700)
        self.cache().symlink_to(target)
        self.expect_native(self.verify("--engine=native", f"{TREIBER}:99")[1], "compiled")
        self.assertEqual(list(target.iterdir()), [])

    def test_there_need_not_be_a_cache(self):
        self.expect_native(self.verify("--engine=native", f"{TREIBER}:99",
                                       XDG_CACHE_HOME="/dev/null")[1], "compiled")

    def test_it_does_not_grow_for_ever(self):
        self.cache().mkdir(mode=0o700)
        for number in range(300):
            library = self.cache() / f"{number:032x}.so"
            library.write_bytes(b"")
            os.utime(library, (number, number))
        left = self.cache() / f"{0:032x}.so-1-0.new"  # by a run that was killed, in 1970
        left.write_bytes(b"")
        os.utime(left, (0, 0))
        self.verify("--engine=native", f"{TREIBER}:99")
        names = {library.name for library in self.kept()}
        self.assertEqual(len(names), 192)
        self.assertNotIn(left.name, names)
        self.assertIn(f"{299:032x}.so", names)  # used last
        self.assertNotIn(f"{0:032x}.so", names)

    def test_two_runs_at_a_time(self):
        known = dict(ENVIRONMENT, XDG_CACHE_HOME=str(self.home), TMPDIR=str(self.temporary))
        runs = [self.start("verify", "--engine=native", f"{TREIBER}:99", env=known)
                for _ in range(4)]
        for run in runs:
            run.communicate()
            self.assertEqual(run.returncode, 0)
        self.assertEqual(len(self.kept()), 1)
        self.expect_native(self.verify("--engine=native", f"{TREIBER}:99")[1], "found")


class NoCompiler(Engine):
    def test_none_on_the_path(self):
        self.expect_bytecode("no compiler: cc", PATH="/nonexistent")

    def test_none_of_that_name(self):
        self.expect_bytecode("no compiler: no-such-compiler", CC="no-such-compiler -O9")

    def test_one_that_fails(self):
        self.expect_bytecode("not compiled by", CC="false")
        self.assertEqual(self.kept(), [])

    def test_one_that_writes_nothing(self):
        self.expect_bytecode("not compiled by", CC="true")

    def test_one_that_writes_no_library(self):
        fake = self.home / "fake-cc"
        fake.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho nonsense > "$2"\n')
        fake.chmod(0o755)
        self.expect_bytecode("not compiled by", CC=str(fake))
        self.assertEqual(self.kept(), [])


class Stopped(Engine):
    def compile_slowly(self, script):
        """A search that ends before its compiler, which is this script."""
        slow = self.home / "slow-cc"
        slow.write_text(f"#!/bin/sh\n{script}\n")
        slow.chmod(0o755)
        model = self.file("longer.lin", TREIBER.read_text().split("assert")[0]
                          + "assert treiber linearizes stack with threads = 2, ops = 3;\n")
        return self.verify("-j1", "--reduce=none", model, CC=str(slow))[1]

    def expect_ended(self, file):
        """The process whose number stands in the file, if it came to write it; a zombie has ended."""
        if not file.exists():
            return
        state = pathlib.Path("/proc", file.read_text().strip(), "stat")
        deadline = time.monotonic() + 60
        while state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_all_that_the_compiler_started_ends(self):
        child = self.home / "child"
        self.assertEqual(self.compile_slowly(f"sleep 1000 &\necho $! > {child}.new\nmv {child}.new {child}\nwait"), [])
        self.expect_ended(child)

    def test_a_compiler_may_take_its_files_away(self):
        left = self.temporary / "left.s"  # verify() says that there is nothing in the folder
        self.compile_slowly(f"trap 'kill $!; rm {left}; exit 1' TERM\necho > {left}\nsleep 1000 &\nwait")

    def test_a_compiler_that_does_not_end_is_killed(self):
        own = self.home / "own"
        self.compile_slowly(f"trap '' TERM\necho $$ > {own}.new\nmv {own}.new {own}\nwhile true; do sleep 1000; done")
        self.expect_ended(own)


class Auto(Engine):
    def test_a_short_search_starts_no_compiler(self):
        self.assertEqual(self.verify(f"{TREIBER}:99")[1], [])
        self.assertEqual(self.kept(), [])

    def test_a_longer_one_takes_what_is_there(self):
        model = self.file("longer.lin", TREIBER.read_text().split("assert")[0]
                          + "assert treiber linearizes stack with threads = 3, ops = 2;\n")
        plain = self.verify("--engine=bytecode", model)[0]
        self.assertEqual(self.verify("-j1", model), (plain, []))
        self.assertEqual(self.verify("--engine=native", model)[0], plain)
        printed, said = self.verify("-j1", model)  # of several threads each has states of its own to wait for
        self.assertEqual(printed, plain)
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], "^native from state 4000 on, found in")


if __name__ == "__main__":
    main()
