"""The values that operations carry, from Python to the library and back.

| Python                             | the library                         |
|------------------------------------|-------------------------------------|
| None                               | nil                                 |
| bool, int of 64 bits, str          | boolean, integer, string            |
| float                              | real; a whole number is an integer  |
| list, tuple                        | list (comes back as a tuple)        |
| set, frozenset; dict               | set (a frozenset); map (a dict)     |
| Keyword("a"), Symbol("a")          | `:a` and `a` of EDN                 |
"""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import math
import numbers
import operator
from array import array
from typing import Any, Iterator, Sequence

from . import _library as lib
from ._context import Context
from .errors import InputError, LimitReached, shown


@dataclasses.dataclass(frozen=True)
class Keyword:
    """`:name` in EDN, as in histories of Jepsen. It is another value than the text "name"."""
    name: str

    def __repr__(self) -> str:
        return ":" + self.name


@dataclasses.dataclass(frozen=True)
class Symbol:
    """`name` in EDN."""
    name: str

    def __repr__(self) -> str:
        return self.name


class FrozenMap(dict):  # type: ignore[type-arg]
    """A dict that can be hashed, for it is never changed: how maps come back."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a value of a history cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]


_KEYS = (int, str, bool, type(None))
#: collections within one another, as in histories that are read from files
MOST_DEPTH = 200


class Values:
    """The values of one context; several threads may use it."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._made: dict[tuple[type, Any], int] = {}
        self._read: dict[int, Any] = {lib.NIL: None}

    # ---- from Python ----

    def make(self, value: Any) -> int:
        """The value's handle. InputError: it is of a kind that operations cannot carry."""
        kind = type(value)
        if kind not in _KEYS:
            return self._make(value)
        handle = self._made.get((kind, value))
        if handle is None:
            handle = self._made[kind, value] = self._make(value)
        return handle

    def made_once(self, value: Any) -> int:
        """Likewise, of what may never come again: it is not remembered here."""
        return self._make(value)

    def _make(self, value: Any) -> int:
        pointer = self.context.pointer
        if value is None:
            return lib.NIL
        if isinstance(value, bool):
            return self._kept(lib.lp_value_boolean(value))
        if isinstance(value, numbers.Integral):
            with contextlib.suppress(TypeError):  # a duration of numpy
                return self._integer(operator.index(value))
        if isinstance(value, str):
            return self._text(lib.KIND_STRING, value)
        if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):
            return self._real(float(value))
        if isinstance(value, Keyword):
            return self._text(lib.KIND_KEYWORD, value.name)
        if isinstance(value, Symbol):
            return self._text(lib.KIND_SYMBOL, value.name)
        opened = _opened(value)
        if opened is not None:
            return self._collection(*opened)
        if hasattr(value, "item") and getattr(value, "shape", None) == ():
            item = value.item()  # of numpy, a bool for example
            if type(item) in (bool, int, float, str):
                return self.make(item)
        raise InputError("expected None, a bool, a number, a text, a list, a set or a dict as a "
                         "value, found %s of %s" % (shown(value), type(value).__name__))

    def _kept(self, handle: int) -> int:
        if handle == lib.REFUSED:
            raise LimitReached("the memory limit is reached", "memory")
        return handle

    def _integer(self, number: int) -> int:
        if not -2**63 <= number < 2**63:
            raise InputError("expected an integer of at most 64 bits, found %s"
                             % shown(number))
        return self._kept(lib.lp_value_integer(self.context.pointer, number))

    def _real(self, number: float) -> int:
        if math.isnan(number):
            raise InputError("expected a number, found nan, which equals nothing (in a frame it is "
                             "what is missing)")
        if number.is_integer() and -2**63 <= number < 2**63:
            return self._integer(int(number))
        return self._kept(lib.lp_value_real(self.context.pointer, number))

    def _text(self, kind: int, text: str) -> int:
        try:
            raw = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError("expected a text in Unicode, found %s (%s)"
                             % (shown(text), error.reason)) from None
        return self._kept(lib.lp_value_text(self.context.pointer, kind, raw, len(raw)))

    def _collection(self, kind: Any, items: Iterator[Any]) -> int:
        """A collection, and those in it: without recursion, of which Python allows so much only."""
        made = array("Q")
        around: list[tuple[Any, Iterator[Any], array[int]]] = []
        while True:
            for item in items:
                opened = _opened(item)
                if opened is None:
                    made.append(self.make(item))
                    continue
                if len(around) + 1 == MOST_DEPTH:
                    raise InputError("expected at most %d collections within one another, found "
                                     "more" % MOST_DEPTH)
                around.append((kind, items, made))
                (kind, items), made = opened, array("Q")
                break
            else:
                handle = self._kept(kind(self.context.pointer, made.buffer_info()[0], len(made)))
                if not around:
                    return handle
                kind, items, made = around.pop()
                made.append(handle)

    def column(self, column: Sequence[Any]) -> array[int]:
        """The handles of a whole column."""
        kinds = set(map(type, column))
        if kinds <= {int, type(None)} and int in kinds:
            return self._integers(column, type(None) in kinds)
        if kinds <= set(_KEYS) and len(kinds) == 1 or kinds == {str, type(None)}:
            made = {value: self.make(value) for value in set(column)}
            return array("Q", map(made.__getitem__, column))
        make = self.make
        handles = array("Q")
        for row, value in enumerate(column, 1):
            try:
                handles.append(make(value))
            except InputError as error:
                raise InputError(error.message, error.file, row) from None
        return handles

    def _integers(self, column: Sequence[Any], some_nil: bool) -> array[int]:
        numbers_of = [0 if number is None else number for number in column] if some_nil else column
        try:
            integers = array("q", numbers_of)
        except OverflowError:
            row = next(i for i, n in enumerate(numbers_of, 1) if not -2**63 <= n < 2**63)
            raise InputError("expected an integer of at most 64 bits, found %s"
                             % shown(numbers_of[row - 1]), line=row) from None
        handles = self.integers(integers.buffer_info()[0], len(integers))
        if some_nil:
            gone = map(operator.is_, column, itertools.repeat(None))
            for i in itertools.compress(range(len(column)), gone):
                handles[i] = lib.NIL
        return handles

    def integers(self, address: int, length: int) -> array[int]:
        """The handles of integers of 64 bits that stand at an address."""
        handles = array("Q", bytes(8 * length))
        if not lib.lp_value_integers(self.context.pointer, address, length,
                                     handles.buffer_info()[0]):
            raise LimitReached("the memory limit is reached", "memory")
        return handles

    # ---- to Python ----

    def read(self, handle: int) -> Any:
        """The value that a handle stands for."""
        try:
            return self._read[handle]
        except KeyError:
            waiting = [handle]  # items before the collections that they are in
            while waiting:
                items = _read_items(waiting[-1])
                unread = [item for item in items if item not in self._read]
                waiting.extend(unread)
                if not unread:
                    last = waiting.pop()
                    self._read[last] = _read(last, [self._read[item] for item in items])
            return self._read[handle]


def _opened(value: Any) -> tuple[Any, Iterator[Any]] | None:
    """Of a collection what makes one of its kind, and its items; None: it is none."""
    if isinstance(value, (list, tuple)):
        return lib.lp_value_list, iter(value)
    if isinstance(value, (set, frozenset)):
        return lib.lp_value_set, iter(value)
    if isinstance(value, dict):
        return lib.lp_value_map, itertools.chain.from_iterable(value.items())
    return None


def _read_text(handle: int) -> str:
    letters, length = ctypes.c_void_p(), ctypes.c_size_t()
    lib.lp_value_get_text(handle, letters, length)
    return ctypes.string_at(letters.value or 0, length.value).decode("utf-8", "replace")


def _read_items(handle: int) -> list[int]:
    if lib.lp_value_kind(handle) not in (lib.KIND_LIST, lib.KIND_SET, lib.KIND_MAP):
        return []
    items, length = ctypes.POINTER(lib.value)(), ctypes.c_size_t()
    lib.lp_value_get_items(handle, items, length)
    return items[:length.value]


def _read(handle: int, items: list[Any]) -> Any:
    """The value; of a collection with these items."""
    kind = lib.lp_value_kind(handle)
    if kind == lib.KIND_INTEGER:
        integer = ctypes.c_int64()
        lib.lp_value_get_integer(handle, integer)
        return integer.value
    if kind == lib.KIND_BOOLEAN:
        boolean = ctypes.c_bool()
        lib.lp_value_get_boolean(handle, boolean)
        return boolean.value
    if kind == lib.KIND_REAL:
        real = ctypes.c_double()
        lib.lp_value_get_real(handle, real)
        return real.value
    if kind == lib.KIND_STRING:
        return _read_text(handle)
    if kind == lib.KIND_KEYWORD:
        return Keyword(_read_text(handle))
    if kind == lib.KIND_SYMBOL:
        return Symbol(_read_text(handle))
    if kind == lib.KIND_MAP:
        return FrozenMap(zip(items[::2], items[1::2]))
    return frozenset(items) if kind == lib.KIND_SET else tuple(items)
