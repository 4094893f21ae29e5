#!/usr/bin/env python3
"""The order in which `.lin` evaluates what changes the state: on random expressions, the one that the language's page says, from left to
right, by a Python of its own; in the interpreter, in compiled steps, in linchpin-recheck and in specifications.

COUNT random models, from SEED on: COUNT=1000 SEED=7 tests/cli/test_evaluation.py PROGRAM SOURCE"""
import json
import os
import random

from program import main
from proofs import ProofCase

SEED = int(os.environ.get("SEED", "1"))
COUNT = int(os.environ.get("COUNT", "30"))
LARGE = 10 ** 6


class State:
    def __init__(self):
        self.n, self.m, self.b = 0, 5, [1, 2]


def remainder(a, b):
    """C's."""
    return abs(a) % b * (1 if a >= 0 else -1)


def add(state, name, number):
    before = getattr(state, name)
    setattr(state, name, before + number)
    return before


def swap(state, place, number):
    before = state.n if place is None else state.b[place]
    if place is None:
        state.n = number
    else:
        state.b[place] = number
    return before


def cas(state, old, new):
    if state.n != old:
        return 2
    state.n = new
    return 1


def call(state, x, y):
    state.n = remainder(state.n * 4 + x * 3 + y, 997)
    return state.n % 5 if x == y else x - y


def leaf(r, calls):
    number = r.randrange(1, 4)
    return r.choice([("n", lambda s: s.n), ("m", lambda s: s.m), (str(number), lambda s: number)] +
                    3 * [("f(%d, 1)" % number, lambda s: call(s, number, 1)) if calls else
                         ("fetch_add(n, %d)" % number, lambda s: add(s, "n", number))])


def compare(operator, one, two):
    return {"==": one == two, "!=": one != two, "<": one < two, ">=": one >= two}[operator]


def make(r, depth, calls):
    """An expression, and what it does."""
    if depth == 0 or r.random() < 0.2:
        return leaf(r, calls)
    (a, one), (b, two), (c, three) = (make(r, depth - 1, calls) for _ in range(3))
    operator, relation = r.choice("+-*"), r.choice(["==", "!=", "<", ">="])
    plain = [
        ("((%s) %s (%s))" % (a, operator, b),
         lambda s: {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}[operator](one(s), two(s))),
        ("((%s) %s (%s) ? 1 : 3)" % (a, relation, b), lambda s: 1 if compare(relation, one(s), two(s)) else 3),
        ("((%s) > 1 && (%s) > 1 ? 4 : 2)" % (a, b), lambda s: 4 if one(s) > 1 and two(s) > 1 else 2),
        ("((%s) > 1 || (%s) > 1 ? 4 : 2)" % (a, b), lambda s: 4 if one(s) > 1 or two(s) > 1 else 2),
        ("((%s) > 1 ? (%s) : (%s))" % (a, b, c), lambda s: two(s) if one(s) > 1 else three(s)),
        ("b[(%s) > 1 ? 1 : 0]" % a, lambda s: s.b[one(s) > 1])]
    called = [("f((%s) %% 4, (%s) %% 3)" % (a, b), lambda s: call(s, remainder(one(s), 4), remainder(two(s), 3)))]
    shared = [
        ("fetch_add(m, %s)" % a, lambda s: add(s, "m", one(s))),
        ("swap(n, (%s) %% 7)" % a, lambda s: swap(s, None, remainder(one(s), 7))),
        ("swap(b[(%s) > 1 ? 1 : 0], (%s) %% 7)" % (a, b), lambda s: swap(s, one(s) > 1, remainder(two(s), 7))),
        ("(cas(n, (%s) %% 7, (%s) %% 7) ? 1 : 2)" % (a, b),
         lambda s: cas(s, remainder(one(s), 7), remainder(two(s), 7)))]
    return r.choice(plain + 3 * called if calls else plain + 2 * shared)


def number(value):
    return str(value) if value >= 0 else "(0 - %d)" % -value


def body(r, calls):
    """Statements that say what comes of them; None: a number becomes large."""
    state, text = State(), " n = 0; m = 5; b[0] = 1; b[1] = 2;"
    for i in range(3):
        (value, evaluate), (index, find) = make(r, r.randrange(1, 3), calls), make(r, 1, calls)
        if r.random() < 0.3:
            at = find(state) > 1  # what is stored to is found first
            state.b[at] = remainder(evaluate(state), 50)
            text += " b[(%s) > 1 ? 1 : 0] = (%s) %% 50; assert (b[%d] == %s);" % (index, value, at, number(state.b[at]))
        else:
            found = evaluate(state)
            if max(abs(found), abs(state.n), abs(state.m)) > LARGE:
                return None
            text += " int x%d = %s; assert (x%d == %s);" % (i, value, i, number(found))
    return text + " assert (n == %s && m == %s && b[0] == %s && b[1] == %s);" % tuple(
        map(number, (state.n, state.m, *state.b)))


FUNCTION = " int f(int x, int y) { n = (n * 4 + x * 3 + y) % 997; return x == y ? n % 5 : x - y; }\n"


def bodies(calls):
    found = (body(random.Random(SEED + i), calls) for i in range(COUNT))
    return [each for each in found if each]


def implementation(name, text, function=""):
    return ("impl %s {\n shared int n; shared int m; shared int b[2]; shared value x;\n%s"
            " op read() { atomic {%s return x; } }\n op write(value v) { x = v; }\n}\n"
            "assert %s linearizes register with threads = 2, ops = 1;\n" % (name, function, text, name))


class Evaluation(ProofCase):
    command = "verify"

    def test_what_is_read_and_written_at_once(self):
        made = bodies(False)
        self.file("m.lin", "".join(implementation("t%d" % i, each) for i, each in enumerate(made)))
        told, _ = self.prove("--reduce=none", "--engine=bytecode", "m.lin")
        self.assertEqual([(each["verdict"], each["proof"]) for each in told], [("holds", "written")] * len(made))
        self.recheck(0, "proof")
        self.native(made)

    def test_functions(self):
        made = bodies(True)
        self.file("m.lin", "".join(implementation("t%d" % i, each, FUNCTION) for i, each in enumerate(made)))
        told = self.expect(0, "verify", "--json", "--engine=bytecode", "m.lin").objects()
        self.assertEqual([each["verdict"] for each in told], ["holds"] * len(made))
        self.native(made, FUNCTION)
        self.file("s.lin", "spec s {\n int n; int m; int b[2];\n%s%s}\n" % (FUNCTION, "".join(
            " op t%d() {%s }\n" % each for each in enumerate(made))))
        self.file("h", "".join(json.dumps({"process": 0, "type": kind, "f": "t%d" % i, "value": None}) + "\n"
                               for i in range(len(made)) for kind in ("invoke", "ok")))
        self.expect(0, "check", "--spec", "s.lin", "h")

    def native(self, made, function=""):
        """All in one model, which the compiler takes once."""
        self.file("n.lin", implementation("all", "".join(" {%s }" % each for each in made), function))
        self.expect(0, "verify", "--engine=native", "n.lin")

    def test_fields(self):
        """The node whose field it is comes first, too."""
        self.file("m.lin", "impl t {\n struct item { int v; item next; }\n shared item top; shared value x;\n"
                  " op read() { atomic { item p = new item; item q = new item; top = p;\n"
                  " top.v = (swap(top, q) == p ? 1 : 2); assert (p.v == 1 && q.v == 0); top = p;\n"
                  " top.next = (cas(top, p, q) ? q : p); assert (p.next == q && q.next == null); top = p;\n"
                  " int a = top.v + (swap(top, q) == p ? 10 : 20) + top.v; assert (a == 11); top = null; return x; } }\n"
                  " op write(value v) { x = v; }\n}\nassert t linearizes register with threads = 2, ops = 1;\n")
        told, _ = self.prove("--reduce=none", "--engine=bytecode", "m.lin")
        self.assertEqual(told[0]["proof"], "written")
        self.recheck(0, "proof")
        self.expect(0, "verify", "--engine=native", "m.lin")

    def test_indices(self):
        """Of several the first comes first; what an update names is evaluated twice, everywhere."""
        function = " int g(int d) { n = n * 10 + d; return d; }\n"
        made = (("c[g(1)][g(0)] = g(2);", 102), ("n = c[g(1)][g(0)] + n;", 10), ("b[g(1)] += g(2);", 112),
                ("b[g(1)]++;", 11), ("c[g(1)][g(0)] = b[g(1)] + g(2);", 1012), ("n = 1; b[n] = g(0); n = b[1];", 0))
        text = "".join(" {%s assert (%sn == %d); n = 0; b[1] = 7; c[1][0] = 0; }" %
                       (text, "b[1] == 0 && " if text.startswith("n = 1") else "", expected) for text, expected in made)
        self.file("s.lin", "spec s {\n int n; int b[2]; int c[2][2];\n%s op t() {%s }\n}\n"
                  "impl t {\n shared int n; shared int b[2]; shared int c[2][2];\n%s op t() { atomic {%s } }\n}\n"
                  "assert t linearizes s with threads = 1, ops = 1;\n" % (function, text, function, text))
        for engine in "bytecode", "native":
            self.expect(0, "verify", "--engine", engine, "s.lin")


if __name__ == "__main__":
    main()
