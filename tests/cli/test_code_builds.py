#!/usr/bin/env python3
"""linchpin test: the same small programs, as gcc and clang make them, with and without optimisation."""
import json
import re
import shlex
import shutil

from program import Case, main

HEAD = """#include <linchpin/test.h>
#define OP(NAME) static lp_int NAME(void *o, lp_int v)
#define ENDS (void)o; (void)v; return LP_DONE
"""
ONE = HEAD + "%s\nOP(a) { (void)o; (void)v; %s }\n" + 'LP_TEST(t, .ops = {{"a", a}});\n'

MIXED = HEAD + """#include <stdatomic.h>
atomic_int x, y;
OP(plain) { *(int *)&x = 3; ENDS; }
OP(load) { if (x == 3) y++; ENDS; }
OP(store) { y++; x = 4; ENDS; }
OP(add) { x++; ENDS; }
OP(cas) { int e = 0; if (atomic_compare_exchange_strong(&x, &e, 4)) y++; ENDS; }
OP(cas_late) { int e = 3; if (atomic_compare_exchange_strong(&x, &e, 4)) y++; ENDS; }
LP_TEST(mixed, .ops = {{"plain", plain}, {"load", load}, {"store", store}, {"add", add},
                       {"cas", cas}, {"cas_late", cas_late}});
"""

# What the library of C++ has, taken out of it by nothing else in the program.
THROWS = [
    ("", "try { throw 3; } catch (int n) { return n; } return 4;", "holds"),
    ("", "try { try { throw 3; } catch (int) { throw; } } catch (...) { return 1; } return 4;", "holds"),
    ("#include <optional>", "std::optional<int> n; try { return n.value(); }"
                            "catch (const std::bad_optional_access &) { return LP_EMPTY; }", "holds"),
    ("#include <thread>\n#include <system_error>", "std::thread t; try { t.join(); }"
     "catch (const std::system_error &) { return LP_NO; } return LP_YES;", "holds"),
    ("", "throw 3;", "uncaught exception"),
    ("struct base { base() { call(); } virtual ~base() {} void call() { f(); } virtual void f() = 0; };"
     "struct derived : base { void f() override {} };", "derived made; return 0;", "program ends"),
]

WIDE = HEAD + """#include <stdatomic.h>
typedef struct { long a, b; } pair;
static _Alignas(16) _Atomic pair cell;
OP(put) { (void)o; pair made = {v, v}; atomic_store(&cell, made); return LP_DONE; }
OP(get) { (void)o; (void)v; pair made = atomic_load(&cell);
  return made.a != made.b ? -1 : made.a ? made.a : LP_EMPTY; }
LP_TEST(wide, .spec = "register", .ops = {{"write", put, 1, 2}, {"read", get}});
"""

VECTORS = HEAD + """int x[64], chosen[64];
OP(fill) { for (int i = 0; i < 64; i++) if (chosen[i] == 0) x[i] = i; ENDS; }
OP(clear) { for (int i = 0; i < 64; i++) x[i] = 0; ENDS; }
OP(set) { x[9] = 2; ENDS; }
LP_TEST(vectors, .ops = {{"fill", fill}, {"clear", clear}, {"set", set}});
"""


class Builds(Case):
    compilers = [(c, cpp) for c, cpp in (("gcc", "g++"), ("clang", "clang++")) if shutil.which(cpp)]

    def run_all(self, status, path, *words, flags=("-O0", "-O2")):
        """The answers of every compiler with every flag (or flags, separated by blanks)."""
        for c, cpp in self.compilers:
            for flag in flags:
                with self.subTest(compiler=c, flag=flag):
                    environment = {"CC": c, "CXX": cpp}
                    done = self.expect(status, "test", "--json", *words, path, "--", *flag.split(),
                                       environment=environment)
                    yield json.loads(done.out), environment, flag

    def test_a_plain_write_and_an_atomic_access_race_in_whatever_order(self):
        """Also where the atomic access is told, and run again, before the plain write."""
        path = self.file("mixed.c", MIXED)
        for other in "load", "store", "add", "cas", "cas_late":
            for scenario in f"plain | {other}", f"{other} | plain":
                for found, environment, flag in self.run_all(1, path, "--scenario", scenario, flags=["-O1"]):
                    self.assertEqual("data race", found["finding"])
                    self.expect(1, "test", "-q", "--scenario", scenario, "--schedule", found["schedule"], path,
                                "--", flag, environment=environment)

    def test_what_is_thrown_needs_nothing_else_of_the_library(self):
        for number, (before, text, expected) in enumerate(THROWS):
            path = self.file(f"throws{number}.cc", ONE % (before, text))
            for found, *_ in self.run_all(0 if expected == "holds" else 1, path, "--scenario=a"):
                self.assertEqual(expected, found.get("finding", found["verdict"]), text)

    def test_16_bytes_are_loaded_as_each_compiler_does_it(self):
        """clang 14 leaves an instruction behind that is no access of the code."""
        path = self.file("wide.c", WIDE)
        for found, *_ in self.run_all(0, path, "--scenario", "write 1; read | write 2; read",
                                      flags=["-O0 -mcx16", "-O2 -mcx16", "-O2"]):
            self.assertEqual("holds", found["verdict"])

    def test_loops_that_vectors_could_do_race(self):
        path = self.file("vectors.c", VECTORS)
        for operation in "fill", "clear":
            for found, *_ in self.run_all(1, path, "--scenario", f"{operation} | set",
                                          flags=["-O3 -mavx2", "-O3 -march=skylake-avx512"]):
                self.assertEqual("data race", found["finding"])

    def test_commands_of_what_is_found_are_words_of_a_shell(self):
        path = self.file("mixed.c", MIXED)
        text = self.expect(1, "test", "--scenario", "plain | cas", path).out
        command = shlex.split(re.search(r"linchpin (test .*)", text)[1])
        self.expect(1, *command)


main()
