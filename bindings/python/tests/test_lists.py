"""Histories made of lists: what is read of them, what is refused, and the verdicts."""
import enum

import support
from support import Queue, Register, is_linearizable, random_rows

import linchpin
from linchpin import History, InputError, Operation, UsageError


class Shapes(support.Case):
    ROWS = [(0, "enqueue", 3, None, 0, 1), (1, "dequeue", None, 3, 2, 3),
            (2, "dequeue", None, None, 4, None)]

    def same(self, history):
        self.assertEqual(len(history), 3)
        first, second, third = history
        self.assertEqual((first.process, first.function, first.argument, first.called,
                          first.returned, first.outcome), (0, "enqueue", 3, 0, 1, "ok"))
        self.assertEqual((second.result, second.outcome), (3, "ok"))
        self.assertEqual((third.outcome, third.returned), ("info", None))

    def test_tuples_dicts_and_operations_say_the_same(self):
        names = ("process", "function", "argument", "result", "called", "returned")
        short = ("process", "f", "argument", "result", "call", "return")
        for rows in (self.ROWS, [list(row) for row in self.ROWS], iter(self.ROWS),
                     [dict(zip(names, row)) for row in self.ROWS],
                     [dict(zip(short, row)) for row in self.ROWS],
                     [Operation(*row) for row in self.ROWS]):
            self.same(History.of(rows))

    def test_a_name_beside_its_short_form_is_refused(self):
        first = {"process": 1, "f": "write", "argument": 1, "result": None, "call": 0, "return": 1}
        second = {"process": 2, "f": "read", "argument": None, "result": None, "return": 3}
        for twice in ({"call": 2, "called": 0}, {"called": 0, "call": 2},
                      {"call": 2, "function": "write"}):
            with self.assertRaises(InputError) as caught:
                linchpin.check([first, {**second, **twice}], "register")
            self.assertEqual(caught.exception.line, 2)
            self.assertIn("found both", str(caught.exception))

    def test_events_are_dicts_with_a_type(self):
        events = [{"process": 0, "type": "invoke", "f": "enqueue", "value": 3, "index": 0},
                  {"process": 1, "type": "invoke", "f": "dequeue", "value": None},
                  {"process": "nemesis", "type": "info", "f": "kill", "value": "n1"},
                  {"process": 0, "type": "ok", "f": "enqueue", "value": 3},
                  {"process": 1, "type": "info", "f": "dequeue", "value": None, "error": "timeout"}]
        history = History.of(events)
        self.assertEqual([(o.function, o.outcome) for o in history],
                         [("enqueue", "ok"), ("dequeue", "info")])
        self.assertEqual(linchpin.check(events, "queue").verdict, "linearizable")
        self.assertEqual(linchpin.check(events, "queue").skipped, 1)

    def test_a_completion_of_another_operation_is_refused(self):
        events = [{"process": 0, "type": "invoke", "f": "enqueue", "value": 3},
                  {"process": 0, "type": "ok", "f": "dequeue", "value": 3}]
        with self.assertRaises(InputError) as caught:
            linchpin.check(events, "queue")
        self.assertEqual(caught.exception.line, 2)

    def test_times_that_run_backwards_are_told(self):
        events = [{"process": 0, "type": "invoke", "f": "write", "value": 1, "time": 5},
                  {"process": 0, "type": "ok", "f": "write", "value": None, "time": 3}]
        self.assertTrue(linchpin.check(events, "register").warnings)

    def test_the_outcome_may_stand_behind(self):
        history = History.of([(0, "write", 1, None, 0, 1, "fail"), (0, "read", None, None, 2, 3,
                                                                    "ok")])
        self.assertEqual([o.outcome for o in history], ["fail", "ok"])
        self.assertEqual(linchpin.check(history, "register").verdict, "linearizable")

    def test_an_empty_list_is_the_empty_history(self):
        result = linchpin.check([], "queue")
        self.assertEqual((result.verdict, result.operations), ("linearizable", 0))
        self.assertTrue(result.warnings)

    def test_a_history_is_a_sequence(self):
        history = History.of(self.ROWS)
        self.assertEqual(history[-1].index, 2)
        self.assertEqual([o.index for o in history[1:]], [1, 2])
        self.assertIn("dequeue", str(history[1]))
        with self.assertRaises(IndexError):
            history[3]

    def test_what_is_written_is_read_again(self):
        history = History.of([(0, "enqueue", (1, "a"), None, 0, 1)])
        again = History.parse(history.write("edn"), name="again.edn")
        self.assertEqual((again[0].argument, again[0].outcome), ((1, "a"), "ok"))
        self.assertIn("edn", [name for name, _, writable in linchpin.formats() if writable])
        with self.assertRaises(UsageError):
            history.write("no such format")


class Values(support.Case):
    def there_and_back(self, value):
        history = History.of([(0, "write", value, None, 0, 1)])
        return history[0].argument

    def test_values_come_back(self):
        for value in (None, True, False, 0, -1, 2**63 - 1, -2**63, 1.5, "", "täxt", "zero\0byte",
                      (), (1, (2, "x")), frozenset({1, 2}), {"a": 1, 2: (3,)},
                      linchpin.Keyword("k"), linchpin.Symbol("s")):
            back = self.there_and_back(value)
            self.assertEqual(back, value)
            self.assertIs(type(back) is bool, type(value) is bool)

    def test_lists_become_tuples_and_whole_floats_integers(self):
        self.assertEqual(self.there_and_back([1, [2]]), (1, (2,)))
        for whole in 2.0, -2.0**63, -0.0:
            self.assertIs(type(self.there_and_back(whole)), int)
        self.assertIs(type(self.there_and_back(2.0**63)), float)
        rows = [(0, "write", 1, None, 0, 1), (0, "read", None, 1.0, 2, 3)]
        self.assertEqual(linchpin.check(rows, "register").verdict, "linearizable")

    def test_true_is_not_one(self):
        rows = [(0, "write", 1, None, 0, 1), (0, "read", None, True, 2, 3)]
        self.assertEqual(linchpin.check(rows, "register").verdict, "violation")

    def test_what_cannot_be_carried_is_refused_with_its_row(self):
        for wrong in (2**63, float("nan"), object(), b"x", "\ud800", 1j, [object()]):
            with self.assertRaises(InputError) as caught:
                History.of([(0, "write", 1, None, 0, 1), (0, "write", wrong, None, 2, 3)])
            self.assertIn("argument: expected", str(caught.exception))

    def test_maps_cannot_be_changed(self):
        back = self.there_and_back({"a": 1})
        with self.assertRaises(TypeError):
            back["a"] = 2
        self.assertEqual(hash(back), hash(self.there_and_back({"a": 1})))


class Refusals(support.Case):
    def refused(self, rows, part, line=0, kind=InputError):
        with self.assertRaises(kind) as caught:
            History.of(rows)
        self.assertIn(part, str(caught.exception))
        if kind is InputError:
            self.assertEqual(caught.exception.line, line)
            self.assertIsNotNone(caught.exception.found)

    def test_rows_of_wrong_shapes(self):
        good = (0, "read", None, None, 0, 1)
        self.refused([good, (0, "read")], "(process, function,", 2)
        self.refused([good, 7], "an operation", 2)
        self.refused([good, {"process": 0}], "a tuple, as rows before", 2)
        self.refused([good] * 3 + [Operation(0, "read", called=2)], "a tuple, as rows before", 4)
        self.refused([{"process": 0}, good], "a dict, as rows before", 2)
        self.refused([{"process": 0, "function": "read", "call": 1, "retrun": 2}], "retrun", 1)
        self.refused("abc", "a list of operations", kind=UsageError)
        self.refused([good, (0, 7, None, None, 2, 3)], "the name of an operation", 2)
        self.refused([good, (None, "read", None, None, 2, 3)], "process: expected", 2)

    def test_times_and_outcomes(self):
        self.refused([(0, "read", None, None, None, 1)], "called", 1)
        self.refused([(0, "read", None, None, 0, 1), (0, "read", None, None, None, 3)], "called", 2)
        self.refused([(0, "read", None, None, "noon", 1)], "a time", 1)
        self.refused([(0, "read", None, None, 0, 1, "done")], '"ok"', 1)
        self.refused([(0, "read", None, None, 0, None, "ok")], "returned: expected", 1)
        self.refused([(0, "read", None, None, 5, 1)], "", 1)
        self.refused([(0, "read", None, None, 0, 5), (0, "read", None, None, 3, 6)], "", 2)
        self.refused([(0, "read", None, None, 0, 1.5)], "integers", 1)
        self.refused([(0, "read", None, None, 0.0, 2**63)], "below 2**63", 1)
        self.refused([(0, "read", None, None, 0, 10**5000)], "an integer of 16610 bits", 1)
        for wrong in (float("inf"), float("nan"), -1e300):
            self.refused([(0, "read", None, None, 0.5, 1.5), (0, "read", None, None, 2.5, wrong)],
                         "returned: expected a time", 2)
        self.refused([(0, "read", None, None, 0, 1, ["ok"])], "outcome: expected", 1)

    def test_the_least_integer_is_no_time(self):
        # in the library it stands for no time at all
        least = -2**63
        self.refused([(0, "read", None, None, 0, 1), (1, "read", None, None, least, 1)],
                     "called: expected a time above -2**63", 2)
        self.refused([(0, "read", None, None, least + 1, least)], "returned: expected a time", 1)
        self.refused([{"process": 0, "type": "invoke", "f": "read", "time": least}],
                     "time: expected a time above", 1)
        first = History.of([(0, "read", None, None, least + 1, least + 2)])[0]
        self.assertEqual((first.called, first.returned), (least + 1, least + 2))

    def test_names(self):
        good = (0, "read", None, None, 0, 1)
        for wrong, found in (("\ud800", "'\\ud800', which is no Unicode"), ("a\0", "a zero byte"),
                             (["read"], "['read']"), (([],), "([],)"), ("", "''"), (None, "None"),
                             (b"read", "b'read'"), (7, "7")):
            self.refused([good] * 2 + [(1, wrong, None, None, 2, 3)],
                         "expected the name of an operation as `function`, found " + found
                         if not found.startswith("a ") else found, 3)
        self.refused([{"process": 0, "type": "invoke", "f": "read"},
                      {"process": 0, "type": "ok", "f": None},
                      {"process": 0, "type": "invoke", "f": None}],
                     "as `function`, found None", 3)
        for wrong in ("\ud800", ["x"]):
            self.refused([{"process": 0, "f": "read", "result": None, "call": 0, "return": 1,
                           "object": wrong}], "the name of an object as `object`", 1)

    def test_enumerations_of_texts_are_texts(self):
        class Calls(str, enum.Enum):
            READ = "read"
        rows = [(0, Calls.READ, None, None, 0, 1), (0, "read", None, None, 2, 3)]
        self.assertEqual([o.function for o in History.of(rows)], ["read", "read"])

    def test_a_process_of_any_kind(self):
        self.refused([(None, "read", None, None, 0, 1)], "process: expected", 1)
        self.refused([(object(), "read", None, None, 0, 1)], "process: expected", 1)

    def test_collections_within_one_another(self):
        def nested(depth):
            value = ()
            for _ in range(depth - 1):
                value = [value]
            return value
        value = History.of([(0, "write", nested(200), None, 0, 1)])[0].argument
        for _ in range(200):
            value = value and value[0]
        self.assertEqual(value, ())
        itself = [1]
        itself.append({"a": itself})
        for wrong in (nested(201), nested(100000), itself):
            self.refused([(0, "write", 1, None, 0, 1), (0, "write", wrong, None, 2, 3)],
                         "argument: expected at most 200 collections within one another", 2)

    def test_what_cannot_be_shown_in_a_message(self):
        class Bad:
            def __repr__(self):
                raise RuntimeError("no")
        for wrong in (Bad(), [[Bad()]], {1: Bad()}):
            self.refused([(0, "write", wrong, None, 2, 3)], "found", 1)
            self.refused([wrong if isinstance(wrong, Bad) else Bad()], "an operation", 1)
        with self.assertRaises(InputError) as caught:
            History.of([(0, "x" * 10**6, None, None, 2)])
        self.assertLess(len(str(caught.exception)), 1000)

    def test_floats_that_would_fall_together(self):
        self.refused([(0, "read", None, None, 0.5, 0.75), (0, "read", None, None, 2.0, 2 + 5e-16)],
                     "returned: expected times at least a nanosecond apart", 2)
        self.refused([(0, "read", None, None, 1e-12, 2e-12)], "nanosecond", 1)
        history = History.of([(0, "read", None, None, 0.5, 0.75)])
        self.assertEqual((history[0].called, history[0].returned), (500000000, 750000000))

    def test_events(self):
        self.refused([{"process": 0, "type": "begin", "f": "read"}], '"invoke"', 1)
        self.refused([{"process": 0, "type": "ok", "f": "read"}], "an invocation first", 1)


class Several(support.Case):
    def test_keys_and_objects_are_decided_on_their_own(self):
        rows = [{"process": 0, "f": "write", "argument": 1, "call": 0, "return": 1, "key": "x"},
                {"process": 0, "f": "read", "result": 1, "call": 2, "return": 3, "key": "y"}]
        result = linchpin.check(rows, "register", all=True)
        self.assertEqual({key: str(part.verdict) for key, part in result.by_key.items()},
                         {"x": "linearizable", "y": "violation"})
        self.assertEqual(result.violation.key, "y")
        for row, name in zip(rows, ("a", "b")):
            row["object"] = name
            del row["key"]
        result = linchpin.check(rows, {"a": "register", "b": "register"}, all=True)
        self.assertEqual(result.violation.object, "b")
        self.assertEqual([str(part.verdict) for part in result.parts],
                         ["linearizable", "violation"])

    def test_of_a_violation_alone_the_rest_is_not_known(self):
        rows = [{"process": k, "f": "read", "result": 1, "call": 0, "return": 1, "key": k}
                for k in range(3)]
        result = linchpin.check(rows, "register")
        verdicts = sorted(str(part.verdict) for part in result.parts)
        self.assertEqual(verdicts.count("violation"), 1)
        self.assertEqual(verdicts.count("unknown"), 2)


class Random(support.Case):
    def compare(self, make, adds, takes, spec, seeds):
        violations = 0
        for seed in seeds:
            rows = random_rows(seed, adds, takes, (1, 2, 3))
            expected = is_linearizable(rows, make)
            result = linchpin.check(rows, spec)
            self.assertEqual(result.linearizable, expected, "seed %d: %r" % (seed, rows))
            self.assertEqual(result.verdict == "violation", not expected)
            violations += not expected
            if expected:
                order = [rows[i] for i in result.linearization.indices]
                self.assertTrue(support.respects_time(order) and support.is_legal(order, make))
            else:
                self.check_core(rows, result, make)
        self.assertTrue(0 < violations < len(seeds))

    def check_core(self, rows, result, make):
        """By the definition: the core alone is a violation, without any of its members none."""
        core = set(result.violation.core.indices)
        self.assertTrue(core and result.violation.core_complete)

        def pending_but(kept):
            return [row if i in kept else row[:3] + (None, row[4], None)
                    for i, row in enumerate(rows)]
        self.assertFalse(is_linearizable(pending_but(core), make))
        for member in core:
            self.assertTrue(is_linearizable(pending_but(core - {member}), make))

    def test_queues_are_decided_as_by_the_definition(self):
        self.compare(Queue, "enqueue", "dequeue", "queue", range(120))

    def test_registers_are_decided_as_by_the_definition(self):
        self.compare(Register, "write", "read", "register", range(120))


if __name__ == "__main__":
    support.main()
