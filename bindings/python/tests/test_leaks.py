"""What is gone is given back, by the library and by Python."""
import ctypes
import gc
import tracemalloc

import support

import linchpin

ROUNDS = 100
ALLOWED = 100  # bytes a round: a result alone is a thousand


def allocated():
    """Bytes that malloc has handed out."""
    gc.collect()
    everything = ctypes.CDLL(None)
    try:
        count = everything.__sanitizer_get_current_allocated_bytes
        count.restype = ctypes.c_size_t
        return count()
    except AttributeError:
        pass

    class Mallinfo(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
            "fordblks", "keepcost")]
    everything.mallinfo2.restype = Mallinfo
    info = everything.mallinfo2()
    return info.uordblks + info.hblkhd


class Fifo(linchpin.Specification):
    initial = ()

    def enqueue(self, state, value):
        return state + (value,), None

    def dequeue(self, state):
        return (state[1:], state[0]) if state else (state, None)


class Leaks(support.Case):
    ROWS = [(0, "enqueue", "x" * 50, None, 0, 1), (1, "dequeue", None, "y", 2, 3)]

    @staticmethod
    def growth(work):
        before = allocated()
        for _ in range(ROUNDS):
            work()
        return allocated() - before

    def stays(self, work):
        for _ in range(20):
            work()
        # What threads keep for themselves varies; what leaks does so each time.
        self.assertLess(min(self.growth(work) for _ in range(3)), ALLOWED * ROUNDS)
        tracemalloc.start(1)  # only now: it takes memory itself
        work()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(ROUNDS):
            work()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        self.assertLess(grown, ALLOWED * ROUNDS)

    def test_checks(self):
        def work():
            result = linchpin.check(self.ROWS, "queue", method="search")
            result.to_html(), str(result), result.to_json(), result.parts, list(result.core)
        self.stays(work)

    def test_specifications_in_python(self):
        self.stays(lambda: linchpin.check(self.ROWS, Fifo).partials)

    def test_what_raises(self):
        class Raises(linchpin.Specification):
            def enqueue(self, state, value):
                raise ZeroDivisionError

            dequeue = enqueue

        def work():
            for spec in (Raises, "stack", "no such"):
                try:
                    linchpin.check(self.ROWS, spec)
                except (ZeroDivisionError, linchpin.LinchpinError):
                    pass
            try:
                linchpin.History.parse("{:process 0}", name="a.edn")
            except linchpin.InputError:
                pass
        self.stays(work)

    def test_files_and_monitors(self):
        path = support.HISTORIES / "queue-plain-head.jsonl"

        def work():
            linchpin.check(path, "queue").violation
            monitor = linchpin.Monitor("queue")
            monitor.call("enqueue", lambda value: None, 1)
            monitor.close()
        self.stays(work)

    def test_models(self):
        text = "var n = 0;\nP() = a{n = n + 1} -> ([n < 3] P());\n#assert P() deadlockfree;\n"

        def work():
            for answer in linchpin.verify(linchpin.Model.parse(text, "csp")):
                answer.to_html(), answer.execution
        self.stays(work)


if __name__ == "__main__":
    support.main()
