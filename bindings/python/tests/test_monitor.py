"""Monitors: what threads record while they run."""
import queue
import threading

import support

import linchpin
from linchpin import InputError, Monitor, UsageError


class Cell(linchpin.Specification):
    def put(self, state, value):
        return value, None

    def get(self, state):
        return state, state


class Monitors(support.Case):
    def test_verdicts_while_it_goes_on(self):
        monitor = Monitor("queue")
        self.assertEqual(monitor.verdict(), "linearizable")
        monitor.invoke("a", "enqueue", 1)
        monitor.invoke("b", "dequeue")
        monitor.complete("b", 1)
        self.assertEqual(monitor.verdict(), "linearizable")
        monitor.complete("a")
        monitor.invoke("b", "dequeue")
        self.assertEqual(monitor.verdict(), "linearizable")
        monitor.complete("b", 1)
        self.assertEqual(monitor.verdict(), "violation")
        self.assertEqual(len(monitor), 6)
        self.assertEqual(len(monitor.history()), 3)
        result = monitor.close()
        self.assertEqual(result.verdict, "violation")
        with self.assertRaises(UsageError):
            monitor.invoke("a", "dequeue")

    def test_every_prefix_is_as_the_definition_has_it(self):
        for seed in range(25):
            monitor = Monitor("queue")
            for at, (returns, row, expected) in enumerate(support.queue_prefixes(seed)):
                if returns:
                    monitor.complete(row[0], row[3])
                else:
                    monitor.invoke(row[0], row[1], row[2])
                self.assertEqual(monitor.verdict() == "linearizable", expected, (seed, at))
            self.assertEqual(monitor.close().verdict, monitor.verdict())

    def test_threads_record_at_once(self):
        shared = queue.Queue()
        with Monitor("queue") as monitor:
            def work(first):
                for value in range(first, first + 40):
                    monitor.call("enqueue", shared.put, value)
                    monitor.call("dequeue", lambda: shared.get(timeout=60))
            threads = [threading.Thread(target=work, args=(n * 100,)) for n in range(4)]
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                self.assertEqual(monitor.verdict(), "linearizable")
            for thread in threads:
                thread.join()
        self.assertEqual(monitor.result().operations, 4 * 2 * 40)
        self.assertTrue(monitor.result().linearizable)

    def test_threads_without_names_are_numbered_by_their_first_call(self):
        monitor = Monitor("register")
        monitor.call("write", lambda value: None, 1, process=1)
        monitor.call("write", lambda value: None, 2)
        met = threading.Barrier(3)

        def work(name):
            met.wait(timeout=60)
            monitor.call("write", lambda value: None, name)
            met.wait(timeout=60)  # so that no thread's identity is used again

        threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
        for thread in threads:
            thread.start()
        met.wait(timeout=60)
        met.wait(timeout=60)
        for thread in threads:
            thread.join()
        monitor.call("read", lambda: 2, process="reader")
        processes = [operation.process for operation in monitor.history()]
        self.assertEqual(processes[:2], [1, 0])  # 1 is taken
        self.assertEqual(sorted(processes[2:4]), [2, 3])
        self.assertEqual(processes[4], "reader")
        with self.assertRaises(UsageError):
            monitor.invoke(2, "read")  # it would be that thread's
        monitor.invoke(1, "read")

    def test_what_raises_may_have_happened(self):
        monitor = Monitor("queue")
        with self.assertRaises(ZeroDivisionError):
            monitor.call("enqueue", lambda value: value / 0, 7, process=1)
        monitor.invoke(2, "dequeue")
        monitor.complete(2, 7)
        self.assertEqual(monitor.history()[0].outcome, "info")
        self.assertEqual(monitor.verdict(), "linearizable")

    def test_what_cannot_be_recorded(self):
        monitor = Monitor("register", name="mine")
        with self.assertRaises(InputError):
            monitor.complete(0)
        monitor.invoke(0, "write", 1)
        with self.assertRaises(InputError) as caught:
            monitor.invoke(0, "read")
        self.assertEqual((caught.exception.file, caught.exception.line), ("mine", 2))
        with self.assertRaises(UsageError):
            monitor.complete(0, outcome="done")
        monitor.complete(0, outcome="fail")
        self.assertEqual(monitor.close().operations, 1)

    def test_keys_and_own_specifications(self):
        monitor = Monitor(Cell)
        for key in ("x", "y"):
            monitor.invoke(key, "put", key, key=key)
            monitor.complete(key)
            monitor.invoke(key, "get", key=key)
            monitor.complete(key, "x")
        self.assertEqual(monitor.result().violation.key, "y")


class Refusals(support.Case):
    def test_what_cannot_be_recorded_is_named(self):
        monitor = linchpin.Monitor("register")
        monitor.invoke(0, "write", 1)
        with self.assertRaises(linchpin.InputError) as caught:
            monitor.invoke([1], "read")
        self.assertEqual(caught.exception.line, 2)
        with self.assertRaises(linchpin.InputError):
            monitor.complete([1])
        monitor.invoke(1, "\ud800")
        with self.assertRaises(linchpin.InputError) as caught:
            monitor.result()
        self.assertEqual(caught.exception.line, 2)
        with self.assertRaises(linchpin.UsageError):
            linchpin.Monitor("register", memry=3)


if __name__ == "__main__":
    support.main()
