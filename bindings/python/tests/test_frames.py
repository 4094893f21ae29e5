"""Frames of pandas. Skipped where it is not installed."""
import sys

import support

try:
    import pandas
except ImportError:
    print("skipped: there is no pandas")
    sys.exit(77)

import linchpin
from linchpin import History, InputError, UsageError


def frame(**columns):
    return pandas.DataFrame(columns)


RIGHT = dict(process=[0, 1, 2], function=["enqueue", "dequeue", "dequeue"], argument=[3, None, None],
             result=[None, 3, None], called=[0, 2, 4], returned=[1, 3, 5])


class Frames(support.Case):
    def test_missing_integers_are_what_they_were(self):
        table = frame(**RIGHT)
        self.assertEqual(str(table["result"].dtype), "float64")  # pandas has made floats of them
        history = History.of(table)
        self.assertEqual([o.argument for o in history], [3, None, None])
        self.assertIs(type(history[0].argument), int)
        self.assertTrue(linchpin.check(table, "queue").linearizable)
        wrong = table.assign(result=[None, 4, None])
        self.assertFalse(linchpin.check(wrong, "queue").linearizable)

    def test_every_kind_of_column_says_the_same(self):
        for kind in ("int64", "Int64", "int32", "float64", "object", "category"):
            table = frame(**{**RIGHT, "argument": [3, 0, 0], "result": [0, 3, 0]})
            table["argument"] = table["argument"].astype(kind)
            table["called"] = table["called"].astype(kind)
            history = History.of(table)
            self.assertEqual([o.argument for o in history], [3, 0, 0], kind)
            self.assertEqual([o.called for o in history], [0, 2, 4], kind)
        strided = pandas.DataFrame({"a": range(6)})["a"][::2].to_numpy()
        self.assertFalse(strided.flags.c_contiguous)
        table = frame(**RIGHT).assign(called=strided)
        self.assertEqual([o.called for o in History.of(table)], [0, 2, 4])

    def test_texts_booleans_and_missing_ones(self):
        table = frame(process=["a", "b"], function=["write", "read"], argument=["x", None],
                      result=[None, "x"], called=[0, 2], returned=[1, 3])
        self.assertTrue(linchpin.check(table, "register").linearizable)
        table = table.assign(argument=[True, None],
                             result=pandas.array([None, True], dtype="boolean"))
        self.assertIs(History.of(table)[1].result, True)

    def test_dates_are_times(self):
        begin = pandas.Timestamp("2026-01-01")
        for zone in (None, "Europe/Berlin"):
            times = pandas.Series([begin, begin + pandas.Timedelta("1us"), pandas.NaT])
            called = pandas.Series([begin, begin, begin + pandas.Timedelta("2us")])
            table = frame(**RIGHT).assign(called=called.dt.tz_localize(zone),
                                          returned=times.dt.tz_localize(zone))
            history = History.of(table)
            self.assertEqual(history[1].returned - history[1].called, 1000)
            self.assertEqual([o.outcome for o in history], ["ok", "ok", "info"])
        table = frame(**RIGHT).assign(called=pandas.to_timedelta([0, 2, 4], unit="s"),
                                      returned=pandas.to_timedelta([1, 3, 5], unit="s"))
        self.assertEqual(History.of(table)[2].called, 4 * 10**9)

    def test_seconds_may_be_whole(self):
        table = frame(**RIGHT).assign(called=[0.0, 2.0, 4.0], returned=[1.5, 3.0, None])
        history = History.of(table)
        self.assertEqual([o.called for o in history], [0, 2 * 10**9, 4 * 10**9])
        self.assertEqual(history[0].returned, 15 * 10**8)

    def test_large_integers_that_became_floats_are_refused(self):
        table = frame(**RIGHT).assign(returned=[10**18 + 1, 10**18 + 2, None])
        with self.assertRaises(InputError) as caught:
            linchpin.check(table, "queue")
        self.assertIn("Int64", str(caught.exception))
        self.assertEqual(caught.exception.line, 1)
        exact = table.assign(returned=pandas.array([10**18 + 1, 10**18 + 2, None], dtype="Int64"))
        self.assertEqual(History.of(exact)[0].returned, 10**18 + 1)

    def test_times_of_several_kinds_are_not_compared(self):
        dates, durations = pandas.to_datetime([0, 2, 4]), pandas.to_timedelta([1, 3, 5])
        for called, returned, found in (
                (dates, [1, 3, 5], "dates and numbers"), ([0, 2, 4], durations, "numbers and durat"),
                (dates, dates.tz_localize("UTC"), "dates and dates with a time zone"),
                (durations, dates, "durations and dates")):
            with self.assertRaises(InputError) as caught:
                History.of(frame(**{**RIGHT, "called": called, "returned": returned}))
            self.assertIn(found, str(caught.exception))
        none = History.of(frame(**{**RIGHT, "called": dates, "returned": [None] * 3}))
        self.assertEqual([o.outcome for o in none], ["info"] * 3)

    def test_the_row_of_what_is_wrong(self):
        for wrong in ({"function": ["enqueue", ["dequeue"], "dequeue"]},
                      {"function": ["enqueue", "\ud800", "dequeue"]},
                      {"function": ["enqueue", None, "dequeue"]}, {"process": [0, None, 2]},
                      {"called": [0, -2**63, 4]}, {"outcome": ["ok", "timeout", "ok"]},
                      {"outcome": ["ok", ["ok"], "ok"]}, {"argument": [3, b"x", None]},
                      {"returned": [1.5, float("inf"), 2.5]}):
            with self.assertRaises(InputError) as caught:
                History.of(frame(**{**RIGHT, **wrong}))
            self.assertEqual((caught.exception.line, caught.exception.file), (2, "history"), wrong)
        for options in ({"columns": ["process"]}, {"ignore": "host"}):
            with self.assertRaises(UsageError):
                History.of(frame(**RIGHT), **options)

    def test_sparse_columns(self):
        table = frame(**RIGHT)
        table["called"] = pandas.arrays.SparseArray([0, 2, 4])
        self.assertEqual([o.called for o in History.of(table)], [0, 2, 4])

    def test_integers_of_numpy_beside_floats(self):
        one = pandas.Series([5, 6])
        with self.assertRaises(InputError) as caught:
            History.of([(0, "read", None, None, one[0], one[1]), (1, "read", None, None, 1.5, 2.5)])
        self.assertEqual(caught.exception.line, 2)
        with self.assertRaises(InputError):
            History.of([(0, "write", pandas.Timedelta(5).to_timedelta64().astype("m8[s]"), None, 0,
                         1)])

    def test_other_names(self):
        table = frame(**RIGHT).rename(columns={"process": "client", "argument": "input"})
        table["host"] = "n1"
        with self.assertRaises(UsageError) as caught:
            linchpin.check(table, "queue")
        self.assertIn("client, host, input", str(caught.exception))
        names = {"process": "client", "argument": "input"}
        self.assertTrue(linchpin.check(table, "queue", columns=names,
                                       ignore=["host"]).linearizable)
        for wrong in ({"who": "client"}, {"process": "klient"}):
            with self.assertRaises(UsageError):
                linchpin.check(table, "queue", columns=wrong, ignore=["host"])

    def test_two_columns_of_one_meaning_are_refused(self):
        table = frame(**RIGHT).assign(call=[5, 6, 7])
        with self.assertRaises(linchpin.UsageError) as caught:
            History.of(table)
        self.assertIn("found 'called' and 'call'", str(caught.exception))
        self.assertEqual(History.of(table, ignore=["call"])[0].called, 0)
        self.assertEqual(History.of(table, columns={"called": "called"})[0].called, 0)

    def test_events(self):
        table = frame(process=[0, 0, 1, 1], type=["invoke", "ok", "invoke", "ok"],
                      f=["write", "write", "read", "read"], value=[1, 1, None, 2],
                      time=[1, 2, 3, 4], index=range(4))
        result = linchpin.check(table, "register")
        self.assertEqual(result.verdict, "violation")
        self.assertEqual(result.history[1].called, 3)

    def test_columns_that_must_be_there(self):
        for missing in ("process", "function", "called", "result"):
            with self.assertRaises((UsageError, InputError), msg=missing):
                linchpin.check(frame(**RIGHT).drop(columns=missing), "queue")
        self.assertEqual(History.of(frame(**RIGHT).drop(columns="returned"))[0].outcome, "info")

    def test_an_empty_frame_and_one_that_was_filtered(self):
        table = frame(**RIGHT)
        self.assertEqual(linchpin.check(table[table.process > 9], "queue").operations, 0)
        self.assertEqual([o.process for o in History.of(table[table.process != 1])], [0, 2])

    def test_answers_become_frames(self):
        table = frame(**RIGHT)
        found = linchpin.check(table, "queue").to_frame()
        self.assertEqual(found["order"].tolist(), [0, 1, 2])
        self.assertFalse(found["core"].any())
        found = linchpin.check(table.assign(result=[None, 4, None]), "queue").to_frame()
        self.assertTrue(found["core"].any())
        again = linchpin.check(found, "queue", ignore=["core"])
        self.assertEqual(again.verdict, "violation")


if __name__ == "__main__":
    support.main()
