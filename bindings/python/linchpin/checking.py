"""Deciding whether histories are linearizable."""
from __future__ import annotations

import ctypes
import dataclasses
import os
from typing import Any, Callable, Iterable, Literal, Mapping

from . import _library as lib
from . import _report
from ._context import Owned, run
from .answer import Answer
from .errors import InputError, NotLinearizable, Undecided, UsageError, raise_for, shown
from .history import History, Order, Path, checked_jobs, checked_timeout
from .result import Result, Verdict
from .specification import Bindings, Choice
from .values import Values

Method = Literal["auto", "monitor", "search", "definition"]
Results = Literal["inferred", "plain", "keyed"]

_METHODS = ("auto", "monitor", "search", "definition")
RESULTS = ("inferred", "plain", "keyed")


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a check is."""
    parts_done: int
    parts: int
    explored: int
    memory: int
    seconds: float


def check(source: Any, spec: Choice = None, *, initial: Any = None, owned: bool = False,
          nil_reads: bool = False, method: Method = "auto", independent: bool = False,
          results: Results = "inferred", all: bool = False, jobs: int = 0,
          timeout: float | None = None, memory: int | None = None, require: int = 0,
          format: str | None = None, order: Order | None = None, name: str | None = None,
          columns: Mapping[str, str] | None = None, ignore: Iterable[str] = (),
          progress: Callable[[Progress], object] | None = None) -> Result:
    """Is the history linearizable?

    `source`: a path, a `History`, a list of operations or events, or a frame of pandas
    (`History.of` says what these look like; `columns` and `ignore` are handed on to it).

    `spec`: a name ("queue", "semaphore(3)", "stack.lin"), a class that inherits from
    `Specification`, or for several objects a dict from their names to these. None: what the
    history itself or its operations call for.

    - `initial`: the object's value at first; `owned`: of a mutex, only its holder may release it;
      `nil_reads`: a read of None agrees with any state, as Knossos has it.
    - `method`: "monitor" and "definition" are refused where they do not apply or take too long.
    - `independent`: values are [key, value] pairs, as Jepsen has them; `results`: how the answers
      of a map's `get` were recorded.
    - `all`: decide every object and key, not only up to the first violation.
    - `jobs`: threads, 0: one per core; `timeout`: seconds; `memory`: bytes, of what is read here.
      A limit gives the verdict "unknown".
    - `require`: fewer operations are an InputError.
    - `format`, `order`: of a file. `name`: what the answer calls the history.
    - `progress` is called a few times a second, by another thread.

    Raises InputError, UsageError; LimitReached where a limit came while the history was read.
    Control-C ends it.
    """
    if not isinstance(require, int) or not 0 <= require < 2**32:
        raise UsageError("require: expected a number of operations, found %s" % shown(require))
    history = _history(source, format=format, order=order, jobs=jobs, timeout=timeout,
                       memory=memory, name=name, columns=columns, ignore=ignore)
    context = history._context
    spec_options = spec_options_of(history._values, initial, owned, nil_reads)
    bindings = Bindings(context, history._values, spec, spec_options)
    faults: list[BaseException] = []
    options = lib.CheckOptions(
        method=index_of("method", method, _METHODS), inferred=ctypes.pointer(spec_options),
        independent=independent, results=index_of("results", results, RESULTS), all=all,
        jobs=checked_jobs(jobs), timeout=checked_timeout(timeout), require=require)
    if progress is not None:
        options.progress = lib.PROGRESS(_progress(progress, context.pointer, faults))
    found, error = ctypes.POINTER(lib.Result)(), lib.Error()
    try:
        status = run([context], lambda: int(lib.lp_check(
            context.pointer, history._pointer, bindings.array, bindings.count, options, found,
            error)))
    except BaseException:
        if found:
            lib.lp_result_destroy(found)
        raise
    owner = Owned(context, found, lib.lp_result_destroy) if status == lib.OK else None
    options.progress = lib.PROGRESS(0)
    result = Result(history, owner, bindings, options, name) if owner is not None else None
    bindings.raise_fault(result is not None and result.verdict is not Verdict.UNKNOWN)
    if faults:
        lib.lp_context_resume(context.pointer)
        raise faults[0]
    raise_for(status, error)
    assert result is not None
    return result


def check_files(paths: Path | Iterable[Path], spec: Choice = None, **options: Any) -> list[Result]:
    """The answers about all histories in files and folders; options as of `check`."""
    reading = {key: options.pop(key) for key in ("format", "order", "memory") if key in options}
    each = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return [check(history, spec, **options) for path in each
            for history in History.read_all(path, **reading)]


def assert_linearizable(source: Any, spec: Choice = None, **options: Any) -> Result:
    """For tests: the answer, if the history is linearizable. Raises NotLinearizable, an
    AssertionError that tells the violation, or Undecided. Arguments as of `check`."""
    result = check(source, spec, **options)
    if result.verdict is Verdict.VIOLATION:
        raise NotLinearizable(result)
    if result.verdict is Verdict.UNKNOWN:
        raise Undecided(result)
    return result


def page(answers: Iterable[Answer]) -> str:
    """One page for a browser with several answers."""
    shown = list(answers)

    def add(report: int) -> None:
        for answer in shown:
            answer._add_to(report)

    return _report.make(_report.HTML, add)


def _history(source: Any, *, format: str | None, order: Order | None, jobs: int,
             timeout: float | None, memory: int | None, name: str | None,
             columns: Mapping[str, str] | None, ignore: Iterable[str]) -> History:
    if isinstance(source, (str, os.PathLike)):
        return History.read(source, format=format, order=order, jobs=jobs, timeout=timeout,
                            memory=memory)
    if format is not None or order is not None:
        raise UsageError("format and order are for files")
    if isinstance(source, History):
        if memory is not None:
            raise UsageError("memory: give it to History.read or History.of, where the memory of a "
                             "history begins to count")
        return source
    return History.of(source, name=name or "history", columns=columns, ignore=ignore,
                      memory=memory)


def index_of(option: str, given: str, known: tuple[str, ...]) -> int:
    if given not in known:
        raise UsageError("%s: expected one of %s, found %r" % (option, ", ".join(known), given))
    return known.index(given)


def spec_options_of(values: Values, initial: Any, owned: bool, nil_reads: bool) -> lib.SpecOptions:
    raw = None
    if initial is not None:
        try:
            raw = lib.take(lib.lp_value_to_edn(values.make(initial))).encode()
        except InputError as error:
            raise UsageError("initial: %s" % error.message) from None
    return lib.SpecOptions(initial=raw, owned=owned, nil_reads=nil_reads)


def _progress(progress: Callable[[Progress], object], context: int,
              faults: list[BaseException]) -> Callable[[Any, Any], None]:
    def called(_: Any, now: Any) -> None:
        raw = now.contents
        try:
            progress(Progress(raw.parts_done, raw.parts, raw.explored, raw.memory, raw.seconds))
        except BaseException as fault:  # raised when the library has let go
            faults.append(fault)
            lib.lp_context_interrupt(context)
    return called


