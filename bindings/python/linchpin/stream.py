"""Deciding a history while it is recorded, or while its log is written, in the memory of what is open."""
from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import Any, Callable

from . import _library as lib
from ._context import Context, Owned, encode, run
from .checking import RESULTS, index_of, spec_options_of
from .errors import InputError, UsageError, raise_for, shown
from .history import History
from .operation import Outcome
from .result import Result, Verdict, verdict_of
from .specification import Bindings, Choice
from .values import Values

OUTCOMES = ("ok", "fail", "info")  # as lp_outcome numbers them


def _destroyer(bindings: Bindings) -> Callable[[Any], None]:
    """What destroys a monitor; it has the specifications, which must outlive that."""
    def destroy(monitor: Any, kept: Bindings = bindings) -> None:
        lib.lp_monitor_destroy(monitor)
    return destroy


@dataclass(frozen=True)
class State:
    """How far a `StreamMonitor` is."""
    verdict: Verdict  #: of what was decided
    operations: int  #: calls so far
    running: int
    pending: int  #: they may or may not have happened
    retained: int  #: operations that are kept
    line: int  #: of a violation the event with which it is one, from 1; else 0
    exact: bool  #: whether it is the first such event
    unfinished_bytes: int  #: of a line that was fed and is not whole yet, or of lines behind a refused one
    given_up: int  #: objects of which nothing more is known: a limit was reached
    memory: int  #: bytes
    over: bool  #: whether nothing that comes makes a difference any more


class StreamMonitor:
    """Decides a history while it is recorded: what no later event can touch is forgotten, so that it may
    run for days. Events are told, or a log in the formats `json` and `edn` is fed in any pieces.

        monitor = linchpin.StreamMonitor("queue")
        monitor.invoke("thread 1", "enqueue", 3)
        monitor.complete("thread 1")
        monitor.verdict()

        monitor = linchpin.StreamMonitor("register")
        monitor.feed(b'{"process": 0, "type": "invoke", "f": "write", "value": 1}\\n')

    `spec` is a name, a path to a `.lin` file, a `Specification`, or a dict of these by object. `keep`:
    so many operations are kept to tell a violation by; `memory`: bytes, behind which the
    verdict is unknown; `independent`, `results`, `initial`, `owned`, `nil_reads` as for `check`.
    Several threads may tell events; each call counts when it is made. Texts and collections that are
    told live as long as the monitor; those that are fed are forgotten with their operations.
    """

    def __init__(self, spec: Choice, *, name: str = "monitor", keep: int = 0,
                 independent: bool = False, results: str = "inferred", initial: Any = None,
                 owned: bool = False, nil_reads: bool = False, format: str | None = None,
                 memory: int | None = None) -> None:
        if spec is None:
            raise UsageError("spec: expected a specification: which operations are still to come is "
                             "not known")
        if not isinstance(keep, int) or not 0 <= keep < 2**63:
            raise UsageError("keep: expected a number of operations, found %s" % shown(keep))
        self._lock = threading.Lock()
        self._context = Context(memory)
        self._values = Values(self._context)
        self._bindings = Bindings(self._context, self._values, spec,
                                  spec_options_of(self._values, initial, owned, nil_reads))
        self._name = name
        options = lib.MonitorOptions(
            format=None if format is None else encode(format, "format"), independent=independent,
            results=index_of("results", results, RESULTS), keep=keep)
        pointer, error = ctypes.c_void_p(), lib.Error()
        raise_for(lib.lp_monitor_create(self._context.pointer, encode(name, "name"),
                                        self._bindings.array, self._bindings.count, options,
                                        pointer, error), error)
        self._owned = Owned(self._context, pointer.value, _destroyer(self._bindings))
        self._fault: Exception | None = None

    # ---- what is told ----

    def invoke(self, process: Any, function: str, argument: Any = None, *more: Any) -> None:
        """`process`, a name or number for who calls, calls `function`; several arguments are one, the
        tuple of them. An event that is refused has not been: others may follow."""
        name = encode(function, "function")
        with self._lock:
            self._tell(lib.lp_monitor_invoke, self._make(process, "process"), name,
                       self._make((argument, *more) if more else argument, "argument"))

    def complete(self, process: Any, result: Any = None, outcome: Outcome = "ok") -> None:
        """What `process` called returned `result`; or outcome "fail": it did not happen, "info": it
        may have happened, any time after the call."""
        which = index_of("outcome", outcome, OUTCOMES)
        with self._lock:
            self._tell(lib.lp_monitor_complete, self._make(process, "process"), which,
                       self._make(result, "result"))

    def feed(self, data: bytes) -> None:
        """Bytes of a log, an event on each line; half a line at the end waits for its rest. A line that
        is refused has not been: what was given behind it waits for the next call, as `feed(b"")`."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise UsageError("feed: expected bytes, found %s" % shown(data))
        raw = bytes(data)
        with self._lock:
            self._tell(lib.lp_monitor_feed, raw, len(raw))

    def end(self) -> None:
        """Nothing more is fed: what waits is a line. Where one is refused, `end()` goes on behind it."""
        with self._lock:
            self._tell(lib.lp_monitor_end)

    def _make(self, value: Any, what: str) -> int:
        try:
            return self._values.made_once(value)
        except InputError as error:
            raise InputError("%s: %s" % (what, error.message), self._name) from None

    def _tell(self, function: Any, *arguments: Any) -> None:
        """Has the library do something; after a failure the monitor is of no more use, unless it was an
        event or a line that was refused."""
        if self._fault is not None:
            raise UsageError("%s: the monitor is of no use behind an error: %s"
                             % (self._name, self._fault))
        error, refused = lib.Error(), False
        try:
            status = int(function(self._owned.pointer, *arguments, error))
            self._bindings.raise_fault(status == lib.OK)
            refused = status == lib.INPUT and not lib.lp_monitor_look(
                self._owned.pointer).contents.failed
            raise_for(status, error)
        except Exception as fault:
            if not refused:
                self._fault = fault
            raise

    # ---- what is known ----

    def verdict(self) -> Verdict:
        """Decides all events so far. A violation never goes away."""
        with self._lock:
            run([self._context], lambda: self._tell(lib.lp_monitor_decide))
            return self._state().verdict

    def state(self) -> State:
        """How far it is; nothing is decided for it."""
        with self._lock:
            return self._state()

    def _state(self) -> State:
        raw = lib.lp_monitor_look(self._owned.pointer).contents
        return State(verdict_of(raw.verdict), raw.operations, raw.running, raw.pending,
                     raw.retained, raw.line, raw.exact, raw.waiting, raw.given_up, raw.memory,
                     raw.over)

    def result(self) -> Result:
        """Decides all events so far; the answer about them, as that of `check`. Of a violation it speaks of
        the operations that are kept, up to the event with which it is one."""
        with self._lock:
            run([self._context], lambda: self._tell(lib.lp_monitor_decide))
            history, found = ctypes.c_void_p(), ctypes.POINTER(lib.Result)()
            run([self._context], lambda: self._tell(
                lambda *all: lib.lp_monitor_result(all[0], history, found, all[1])))
            kept = History(Owned(self._context, history.value, lib.lp_history_destroy),
                           self._values)
            return Result(kept, Owned(self._context, found, lib.lp_result_destroy),
                          self._bindings, lib.CheckOptions(), self._name)
