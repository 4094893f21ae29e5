#!/usr/bin/env python3
"""linchpin cc and c++: in place of a compiler, in builds that are there already."""
import json
import os
import shutil
import subprocess
import unittest

from program import ENVIRONMENT, PROGRAM, Case, main

HEAD = """
#include <stdatomic.h>
#ifdef __cplusplus
extern "C"
#endif
int next(void);
"""
COUNTER = HEAD + """
static atomic_int count;
int next(void) { int n = ADD; SET return n; }
"""
RIGHT = COUNTER.replace("ADD", "atomic_fetch_add(&count, 1) + 1").replace("SET", "")
WRONG = COUNTER.replace("ADD", "count + 1").replace("SET", "count = n;")
TEST = """
#include <linchpin/test.h>
extern int next(void);
static lp_int number(void *o, lp_int v) { (void)o; (void)v; return next(); }
LP_TEST(numbers, .spec = "numbers.lin:numbers", .ops = {{"next", number}});
"""
NUMBERS = "spec numbers {\n    int n = 0;\n    op next() { n = n + 1; return n; }\n}\n"
MAIN = """
#include <stdio.h>
int next(void);
int main(int argc, char **argv)
{
    int one = next();
    printf("%d %d %s\\n", one, next(), argv[argc - 1]);
    return 7;
}
"""


class Wrapper(Case):
    def setUp(self):
        super().setUp()
        for name, text in (("right.c", RIGHT), ("wrong.c", WRONG), ("test.c", TEST), ("main.c", MAIN),
                           ("numbers.lin", NUMBERS)):
            self.file(name, text)

    def cc(self, *words, status=0, command="cc", **more):
        return self.expect(status, command, *words, **more)

    def verdict(self, status, program, *words):
        return json.loads(self.expect(status, "test", "--json", "--scenario", "next | next", *words,
                                      program).out)

    def run_it(self, *words):
        ran = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def test_a_program_without_tests_runs_as_it_would(self):
        self.cc("-O2", "-o", "plain", "main.c", "right.c", "-lm")
        self.assertEqual((7, "1 2 x\n", ""), self.run_it("./plain", "x"))
        self.assertIn("has no tests", self.expect(2, "test", "./plain").err)

    def test_objects_are_compiled_apart(self):
        self.cc("-O1", "-DSIZE=4", "-c", "right.c")
        self.cc("-O2", "-c", "test.c", "-o", "the_test.o")
        self.cc("-o", "program", "the_test.o", "right.o")
        found = self.verdict(0, "./program")
        self.assertEqual(("holds", "gcc -O2, gcc -O1 -DSIZE=4"), (found["verdict"], found["compilers"]))

    def test_archives_give_what_is_needed_of_them(self):
        self.file("asm.c", 'int twice(int x)\n{\n    __asm__("addl %0, %0" : "+r"(x));\n    return x;\n}\n')
        self.cc("-c", "wrong.c", "asm.c")
        self.assertEqual(0, self.run_it("ar", "rcs", "libnext.a", "wrong.o", "asm.o")[0])
        for words in (["libnext.a"], ["-L.", "-lnext"], ["-L", ".", "-lnext"]):
            self.cc("-o", "program", "test.c", *words)
            self.assertEqual("not linearizable", self.verdict(1, "./program")["finding"])

    def test_what_cannot_be_tested_is_refused_where_it_is_linked(self):
        self.file("asm.c", HEAD + "static int n;\n"
                  "int next(void)\n{\n    __asm__(\"incl %0\" : \"+m\"(n));\n    return n;\n}\n")
        self.file("fence.c", HEAD + "#include <immintrin.h>\nint next(void)\n{\n    _mm_mfence();\n    return 1;\n}\n")
        self.cc("-c", "asm.c", "fence.c")
        self.assertIn("asm.c:10: inline assembly", self.cc("test.c", "asm.o", status=2).err)
        self.assertIn("fence.c:10: there is an instruction", self.cc("test.c", "fence.o", status=2).err)
        self.cc("-o", "plain", "main.c", "asm.o")
        self.assertEqual("1 2 y\n", self.run_it("./plain", "y")[1])

    def test_objects_of_other_compilers_are_refused(self):
        self.run_it("gcc", "-c", "right.c")
        self.run_it("ar", "rcs", "libnext.a", "right.o")
        self.assertIn("right.o: error: is not made by linchpin cc", self.cc("test.c", "right.o", status=2).err)
        said = self.cc("test.c", "libnext.a", status=2).err
        self.assertIn("test.c:4: error: the code uses next, which is neither defined", said)
        self.cc("-c", "test.c")
        self.run_it("ar", "rcs", "libboth.a", "right.o", "test.o")
        self.assertIn("1 of its 2 objects are not made by linchpin", self.cc("test.c", "libboth.a", status=2).err)
        self.file("next.s", "\t.globl next\nnext:\n\tmov $1, %eax\n\tret\n")
        self.assertIn("is not made by linchpin cc", self.cc("test.c", "next.s", status=2).err)
        self.cc("-o", "plain", "main.c", "next.s")
        self.assertEqual("1 1 z\n", self.run_it("./plain", "z")[1])

    def test_a_main_of_a_program_with_tests_is_not_called(self):
        self.assertIn("its own main is not called", self.cc("-o", "program", "test.c", "main.c", "right.c").err)
        self.assertEqual("holds", self.verdict(0, "./program")["verdict"])
        status, out, err = self.run_it("./program")
        self.assertEqual((2, ""), (status, out))
        self.assertIn("give it to `linchpin test`", err)

    def test_what_makes_no_program_is_passed_on(self):
        self.assertIn("LP_EMPTY", self.cc("-E", "-dM", "test.c").out)
        self.cc("-S", "-o", "test.s", "test.c")
        self.assertNotIn("__tsan", (self.folder / "test.s").read_text())
        self.assertIn("right.o: right.c", self.cc("-MM", "right.c").out)
        self.assertIn("gcc", self.cc("--version").out)
        self.assertIn("no input files", self.cc(status=1).err)
        self.assertIn("main.c:8", self.file("main.c", MAIN.replace("return 7", "return"))
                      and self.cc("-c", "-Werror", "-Wreturn-type", "main.c", status=1).err)
        self.assertFalse((self.folder / "main.o").exists())

    def test_dependencies_are_those_of_the_object(self):
        (self.folder / "out").mkdir()
        self.cc("-MD", "-c", "right.c", "-o", "out/next.o")
        self.assertTrue((self.folder / "out" / "next.d").read_text().startswith("out/next.o: right.c"))
        self.cc("-MMD", "-MF", "x.dep", "-MT", "thing", "-c", "right.c")
        self.assertTrue((self.folder / "x.dep").read_text().startswith("thing: right.c"))

    def test_what_is_not_taken_is_named(self):
        for words, said in ((["-shared", "-o", "lib.so", "right.c"], "-shared is not taken"),
                            (["-flto", "-c", "right.c"], "-flto is not taken"),
                            (["-fsanitize=address", "-c", "right.c"], "other sanitizers"),
                            (["-static", "test.c", "right.c"], "-static is not taken"),
                            (["@words"], "@words is not taken"),
                            (["-c", "-o", "x.o", "right.c", "wrong.c"], "-o names one file")):
            self.assertIn("linchpin cc: error: ", self.cc(*words, status=2).err)
            self.assertIn(said, self.cc(*words, status=2).err)
        said = self.cc("-c", "right.c", status=2, environment={"LINCHPIN_CC": "no-such-compiler"}).err
        self.assertIn("no-such-compiler", said)

    def test_a_program_is_one_that_was_made_here(self):
        self.assertIn("is not a program made by linchpin cc", self.expect(2, "test", "/bin/true").err)
        self.cc("-o", "program", "test.c", "right.c")
        self.assertIn("expected no flags, found -O1", self.expect(2, "test", "program", "--", "-O1").err)
        self.assertIn("expected nothing beside it", self.expect(2, "test", "program", "test.c").err)
        data = (self.folder / "program").read_bytes()
        at = data.rindex(b"  runtime.o\n")
        self.file("old", data[:at - 4] + b"zzzz" + data[at:])
        os.chmod(self.folder / "old", 0o755)
        self.assertIn("another version of linchpin", self.expect(2, "test", "./old").err)
        self.file("cut", data[:len(data) // 2])
        self.expect(2, "test", "./cut")

    @unittest.skipUnless(shutil.which("make"), "there is no make")
    def test_make(self):
        self.file("Makefile", "program: test.o right.o\n\t$(CC) -o $@ $^\n")
        environment = dict(ENVIRONMENT, PATH=str(PROGRAM.parent) + ":" + ENVIRONMENT["PATH"])
        ran = subprocess.run(["make", "-j2", "CC=linchpin cc", "CFLAGS=-O2"], cwd=self.folder, env=environment,
                             capture_output=True, text=True, check=False)
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertEqual("holds", self.verdict(0, "./program")["verdict"])

    @unittest.skipUnless(shutil.which("clang"), "there is no clang")
    def test_clang(self):
        clang = {"LINCHPIN_CC": "clang"}
        self.cc("-O2", "-o", "program", "test.c", "wrong.c", environment=clang)
        found = self.verdict(1, "./program")
        self.assertEqual(("not linearizable", "clang -O2"), (found["finding"], found["compilers"]))
        self.assertEqual({9}, {step["line"] for step in found["trace"]})
        self.file("odd.c", HEAD + "static long double n;\nint next(void)\n{\n    return (int)n++;\n}\n")
        self.cc("-c", "odd.c", environment=clang)
        self.assertIn("odd.c:10: clang does not instrument an access of 10 bytes",
                      self.cc("test.c", "odd.o", status=2, environment=clang).err)

    @unittest.skipUnless(shutil.which("g++"), "there is no g++")
    def test_cpp(self):
        self.file("ring.cc", """
#include <linchpin/test.h>
#include <atomic>
struct Cell {
    std::atomic<int> n{0};
    void write(int v) { n = v; }
    int read() { return n; }
};
LP_CLASS(Cell, "cell.lin:cell", LP_METHOD(Cell, "write", write, LP_FRESH), LP_METHOD(Cell, "read", read));
""")
        self.file("cell.lin", "spec cell {\n    int n = 0;\n    op write(int v) { n = v; return ok; }\n"
                              "    op read() { return n; }\n}\n")
        self.cc("-std=c++17", "-O2", "-c", "ring.cc", command="c++")
        self.cc("-o", "program", "ring.o", command="c++")
        found = json.loads(self.expect(0, "test", "--json", "--scenario", "write; read | read", "program").out)
        self.assertEqual(("holds", "g++ -std=c++17 -O2"), (found["verdict"], found["compilers"]))


main()
