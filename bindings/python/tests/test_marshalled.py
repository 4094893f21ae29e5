"""The quick way for lists: it records what the slow one records, or leaves the list to it."""
import ctypes
import enum
import marshal
import random

import support

from linchpin import FrozenMap, History, InputError, Operation, _columns
from linchpin import _library as lib


class Small(enum.IntEnum):
    ONE = 1


def slowly(rows):
    return History._recorded(_columns.table_of(rows), "history", None)


def quickly(rows):
    return History._marshalled(rows, "history", None)


def told(history):
    return [(o.process, o.function, o.argument, o.result, o.called, o.returned, o.outcome, o.rows,
             o.call_position, o.return_position) for o in history]


WELL_KNOWN = [None, True, False, 0, 1, -1, 2**31 - 1, -2**31, 2**31, -2**31 - 1, 2**40, -2**40,
              2**60 - 1, 2**60, -2**60 - 1, 2**62, 2**63 - 1, 1 - 2**63, 0.0, -0.0, 1.0, 0.1, 1e300,
              -1e18, 1e19, float("inf"), "", "a", "\0", "läuft", "\U0001f600", "a" * 300, (), (1,),
              [1, [2, "x"]], (None, ("k", 2**63 - 1)), list(range(256))]
OTHERS = [-2**63, frozenset([1]), {"k": 1}, list(range(257)), Small.ONE]
REFUSED = [b"bytes", 2**63, -2**63 - 1, float("nan"), "\ud800", 1j, object(), ..., bytearray(b"x")]


def random_value(random):
    if random.random() < 0.1:
        return tuple(random_value(random) for _ in range(random.randrange(3)))
    return random.choice(WELL_KNOWN)


def random_rows(random, length):
    """Operations one after the other in each process, in any order; ties among times."""
    rows, now = [], {}
    scale = random.choice((1, 1000, 2**33, 2**50))
    start = random.choice((0, -5 * scale, 10**18))
    width = random.choice((6, 7))
    for _ in range(length):
        process = random.choice((0, 1, 2, "a", True, 2**62))
        called = now.get(process, start) + random.randrange(1, 4) * scale
        returned = called + random.randrange(3) * scale
        now[process] = returned
        outcome = random.choice((None, "ok", "fail", "info"))
        if random.random() < 0.2 and outcome in (None, "info"):
            returned = None
        if width == 7 and outcome == "info" and returned is not None:
            now[process] = called
        row = (process, random.choice("abcdefg") + "x" * random.randrange(3), random_value(random),
               random_value(random), called, returned, outcome)[:width]
        rows.append(list(row) if random.random() < 0.1 else row)
    random.shuffle(rows)
    return rows


class Marshalled(support.Case):
    def test_it_records_what_the_slow_way_records(self):
        for seed in range(300):
            rows = random_rows(random.Random(seed), seed % 40 if seed else 3000)
            quick = quickly(rows)
            if not rows:
                self.assertIsNone(quick)
                continue
            self.assertIsNotNone(quick, seed)
            self.assertEqual(told(quick), told(slowly(rows)), seed)
            self.assertEqual(told(History.of(rows)), told(quick), seed)

    def test_dicts_and_operations(self):
        names = ("process", "function", "argument", "result", "called", "returned", "outcome")
        short = ("process", "f", "argument", "result", "call", "return", "outcome")
        for seed in range(60):
            chance = random.Random(seed)
            rows = random_rows(chance, 1 + seed % 30)
            for known in (names, short):
                order = list(range(len(rows[0])))
                chance.shuffle(order)
                dicts = [{**{known[i]: row[i] for i in order}, "index": 7} for row in rows]
                self.assertEqual(told(quickly(dicts)), told(slowly(rows)), seed)
            made = [Operation(*row) for row in rows]
            self.assertEqual(told(quickly(made)), told(slowly(made)), seed)

    def test_dicts_that_are_left_to_the_slow_way(self):
        good = dict(process=0, function="f", argument=1, result=None, called=0, returned=1)
        other = {**good, "process": 1}
        for odd in ({**other, "key": "x"}, {**other, "outcome": "ok"},
                    dict(reversed(other.items())), FrozenMap(other)):
            for rows in ([good, odd], [odd, good], [odd]):
                if rows == [odd] and set(odd) <= set(good) | {"outcome"} and type(odd) is dict:
                    continue
                self.assertIsNone(quickly(rows), rows)
                self.assertEqual(told(History.of(rows)), told(slowly(rows)), rows)
        less = {name: good[name] for name in good if name != "argument"}
        self.assertIsNone(quickly([less]))
        self.assertEqual(told(History.of([less])), told(slowly([less])))
        keyed = [Operation(0, "f", 1, None, 0, 1, key="x")]
        self.assertIsNone(quickly(keyed))
        self.assertEqual(History.of(keyed)[0].key, "x")
        with self.assertRaises(InputError):
            History.of([{**good, "more": 1}])

    def test_each_value_is_taken_or_left_to_the_slow_way(self):
        for value in WELL_KNOWN:
            quick = quickly([(0, "f", value, value, 0, 1)])
            self.assertIsNotNone(quick, value)
            self.assertEqual(told(quick), told(slowly([(0, "f", value, value, 0, 1)])), value)
        for value in OTHERS:
            rows = [(0, "f", value, None, 0, 1)]
            self.assertIsNone(quickly(rows), value)
            self.assertEqual(told(History.of(rows)), told(slowly(rows)))
        for value in REFUSED:
            rows = [(0, "f", 1, None, 0, 1), (1, "f", value, None, 0, 1)]
            self.assertIsNone(quickly(rows), value)
            with self.assertRaises(InputError) as caught:
                History.of(rows)
            self.assertEqual(caught.exception.line, 2)

    def test_what_is_wrong_is_told_as_the_slow_way_tells_it(self):
        good = [(i, "f", None, None, 0, 1) for i in range(2000)]
        for wrong in ((None, "f", 1, None, 0, 1), (9, None, 1, None, 0, 1),
                      (9, "f\0g", 1, None, 0, 1), (9, "f", 1, None, None, 1),
                      (9, "f", 1, None, 2, 1), (0, "f", 1, None, 1, 2), (9, "f", 1, None, "x", 1),
                      (9, "f", 1, None, 0, 2**63), (9, "f", 1, None, 0), 7,
                      (9, "f", 1, None, 0, 1, "ok")):
            rows = good + [wrong]
            self.assertIsNone(quickly(rows), wrong)
            said = []
            for way in (slowly, History.of):
                with self.assertRaises(Exception) as caught:
                    way(rows)
                said.append((type(caught.exception), str(caught.exception).replace("history: ", "")
                             .replace("history:", "")))
            self.assertEqual(said[0][0], said[1][0], wrong)

    def test_times_that_are_seconds_are_left_to_the_slow_way(self):
        rows = [(0, "f", None, None, 0.25, 0.5), (0, "f", None, None, 0.75, 1.0)]
        self.assertIsNone(quickly(rows))
        self.assertEqual([o.called for o in History.of(rows)], [250000000, 750000000])

    def test_spoiled_bytes_are_not_understood_or_read_as_others(self):
        for seed in range(400):
            chance = random.Random(seed)
            packed = bytearray(marshal.dumps(random_rows(chance, 4), 2))
            if chance.random() < 0.5:
                del packed[chance.randrange(len(packed)):]
            else:
                for _ in range(chance.randrange(1, 4)):
                    packed[chance.randrange(len(packed))] = chance.randrange(256)
            owned, _ = History._open("spoiled", None)
            understood = ctypes.c_bool()
            status = lib.lp_history_marshalled(owned.pointer, bytes(packed), len(packed),
                                               chance.choice((6, 7)), understood, lib.Error())
            self.assertIn(status, (lib.OK, lib.INPUT))
        for packed in (b"", b"[", b"[\xff\xff\xff\xff", b"[\xff\xff\xff\x7f", b"N",
                       marshal.dumps([()], 2), marshal.dumps([(1,)], 4)):
            owned, _ = History._open("spoiled", None)
            lib.lp_history_marshalled(owned.pointer, packed, len(packed), 6, understood, lib.Error())
            self.assertFalse(understood.value, packed)


if __name__ == "__main__":
    support.main()
