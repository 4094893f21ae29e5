"""What is decided about a history."""
from __future__ import annotations

import ctypes
import enum
import functools
from typing import Any, Mapping, Sequence

from . import _library as lib
from ._context import Owned
from .answer import Answer
from .errors import raise_for
from .history import History
from .operation import Operation, Operations
from .specification import Bindings


class Verdict(str, enum.Enum):
    """Of a history: linearizable, violation or unknown. Equal to these words."""
    LINEARIZABLE = "linearizable"
    VIOLATION = "violation"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return str(self.value)


_VERDICTS = (Verdict.LINEARIZABLE, Verdict.VIOLATION, Verdict.UNKNOWN)


def verdict_of(raw: int) -> Verdict:
    """The verdict that the library has as this number."""
    return _VERDICTS[raw]


class Partial:
    """A legal order of operations that could not be continued."""

    def __init__(self, history: History, raw: lib.Partial) -> None:
        #: the order
        self.order = Operations(history, raw.order[:raw.order_length])
        #: the operations that had to come next and could not
        self.stuck = Operations(history, raw.stuck[:raw.stuck_length])
        #: the object after the order, for people
        self.state = lib.text(raw.state)

    def __repr__(self) -> str:
        return "<Partial: %d operations, then %s>" % (len(self.order), self.state)


class Violation:
    """An object or key of a history that has no linearization, and why."""

    def __init__(self, history: History, raw: lib.Violation) -> None:
        #: the name of the object, where the history has several
        self.object: str | None = lib.text(raw.object) if raw.object else None
        #: the key, where the object is split by key
        self.key: Any = history._values.read(raw.key) if raw.has_key else None
        self.has_key = bool(raw.has_key)
        self.spec = lib.text(raw.spec)
        self.method = lib.text(raw.method)
        #: one sentence
        self.reason = lib.text(raw.reason)
        #: operations that are a violation when all others are made pending, and none any more when
        #: one of them is too; empty: not found
        self.core = Operations(history, raw.core[:raw.core_length])
        #: whether the second half of that was shown
        self.core_complete = bool(raw.core_complete)
        #: operations outside the core that the story needs
        self.context = Operations(history, raw.context[:raw.context_length])
        #: the operations that the reason speaks of
        self.evidence = Operations(history, raw.evidence[:raw.evidence_length])
        #: how far orders got, the longest first
        self.partials = tuple(Partial(history, raw.partials[i]) for i in range(raw.partial_count))

    def __repr__(self) -> str:
        return "<Violation: %s>" % self.reason


class Part:
    """An object or key that is decided on its own."""

    def __init__(self, object: str | None, key: Any, has_key: bool, operations: Operations,
                 verdict: Verdict) -> None:
        self.object, self.key, self.has_key = object, key, has_key
        self.operations, self.verdict = operations, verdict

    def __repr__(self) -> str:
        return "<Part %s: %s, %d operations>" % (self.object if not self.has_key else
                                                 repr(self.key), self.verdict,
                                                 len(self.operations))


class Result(Answer):
    """The answer about a history."""

    def __init__(self, history: History, owned: Owned, bindings: Bindings,
                 options: lib.CheckOptions, name: str | None) -> None:
        #: the history that was checked
        self.history = history
        self._owned, self._bindings, self._options = owned, bindings, options
        self._name = name
        self._raw: lib.Result = owned.pointer.contents

    # ---- the verdict ----

    @property
    def verdict(self) -> Verdict:
        return verdict_of(int(self._raw.verdict))

    @property
    def linearizable(self) -> bool:
        """Whether it is known to be linearizable."""
        return self.verdict is Verdict.LINEARIZABLE

    @property
    def spec(self) -> str:
        return lib.text(self._raw.spec)

    @property
    def operations(self) -> int:
        """How many there are."""
        return int(self._raw.operations)

    @property
    def pending(self) -> int:
        """Operations that may or may not have happened."""
        return int(self._raw.pending)

    @property
    def skipped(self) -> int:
        """Events of no client, such as Jepsen's nemesis."""
        return int(self._raw.skipped)

    @property
    def passed_over(self) -> int:
        """Lines of a log that are no events."""
        return int(self._raw.passed_over)

    @property
    def explored(self) -> int:
        """Configurations or steps."""
        return int(self._raw.explored)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know besides."""
        return tuple(lib.text(self._raw.warnings[i].message)
                     for i in range(self._raw.warning_count))

    # ---- evidence ----

    @functools.cached_property
    def linearization(self) -> Operations | None:
        """The operations in a legal order that respects precedence; None unless linearizable."""
        if not self.linearizable:
            return None
        return Operations(self.history,
                          self._raw.linearization[:self._raw.linearization_length])

    @functools.cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The first one found, or with `all` one for each object and key that has one."""
        return tuple(Violation(self.history, self._raw.violations[i])
                     for i in range(self._raw.violation_count))

    @property
    def violation(self) -> Violation | None:
        return self.violations[0] if self.violations else None

    @property
    def core(self) -> Sequence[Operation]:
        """The core of the first violation; empty where there is none."""
        return self.violations[0].core if self.violations else ()

    @property
    def partials(self) -> tuple[Partial, ...]:
        """The longest legal orders of the first violation, from the search."""
        return self.violations[0].partials if self.violations else ()

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """The objects and keys that are decided on their own. Those that nothing is known of are
        "unknown": of a violation others are decided only with `all`."""
        raw, count, error = ctypes.POINTER(lib.Part)(), ctypes.c_size_t(), lib.Error()
        part_of = (ctypes.c_uint32 * max(1, len(self.history)))()
        bindings = self._bindings
        status = lib.lp_history_parts(bindings.context.pointer, self.history._pointer,
                                      bindings.array, bindings.count, self._options, raw, count,
                                      part_of, error)
        bindings.raise_fault(status == lib.OK)
        raise_for(status, error)
        indices: list[list[int]] = [[] for _ in range(count.value)]
        for index, part in enumerate(part_of[:len(self.history)]):
            if part != lib.NO_PART:
                indices[part].append(index)
        parts = tuple(self._part(raw[i], indices[i]) for i in range(count.value))
        lib.free(ctypes.cast(raw, ctypes.c_void_p))
        return parts

    def _part(self, raw: lib.Part, indices: list[int]) -> Part:
        name = lib.text(raw.object) if raw.object else None
        key = self.history._values.read(raw.key) if raw.has_key else None
        has_key = bool(raw.has_key)
        several = self._raw.parts > 1
        at_fault = any((v.object, v.has_key, v.key) == (name, has_key, key) or not several
                       for v in self.violations)
        all_decided = self._options.all and self._raw.parts_decided == self._raw.parts
        verdict = (Verdict.VIOLATION if at_fault else
                   Verdict.LINEARIZABLE if self.linearizable or
                   (self.verdict is Verdict.VIOLATION and all_decided) else Verdict.UNKNOWN)
        return Part(name, key, has_key, Operations(self.history, indices), verdict)

    @property
    def by_key(self) -> Mapping[Any, Part]:
        """The parts by their key, of a history of one object that is split by key."""
        return {part.key: part for part in self.parts if part.has_key}

    # ---- showing ----

    def _add_to(self, report: int) -> None:
        name = None if self._name is None else self._name.encode("utf-8", "replace")
        bindings = self._bindings
        lib.lp_report_check(report, bindings.context.pointer, self.history._pointer,
                            bindings.array, bindings.count, self._options, self._owned.pointer,
                            name)
        bindings.raise_fault(True)

    def to_frame(self) -> Any:
        """A frame of pandas with a row for each operation: the history's, and `core`: whether it is
        in the core of a violation; `order`: its place in the linearization."""
        frame = self.history.to_frame()
        core = {index for violation in self.violations for index in violation.core.indices}
        frame["core"] = [index in core for index in range(len(frame))]
        if self.linearization is not None:
            place = {index: i for i, index in enumerate(self.linearization.indices)}
            frame["order"] = [place.get(index) for index in range(len(frame))]
            frame["order"] = frame["order"].astype("Int64")
        return frame

    def __repr__(self) -> str:
        return "<Result %s: %s>" % (self._name or self.history.name, self.verdict)
