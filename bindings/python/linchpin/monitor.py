"""Watching an object while a test runs."""
from __future__ import annotations

import inspect
import itertools
import threading
from typing import Any, Callable, TypeVar

from . import _columns
from .checking import check
from .errors import InputError, UsageError, shown
from .history import History
from .operation import Outcome
from .result import Result, Verdict
from .specification import Choice
from .stream import StreamMonitor

T = TypeVar("T")


def _is_hashable(process: Any) -> bool:
    try:
        hash(process)
    except TypeError:
        return False
    return True


class Monitor:
    """Records calls and returns as they happen, from any threads, and says at any time whether what
    was recorded so far is linearizable.

        monitor = linchpin.Monitor("queue")
        monitor.invoke("thread 1", "enqueue", 3)
        monitor.complete("thread 1")
        monitor.result().verdict

    A violation never goes away: what comes later cannot make it right. Options are those of
    `check`.
    """

    def __init__(self, spec: Choice = None, *, name: str = "monitor", **options: Any) -> None:
        for option in ("columns", "ignore", "format", "order"):
            if option in options:
                raise UsageError("%s is not for monitors" % option)
        unknown = sorted(set(options) - set(inspect.signature(check).parameters))
        if unknown:
            raise UsageError("expected options of check, found %s" % ", ".join(unknown))
        self._spec, self._name, self._options = spec, name, options
        self._lock = threading.Lock()
        self._rows: list[tuple[Any, str, str, Any, Any, str | None]] = []
        self._running: dict[Any, str] = {}
        self._called: set[str] = set()  # functions of the specification
        self._numbers: dict[int, int] = {}  # of threads that call without a name
        self._named: set[Any] = set()  # processes that were named
        self._result: Result | None = None
        self._decided = -1  # so many rows are in the result
        self._closed = False

    # ---- recording ----

    def invoke(self, process: Any, function: str, argument: Any = None, *more: Any,
               key: Any = None, object: str | None = None) -> None:
        """`process`, a name or number for who calls, calls `function`; several arguments are one, the
        tuple of them. A process does one thing at a time."""
        if not _is_hashable(process):
            raise InputError("process: expected a name or a number, found %s" % shown(process),
                             self._name, len(self._rows) + 1)
        with self._lock:
            if process not in self._named:
                if process in self._numbers.values():
                    raise UsageError("process: %r is the number of a thread that gave no name; name "
                                     "all processes, or use another" % (process,))
                self._named.add(process)
        self._invoke(process, function, (argument, *more) if more else argument, key, object)

    def _invoke(self, process: Any, function: str, argument: Any, key: Any,
                object: str | None) -> None:
        with self._lock:
            self._check_open()
            if function not in self._called:
                self._check_function(function, argument if key is None else [key, argument], object)
            if process in self._running:
                raise InputError("expected process %r to complete `%s` first, found `%s`"
                                 % (process, self._running[process], function), self._name,
                                 len(self._rows) + 1)
            self._running[process] = function
            self._rows.append((process, "invoke", function, argument, key, object))

    def _check_function(self, function: str, argument: Any, object: str | None) -> None:
        """Refuses, and forgets, a call that the specification does not know, when a function is called for
        the first time: else nothing could be said of all that is recorded."""
        spec: Any = self._spec.get(object) if isinstance(self._spec, dict) else self._spec
        if spec is None or self._options.get("independent"):
            return
        try:
            trial = StreamMonitor(spec, name=self._name, results=self._options.get("results", "inferred"))
            trial.invoke(0, function, argument)
        except UsageError:  # what cannot be followed is left to `result`
            return
        except InputError as error:
            raise InputError(error.message, self._name, len(self._rows) + 1) from None
        self._called.add(function)

    def complete(self, process: Any, result: Any = None, outcome: Outcome = "ok") -> None:
        """What `process` called returned `result`; or outcome "fail": it did not happen, "info": it
        may have happened, any time after the call."""
        if outcome not in ("ok", "fail", "info"):
            raise UsageError('outcome: expected "ok", "fail" or "info", found %r' % (outcome,))
        with self._lock:
            self._check_open()
            if not _is_hashable(process) or process not in self._running:
                raise InputError("expected process %s to have called something, found its return"
                                 % shown(process), self._name, len(self._rows) + 1)
            function = self._running.pop(process)
            self._rows.append((process, outcome, function, result, None, None))

    def call(self, function: str, operation: Callable[..., T], *arguments: Any,
             process: Any = None, key: Any = None, object: str | None = None) -> T:
        """Calls `operation(*arguments)` and records that as `function`; the argument is None, the
        only one, or the tuple of several. What it raises is raised; the operation may have happened
        then ("info"). A thread that names no `process` is 0, 1, 2, ... by its first call."""
        argument = arguments[0] if len(arguments) == 1 else arguments or None
        who = self._number() if process is None else process
        if process is None:
            self._invoke(who, function, argument, key, object)
        else:
            self.invoke(who, function, argument, key=key, object=object)
        try:
            result = operation(*arguments)
        except BaseException:
            self.complete(who, None, "info")
            raise
        self.complete(who, result)
        return result

    def _number(self) -> int:
        """That of the calling thread: the first that no other has, and no process was given as a name."""
        thread = threading.get_ident()
        with self._lock:
            number = self._numbers.get(thread)
            if number is None:
                taken = self._named.union(self._numbers.values())
                number = next(n for n in itertools.count() if n not in taken)
                self._numbers[thread] = number
            return number

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("%s: the monitor is closed" % self._name)

    def __len__(self) -> int:
        """How many calls and returns were recorded."""
        return len(self._rows)

    # ---- deciding ----

    def history(self) -> History:
        """What was recorded so far."""
        with self._lock:
            rows = self._rows[:]
        return self._history(rows)

    def _history(self, rows: list[Any]) -> History:
        names = ("process", "type", "function", "value", "key", "object")
        table: _columns.Table = dict(zip(names, map(list, zip(*rows)))) if rows else {
            name: [] for name in names}
        return History._recorded(table, self._name, self._options.get("memory"))

    def result(self) -> Result:
        """The answer about what was recorded so far; threads may go on recording meanwhile."""
        with self._lock:
            rows, known = self._rows[:], self._result
            if known is not None and (self._decided == len(rows) or
                                      known.verdict is Verdict.VIOLATION):
                return known
        options = {key: value for key, value in self._options.items() if key != "memory"}
        result = check(self._history(rows), self._spec, **options)
        with self._lock:
            if self._decided < len(rows):
                self._result, self._decided = result, len(rows)
        return result

    def verdict(self) -> Verdict:
        """The verdict about what was recorded so far."""
        return self.result().verdict

    def close(self) -> Result:
        """Ends the recording; the answer about all of it. What still runs may have happened."""
        with self._lock:
            self._closed = True
        return self.result()

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._closed = True
