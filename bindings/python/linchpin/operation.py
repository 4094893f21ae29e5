"""Operations, and sequences of them."""
from __future__ import annotations

import dataclasses
from typing import Any, Iterator, Literal, Sequence, overload

Outcome = Literal["ok", "fail", "info"]
OUTCOMES: tuple[Outcome, ...] = ("ok", "fail", "info")


@dataclasses.dataclass(frozen=True)
class Operation:
    """One operation of a history.

    `process` called `function` with `argument` at the time `called`, and got `result` at the time
    `returned`. Times are integers of any unit, or floats in seconds; intervals are closed: equal
    times overlap. `outcome` is "ok", "fail" (it did not happen) or "info" (it may have happened,
    any time after it was called: a timeout); an operation without `returned` is "info".

    `index` and `rows` are there in operations of a history: the operation's number, from 0, and the
    lines or rows of its call and return, from 1 (0: there is none). `call_position` and
    `return_position` are places in the order of all events.
    """
    process: Any
    function: str
    argument: Any = None
    result: Any = None
    called: int | float | None = None
    returned: int | float | None = None
    outcome: Outcome | None = None
    key: Any = None
    object: str | None = None
    index: int | None = dataclasses.field(default=None, compare=False)
    rows: tuple[int, int] = dataclasses.field(default=(0, 0), compare=False, repr=False)
    call_position: int | None = dataclasses.field(default=None, compare=False, repr=False)
    return_position: int | None = dataclasses.field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        argument = "" if self.argument is None else " %r" % (self.argument,)
        if self.outcome == "ok":
            result = "" if self.result is None and argument else " -> %r" % (self.result,)
        else:
            result = " -> did not happen" if self.outcome == "fail" else " -> ?"
        key = "" if self.key is None else " [%r]" % (self.key,)
        return "%s%s%s%s (process %s)" % (self.function, key, argument, result, self.process)


class Operations(Sequence[Operation]):
    """Operations of a history, in some order; each is made when it is asked for."""

    def __init__(self, history: Any, indices: Sequence[int]) -> None:
        self._history = history
        #: the numbers of the operations in the history
        self.indices: Sequence[int] = indices

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, at: int) -> Operation: ...
    @overload
    def __getitem__(self, at: slice) -> Operations: ...

    def __getitem__(self, at: int | slice) -> Operation | Operations:
        if isinstance(at, slice):
            return Operations(self._history, self.indices[at])
        operation: Operation = self._history[self.indices[at]]
        return operation

    def __iter__(self) -> Iterator[Operation]:
        return map(self._history.__getitem__, self.indices)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operations):
            return NotImplemented
        return self._history is other._history and list(self.indices) == list(other.indices)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(str(operation) for operation in self[:10])
        return "[%s%s]" % (shown, ", ... (%d)" % len(self) if len(self) > 10 else "")
