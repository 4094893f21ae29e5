"""Limits, interrupts, and that Python goes on while the library works."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import support

import linchpin

WIDTH = 13


def hard(width=WIDTH):
    """A history that the definition cannot decide in a lifetime."""
    rows = [(i, "enqueue", i, None, 0, 10) for i in range(width)]
    rows += [(width + i, "dequeue", None, i, 0, 10) for i in range(width)]
    return rows + [(99, "dequeue", None, 99, 20, 30)]


class Limits(support.Case):
    def test_time(self):
        result = linchpin.check(hard(), "queue", method="definition", timeout=0.05)
        self.assertEqual((result.verdict, result.limit), ("unknown", "time"))
        self.assertFalse(result.linearizable)
        self.assertTrue(result.covered)
        self.assertIn("unknown", str(result))
        with self.assertRaises(linchpin.Undecided):
            linchpin.assert_linearizable(hard(), "queue", method="definition", timeout=0.05)

    def test_memory_for_an_answer_and_for_the_history(self):
        result = linchpin.check(hard(), "queue", method="search", memory=200000)
        self.assertEqual((result.verdict, result.limit), ("unknown", "memory"))
        with self.assertRaises(linchpin.LimitReached) as caught:
            linchpin.check([(i, "enqueue", str(i), None, 0, 1) for i in range(20000)], "queue",
                           memory=300000)
        self.assertEqual(caught.exception.limit, "memory")
        with self.assertRaises(linchpin.UsageError):
            linchpin.check(linchpin.History.of(hard()), "queue", memory=10**9)

    def test_memory_of_a_specification_in_python(self):
        class Growing(linchpin.Specification):
            initial = frozenset()

            def enqueue(self, state, value):
                return state | {value}, None

            def dequeue(self, state):
                return state, 1000
        result = linchpin.check(hard(), Growing, memory=200000)
        self.assertEqual((result.verdict, result.limit), ("unknown", "memory"))

    def test_progress_and_what_it_raises(self):
        told = []
        linchpin.check(hard(), "queue", method="definition", timeout=1.5, progress=told.append)
        self.assertTrue(told and isinstance(told[0], linchpin.Progress))

        def stop(now):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            linchpin.check(hard(), "queue", method="definition", timeout=60, progress=stop)


class Threads(support.Case):
    def test_other_threads_go_on_meanwhile(self):
        counted, over = [0], threading.Event()

        def count():
            while not over.is_set():
                counted[0] += 1
        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        linchpin.check(hard(), "queue", method="definition", timeout=0.5, jobs=1)
        after = counted[0]
        over.set()
        thread.join()
        self.assertGreater(after - before, 1000)

    def test_one_history_is_checked_by_several_threads(self):
        history = linchpin.History.of(hard()[:-1])
        verdicts = []
        threads = [threading.Thread(target=lambda: verdicts.append(
            linchpin.check(history, "queue").verdict)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(verdicts, ["linearizable"] * 4)


class Interrupts(support.Case):
    def interrupt(self, text):
        """Runs a program that waits for an interrupt after it has printed a line."""
        code = "import linchpin, test_limits\n" + textwrap.dedent(text)
        path = os.path.dirname(os.path.abspath(__file__))
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                                 env={**os.environ, "PYTHONPATH": os.environ["PYTHONPATH"] + ":" +
                                      path})
        self.assertEqual(child.stdout.readline(), "now\n")
        time.sleep(0.3)  # so that it is within the library, mostly; before that is right, too
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
        self.assertEqual(out, "interrupted\nlinearizable\n")

    def test_a_check_ends_and_the_history_can_be_used_again(self):
        self.interrupt("""
            history = linchpin.History.of(test_limits.hard())
            right = linchpin.History.of(test_limits.hard()[:-1])
            try:
                print("now", flush=True)
                linchpin.check(history, "queue", method="definition")
            except KeyboardInterrupt:
                print("interrupted")
                if linchpin.check(history, "queue").verdict == "violation":
                    print(linchpin.check(right, "queue").verdict)
        """)

    def test_so_does_one_that_calls_back(self):
        self.interrupt("""
            class Endless(linchpin.Specification):
                initial = ()
                def enqueue(self, state, value):
                    return state + (value,), None
                def dequeue(self, state):
                    return (state[1:], state[0]) if state else (state, None)
            try:
                print("now", flush=True)
                linchpin.check(test_limits.hard(), Endless, method="definition")
            except KeyboardInterrupt:
                print("interrupted")
                print("linearizable")
        """)

    def test_so_does_a_verification(self):
        self.interrupt("""
            model = linchpin.Model.parse("P(i) = a.i -> P(i + 1); #assert P(0) deadlockfree;", "csp")
            try:
                print("now", flush=True)
                linchpin.verify(model)
            except KeyboardInterrupt:
                print("interrupted")
                print("linearizable")
        """)


class Options(support.Case):
    def test_options_of_wrong_kinds(self):
        rows = [(0, "write", 1, None, 0, 1)]
        for options in ({"timeout": "5"}, {"timeout": float("nan")}, {"jobs": "5"}, {"jobs": 1.5},
                        {"memory": "5"}, {"memory": 2**70}, {"require": -1}, {"name": "\ud800"},
                        {"name": 7}, {"method": []}, {"initial": object()}):
            with self.assertRaises(linchpin.UsageError, msg=str(options)):
                linchpin.check(rows, "register", **options)
        for source in (5, None, "/tmp/\ud800", "/tmp/\0"):
            with self.assertRaises(linchpin.UsageError, msg=repr(source)):
                linchpin.check(source, "register")
        with self.assertRaises(linchpin.UsageError):
            linchpin.History.parse(None)
        with self.assertRaises(linchpin.InputError) as caught:
            linchpin.History.parse("{}\n\ud800")
        self.assertEqual(caught.exception.line, 2)


if __name__ == "__main__":
    support.main()
