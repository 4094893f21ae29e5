"""Stream monitors: every prefix as the definition has it, told and fed; what is kept; errors."""
import json
import subprocess
import sys
import threading

import support
from test_monitor import Cell

import linchpin
from linchpin import InputError, StreamMonitor, UsageError


class Streams(support.Case):
    def test_every_prefix_is_as_the_definition_has_it(self):
        for seed in range(25):
            told, fed = StreamMonitor("queue"), StreamMonitor("queue", keep=3)
            for at, (returns, row, expected) in enumerate(support.queue_prefixes(seed)):
                if returns:
                    told.complete(row[0], row[3])
                else:
                    told.invoke(row[0], row[1], row[2])
                line = json.dumps({"process": row[0], "type": "ok" if returns else "invoke", "f": row[1],
                                   "value": row[3] if returns else row[2]}).encode()
                fed.feed(line[:at])
                fed.feed(line[at:] + b"\n")
                self.assertEqual(told.verdict() == "linearizable", expected, (seed, at))
                self.assertEqual(fed.verdict() == "linearizable", expected, (seed, at))
                self.assertEqual(told.state().line, fed.state().line)
                if not expected:
                    self.assertEqual(told.state().line, at + 1)
                    self.assertTrue(told.state().over)
                    break

    def test_a_violation_is_told(self):
        monitor = StreamMonitor("register", name="store")
        for process, function, argument, result in ((0, "write", 1, None), (1, "read", None, 1),
                                                    (1, "read", None, 7)):
            monitor.invoke(process, function, argument)
            monitor.complete(process, result)
        result = monitor.result()
        self.assertEqual(result.verdict, "violation")
        self.assertIn("read returned 7", result.reason)
        self.assertEqual(result.core[-1].result, 7)
        self.assertEqual(result.operations, 3)
        self.assertIn("store: violation", str(result))

    def test_what_is_over_is_forgotten(self):
        monitor = StreamMonitor("register", keep=10)
        for i in range(20000):
            monitor.invoke(i % 3, "write", i)
            monitor.complete(i % 3)
        self.assertEqual(monitor.verdict(), "linearizable")
        state = monitor.state()
        self.assertEqual((state.operations, state.running, state.pending), (20000, 0, 0))
        self.assertLess(state.retained, 10000)

    def test_several_threads(self):
        monitor, lock, stored = StreamMonitor("counter"), threading.Lock(), [0]

        def work(process):
            for _ in range(50):
                monitor.invoke(process, "inc")
                with lock:
                    stored[0] += 1
                monitor.complete(process)
                monitor.invoke(process, "read")
                monitor.complete(process, stored[0])
        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.assertEqual(monitor.verdict(), "linearizable")
        for thread in threads:
            thread.join()
        self.assertEqual(monitor.result().operations, 300)

    def test_the_example_watches_a_store(self):
        example = [sys.executable, support.SOURCE / "examples/library/watch_store.py"]
        for arguments, expected in (([], "linearizable: 8000 operations"), (["broken"], "violation: read returned ")):
            found = subprocess.run([*example, *arguments], capture_output=True, text=True, timeout=240)
            self.assertEqual(found.stderr, "")
            self.assertEqual(found.stdout[:len(expected)], expected)

    def test_errors(self):
        monitor = StreamMonitor("register", name="log")
        monitor.feed(b'{"process": 0, "type": "invoke", "f": "write", "value": 1}\n{"proc')
        self.assertEqual(monitor.state().unfinished_bytes, 6)
        with self.assertRaises(InputError) as caught:
            monitor.end()
        self.assertEqual((caught.exception.file, caught.exception.line), ("log", 2))
        self.assertEqual((monitor.verdict(), monitor.state().running), ("linearizable", 1))
        for wrong in (lambda: StreamMonitor(None), lambda: StreamMonitor("register", keep=-1),
                      lambda: StreamMonitor("no such"), lambda: StreamMonitor("register").feed("text")):
            with self.assertRaises(UsageError):
                wrong()
        with self.assertRaises(UsageError):
            StreamMonitor("register").complete(0, outcome="done")
        with self.assertRaises(InputError):
            StreamMonitor("register").complete(0)
        with self.assertRaises(InputError):
            StreamMonitor("register").invoke(0, "write", object())

    def test_a_line_that_is_refused_has_not_been(self):
        monitor = StreamMonitor("register", name="log")
        invocation = b'{"process": 0, "type": "invoke", "f": "write", "value": 1, "time": 5}\n'
        completion = b'{"process": 0, "type": "ok", "f": "write", "value": 1, "time": 6}\n'
        bad = (b"nonsense\n", invocation, completion.replace(b"write", b"wriet"), completion.replace(b"6", b"4"))
        lines = [b"started\n", invocation, *bad, completion, b'{"process": 0, "type": "invoke", "f": "read"']
        refused, left = [], b"".join(lines)
        while True:
            try:
                monitor.feed(left)
                break
            except InputError as error:
                refused.append(error.line)
                left = b""
        self.assertEqual(refused, [1, 3, 4, 5, 6])
        self.assertEqual(monitor.verdict(), "linearizable")
        state = monitor.state()
        self.assertEqual((state.operations, state.running, state.unfinished_bytes), (1, 0, len(lines[-1])))
        monitor.feed(b"}\n")
        self.assertEqual(monitor.state().running, 1)

    def test_an_event_that_is_refused_has_not_been(self):
        """Among right ones, told the same as without it."""
        for seed in range(10):
            told, plain = StreamMonitor("queue", name="log"), StreamMonitor("queue")
            for at, (returns, row, expected) in enumerate(support.queue_prefixes(seed), 1):
                for wrong in (lambda: told.invoke("new", "enqeue", 1), lambda: told.complete("new", 1),
                              lambda: told.invoke("new", "enqueue", None),
                              *((lambda: told.invoke(row[0], "dequeue"),) if returns else ())):
                    with self.assertRaises(InputError) as caught:
                        wrong()
                    self.assertEqual(("log", at), (caught.exception.file, caught.exception.line))
                    self.assertIsNotNone(caught.exception.expected)
                for monitor in (told, plain):
                    if returns:
                        monitor.complete(row[0], row[3])
                    else:
                        monitor.invoke(row[0], row[1], row[2])
                self.assertEqual(expected, told.verdict() == "linearizable", (seed, at))
                self.assertEqual(plain.verdict(), told.verdict())
                self.assertEqual(plain.state().line, told.state().line)
                self.assertEqual(plain.state().operations, told.state().operations)
                if not expected:
                    self.assertEqual(plain.result().reason, told.result().reason)
                    break

    def test_a_call_that_no_specification_knows_is_not_recorded(self):
        monitor = linchpin.Monitor("queue", name="run")
        monitor.invoke(1, "enqueue", 1)
        for wrong in (lambda: monitor.invoke(2, "enqeue", 1), lambda: monitor.call("dequeu", lambda: None)):
            with self.assertRaises(InputError) as caught:
                wrong()
            self.assertEqual(("run", 2), (caught.exception.file, caught.exception.line))
            self.assertIn("enqueue", str(caught.exception))
        monitor.complete(1)
        monitor.invoke(2, "deq")
        monitor.complete(2, 3)
        self.assertEqual("violation", monitor.verdict())

    def test_a_completion_that_is_refused_leaves_its_operation_running(self):
        monitor = StreamMonitor("counter")
        monitor.invoke(0, "inc")
        monitor.complete(0)
        monitor.invoke(1, "read")
        for wrong in (lambda: monitor.complete(1, "one"), lambda: monitor.complete(1, [1])):
            with self.assertRaises(InputError) as caught:
                wrong()
            self.assertIsNotNone(caught.exception.expected)
        self.assertEqual((2, 1), (monitor.state().operations, monitor.state().running))
        self.assertEqual("linearizable", monitor.verdict())
        monitor.complete(1, 2)
        self.assertEqual("violation", monitor.verdict())

    def test_several_arguments_are_one(self):
        for monitor in (StreamMonitor("map"), linchpin.Monitor("map")):
            monitor.invoke(1, "put", "a", 1)
            monitor.complete(1)
            monitor.invoke(1, "get", "a")
            monitor.complete(1, 2)
            self.assertEqual("violation", monitor.verdict())

    def test_own_specifications(self):
        monitor = StreamMonitor(Cell)
        monitor.invoke(0, "put", "x")
        monitor.complete(0)
        monitor.invoke(1, "get")
        monitor.complete(1, "y")
        self.assertEqual(monitor.verdict(), "violation")


if __name__ == "__main__":
    support.main()
