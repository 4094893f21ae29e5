#!/usr/bin/env python3
"""Which member of a structure linchpin test tells in the steps of an execution of real code.

Random structures in C and C++, with an access to a member on each line: what is told must be what
stands in the source. With LINCHPIN_SEED and LINCHPIN_PROGRAMS in the environment others are taken."""
import json
import os
import random

from program import Case, main

C = {"leaves": ["char", "short", "int", "long", "void *", "unsigned char"], "atomic": "_Atomic({})",
     "store": "atomic_store(&{}, 0);", "head": "#include <stdatomic.h>\n#include <assert.h>\n#include <stdlib.h>\n"
     "#include <pthread.h>\n#include <linchpin/test.h>\n"}
CPP = dict(C, atomic="std::atomic<{}>", store="{}.store(0);",
           head="#include <atomic>\n#include <cassert>\n#include <linchpin/test.h>\n")

# What is not told by a name: nobody says of what type it is, two types do, parts of the library.
UNKNOWN = """\
struct pair { _Atomic(int) first, second; };
struct point { _Atomic(int) x, y; };
static struct { _Atomic(struct pair *) pair; _Atomic(struct point *) point; _Atomic(void *) any; } all;
static struct { long before; union { _Atomic(int) number; _Atomic(unsigned) bits; } either;
                pthread_mutex_t lock; _Atomic(int) *inside; _Atomic(_Atomic(int) *) address; } some;
static void *allocate(void) { return calloc(2, 4); }
static lp_int run(void *o, lp_int v) { (void)o; (void)v;
    struct pair *one, *two, *three, *four;
    one = allocate();
    atomic_store(&all.any, one);
    atomic_store(&one->second, 1);
    two = allocate();
    atomic_store(&all.pair, two);
    atomic_store(&all.point, (struct point *)(void *)two);
    atomic_store(&two->second, 2);
    three = allocate();
    atomic_store(&three->second, 3);
    atomic_store(&all.pair, three);
    atomic_store(&some.either.bits, 4);
    pthread_mutex_lock(&some.lock);
    atomic_store(&some.address, &three->second);
    assert(0);
    return LP_DONE; }
LP_TEST(unknown, .ops = {{"run", run}});
"""

UNKNOWN_STORES = [("all.any", "block 1 of unknown.c:11"), ("block 1 of unknown.c:11+4", "1"),
                  ("all.pair", "block 2 of unknown.c:11"), ("all.point", "block 2 of unknown.c:11"),
                  ("block 2 of unknown.c:11+4", "2"), ("block 3 of unknown.c:11->second", "3"),
                  ("all.pair", "block 3 of unknown.c:11"), ("some.either", "4"),
                  ("some.address", "&block 3 of unknown.c:11->second")]


class Members(Case):
    seed = int(os.environ.get("LINCHPIN_SEED", "1"))
    programs = int(os.environ.get("LINCHPIN_PROGRAMS", "4"))

    def run_source(self, name, text, compiler, *flags):
        path = self.file(name, text)
        variables = {"CC": compiler, "CXX": {"gcc": "g++", "clang": "clang++"}[compiler]}
        ran = self.expect(1, "test", "--json", "--scenario", "run", path, "--", *flags, environment=variables)
        return json.loads(ran.out)["trace"]

    def struct(self, draw, language, number, known):
        """The text of structure number `number`, and its accesses below it: (".a.b[1]", as it is told)."""
        fields, paths = [], []
        base = ""
        if language is CPP and known and draw.random() < 0.4:
            parent = draw.choice(list(known))
            base = f" : {parent}"
            paths += known[parent]
        for i in range(draw.randint(1, 4)):
            name, kind = f"m{number}_{i}", draw.random()
            dimensions = [draw.randint(1, 3) for _ in range(draw.choice([0, 0, 1, 2]))]
            index = "".join(f"[{draw.randrange(n)}]" for n in dimensions)
            counts = "".join(f"[{n}]" for n in dimensions)
            if kind < 0.35 and known:
                inner = draw.choice(list(known))
                keyword = "struct " if language is C else ""
                fields.append(f"{keyword}{inner} {name}{counts};")
                paths += [(f".{name}{index}{path}", f".{name}{index}{told}") for path, told in known[inner]]
            elif kind < 0.5:  # of a union what is as large as all of it is told, or else the union
                atomic = language["atomic"]
                fields.append(f"union {{ {atomic.format('char')} c; {atomic.format('long')} l; }} {name}{counts};")
                paths.append(draw.choice([(f".{name}{index}.l", f".{name}{index}.l"),
                                          (f".{name}{index}.c", f".{name}{index}")]))
            elif kind < 0.6:
                fields.append(f"struct {{ {language['atomic'].format('int')} {name}; }};" if language is C else
                              f"struct {{ {language['atomic'].format('int')} i; }} {name};")
                paths.append((f".{name}",) * 2 if language is C else (f".{name}.i",) * 2)
            elif kind < 0.7:
                fields.append(f"unsigned {name}b : 3; {language['atomic'].format('short')} {name};")
                paths.append((f".{name}",) * 2)
            else:
                fields.append(f"{language['atomic'].format(draw.choice(language['leaves']))} {name}{counts};")
                paths.append((f".{name}{index}",) * 2)
        return f"struct S{number}{base} {{ {' '.join(fields)} }};\n", paths

    def make(self, draw, language, name):
        """A program, and what is told of its lines."""
        known, text = {}, language["head"]
        for number in range(draw.randint(1, 4)):
            struct, paths = self.struct(draw, language, number, known)
            known[f"S{number}"] = paths
            text += struct
        whole = list(known)[-1]
        keyword = "struct " if language is C else ""
        text += f"{keyword}{whole} one;\n{keyword}{whole} several[3];\nvoid *known[2];\n"
        text += "static lp_int run(void *o, lp_int v) { (void)o; (void)v;\n"
        made = text.count("\n") + 1
        one = "malloc(sizeof *block)" if language is C else f"new {whole}"
        four = "malloc(4 * sizeof *array)" if language is C else f"new {whole}[4]"
        text += f"    {keyword}{whole} *block = {one};\n    {keyword}{whole} *array = {four};\n"
        text += "    known[0] = block; known[1] = array;\n"  # what nobody else knows clang does not show
        line, lines = made + 3, {}
        for _ in range(24):
            path, told = draw.choice(known[whole])
            expression, start = draw.choice([
                ("one", "one"), (f"several[{line % 3}]",) * 2, ("(*block)", f"block 1 of {name}:{made}"),
                (f"array[{line % 4}]", f"block 1 of {name}:{made + 1}[{line % 4}]")])
            if expression == "(*block)":
                told = f"->{told[1:]}"
            text += "    " + language["store"].format(expression + path) + "\n"
            lines[line] = start + told
            line += 1
        text += "    assert(0);\n    return LP_DONE; }\n"
        return text + ("LP_TEST(random, .ops = {{\"run\", run}});\n"), lines

    def test_members_of_random_structures_are_told_by_their_names(self):
        for seed in range(self.seed, self.seed + self.programs):
            for language, name in ((C, "random.c"), (CPP, "random.cc")):
                draw = random.Random(seed)
                text, lines = self.make(draw, language, name)
                compiler, flag = draw.choice(["gcc", "clang"]), draw.choice(["-O2", "-O1", "-gdwarf-4", "-O0" if language is C else "-O3"])
                with self.subTest(seed=seed, name=name, compiler=compiler, flag=flag):
                    trace = self.run_source(name, text, compiler, flag)
                    told = {step["line"]: step["location"] for step in trace if step["access"].startswith("store")}
                    self.assertEqual(lines, told, text)

    def test_what_has_no_name_is_told_by_its_offset(self):
        for compiler in ("gcc", "clang"):
            trace = self.run_source("unknown.c", C["head"] + UNKNOWN, compiler)
            self.assertEqual(UNKNOWN_STORES, [(step["location"], step["value"]) for step in trace
                                              if step["access"].startswith("store")])
            self.assertIn(("lock", "some.lock"), [(step["access"], step.get("location")) for step in trace])

    def test_elements_of_a_std_array_are_told_as_those_of_an_array(self):
        text = CPP["head"] + """\
#include <array>
struct Cell { long sequence; std::atomic<int> value; };
std::array<Cell, 3> cells;
struct Grid { std::array<std::array<std::atomic<int>, 2>, 2> grid; } all;
static lp_int run(void *, lp_int)
{
    cells[2].value.store(1);
    all.grid[1][0].store(2);
    assert(0);
    return LP_DONE;
}
LP_TEST(arrays, .ops = {{"run", run}});
"""
        for compiler in ("gcc", "clang"):
            trace = self.run_source("arrays.cc", text, compiler)
            self.assertEqual(["cells[2].value", "all.grid[1][0]"],
                             [step["location"] for step in trace if step["access"].startswith("store")])


main()
