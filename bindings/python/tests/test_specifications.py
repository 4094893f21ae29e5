"""Specifications written in Python."""
import threading

import support
from support import Queue, is_linearizable, random_rows

import linchpin
from linchpin import Impossible, Specification, SpecificationError


class Fifo(Specification):
    initial = ()

    def enqueue(self, state, value):
        return state + (value,), None

    def dequeue(self, state):
        return (state[1:], state[0]) if state else (state, None)


class Stepped(Specification):
    operations = ("enqueue", "dequeue")

    def initial(self):
        return ()

    def step(self, state, operation, argument):
        if operation == "enqueue":
            return state + (argument,), None
        return (state[1:], state[0]) if state else (state, None)


class Works(support.Case):
    def test_random_histories_are_decided_as_by_the_definition(self):
        violations = 0
        for seed in range(150):
            rows = random_rows(seed, "enqueue", "dequeue", (1, 2, 3))
            expected = is_linearizable(rows, Queue)
            for spec in (Fifo, Fifo(), Stepped):
                result = linchpin.check(rows, spec)
                self.assertEqual(result.linearizable, expected, "seed %d: %r" % (seed, rows))
            violations += not expected
        self.assertTrue(0 < violations < 150)

    def test_states_that_python_takes_for_equal_are_told_apart(self):
        class Register(Specification):
            def write(self, state, value):
                return value, None

            def read(self, state):
                return state, state

        class Log(Specification):
            initial = ()

            def write(self, state, value):
                return state + (value,), None

            def read(self, state):
                return state, state[-1]

        alike = [(1, True), (0, False), ((1, "a"), (True, "a")), (((0,),), ((False,),)),
                 (frozenset([0]), frozenset([False])), ({"a": 1}, {"a": True})]
        for first, second in alike + [(second, first) for first, second in alike]:
            rows = [(0, "write", first, None, 0, 1), (0, "write", second, None, 2, 3),
                    (1, "read", None, second, 4, 5)]
            for spec in (Register, Log, "register"):
                self.assertTrue(linchpin.check(rows, spec).linearizable, (first, second))
            rows[2] = (1, "read", None, first, 4, 5)
            for spec in (Register, Log, "register"):
                self.assertFalse(linchpin.check(rows, spec).linearizable, (first, second))
        # both writes at once lead to logs that differ in one such value
        both = [(0, "write", 1, None, 0, 9), (1, "write", True, None, 0, 9)]
        for last in (1, True):
            rows = both + [(2, "read", None, last, 10, 11)]
            self.assertTrue(linchpin.check(rows, Log).linearizable, last)

    def test_what_cannot_happen(self):
        class Lock(Specification):
            initial = False

            def acquire(self, held):
                if held:
                    raise Impossible
                return True, None

            def release(self, held):
                if not held:
                    raise Impossible
                return False, None
        twice = [(0, "acquire", None, None, 0, 1), (1, "acquire", None, None, 2, 3)]
        self.assertEqual(linchpin.check(twice, Lock).verdict, "violation")
        between = twice[:1] + [(0, "release", None, None, 1.5, 1.75)] + twice[1:]
        between = [row[:4] + (float(row[4]), float(row[5])) for row in between]
        self.assertTrue(linchpin.check(between, Lock).linearizable)

    def test_agreement_and_description_may_be_its_own(self):
        class Rounded(Specification):
            initial = 0.25

            def read(self, state):
                return state, state

            def agrees(self, operation, recorded, given):
                return operation == "read" and abs(recorded - given) < 0.01

            def describe(self, state):
                return "about %.2f" % state
        self.assertTrue(linchpin.check([(0, "read", None, 0.2549, 0, 1)], Rounded).linearizable)
        result = linchpin.check([(0, "read", None, 0.2549, 0, 1), (0, "read", None, 0.5, 2, 3)],
                                Rounded)
        self.assertEqual(result.partials[0].state, "about 0.25")
        self.assertIn("about 0.25", result.to_html())

    def test_any_result_may_do(self):
        class Cell(Specification):
            def write(self, state, value):
                return value, linchpin.ANYTHING

            def read(self, state):
                return state, state
        for echo in (7, None, "ok"):
            rows = [(0, "write", 7, echo, 0, 1), (0, "read", None, 7, 2, 3)]
            result = linchpin.check(rows, Cell)
            self.assertTrue(result.linearizable)
            result.to_html()
            rows[1] = (0, "read", None, 8, 2, 3)
            self.assertFalse(linchpin.check(rows, Cell).linearizable)

    def test_a_step_is_asked_for_once(self):
        asked = []

        class Counting(Specification):
            initial = 0

            def add(self, state, amount):
                asked.append((state, amount))
                return state + amount, None

            def read(self, state):
                return state, state
        rows = [(p, "add", 1, None, 0, 100) for p in range(12)] + [(20, "read", None, 12, 200, 201)]
        result = linchpin.check(rows, Counting)
        self.assertTrue(result.linearizable)
        result.to_html(), result.parts
        self.assertEqual(len(asked), len(set(asked)))

    def test_several_threads_may_call_back(self):
        rows = [{"process": (key, p), "f": "enqueue", "argument": p, "result": None, "call": 0,
                 "return": 100, "key": key} for key in range(8) for p in range(5)]
        self.assertTrue(linchpin.check(rows, Fifo, jobs=4).linearizable)

    def test_answers_stay_when_the_rest_is_gone(self):
        def make():
            return linchpin.check([(0, "dequeue", None, 3, 0, 1)], Fifo)
        results = [make() for _ in range(20)]
        self.assertIn("()", results[0].to_html())

    def test_in_other_threads_than_the_first(self):
        found = []
        threads = [threading.Thread(target=lambda: found.append(
            linchpin.check([(0, "dequeue", None, 3, 0, 1)], Fifo).verdict)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [linchpin.VIOLATION] * 4)


class Level(Specification):
    """A level that must not go below zero."""
    initial = 0

    def inc(self, level):
        return level + 1, None

    def dec(self, level):
        if level == 0:
            raise ValueError("below zero")
        return level - 1, None

    def read(self, level):
        return level, level


class Faults(support.Case):
    ROWS = [(0, "get", None, None, 0, 1), (1, "get", None, None, 0, 1)]

    def refused(self, spec, kind, part):
        with self.assertRaises(kind) as caught:
            linchpin.check(self.ROWS, spec)
        self.assertIn(part, str(caught.exception))

    def test_exceptions_come_through(self):
        class Raises(Specification):
            def get(self, state):
                raise ZeroDivisionError("by hand")
        self.refused(Raises, ZeroDivisionError, "by hand")

        class RaisesAtFirst(Specification):
            def initial(self):
                raise KeyError("first")

            def get(self, state):
                return state, None
        self.refused(RaisesAtFirst, KeyError, "first")

        class RaisesOnAgreement(Specification):
            def get(self, state):
                return state, None

            def agrees(self, operation, recorded, given):
                raise KeyError("agreement")
        self.refused(RaisesOnAgreement, KeyError, "agreement")

    def test_no_exception_comes_of_orders_that_the_history_forbids(self):
        """That a decrement is the first operation is only tried, to find the core."""
        rows = [(0, "inc", None, None, 0, 1), (0, "dec", None, None, 2, 3),
                (0, "read", None, 2, 4, 5)]
        history = linchpin.History.of(rows)
        for _ in range(2):
            self.assertEqual(linchpin.check(history, Level).verdict, linchpin.Verdict.VIOLATION)
        with self.assertRaises(ValueError):
            linchpin.check([(1, "dec", None, None, 0, 9)] + rows, Level)

    def test_nor_do_they_where_all_parts_are_decided(self):
        """The fault in one part's core leaves the verdicts on the others; one in an order of a part does not."""
        keyed = []
        for who, key, functions in (0, "a", ("inc", "dec")), (1, "b", ("inc", "inc")), (2, "c", ("inc", "dec")):
            keyed += [(who, f, [key, None], [key, None], 2 * i, 2 * i + 1) for i, f in enumerate(functions)]
            keyed.append((who, "read", [key, None], [key, 2], 4, 5))
        for jobs in 1, 2:
            found = linchpin.check(keyed, Level, independent=True, all=True, jobs=jobs)
            self.assertEqual([(part.key, str(part.verdict)) for part in found.parts],
                             [("a", "violation"), ("b", "linearizable"), ("c", "violation")])
            self.assertEqual([[each.function for each in one.core] for one in found.violations],
                             [["inc", "read"]] * 2)
        keyed.append((9, "dec", ["b", None], ["b", None], -2, -1))
        with self.assertRaises(ValueError):
            linchpin.check(keyed, Level, independent=True, all=True)

    def test_nor_do_they_while_monitors_watch(self):
        for make in (lambda: linchpin.Monitor(Level, all=True), lambda: linchpin.Monitor(Level),
                     lambda: linchpin.StreamMonitor(Level)):
            monitor = make()
            for function, result in ("inc", None), ("dec", None), ("read", 2):
                monitor.invoke(0, function)
                monitor.complete(0, result)
            self.assertEqual(monitor.verdict(), linchpin.Verdict.VIOLATION)
            found = monitor.result()
            self.assertEqual([each.function for each in found.core], ["inc", "read"])
            self.assertIn("violation", str(found))
            self.assertEqual(monitor.verdict(), linchpin.Verdict.VIOLATION)
            monitor = make()
            monitor.invoke(0, "dec")
            monitor.invoke(1, "read")
            monitor.complete(1, 2)
            with self.assertRaises(ValueError):
                monitor.verdict()

    def test_a_history_can_be_used_again_after_that(self):
        class Raises(Specification):
            def get(self, state):
                raise ZeroDivisionError
        history = linchpin.History.of(self.ROWS)
        with self.assertRaises(ZeroDivisionError):
            linchpin.check(history, Raises)

        class Right(Specification):
            def get(self, state):
                return state, None
        self.assertTrue(linchpin.check(history, Right).linearizable)

    def test_what_a_method_must_return(self):
        class Forgets(Specification):
            def get(self, state):
                pass
        self.refused(Forgets, SpecificationError, "the new state and the result")

        class Lists(Specification):
            def get(self, state):
                return [], None
        self.refused(Lists, SpecificationError, "can be hashed")

        class Strange(Specification):
            def get(self, state):
                return state, object()
        self.refused(Strange, linchpin.InputError, "as a value")

        class Nothing(Specification):
            pass
        self.refused(Nothing, SpecificationError, "a method for each operation")

    def test_an_operation_that_it_has_not(self):
        class Other(Specification):
            def put(self, state, value):
                return value, None
        self.refused(Other, linchpin.InputError, "get")


if __name__ == "__main__":
    support.main()
