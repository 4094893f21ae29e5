#!/usr/bin/env python3
"""Memory orders that an atomic access may not have, by C (7.17.7) and C++ ([atomics.types.operations]): linchpin test
says where they are given; every access is tried with every order."""
import json

from program import Case, main

ORDERS = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"]

# access: the orders that it may not have, what is said of it, and the code in C and C++ ({0} is the order)
ACCESSES = {
    "load": (["release", "acq_rel"], "a load with memory_order_{}",
             "return atomic_load_explicit(&x, memory_order_{0});", "return x.load(std::memory_order_{0});"),
    "store": (["consume", "acquire", "acq_rel"], "a store with memory_order_{}",
              "atomic_store_explicit(&x, 1, memory_order_{0}); return LP_DONE;",
              "x.store(1, std::memory_order_{0}); return LP_DONE;"),
    "fail": (["release", "acq_rel"], "a compare-exchange that fails with memory_order_{}",
             "int w = 0; return atomic_compare_exchange_strong_explicit(&x, &w, 1, memory_order_seq_cst, memory_order_{0});",
             "int w = 0; return x.compare_exchange_strong(w, 1, std::memory_order_seq_cst, std::memory_order_{0});"),
    "add": ([], None, "return atomic_fetch_add_explicit(&x, 1, memory_order_{0});",
            "return x.fetch_add(1, std::memory_order_{0});"),
    "fence": ([], None, "atomic_thread_fence(memory_order_{0}); return LP_DONE;",
              "std::atomic_thread_fence(std::memory_order_{0}); return LP_DONE;"),
    "wide": (["consume", "acquire", "acq_rel"], "a store with memory_order_{}",
             "atomic_store_explicit(&y, ((struct wide){{1, 2}}), memory_order_{0}); return LP_DONE;",
             "y.store(wide{{1, 2}}, std::memory_order_{0}); return LP_DONE;"),
}

HEAD_C = "#include <stdatomic.h>\n#include <linchpin/test.h>\nstruct wide { long one, other; };\n" \
         "static atomic_int x; static _Atomic(struct wide) y;\n"
HEAD_CPP = "#include <atomic>\n#include <linchpin/test.h>\nstruct wide { long one, other; };\n" \
           "static std::atomic<int> x; static std::atomic<wide> y;\n"


def program(cpp, pairs):
    """Its text: an operation for each access with each order; lines are numbered from 5 on."""
    text = HEAD_CPP if cpp else HEAD_C
    for access, order in pairs:
        body = ACCESSES[access][3 if cpp else 2].format(order)
        text += f"static lp_int {access}_{order}(void *o, lp_int v) {{ (void)o; (void)v; {body} }}\n"
    operations = ", ".join(f'{{"{access}_{order}", {access}_{order}}}' for access, order in pairs)
    return text + f"LP_TEST(orders, .ops = {{{operations}}});\n"


PAIRS = [(access, order) for access in ACCESSES for order in ORDERS]


class Orders(Case):
    def holds(self, cpp, compiler):
        """Nothing is said of what is allowed: each operation alone."""
        allowed = [(access, order) for access, order in PAIRS if order not in ACCESSES[access][0]]
        for first in range(0, len(allowed), 16):  # as many operations as a test has
            path = self.file("allowed.cc" if cpp else "allowed.c", program(cpp, allowed[first:first + 16]))
            ran = self.expect(0, "test", "--json", "--threads=1", "--ops=1", path,
                              environment={"CXX" if cpp else "CC": compiler})
            self.assertEqual(len(allowed[first:first + 16]), json.loads(ran.out)["scenarios"])

    def is_told(self, cpp, compiler):
        """What is not allowed is told where it stands."""
        name = "orders.cc" if cpp else "orders.c"
        wrong = [(access, order) for access, order in PAIRS if order in ACCESSES[access][0]]
        path = self.file(name, program(cpp, wrong))
        for line, (access, order) in enumerate(wrong, 5):
            with self.subTest(access=access, order=order, compiler=compiler):
                ran = self.expect(1, "test", "--json", "--scenario", f"{access}_{order}", path,
                                  environment={"CXX" if cpp else "CC": compiler})
                found = json.loads(ran.out)
                self.assertEqual("misuse", found["finding"])
                self.assertEqual("misuse: thread 1 does what C and C++ leave undefined, "
                                 f"{ACCESSES[access][1].format(order)} at {name}:{line}", found["reason"])

    def test_gcc_hands_orders_over(self):
        for cpp, compiler in ((False, "gcc"), (True, "g++")):
            self.holds(cpp, compiler)
            self.is_told(cpp, compiler)

    def test_clang_refuses_what_it_would_leave_out(self):
        self.holds(False, "clang")
        self.holds(True, "clang++")
        for access, order in PAIRS:
            if order in ACCESSES[access][0] and access in ("load", "store"):
                path = self.file("refused.c", program(False, [(access, order)]))
                self.assertIn("refused.c:5:", self.expect(2, "test", path, environment={"CC": "clang"}).err)

    def test_the_library_of_cpp_looks_for_clang(self):
        for access in ("load", "store", "fail"):
            pairs = [(access, order) for order in ACCESSES[access][0]]
            path = self.file("looked.cc", program(True, pairs))
            for pair in pairs:
                ran = self.expect(1, "test", "--json", "--scenario", "_".join(pair), path, "--", "-D_GLIBCXX_ASSERTIONS",
                                  environment={"CXX": "clang++"})
                self.assertEqual("failed assertion", json.loads(ran.out)["finding"])


main()
