#!/usr/bin/env python3
"""linchpin test: real code from the command line."""
import json
import os
import random
import re

from program import LOST, SOURCE, Case, main

SEED = int(os.environ.get("SEED", "1"))
STACKS = str(SOURCE / "examples" / "code" / "treiber.c")
STACK = ["--test=treiber", STACKS]
REGISTER = str(SOURCE / "tests" / "code" / "register.cc")

RELAXED = """
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int cell;
static lp_int put(void *o, lp_int v) { (void)o;
  atomic_store_explicit(&cell, (int)v, memory_order_relaxed); return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v;
  int n = atomic_load_explicit(&cell, memory_order_relaxed); return n ? n : LP_EMPTY; }
LP_TEST(cell, .spec = "register", .ops = {{"write", put, 1, 2}, {"read", get}});
"""


RELAXED_RACES = """
#include <stdatomic.h>
#include <linchpin/test.h>
static int x[32][2];
static _Atomic int f[32];
"""

# one key, under a lock; CHANGED: not under it
MAP = """
#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lp_int values[4];
static lp_int put(void *o, lp_int key, lp_int value) { (void)o;
  pthread_mutex_lock(&lock); values[KEY] = value; pthread_mutex_unlock(&lock); return LP_DONE; }
static lp_int get(void *o, lp_int key) { (void)o; (void)key;
  pthread_mutex_lock(&lock); lp_int v = values[key]; pthread_mutex_unlock(&lock);
  return v ? v : LP_EMPTY; }
LP_TEST(map, .spec = "map", .ops = {{"get", get, 1, 2}, LP_OP2("put", put, 1, 2, LP_FRESH)});
"""

OWN_CLASS = """
#include <linchpin/test.h>
#include <atomic>
namespace own { template <class T> struct Cell {
  std::atomic<T> value{1};
  void write(T to) { value = to; }
  T read() { return value; }
  bool cas(T from, T to) { return value.compare_exchange_strong(from, to); }
}; }
#define C own::Cell<int>
LP_CLASS(own::Cell<int>, nullptr, LP_METHOD(C, "write", write, 1, 2), LP_METHOD(C, "read", read),
         LP_METHOD2(C, "cas", cas, 0, 1, 1, 2));
"""


class Code(Case):
    def source(self, text, name="object_test.c"):
        return self.file(name, text)

    def result(self, status, *words):
        return json.loads(self.expect(status, "test", "--json", *words).out)

    def test_a_right_stack_holds(self):
        found = self.result(0, "--scenario", "push; pop | pop", *STACK)
        self.assertEqual(("holds", True, "rc11"),
                         (found["verdict"], found["complete"], found["memory_model"]))

    def compilations(self):
        return [({"CC": compiler}, flag) for compiler in ("gcc", "clang") for flag in ("-O0", "-O1", "-O2")]

    def test_a_volatile_local_is_gone_with_its_function(self):
        """Nothing of it is put where somebody else's frame is by then, nor is it of their size."""
        path = self.source("""
#include <linchpin/test.h>
#include <stdatomic.h>
static atomic_int a;
#define NOINLINE __attribute__((noinline)) static
NOINLINE void one(int n) { volatile long k; k = n; }
NOINLINE void many(int n) { volatile int k[8]; for (int i = 0; i < 8; i++) k[i] = n; }
NOINLINE void wide(int n) { volatile long k[6]; k[n & 3] = n; k[5] = 3; }
NOINLINE int deep(int n, int d) {
    volatile int k[2]; int r = d ? deep(n, d - 1) : 0; k[d & 1] = n; return r; }
static lp_int more(void *o, lp_int n) { (void)o; volatile int k = (int)n; k = k + 4; return k; }
static lp_int last(void *o, lp_int n) {
    (void)o; for (volatile int i = 0; i < 500; i++) {} volatile int k; k = (int)n; return n; }
static lp_int calls(void *o, lp_int n) {
    (void)o; one((int)n); many((int)n); atomic_fetch_add(&a, 1); deep((int)n, 3); one(3);
    atomic_store(&a, 1); wide((int)n); return n; }
LP_TEST(local, .ops = {{"more", more, 1, 2}, {"last", last, 1, 2}, {"calls", calls, 1, 2}});
""")
        for environment, flag in self.compilations():
            self.expect(0, "test", "--scenario=more 1; calls 2; last 2 | last 1; calls 1; more 1",
                        path, "--", flag, environment=environment)

    def test_a_volatile_local_that_is_shared(self):
        """Its writes are seen; what is written last in other functions is nobody's."""
        path = self.source("""
#include <linchpin/test.h>
#include <stdatomic.h>
static _Atomic(volatile int *) p;
static atomic_int done;
#define NOINLINE __attribute__((noinline)) static
NOINLINE void one(int n) { volatile int k; k = n; }
NOINLINE void at(int i) { volatile long k[48]; k[i] = i; }
NOINLINE void last(int n) { for (int i = 0; i < 48; i++) at(i); one(n); }
static lp_int show(void *o, lp_int n) {
    (void)o; volatile int k = 1; atomic_store_explicit(&p, &k, memory_order_release); k = (int)n;
    while (!atomic_load(&done)) {} last(7); one(3); return 0; }
static lp_int look(void *o, lp_int n) {
    (void)o; volatile int *q = atomic_load_explicit(&p, memory_order_acquire);
    lp_int r = q ? *q : (int)n; one(4); atomic_store(&done, 1); last((int)r); one(2); return r; }
LP_TEST(shared, .ops = {{"show", show, 5, 5}, {"look", look, 0, 0}});
""")
        for environment, flag in self.compilations():
            found = self.expect(0, "test", "--json", "--scenario=show 5 | look", path, "--", flag,
                                environment=environment)
            self.assertEqual(3, json.loads(found.out)["histories"])  # it reads 0, 1, or 5

    def test_a_class_of_cpp_holds(self):
        self.assertEqual("holds", self.result(0, "--scenario", "write 1 | read", REGISTER)["verdict"])

    def test_flags_are_behind_two_hyphens(self):
        self.assertIn("gcc -O1 -DANY", self.result(0, "--scenario", "push 1 | pop", *STACK, "--",
                                                   "-O1", "-DANY")["compilers"])
        self.assertIn("gcc -O2 -DANY", self.result(0, "--scenario", "push 1 | pop", *STACK, "--",
                                                   "-DANY")["compilers"])

    def test_a_weak_order_is_a_race_under_rc11_only(self):
        words = ["--test=treiber_relaxed", "--scenario", "push 1 | pop", STACKS]
        self.assertEqual("data race", self.result(1, *words)["finding"])
        self.assertEqual("holds", self.result(0, "--memory-model=sc", *words)["verdict"])

    def test_a_node_freed_early_is_used_after(self):
        found = self.result(1, "--test=treiber_freed_early", STACKS)
        self.assertEqual("use after free", found["finding"])

    def test_a_lost_update_is_the_smallest_scenario(self):
        found = self.result(1, self.source(LOST))
        self.assertEqual("not linearizable", found["finding"])
        self.assertEqual({"inc", "read"}, {call.split()[0] for thread in found["scenario"].split("|")
                                           for call in thread.split(";")})
        self.assertEqual(3, found["scenario"].count("|") + found["scenario"].count(";") + 1)
        self.assertEqual({1, 2}, {step["thread"] for step in found["trace"]})

    def test_one_location_is_linearizable_by_coherence(self):
        """Relaxed accesses of one location are in one order, which every client must respect."""
        found = self.result(0, "--scenario", "write 1; write 2 | read; read", self.source(RELAXED))
        self.assertEqual("holds", found["verdict"])

    def test_the_promised_set_is_gone_through(self):
        one = LOST.replace("int n = count; count = n + 1;", "count++;")
        found = self.result(0, self.source(one))
        self.assertTrue(found["complete"])
        self.assertGreater(found["scenarios"], 100)

    def test_what_is_wrong_in_the_examples_is_found(self):
        """Each line `// expect: TEST FINDING` of examples/code but those that hold."""
        count = 0
        for path in sorted((SOURCE / "examples" / "code").glob("*.c*")):
            for test, finding in re.findall(r"^// expect: (\S+) (.*)$", path.read_text(), re.M):
                if finding == "holds":
                    continue
                found = self.result(1, "--test=" + test, str(path))
                self.assertEqual(finding, found["finding"], test)
                self.assertTrue(found["trace"], test)
                count += 1
        self.assertGreater(count, 10)

    def test_races_are_relaxed_where_that_is_asked_for(self):
        """A register of a plain variable: by relaxed accesses one under sc; named by its lines."""
        path = self.source("#include <linchpin/test.h>\nstatic int cell;\n"
                           "static lp_int put(void *o, lp_int v) { (void)o;\n"
                           "  cell = (int)v;\n  return LP_DONE; }\n"
                           "static lp_int get(void *o, lp_int v) { (void)o; (void)v;\n"
                           "  return cell ? cell : LP_EMPTY; }\n"
                           'LP_TEST(cell, .spec = "register",\n'
                           '        .ops = {{"write", put, 1, 2}, {"read", get}});\n')
        words = ["--memory-model=sc", "--scenario", "write 1; read | write 2; read", path]
        self.assertEqual("data race", self.result(1, *words)["finding"])
        self.assertEqual("data race", self.result(1, "--races=report", *words)["finding"])
        found = self.result(0, "--races=relaxed", *words)
        self.assertEqual({"object_test.c:4", "object_test.c:7"}, set(found["relaxed"]))
        self.assertIn("taken as relaxed atomic ones: object_test.c:", found["reason"])

    def test_what_is_found_with_races_relaxed_is_run_again(self):
        """A counter that loses what is added between its read and its write."""
        path = self.source(LOST.replace("atomic_int count", "int count"))
        found = self.result(1, "--races=relaxed", path)
        self.assertEqual("not linearizable", found["finding"])
        again = self.result(1, "--races=relaxed", "--scenario", found["scenario"], "--schedule",
                            found["schedule"], path)
        self.assertEqual((found["finding"], found["relaxed"]), (again["finding"], again["relaxed"]))
        text = self.expect(1, "test", "--races=relaxed", path).out
        self.assertIn("--races relaxed --scenario", text)

    def test_races_that_are_relaxed_are_relaxed_accesses(self):
        """Random programs, plain, against the same whose accesses are written as relaxed ones."""
        programs, racing = 16, 0
        random.seed(SEED)
        plain, written = RELAXED_RACES, RELAXED_RACES
        for number in range(programs):
            for thread in range(2):
                head = f"static lp_int p{number}_{thread}(void *o, lp_int r) {{ (void)o; r = 1;\n"
                plain, written = plain + head, written + head
                for _ in range(random.randint(2, 4)):
                    one, other = self.racing_step(number)
                    plain, written = plain + one, written + other
                plain, written = plain + "  return r; }\n", written + "  return r; }\n"
            end = (f'LP_TEST(p{number}, .ops = {{{{"a", p{number}_0}}, {{"b", p{number}_1}}}});\n')
            plain, written = plain + end, written + end
        paths = self.source(plain, "plain.c"), self.source(written, "written.c")
        for number in range(programs):
            words = [f"--test=p{number}", "--memory-model=" + random.choice(("sc", "tso", "rc11")),
                     "--scenario", random.choice(("a | b", "a | b | b"))]
            found = self.result(0, "--races=relaxed", *words, paths[0], "--", "-O0")
            expected = self.result(0, *words, paths[1], "--", "-O0")
            self.assertEqual((expected["verdict"], expected["histories"]),
                             (found["verdict"], found["histories"]), (SEED, words))
            racing += bool(found.get("relaxed"))
        self.assertGreater(racing, programs // 3)

    @staticmethod
    def racing_step(number):
        """A step of C, plain and with relaxed accesses."""
        cell, other, value = f"x[{number}][{random.randint(0, 1)}]", f"f[{number}]", random.randint(1, 2)
        load = f"atomic_load_explicit((_Atomic int *)&{cell}, memory_order_relaxed)"
        store = f"atomic_store_explicit((_Atomic int *)&{cell}, %s, memory_order_relaxed);\n"
        return random.choice((
            (f"  r = 4 * r + {cell};\n", f"  r = 4 * r + {load};\n"),
            (f"  {cell} = {value};\n", "  " + store % value),
            (f"  {cell} = {cell} + 1;\n", "  " + store % f"{load} + 1"),
            2 * (f"  atomic_store_explicit(&{other}, {value}, memory_order_release);\n",),
            2 * (f"  r = 4 * r + atomic_load_explicit(&{other}, memory_order_acquire);\n",)))

    def test_specifications_of_what_the_code_answers_take_races_as_well(self):
        """Calls one after the other decide; plain words that race are cut at their own accesses."""
        whole = self.source("#include <linchpin/test.h>\nstatic int cell;\n"
                            "static lp_int add(void *o, lp_int v) { (void)o;\n"
                            "  int n = cell;\n  cell = n + (int)v;\n  return n; }\n"
                            "static lp_int get(void *o, lp_int v) { (void)o; (void)v;\n"
                            "  return cell; }\n"
                            'LP_TEST(cell, .spec = "auto", .ops = {{"add", add, 1, 1}, {"get", get}});\n')
        words = ["--memory-model=sc", "--races=relaxed", "--scenario"]
        found = self.result(1, *words, "add; get | add", whole)
        self.assertEqual("not linearizable", found["finding"])
        self.assertTrue(found["relaxed"])
        self.assertEqual("holds", self.result(0, *words, "add; get | get", whole)["verdict"])

    def test_functions_of_16_bytes_are_modelled(self):
        """Both halves of a pair are always of one store, however the library is called."""
        path = self.source("#include <linchpin/test.h>\n"
                           "typedef unsigned __int128 wide;\n"
                           "static wide cell __attribute__((aligned(16)));\n"
                           "static wide twice(lp_int v) { return (wide)v << 64 | (wide)v; }\n"
                           "static lp_int put(void *o, lp_int v) { (void)o;\n"
                           "  __atomic_store_n(&cell, twice(v), __ATOMIC_SEQ_CST); return LP_DONE; }\n"
                           "static lp_int get(void *o, lp_int v) { (void)o; (void)v;\n"
                           "  wide all = __atomic_load_n(&cell, __ATOMIC_SEQ_CST);\n"
                           "  lp_int low = (lp_int)all, high = (lp_int)(all >> 64);\n"
                           "  return low != high ? -1 : low ? low : LP_EMPTY; }\n"
                           "static lp_int swap(void *o, lp_int v) { (void)o;\n"
                           "  wide none = 0;\n"
                           "  return __atomic_compare_exchange_n(&cell, &none, twice(v), 0,\n"
                           "                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }\n"
                           'LP_TEST(pair, .spec = "register",\n'
                           '        .ops = {{"write", put, 1, 2}, {"read", get}});\n'
                           'LP_TEST(first, .spec = "auto", .ops = {{"swap", swap, 1, 2}, {"read", get}});\n')
        for model in ("sc", "rc11"):
            words = ["--memory-model=" + model, "--scenario"]
            self.assertEqual("holds", self.result(0, "--test=pair", *words,
                                                  "write 1; read | write 2; read", path)["verdict"])
            self.assertEqual("holds", self.result(0, "--test=first", *words,
                                                  "swap 1; read | swap 2; read", path)["verdict"])

    def test_blocks_are_freed_by_the_like_of_what_made_them(self):
        makers = ["malloc(8)", "::operator new(8)", "new char[8]"]
        freers = ["free(made)", "::operator delete(made)", "delete[] (char *)made"]
        body = "".join(f"static lp_int m{i}{j}(void *, lp_int) {{ void *volatile made = {maker}; {freer}; return 0; }}\n"
                       for i, maker in enumerate(makers) for j, freer in enumerate(freers))
        operations = ", ".join(f'{{"m{i}{j}", m{i}{j}}}' for i in range(3) for j in range(3))
        path = self.source(f"#include <linchpin/test.h>\n#include <cstdlib>\n#include <new>\n{body}"
                           f"LP_TEST(t, .ops = {{{operations}}});\n", "freed.cc")
        for i in range(3):
            for j in range(3):
                run = self.expect(0 if i == j else 1, "test", "--scenario", f"m{i}{j}", path, "--", "-w")
                if i != j:
                    by, of = ["free", "delete", "delete[]"][j], ["malloc or its like", "new", "new[]"][i]
                    self.assertIn(f"misuse: thread 1 frees by {by} what {of} has made at", " ".join(run.out.split()))

    def test_a_stack_that_is_too_small_is_called_so(self):
        path = self.source("#include <linchpin/test.h>\n"
                           "static lp_int deep(void *o, lp_int v) { volatile char room[9 << 20]; (void)o; (void)v;\n"
                           "room[1] = 1; return room[1]; }\n"
                           'LP_TEST(t, .ops = {{"deep", deep}});\n', "deep_test.c")
        self.assertIn("crash: thread 1 needs more than its stack of 8 MB at deep_test.c:3",
                      " ".join(self.expect(1, "test", path).out.split()))

    def test_a_crash_has_its_line_also_where_a_library_or_nothing_was_called(self):
        path = self.source("#include <linchpin/test.h>\n#include <string.h>\n"
                           "static const char *volatile text; static void (*volatile hook)(void); static volatile int zero;\n"
                           "static lp_int length(void *o, lp_int v) {\n(void)o; (void)v;\nreturn (lp_int)strcspn(text, \"ab\"); }\n"
                           "static lp_int call(void *o, lp_int v) {\n(void)o; (void)v;\nhook();\nreturn 1; }\n"
                           "static lp_int read(void *o, lp_int v) {\n(void)o; (void)v;\nreturn *text; }\n"
                           "static lp_int divide(void *o, lp_int v) {\n(void)o; (void)v;\nreturn 7 / zero; }\n"
                           + "".join(f'LP_TEST({name}, .ops = {{{{"{name}", {name}}}}});\n'
                                     for name in ("length", "call", "read", "divide")), "crash_test.c")
        run = " ".join(self.expect(1, "test", path).out.split())
        for line, name in ((6, "length"), (9, "call"), (13, "read"), (16, "divide")):
            self.assertRegex(run, rf"{name} .{{,60}}\) crash: thread 1 is ended by signal \d+ \([a-zA-Z ]+\) at crash_test.c:{line} ")

    def test_copies_that_race_are_found_all_the_same(self):
        path = self.source("#include <linchpin/test.h>\n#include <string.h>\n"
                           "static struct { long words[4]; } all;\n"
                           "static lp_int put(void *o, lp_int v) { (void)o;\n"
                           "  memset(&all, (int)v, sizeof all); return LP_DONE; }\n"
                           'LP_TEST(all, .ops = {{"put", put, 1, 2}});\n')
        found = self.result(1, "--races=relaxed", "--scenario", "put 1 | put 2", path)
        self.assertEqual("data race", found["finding"])

    def test_every_execution_is_run_twice(self):
        words = ["--scenario", "push; pop | push; pop", *STACK]
        few, all_of_them = self.result(0, *words), self.result(0, "--self-check", *words)
        self.assertEqual(1, few["repeated"])
        self.assertEqual(all_of_them["executions"], all_of_them["repeated"])
        self.assertEqual(few["executions"], all_of_them["executions"])
        self.assertIn("run twice", all_of_them["reason"])

    def test_tests_are_listed(self):
        self.assertEqual("Register: register\n", self.expect(0, "test", "--list", REGISTER).out)

    def test_steps_are_at_the_lines_of_the_sources(self):
        """What std::atomic does is inlined from a header, which nobody wants to read."""
        text = ("#include <linchpin/test.h>\n#include <atomic>\nstruct Bad {\n    std::atomic<int> n{0};\n"
                "    void inc() {\n        int old = n.load();\n        n.store(old + 1);\n    }\n"
                "    int read() { return n; }\n};\n"
                'LP_CLASS(Bad, "counter", LP_METHOD(Bad, "inc", inc), LP_METHOD(Bad, "read", read));\n')
        path = self.source(text, "bad.cc")
        lines = {"load": {6, 9}, "store": {7}}
        for step in self.result(1, path)["trace"]:
            self.assertIn("bad.cc", step["file"])
            self.assertIn(step["line"], lines[step["access"].split()[0]])

    def test_methods_may_be_const_and_noexcept_and_of_a_base(self):
        text = ("#include <linchpin/test.h>\n#include <atomic>\nstruct Other { int room = 5; };\n"
                "struct Base {\n    std::atomic<int> n{0};\n    void inc() noexcept { n++; }\n"
                "    void add(const int &by) { n += by; }\n    int read() const noexcept { return n; }\n"
                "    int same() const { return n; }\n};\nnamespace own { struct Counter : Other, Base {}; }\n"
                "using Counter = own::Counter;\n"
                'LP_CLASS(Counter, "counter", LP_METHOD(Counter, "inc", inc),\n'
                '         LP_METHOD(Counter, "add", add, 1, 2), LP_METHOD(Counter, "read", read),\n'
                '         LP_METHOD(Counter, "read", same));\n')
        path = self.source(text, "counter.cc")
        found = self.result(0, "--scenario", "inc; read | add 2; read", path, "--", "-O2", "-Wall", "-Werror")
        self.assertEqual("holds", found["verdict"])

    def test_errors_of_a_test_name_the_source_and_the_place(self):
        self.file("own.lin", "spec own {\n    nothing\n}\n")
        path = self.source(LOST.replace('"counter"', '"own.lin:own"'), "own_test.c")
        said = self.expect(2, "test", path).err
        self.assertIn("own_test.c: counter: error: own.lin:", said)
        self.file("both.lin", "spec both { int n; op inc() { n++; return ok; } op read() { return n; }\n"
                              "together inc(), read() { return ok, n; } }")
        path = self.source(LOST.replace('"counter"', '"both.lin:both"'), "both_test.c")
        self.assertIn("expected a specification without `together` for tests", self.expect(2, "test", path).err)
        path = self.source(LOST.replace('"counter"', '"stack"'), "stack_test.c")
        self.assertIn("stack_test.c: counter: error: the specification stack", self.expect(2, "test", path).err)

    def test_what_is_wrong_with_the_request_is_said(self):
        for words, said in [
                (["--scenario", "push | peek", *STACK], "peek"),
                (["-O1", *STACK], "flags for the compiler stand behind --"),
                (["--memory-model=arm", *STACK], "rc11, tso or sc"),
                ([str(SOURCE / "README.md")], "expected a source of C"),
                ([self.source(LOST.replace('"counter"', '"stack"'), "stack_test.c")], "has no operation inc"),
                ([self.source(LOST.replace('"counter"', '"pile"'), "pile_test.c")], "pile"),
                (["missing.c"], "missing.c: error: cannot be read: No such file"),
                ([self.source("int x;")], "no source has a test"),
                ([*STACK, "--", "-flto"], "-flto is not taken"),
                (["--test=none", STACKS], "there is no test 'none'")]:
            self.assertIn(said, self.expect(2, "test", *words).err)

    def test_the_code_itself_may_be_the_specification(self):
        path = self.source(LOST.replace('"counter"', '"auto"'))
        found = self.result(1, path)
        self.assertEqual(("not linearizable", "auto"), (found["finding"], found["spec"]))
        self.assertEqual("one where, alone, read of thread 1 answers 2", found["state"])
        self.assertIn("legal is what the code answers with one operation after the other", found["reason"])
        right = self.source(LOST.replace('"counter"', '"auto"').replace("int n = count; count = n + 1;", "count++;"))
        self.assertIn("legal is what the code answers", self.result(0, "--ops=3", right)["reason"])

    def test_specifications_take_what_an_object_holds_at_first_and_its_owner(self):
        path = self.source("""
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int cell = 5;
static lp_int put(void *o, lp_int v) { (void)o; cell = (int)v; return LP_DONE; }
static lp_int get(void *o, lp_int v) { (void)o; (void)v; return cell; }
static lp_int take(void *o, lp_int v) { (void)o; (void)v;
  for (;;) { int n = 5; if (atomic_compare_exchange_strong(&cell, &n, 1)) return LP_DONE; } }
static lp_int give(void *o, lp_int v) { (void)o; (void)v; cell = 5; return LP_DONE; }
LP_TEST(cell, .spec = SPEC, .ops = {{"write", put, 1, 2}, {"read", get}});
LP_TEST(lock, .spec = LOCK, .ops = {{"acquire", take}, {"release", give}});
""")
        def result(status, test, words, spec, lock="mutex"):
            return self.result(status, "--test=" + test, *words, path, "--", f'-DSPEC="{spec}"', f'-DLOCK="{lock}"')
        self.assertEqual("holds", result(0, "cell", ["--ops=3"], "register(initial = 5)")["verdict"])
        self.assertEqual("read", result(1, "cell", ["--ops=3"], "register(initial = 4)")["scenario"])
        self.assertEqual("read", result(1, "cell", ["--ops=3"], "register")["scenario"])
        given = ["--scenario=acquire | release"]
        self.assertNotIn("no order of these calls is legal", result(1, "lock", given, "register")["reason"])
        self.assertIn("no order of these calls is legal for mutex(owned)",
                      result(1, "lock", given, "register", "mutex(owned)")["reason"])
        given = ["--scenario=acquire; release | acquire; release"]
        self.assertEqual("holds", result(0, "lock", given, "register", "mutex(owned)")["verdict"])
        for spec, said in (("register(initial 5)", "expected `initial = VALUE`, found `5)`"),
                           ("register(initial = 5, initial = 6)", "expected one initial value of register, found two"),
                           ("queue(owned)", "queue has no owner to be checked")):
            ran = self.expect(2, "test", "--test=cell", path, "--", f'-DSPEC="{spec}"', '-DLOCK="mutex"')
            self.assertIn(said, ran.err)

    def test_operations_may_have_three_arguments_and_decline(self):
        text = """
#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lp_int values[4];
static lp_int get(void *o, lp_int key) { (void)o;
  pthread_mutex_lock(&lock); lp_int v = values[key]; pthread_mutex_unlock(&lock); return v ? v : LP_EMPTY; }
static lp_int put(void *o, lp_int key, lp_int value) { (void)o;
  pthread_mutex_lock(&lock); values[key] = value; pthread_mutex_unlock(&lock); return LP_DONE; }
static lp_int cas(void *o, lp_int key, lp_int from, lp_int to) { (void)o;
  pthread_mutex_lock(&lock); int same = values[key] == from; BETWEEN
  if (same) values[key] = to;
  pthread_mutex_unlock(&lock); return same ? LP_YES : ANSWER; }
static lp_int cas1(void *o, lp_int from, lp_int to) { return cas(o, 1, from, to); }
static lp_int get1(void *o, lp_int v) { (void)v; return get(o, 1); }
static lp_int put1(void *o, lp_int v) { return put(o, 1, v); }
LP_TEST(map, .spec = SPEC,
        .ops = {{"get", get, 1, 1}, LP_OP2("put", put, 1, 1, 1, 2), LP_OP3("cas", cas, 1, 1, 1, 2, 1, 2)});
LP_TEST(cell, .spec = "cas-register",
        .ops = {{"read", get1}, {"write", put1, 1, 2}, LP_OP2("cas", cas1, 1, 2, 1, 2)});
"""
        path = self.source(text)
        between = "pthread_mutex_unlock(&lock); pthread_mutex_lock(&lock);"
        def result(status, *words, spec="map", between="", answer="LP_NO"):
            return self.result(status, *words, path, "--", f'-DSPEC="{spec}"', "-DBETWEEN=" + between,
                               "-DANSWER=" + answer)
        for test in ("map", "cell"):
            self.assertEqual("holds", result(0, "--ops=2", "--test", test)["verdict"])
            self.assertEqual("not linearizable", result(1, "--ops=4", "--test", test, between=between)["finding"])
            # nothing is put there: it has not swapped, and empty is no answer
            self.assertEqual("cas 1 1 1" if test == "map" else "cas 1 1",
                             result(1, "--test", test, answer="LP_YES")["scenario"])
            self.assertEqual("cas 1 1 1" if test == "map" else "cas 1 1",
                             result(1, "--test", test, answer="LP_EMPTY")["scenario"])
        given = ["--test=map", "--scenario=put 1 1; cas 1 1 2 | cas 1 1 2; get 1"]
        self.assertEqual("holds", result(0, *given, spec="auto")["verdict"])
        for spec in ("map", "auto"):
            found = result(1, *given, spec=spec, between=between)
            self.assertEqual(("not linearizable", 3), (found["finding"], len(found["operations"])))
            self.assertIn("cas(1, 1, 2) -> yes", "".join(found["operations"]))
        said = self.expect(2, "test", "--test=map", "--scenario=cas 1 1 3", path, "--", '-DSPEC="map"', "-DBETWEEN=",
                           "-DANSWER=LP_NO").err
        self.assertIn("column 9: expected a number from 1 to 2, found `3`", said)

    def test_what_waits_alone_may_wait_there(self):
        path = self.source("""
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int open, looks;
static lp_int let(void *o, lp_int v) { (void)o; (void)v; if (looks || !WRONG) open = 1; return LP_DONE; }
static lp_int pass(void *o, lp_int v) { (void)o; (void)v; LOOKS; while (!open) { } looks = 0; return LP_DONE; }
LP_TEST(gate, .spec = "auto", .ops = {{"let", let}, {"pass", pass, 0, 0, 0, FLAGS}});
""")
        def result(status, scenario, wrong, looks, flags=0):
            return self.result(status, "--scenario", scenario, path, "--", f"-DWRONG={wrong}", f"-DLOOKS={looks}",
                               f"-DFLAGS={flags}")
        self.assertGreater(result(0, "pass", 0, "")["hanging"], 0)
        self.assertEqual(0, result(0, "let | pass", 0, "")["hanging"])
        # alone `let` opens before anybody looks, and then `pass` waits: so it may
        self.assertGreater(result(0, "let | pass", 1, "")["hanging"], 0)
        # but `let` that saw it look has both return, which no order of whole ones has
        found = result(1, "let | pass", 1, "looks = 1")
        self.assertEqual(("not linearizable", "one where, alone, pass of thread 2 does not return"),
                         (found["finding"], found["state"]))

    def test_what_looks_under_a_lock_alone_may_wait_there(self):
        text = """
#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static lp_int put(void *o, lp_int v) { (void)o; (void)v; pthread_mutex_lock(&lock); BETWEEN
  pthread_mutex_unlock(&lock); return LP_DONE; }
static lp_int take(void *o, lp_int v) { (void)o; (void)v; for (lp_int got = 0;;) { pthread_mutex_lock(&lock);
  if (count) got = count--;
  pthread_mutex_unlock(&lock); if (got) return got; } }
LP_TEST(box, .spec = "auto", .ops = {{"put", put}, {"take", take}});
"""
        right = self.source(text.replace("BETWEEN", "count++;"))
        for scenario, waits in (("take", True), ("put | take", False), ("take; put | put | take", True)):
            result = self.result(0, "--scenario", scenario, right)
            self.assertEqual(("holds", waits), (result["verdict"], result["hanging"] > 0))
        self.assertEqual("holds", self.result(0, "--ops=4", right)["verdict"])
        wrong = self.source(text.replace("BETWEEN", "int n = count; pthread_mutex_unlock(&lock); "
                                                    "pthread_mutex_lock(&lock); count = n + 1;"))
        found = self.result(1, "--scenario=put; take | put; take", wrong)
        self.assertEqual(("not linearizable", "put | put; take"), (found["finding"], found["scenario"]))

    def test_what_is_wrong_alone_is_found(self):
        text = """
#include <assert.h>
#include <stdlib.h>
#include <linchpin/test.h>
static lp_int count;
static lp_int go(void *o, lp_int v) { (void)o; (void)v; count++; if (count == 2) { FAULT; } return count; }
LP_TEST(faulty, .spec = "auto", .ops = {{"go", go}});
"""
        for fault, finding in (("assert(count == 1)", "failed assertion"), ("abort()", "program ends"),
                               ("*(volatile int *)8 = 1", "crash"), ("free(&count)", "bad free")):
            found = self.result(1, "--scenario=go; go", self.source(text.replace("FAULT", fault)))
            self.assertEqual(finding, found["finding"])

    def test_what_is_wrong_in_setup_is_found(self):
        text = """
#include <assert.h>
#include <stdlib.h>
#include <linchpin/test.h>
static lp_int go(void *o, lp_int v) { (void)o; (void)v; return LP_DONE; }
static void *make(void) { FAULT; return NULL; }
LP_TEST(faulty, .setup = make, .ops = {{"go", go}});
"""
        for fault, finding in (("assert(!make)", "failed assertion"), ("exit(1)", "program ends"),
                               ("*(volatile int *)8 = 1", "crash")):
            found = self.result(1, "--scenario=go", self.source(text.replace("FAULT", fault)))
            self.assertEqual(finding, found["finding"])

    def test_what_is_not_looked_for_around_conditions_is_said(self):
        path = str(SOURCE / "tests" / "code" / "threads.cc")
        found = self.result(0, "--test=any_stop", "--scenario=a | b", path, "--", "-std=c++20")
        self.assertIn("are looked for in its last iteration only", found["reason"])
        self.assertFalse(found["complete"])

    def test_characters_may_be_written(self):
        """At -O2 glibc's putchar is putc."""
        self.result(0, "--scenario=go", self.source("""
#include <stdio.h>
#include <linchpin/test.h>
static lp_int go(void *o, lp_int v) { (void)o; (void)v; putchar('.'); fputc('.', stdout); return LP_DONE; }
LP_TEST(written, .ops = {{"go", go}});
"""))

    def test_what_alone_may_answer_one_thing_or_another_may_do_so(self):
        """A wait until some time may end because the time has come, or not; a wake-up for no reason is no answer."""
        path = self.source("""
#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static int full;
static lp_int put(void *o, lp_int v) { (void)o; (void)v; pthread_mutex_lock(&lock); full = 1;
  pthread_cond_signal(&came); pthread_mutex_unlock(&lock); return LP_DONE; }
static lp_int timed(void *o, lp_int v) { (void)o; (void)v; struct timespec soon = {1, 0}; pthread_mutex_lock(&lock);
  while (!full && pthread_cond_timedwait(&came, &lock, &soon) == 0) { }
  lp_int got = full ? LP_YES : LP_EMPTY; full = 0; pthread_mutex_unlock(&lock); return got; }
static lp_int once(void *o, lp_int v) { (void)o; (void)v; pthread_mutex_lock(&lock);
  if (!full) pthread_cond_wait(&came, &lock);
  lp_int got = full; full = 0; pthread_mutex_unlock(&lock); return got; }
LP_TEST(timed, .spec = "auto", .ops = {{"put", put}, {"take", timed}});
LP_TEST(once, .spec = "auto", .ops = {{"put", put}, {"take", once}});
""")
        self.assertEqual("holds", self.result(0, "--ops=3", "--test=timed", path)["verdict"])
        found = self.result(1, "--ops=3", "--test=once", path)
        self.assertEqual("not linearizable", found["finding"])

    def test_an_operation_that_may_fail_may_so_beside_others(self):
        path = self.source("""
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int busy, count;
static lp_int inc(void *o, lp_int v) { (void)o; (void)v; if (atomic_exchange(&busy, 1)) return LP_NO;
  lp_int n = ++count; busy = 0; return n; }
LP_TEST(counter, .spec = "auto", .ops = {{"inc", inc, 0, 0, 0, FLAGS}});
""")
        self.assertEqual("inc | inc", self.result(1, path, "--", "-DFLAGS=0")["scenario"])
        self.assertEqual("holds", self.result(0, "--ops=4", path, "--", "-DFLAGS=LP_MAY_FAIL")["verdict"])

    def test_a_compiler_that_is_not_there_is_named(self):
        ran = self.expect(2, "test", STACKS, environment={"CC": "no-such-compiler"})
        self.assertIn("no-such-compiler", ran.err)

    def test_a_deadlock_is_found(self):
        locks = self.source("""
#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static lp_int both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return LP_DONE;
}
static lp_int ab(void *object, lp_int unused) { (void)object; (void)unused; return both(&a, &b); }
static lp_int ba(void *object, lp_int unused) { (void)object; (void)unused; return both(&b, &a); }
static lp_int aa(void *object, lp_int unused) { (void)object; (void)unused; return both(&a, &a); }
LP_TEST(locks, .ops = {{"ab", ab}, {"ba", ba}, {"aa", aa, 0, 0, 0, FLAGS}});
""")
        for scenario in ("ab | ba", "ab; ab | ba", "aa", "ab | ab | ba"):
            for model in ("sc", "tso", "rc11") if scenario == "ab | ba" else ("rc11",):
                found = self.result(1, "--memory-model", model, "--scenario", scenario, locks, "--",
                                    "-DFLAGS=0")
                self.assertEqual(("violated", "deadlock"), (found["verdict"], found["finding"]))
        self.assertIn("waits for a lock at object_test.c:", found["reason"])
        for scenario in ("ab | ab", "ba; ba | ba", "ab | ab | ab"):
            self.assertEqual("holds", self.result(0, "--scenario", scenario, locks, "--",
                                                  "-DFLAGS=0")["verdict"])
        self.assertEqual("holds", self.result(0, "--scenario", "aa", locks, "--",
                                              "-DFLAGS=LP_MAY_WAIT")["verdict"])

    def test_waiting_for_ever_is_found_where_it_is_not_allowed(self):
        waits = self.source("""
#include <linchpin/test.h>
#include <stdatomic.h>
static atomic_int flag;
static lp_int wait_for_it(void *object, lp_int unused)
{
    (void)object;
    (void)unused;
    while (!atomic_load(&flag))
        ;
    return LP_DONE;
}
LP_TEST(waits, .ops = {{"wait", wait_for_it, 0, 0, 0, FLAGS}});
""")
        found = self.result(1, "--scenario", "wait", waits, "--", "-DFLAGS=0")
        self.assertEqual(("violated", "waits for ever"), (found["verdict"], found["finding"]))
        self.assertIn("wait() of thread 1 does not return, and is none that may wait (LP_MAY_WAIT): thread 1 goes "
                      "round at object_test.c:9 and reads 0 from flag, as it was at first", found["reason"])
        self.assertEqual(["thread 1: wait() has not returned"], found["operations"])
        found = self.result(0, "--scenario", "wait", waits, "--", "-DFLAGS=LP_MAY_WAIT")
        self.assertIn("in 1 of the executions operations wait for ever, as they may", found["reason"])
        self.assertEqual((1, 1), (found["blocked"], found["hanging"]))

    def test_operations_that_one_thread_only_calls_are_named(self):
        calls = self.source("""
#include <linchpin/test.h>
static lp_int one(void *object) { (void)object; return 1; }
LP_TEST(calls, .ops = {{"mine", one, 0, 0, 1}, {"all", one}, {"yours", one, 0, 0, 2}});
""")
        names = "; only thread 1 calls mine, only thread 2 yours"
        self.assertIn(names, self.result(0, "--ops=2", calls)["reason"])
        self.assertNotIn(names, self.result(0, "--scenario", "mine | yours", calls)["reason"])

    def test_the_header_of_recorders_may_be_included_too(self):
        test = "static lp_int one(void *o, lp_int v) { (void)o; return v; }\nLP_TEST(one, .ops = {{\"one\", one}});\n"
        includes = ["#include <linchpin/record.h>\n", "#include <linchpin/test.h>\n"]
        flags = ["--", f"-I{SOURCE / 'include'}"]
        for text in ("".join(includes) + test, "".join(reversed(includes)) + test):
            self.result(0, "--scenario", "one", self.source(text), *flags, "-std=c11", "-pedantic-errors",
                        "-D_GNU_SOURCE")
        alone = self.source(includes[0] + "lp_int number = LP_EMPTY;\n", "alone.c")
        self.result(0, "--scenario", "one", alone, self.source(includes[1] + test), *flags)

    def test_larger_scenarios_follow_where_there_is_time(self):
        one = self.source(LOST.replace("int n = count; count = n + 1;", "count++;").replace(', {"read", get}', ""))
        promised = self.result(0, one)
        found = self.result(0, "--total-timeout", "5s", one)
        self.assertEqual(("holds", True, promised["scenarios"]),
                         (found["verdict"], found["complete"], found["scenarios"]))
        self.assertGreater(found["larger"], 0)
        self.assertIn(" larger scenario", found["reason"])
        self.assertNotIn("larger", promised)

    def test_the_set_is_chosen(self):
        one = self.source(LOST.replace("int n = count; count = n + 1;", "count++;"))
        found = self.result(0, "--threads", "2", "--ops", "3", one)
        self.assertIn("every behaviour of up to 3 calls by two threads under rc11", found["reason"])
        # of two operations: one thread 2 + 4 + 8; two threads {a, b} of one call: 3, of two and one: 8
        self.assertEqual(14 + 3 + 8, found["scenarios"])
        found = self.result(0, "--threads", "4", "--ops", "4", one)
        self.assertIn("up to 4 calls by two threads, 4 by three and 4 by four", found["reason"])
        found = self.result(0, "--threads", "1", one)
        self.assertIn("up to 3 calls by one thread", found["reason"])
        self.assertEqual(14, found["scenarios"])
        for words, said in ((["--threads", "8"], "at most 7, found 8"), (["--ops", "17"], "at most 16, found 17"),
                            (["--ops", "3", "--scenario", "inc"], "--scenario")):
            self.assertIn(said, self.expect(2, "test", *words, one).err)

    def test_a_set_that_is_cut_off_is_unknown_and_says_what_was_covered(self):
        found = self.result(3, "--timeout", "3900ms", "--total-timeout", "4s", "--threads=3", "--ops=12", *STACK)
        self.assertEqual(("unknown", False), (found["verdict"], found["complete"]))
        self.assertRegex(found["reason"], r"the total time limit of 4 s was reached in this scenario; every "
                                          r"scenario of up to \d+ calls was gone through")

    def test_a_violation_counts_more_than_what_is_cut_off(self):
        """Some scenario needs more time than it has, a later one is violated."""
        found = self.result(1, "--timeout", "300ms", self.source("""
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int count;
static lp_int slow(void *o, lp_int v) { (void)o; (void)v;
  for (int i = 0; i < 12; i++) atomic_fetch_add(&count, 1);
  return LP_DONE; }
static lp_int wrong(void *o, lp_int v) { (void)o; (void)v; return 7; }
LP_TEST(counter, .spec = "counter", .ops = {{"inc", slow}, {"read", wrong, 0, 0, 2}});
"""), "--", "-O0")
        self.assertEqual(("violated", "not linearizable"), (found["verdict"], found["finding"]))

    def test_operations_of_two_arguments(self):
        path = self.source(MAP)
        self.assertEqual("holds", self.result(0, "--ops", "3", path, "--", "-DKEY=key")["verdict"])
        found = self.result(1, path, "--", "-DKEY=1")
        self.assertEqual(("not linearizable", "put 2 1; get 1"), (found["finding"], found["scenario"]))
        self.assertEqual("thread 1: put(2, 1) -> done", found["operations"][0])
        self.assertEqual("holds", self.result(0, "--scenario", "put 2 5; get 1 | get 2", path, "--",
                                              "-DKEY=key")["verdict"])
        self.assertIn("expected a number from 1 to 2",
                      self.expect(2, "test", "--scenario", "put; get 1", path, "--", "-DKEY=key").err)

    def test_a_class_of_a_namespace_and_methods_of_two_arguments(self):
        path = self.source(OWN_CLASS, "cell.cc")
        self.assertEqual("own::Cell<int>\n", self.expect(0, "test", "--list", path).out)
        found = self.result(0, "--test=own::Cell<int>", "--scenario", "cas 1 2; read | cas 1 1; write 2", path,
                            "--", "-O2", "-Wall", "-Werror")
        self.assertEqual("holds", found["verdict"])
        wrong = OWN_CLASS.replace('LP_METHOD2(C, "cas", cas, 0, 1, 1, 2)', 'LP_METHOD(C, "cas", cas)')
        self.assertIn("the method has two arguments: LP_METHOD2",
                      self.expect(2, "test", self.source(wrong, "cell.cc")).err)

    def test_clients_keep_to_the_order_of_the_specification(self):
        locks = str(SOURCE / "tests" / "code" / "locks.c")
        for name in ("mutex", "permit"):
            found = self.result(0, "--test", name, locks)
            self.assertIn("threads call in the order that", found["reason"])
        # alone one to three calls, two threads of a to b calls with at most 7, three with at most 6
        self.assertEqual(3 + sum(1 for a in range(1, 7) for b in range(1, a + 1) if a + b <= 7) +
                         sum(1 for a in range(1, 5) for b in range(1, a + 1) for c in range(1, b + 1)
                             if a + b + c <= 6), self.result(0, "--test=mutex", locks)["scenarios"])
        self.assertEqual(("not linearizable", "acquire | acquire"),
                         tuple(self.result(1, "--test=two_inside", locks)[key] for key in ("finding", "scenario")))
        self.assertEqual(("waits for ever", "acquire; release; acquire"),
                         tuple(self.result(1, "--test=stays_held", locks)[key] for key in ("finding", "scenario")))
        found = self.result(1, "--test=mutex", "--scenario", "release", locks)
        self.assertIn("no order of these calls is legal for mutex", found["reason"])
        found = self.result(1, "--test=mutex", "--scenario", "acquire | release", locks)
        self.assertIn("threads do not call in the order that mutex asks of clients", found["reason"])

    def test_what_no_order_explains_is_left_out(self):
        """A cell that must be full to be read, of which the specification says so in .lin."""
        self.file("cell.lin", "spec cell {\n    bool full = false;\n    op fill() { full = true; return ok; }\n"
                              "    op look() { assume (full); return ok; }\n}\n")
        path = self.source("""
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int full;
static lp_int fill(void *o, lp_int v) { (void)o; (void)v; full = 1; return LP_DONE; }
static lp_int look(void *o, lp_int v) { (void)o; (void)v; return full, LP_DONE; }
LP_TEST(cell, .spec = "cell.lin:cell", .ops = {{"fill", fill}, {"look", look, 0, 0, 0, FLAGS}});
""")
        found = self.result(0, "--threads=1", path, "--", "-DFLAGS=0")
        # of one to three calls those that begin with look
        self.assertEqual((7, 7), (found["scenarios"], found["left_out"]))
        self.assertIn("; 7 scenarios were left out: no order of their calls is legal for cell.lin:cell", found["reason"])
        found = self.result(1, "--threads=1", path, "--", "-DFLAGS=LP_MAY_WAIT")
        self.assertEqual("look", found["scenario"])

    def test_what_waits_in_the_specification_may_wait_only_there(self):
        """A flag that answers no to who waits for it once it is closed; closing it may wake nobody."""
        self.file("flag.lin", "spec flag {\n    bool closed = false;\n    op close() { closed = true; return ok; }\n"
                              "    op take() { await (closed); return false; }\n}\n")
        path = self.source("""
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int closed;
static lp_int do_close(void *o, lp_int v) { (void)o; (void)v; closed = RIGHT; return LP_DONE; }
static lp_int take(void *o, lp_int v) { (void)o; (void)v; while (!closed) { } return LP_NO; }
LP_TEST(flag, .spec = "flag.lin:flag", .ops = {{"close", do_close}, {"take", take, 0, 0, 0, FLAGS}});
""")
        def both(status, right, flags):
            return self.result(status, "--scenario", "take | close", path, "--", f"-DRIGHT={right}", f"-DFLAGS={flags}")
        self.assertEqual("holds", both(0, 1, 0)["verdict"])
        found = both(1, 0, 0)
        self.assertEqual("waits for ever", found["finding"])
        self.assertIn("may wait only where flag.lin:flag has no answer", found["reason"])
        self.assertEqual("holds", both(0, 0, "LP_MAY_WAIT")["verdict"])

    def test_specifications_in_c_and_the_code_itself_decide_as_those_that_are_built_in(self):
        path = str(SOURCE / "tests" / "code" / "functions.c")
        same = ("verdict", "finding", "scenario", "executions", "blocked", "hanging", "operations", "client")
        random.seed(SEED)
        for model in ("rc11", random.choice(("tso", "sc"))):
            for wrong in (0, 1):
                for name, *words in (("counter", "--ops=3"), ("queue", "--ops=3"), ("map", "--ops=3", "--threads=2"),
                                     ("mutex", "--scenario=acquire; release; acquire")):
                    built_in, in_c, auto = (
                        self.result(wrong if kind != "auto" or name != "mutex" else 0, "--memory-model", model, "--test",
                                    name + "_" + kind, *words, path, "--", "-DWRONG" if wrong else "-DRIGHT")
                        for kind in ("built_in", "in_c", "auto"))
                    self.assertEqual([built_in.get(key) for key in (*same, "histories")],
                                     [in_c.get(key) for key in (*same, "histories")], name)
                    if not wrong or name != "mutex":  # that is wrong alone, too
                        self.assertEqual([built_in.get(key) for key in same], [auto.get(key) for key in same], name)
                    self.assertEqual(("functions in C", "auto"), (in_c["spec"], auto["spec"]))
        # of 14 those that begin with a release, or in which one is behind another; acquire may wait
        found = self.result(0, "--threads=1", "--test=mutex_in_c", path)
        self.assertEqual((6, 8), (found["scenarios"], found["left_out"]))
        found = self.result(1, "--scenario=release", "--test=mutex_in_c", path)
        self.assertIn("no order of these calls is legal", found["reason"])

    def test_an_answer_may_be_one_of_several(self):
        path = str(SOURCE / "examples" / "code" / "ids.c")
        self.assertEqual("holds", self.result(0, "--test=ids", "--ops=3", path)["verdict"])
        found = self.result(1, "--test=ids_in_two_steps", path)
        self.assertEqual(("not linearizable", "take | take"), (found["finding"], found["scenario"]))

    def test_done_is_an_answer_where_functions_in_c_have_others(self):
        path = self.source("""
#include <linchpin/test.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken;
static lp_int claim(void *o, lp_int v) { (void)o; (void)v; pthread_mutex_lock(&lock); int was = taken; BETWEEN
  taken = 1; pthread_mutex_unlock(&lock); return was ? DECLINED : LP_DONE; }
static int step(void *state, const lp_sequential_call *c, lp_int *result) { (void)c; unsigned char *is_taken = state;
  if (*is_taken) *result = DECLINED;
  *is_taken = 1; return 1; }
static const lp_sequential once = {.size = 1, .step = step};
LP_TEST(once, .ops = {{"claim", claim}}, .sequential = &once);
""")
        between = "pthread_mutex_unlock(&lock); pthread_mutex_lock(&lock);"
        for declined in ("LP_NO", "LP_EMPTY", "7"):
            given = [path, "--", "-DDECLINED=" + declined]
            self.assertEqual("holds", self.result(0, "--ops=4", *given, "-DBETWEEN=")["verdict"])
            self.assertEqual("claim | claim", self.result(1, *given, "-DBETWEEN=" + between)["scenario"])

    def test_specifications_in_c_that_cannot_be_used_are_refused(self):
        text = LOST.replace('.spec = "counter", ', "").replace('get}}', 'get}}, .sequential = &own').replace(
            "LP_TEST", "static int step(void *s, const lp_sequential_call *c, lp_int *r)\n"
                       "{ (void)s; (void)c; (void)r; return 1; }\n"
                       "static const lp_sequential own = {OWN};\nLP_TEST")
        for own, said in (("4, 0, 0, 0", "expected a function step, found a null pointer"),
                          ("5000, 0, step, 0", "expected a state of at most 4096 bytes"),
                          ("4, 0, step, 2000", "expected at most 1024 choices")):
            self.assertIn(said, self.expect(2, "test", self.source(text.replace("OWN", own))).err)
        both = text.replace("OWN", "4, 0, step, 0").replace(".ops", '.spec = "counter", .ops', 1)
        for command in ("test", "stress"):
            self.assertIn("expected no .spec beside .sequential", self.expect(2, command, self.source(both)).err)

    def test_what_is_called_once_is_called_once(self):
        text = """#include <assert.h>
#include <stdatomic.h>
#include <linchpin/test.h>
static atomic_int closed;
static lp_int look(void *o, lp_int v) { (void)o; (void)v; return LP_DONE; }
static lp_int close_it(void *o, lp_int v) { (void)o; (void)v; assert(atomic_fetch_add(&closed, 1) == 0); return LP_DONE; }
static void *setup(void) { atomic_store(&closed, 0); return 0; }
LP_TEST(channel, .setup = setup, .ops = {{"look", look}, {"close", close_it, .flags = FLAGS}});
"""
        once = self.source(text.replace("FLAGS", "LP_ONCE"))
        found = self.result(0, "--threads=2", "--ops=3", once)
        # look once; twice, by one thread or two; three times, so too; close in one of these places, but for symmetry:
        # 1 thread: lengths 1, 2, 3 with or without close: 2 + 3 + 4; 2 threads: look | look, look | close; of three
        # calls as 2 | 1: none, in each of two places of the first, in the second
        self.assertEqual((2 + 3 + 4) + 2 + 4, found["scenarios"])
        self.assertIn("only one call may be of it", self.expect(2, "test", "--scenario", "close | close", once).err)
        self.result(0, "--scenario", "close | look; look", once)
        self.expect(3, "stress", "--rounds=300", "--threads=3", once)  # no violation, but no specification either
        self.result(1, "--scenario", "close | close", self.source(text.replace("FLAGS", "0")))

    def test_operations_that_cannot_be_called_are_refused(self):
        for operation, said in (('{"inc", 0}', "operation inc: expected a function to call"),
                                ('{"inc", inc, 5, 2}', "operation inc: expected a range from a number up to "
                                                       "another, or LP_FRESH, found 5 to 2"),
                                ('{"inc", inc, 0, 0, 9}', "operation inc: expected only_thread from 1 to 7"),
                                ('{"inc", inc, LP_FRESH, LP_MAY_FAIL | LP_ONCE}',
                                 "operation inc: expected the only thread that may call it in front of its flags"),
                                ('{"inc", inc, 0, LP_MAY_FAIL}', "operation inc: expected the range of its argument"),
                                ('{"inc", inc, LP_MAY_WAIT}', "operation inc: expected the range of its argument"),
                                ('LP_OP2("inc", (void *)inc, 1, 2, 1, LP_ONCE)',
                                 "operation inc: expected the range of its argument"),
                                ('{"inc", inc, 0, 0, 0, 8}', "operation inc: expected flags"),
                                ('{"inc", inc, .from2 = 1}', "operation inc: has a range for a second"),
                                ('{"inc", inc, .run2 = (void *)inc}', "operation inc: expected run, or run2"),
                                ('{0}', "test counter has no operations")):
            path = self.source(LOST.replace('{"inc", inc}, {"read", get}', operation))
            for command in ("test", "stress"):
                self.assertIn(said, self.expect(2, command, path).err)

    def test_a_limit_never_holds(self):
        found = self.result(3, "--timeout", "100ms", "--scenario",
                            "push; pop; push; pop | push; pop; push; pop | push; pop; push; pop", *STACK)
        self.assertEqual(("unknown", False), (found["verdict"], found["complete"]))

    def test_a_loop_that_asks_nobody_keeps_the_limit(self):
        path = self.source('#include <linchpin/test.h>\n'
                           'static lp_int a(void *o, lp_int v) { (void)o; (void)v; for (;;) __asm__ volatile(""); '
                           'return LP_DONE; }\nLP_TEST(t, .ops = {{"a", a}});\n')
        found = self.expect(3, "test", "--timeout=200ms", "--scenario=a", path).out
        self.assertIn("the time limit of 200 ms was reached", found)


main()
