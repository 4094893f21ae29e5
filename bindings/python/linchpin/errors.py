"""What can go wrong, and where."""
from __future__ import annotations

import re
import reprlib
from typing import TYPE_CHECKING, Any

from . import _library as lib

if TYPE_CHECKING:
    from .model import Verification
    from .result import Result


class LinchpinError(Exception):
    """All errors of this package."""


class InputError(LinchpinError, ValueError):
    """The input is wrong: a history, a model or a specification.

    `file` and `line` (from 1) say where, `expected` and `found` what, as far as the message does;
    of a list or a frame `file` is its name, and `line` the row, from 1.
    """

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        self.message, self.file, self.line = message, file, line
        found = re.search(r"expected (.*?), found (.*)", message.split("\n")[0])
        self.expected: str | None = found.group(1) if found else None
        self.found: str | None = found.group(2) if found else None
        #: of a model that is at fault at run time: the answer with the execution that leads to it
        self.verification: Verification | None = None
        place = "%s:%d: " % (file, line) if line else file + ": " if file else ""
        super().__init__(place + message)


class UsageError(LinchpinError, ValueError):
    """The request is wrong: an unknown name, options that do not go together."""


class LimitReached(LinchpinError):
    """Time, memory or an interrupt ended the work before there was any answer, for example while
    a file was read. `limit` is "time", "memory", "interrupt" or "none" where it is not known."""

    def __init__(self, message: str, limit: str = "none") -> None:
        self.limit = limit
        super().__init__(message)


class InternalError(LinchpinError):
    """A fault of linchpin's own."""


class SpecificationError(LinchpinError, TypeError):
    """A specification in Python does what it must not: its states cannot be hashed, a method
    returns no pair."""


class NotLinearizable(AssertionError):
    """Raised by `assert_linearizable`; `result` is the answer."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__("\n" + str(result).rstrip())


class Undecided(LinchpinError):
    """Raised by `assert_linearizable` where a limit came first; `result` is the answer."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(str(result).rstrip())


class _Short(reprlib.Repr):
    """Of what was found as much as a message has room for: it may be long, or hold itself."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 200
        self.maxtuple = self.maxlist = 20

    def repr_int(self, number: int, level: int) -> str:
        bits = number.bit_length()  # Python does not print any number of digits
        return super().repr_int(number, level) if bits < 4096 else "an integer of %d bits" % bits


_short = _Short()


def shown(found: Any) -> str:
    """What was found, for a message. Never raises."""
    try:
        return _short.repr(found)
    except Exception:  # of a class whose own __repr__ does
        return "a value of %s" % type(found).__name__


def raise_for(status: int, error: lib.Error) -> None:
    """Raises what a status says; nothing if all is well."""
    if status == lib.OK:
        return
    message, file = lib.text(error.message), lib.text(error.file)
    if status == lib.INPUT:
        raise InputError(message, file, error.line)
    if status == lib.USAGE:
        raise UsageError("%s: %s" % (file, message) if file else message)
    if status == lib.LIMIT:
        limit = next((name for name in lib.LIMITS[1:] if name in message), "none")
        raise LimitReached(message or "a limit was reached", limit)
    raise InternalError(message)
