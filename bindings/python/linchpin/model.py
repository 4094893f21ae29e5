"""Models: reading them, and verifying what they assert."""
from __future__ import annotations

import ctypes
import dataclasses
import functools
import os
from typing import Any, Literal, Sequence

from . import _library as lib
from ._context import Context, Owned, encode, run
from .answer import Answer
from .errors import InputError, UsageError, raise_for
from .history import History, Path, checked_jobs, checked_timeout
from .result import Violation
from .values import Values

Word = Literal["holds", "violated", "unknown"]
Search = Literal["auto", "breadth", "depth", "bitstate", "swarm"]
Engine = Literal["auto", "native", "bytecode"]
Method = Literal["refinement", "automata"]

_WORDS: tuple[Word, ...] = ("holds", "violated", "unknown")
_SEARCHES = ("auto", "breadth", "depth", "bitstate", "swarm")
_ENGINES = ("auto", "native", "bytecode")
_METHODS = ("refinement", "automata")
_KINDS = ("internal", "event", "call", "return")
_FAILURES = (None, "event", "refusal", "divergence")
_FAIRNESS = ("none", "event-weak", "event-strong", "process-weak", "process-strong", "global")
_QUESTIONS = ("safe", "unsafe", "open")


@dataclasses.dataclass(frozen=True)
class Assertion:
    """What is asserted of a model. `expected`: the text of a comment `// expect: TEXT` behind it."""
    index: int
    text: str
    line: int
    expected: str | None = None


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of an execution: what happens, in which process, and what it changes. `line`: of the
    statement, in `file`, which is None in the model's own; None: there is none."""
    event: str
    process: int
    visible: bool
    kind: str  # "internal", "event", "call", "return"
    changes: dict[str, str]
    line: int | None = None
    file: str | None = None


@dataclasses.dataclass(frozen=True)
class Execution:
    """An execution from the initial state. Behind the last step of a lasso everything from
    `loop_start` on comes again."""
    start: dict[str, str]
    steps: tuple[Step, ...]
    loop_start: int | None

    @property
    def events(self) -> list[str]:
        """The visible events."""
        return [step.event for step in self.steps if step.visible]

    def __len__(self) -> int:
        return len(self.steps)


@dataclasses.dataclass(frozen=True)
class Question:
    """One of the questions that an assertion about any number of threads comes down to."""
    name: str
    about: str
    answer: str  # "safe", "unsafe", "open"
    method: str
    reason: str


class Verification(Answer):
    """The answer to an assertion."""

    def __init__(self, model: Model, assertion: Assertion, owned: Owned) -> None:
        #: the model that was verified
        self.model, self.assertion = model, assertion
        self._owned = owned
        self._raw: lib.Verification = owned.pointer.contents

    @property
    def verdict(self) -> Word:
        """"holds", "violated" or "unknown"."""
        return _WORDS[int(self._raw.answer)]

    @property
    def holds(self) -> bool:
        """Whether it is known to hold."""
        return self.verdict == "holds"

    @property
    def reductions(self) -> tuple[str, ...]:
        return lib.texts(self._raw.reductions, self._raw.reduction_count)

    @property
    def states(self) -> int:
        return int(self._raw.states)

    @property
    def transitions(self) -> int:
        return int(self._raw.transitions)

    @property
    def memory(self) -> int:
        """Bytes, at most."""
        return int(self._raw.memory)

    @property
    def met_bounds(self) -> bool:
        """Whether it holds only as far as nodes or operations reach; the reason says which."""
        return bool(self._raw.met_bounds)

    @property
    def extreme(self) -> int | None:
        """What `reaches ... with min(...)` or max(...) asks for."""
        return int(self._raw.extreme) if self._raw.has_extreme else None

    @property
    def threads(self) -> int:
        """Of any number of threads: how many the execution takes; else 0."""
        return int(self._raw.threads)

    @property
    def missing(self) -> tuple[str, ...]:
        """Operations of the specification that nothing is said of."""
        return lib.texts(self._raw.missing, self._raw.missing_count)

    @property
    def uncalled(self) -> tuple[str, ...]:
        """Operations of the implementation that are never called."""
        return lib.texts(self._raw.uncalled, self._raw.uncalled_count)

    @property
    def failure(self) -> str | None:
        """How a refinement fails: "event", "refusal", "divergence"."""
        return _FAILURES[self._raw.failure]

    @property
    def offered(self) -> tuple[str, ...]:
        """The events that the specification offers where the execution ends."""
        return lib.texts(self._raw.offered, self._raw.offered_count)

    @property
    def questions(self) -> tuple[Question, ...]:
        raw = self._raw.questions
        return tuple(Question(lib.text(raw[i].name), lib.text(raw[i].about),
                              _QUESTIONS[raw[i].answer], lib.text(raw[i].method),
                              lib.text(raw[i].reason)) for i in range(self._raw.question_count))

    @functools.cached_property
    def execution(self) -> Execution | None:
        """What shows a violation, or a goal that is reached."""
        if not self._raw.has_execution and not self._raw.execution.length:
            return None
        raw = self._raw.execution
        return Execution(_variables(raw.start, raw.start_count),
                         tuple(_step(raw.steps[i]) for i in range(raw.length)),
                         int(raw.loop_start) if raw.is_lasso else None)

    @functools.cached_property
    def history(self) -> History | None:
        """The operations of a violation of linearizability."""
        if not self._raw.history:
            return None
        kept = Owned(self._owned.context, self._raw.history, lambda _: None)
        history = History(kept, Values(self._owned.context))
        history._owner = self  # type: ignore[attr-defined]
        return history

    @functools.cached_property
    def violation(self) -> Violation | None:
        """What is said of that history: its core, for example."""
        if self.history is None or not self._raw.check:
            return None
        return Violation(self.history, self._raw.check.contents.violations[0])

    def _add_to(self, report: int) -> None:
        lib.lp_report_verification(report, self.model._pointer, self.assertion.index,
                                   self._owned.pointer, None)

    def __repr__(self) -> str:
        return "<Verification %s:%d: %s: %s>" % (self.model.name, self.assertion.line,
                                                 self.verdict, self.assertion.text)


class Model:
    """A model in `.lin` or CSP#. It does not change."""

    def __init__(self, owned: Owned) -> None:
        self._owned = owned
        self._pointer: int = owned.pointer

    @classmethod
    def read(cls, path: Path) -> Model:
        """The model in a file. InputError: the first thing that is wrong with it."""
        raw = os.fsencode(path)
        return cls._make(lambda context, *out: lib.lp_model_read(context, raw, *out))

    @classmethod
    def parse(cls, text: str, language: Literal["lin", "csp"] = "lin",
              name: str | None = None) -> Model:
        """The model in a text. An `#include` in it is an InputError."""
        if language not in ("lin", "csp"):
            raise UsageError('language: expected "lin" or "csp", found %r' % (language,))
        suffix = "." + language
        name = name or "model"
        shown = encode(name if name.endswith(suffix) else name + suffix, "name")
        raw = text.encode()
        return cls._make(lambda context, *out: lib.lp_model_parse(context, shown, raw, len(raw),
                                                                  *out))

    @classmethod
    def _make(cls, read: Any) -> Model:
        context, pointer, error = Context(), ctypes.c_void_p(), lib.Error()
        status: int = run([context], lambda: int(read(context.pointer, pointer, error)))
        raise_for(status, error)
        return cls(Owned(context, pointer.value, lib.lp_model_destroy))

    @property
    def name(self) -> str:
        return lib.text(lib.lp_model_name(self._pointer))

    @functools.cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        """What is asserted, in the order of the text."""
        raw, found = lib.Assertion(), []  # type: ignore[var-annotated]
        while lib.lp_model_assertion_at(self._pointer, len(found), raw):
            found.append(Assertion(len(found), lib.text(raw.text), raw.line,
                                   lib.text(raw.expected) if raw.expected else None))
        return tuple(found)

    def verify(self, assertion: int | Assertion, *, reduce: str | None = None,
               search: Search = "auto", method: Method = "refinement", fairness: str = "none",
               engine: Engine = "auto", timeout: float | None = None,
               memory: int | None = None) -> Verification:
        """Decides one assertion, which is given or named by its number from 0; options as of
        `verify`."""
        index = assertion.index if isinstance(assertion, Assertion) else assertion
        chosen = self.assertions[index]
        context = Context(memory)
        return run([context], lambda: self._verify(context, chosen, _options(
            reduce, search, method, fairness, engine, timeout)))

    def _verify(self, context: Context, assertion: Assertion,
                options: lib.VerifyOptions) -> Verification:
        found, error = ctypes.POINTER(lib.Verification)(), lib.Error()
        status = lib.lp_verify(context.pointer, self._pointer, assertion.index, options, found,
                               error)
        answer = None
        if found:
            answer = Verification(self, assertion,
                                  Owned(context, found, lib.lp_verification_destroy))
        try:
            raise_for(status, error)
        except InputError as fault:
            fault.verification = answer
            raise
        assert answer is not None
        return answer

    def __repr__(self) -> str:
        return "<Model %s: %d assertions>" % (self.name, len(self.assertions))


def verify(source: Path | Model, *, line: int | None = None, reduce: str | None = None,
           search: Search = "auto", method: Method = "refinement", fairness: str = "none",
           engine: Engine = "auto", timeout: float | None = None, memory: int | None = None,
           jobs: int = 1) -> list[Verification]:
    """Decides the assertions of a model, a path or a `Model`; `line`: only those of that line.

    - `reduce`: "default", "none", "paper", or names separated by commas
    - `search`: "auto", "breadth", "depth"; "bitstate" and "swarm" store no states, find
      violations, and prove nothing; `method`: "refinement", "automata"
    - `fairness`, of temporal formulas: "none", "event-weak", "event-strong", "process-weak",
      "process-strong", "global"
    - `engine`, of implementations in `.lin`: "auto", "native", "bytecode"
    - `timeout`: seconds, and `memory`: bytes, for each assertion; a limit gives "unknown"
    - `jobs`: how many assertions at once, or threads of a swarm for one; 0: one per core

    Raises InputError, also where the model is at fault at run time: the error's `verification` has
    the execution that leads there then. Control-C ends it.
    """
    model = source if isinstance(source, Model) else Model.read(source)
    chosen = [a for a in model.assertions if line is None or a.line == line]
    if line is not None and not chosen:
        raise UsageError("line: expected that of an assertion, %s, found %d"
                         % (", ".join(sorted({str(a.line) for a in model.assertions})), line))
    options = _options(reduce, search, method, fairness, engine, timeout)
    contexts = [Context(memory) for _ in chosen]
    workers = checked_jobs(jobs) or os.cpu_count() or 1
    if len(chosen) == 1:
        options.jobs = workers

    def work() -> list[Verification]:
        if workers == 1 or len(chosen) < 2:
            return [model._verify(context, each, options)
                    for context, each in zip(contexts, chosen)]
        import concurrent.futures  # takes its time, and is seldom needed
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda pair: model._verify(pair[0], pair[1], options),
                                 zip(contexts, chosen)))

    return run(contexts, work) if chosen else []


def _options(reduce: str | None, search: str, method: str, fairness: str, engine: str,
             timeout: float | None) -> lib.VerifyOptions:
    reductions = None
    if reduce is not None:
        reductions = encode(reduce, "reduce")
        error = lib.Error()
        raise_for(lib.lp_reductions_check(reductions, error), error)
    return lib.VerifyOptions(reductions=reductions, search=_index("search", search, _SEARCHES),
                             method=_index("method", method, _METHODS),
                             fairness=_index("fairness", fairness, _FAIRNESS),
                             engine=_index("engine", engine, _ENGINES), jobs=1,
                             timeout=checked_timeout(timeout))


def _index(option: str, given: str, known: Sequence[str]) -> int:
    if given not in known:
        raise UsageError("%s: expected one of %s, found %r" % (option, ", ".join(known), given))
    return known.index(given)


def _variables(raw: Any, count: int) -> dict[str, str]:
    return {lib.text(raw[i].name): lib.text(raw[i].value) for i in range(count)}


def _step(raw: lib.Step) -> Step:
    return Step(lib.text(raw.event), raw.process, raw.visible, _KINDS[raw.kind],
                _variables(raw.changes, raw.change_count), raw.line or None,
                lib.text(raw.file) if raw.file else None)
