"""Columns of times, as integers that the library takes.

Integers are of any unit; floats are seconds, and become nanoseconds. Where some times are integers,
a float is one of them (pandas makes floats of integers where one is missing).
"""
from __future__ import annotations

import operator
from array import array
from typing import Any, Mapping, Sequence

from . import _library as lib
from .errors import InputError, shown


def is_array(column: Any) -> bool:
    """Whether it is an array of numpy."""
    return hasattr(column, "ctypes")


def times(columns: Mapping[str, Any], names: Sequence[str], missing: int) -> list[Any]:
    """Columns of times as integers; `missing` stands for None. InputError names the row."""
    are_integers = any(is_array(columns[name]) or
                       not all(kind is type(None) or issubclass(kind, float)
                               for kind in set(map(type, columns[name]))) for name in names)
    made = [_integers(columns[name], name, missing) if are_integers
            else _nanoseconds(columns[name], name, missing) for name in names]
    if not are_integers:
        given = {time for name in names for time in columns[name] if time is not None}
        if len(given) != len({number for column in made for number in column} - {missing}):
            _refuse_close(columns, names)
    return made


def _integers(column: Any, name: str, missing: int) -> Any:
    if is_array(column):
        if len(column) and column.min() == lib.TIME_NONE:
            _refuse_size(column.min(), name, column.argmin() + 1)
        return column if column.flags.c_contiguous else column.copy()
    try:
        quick = array("q", column)
        if lib.TIME_NONE not in quick:
            return quick
    except (TypeError, OverflowError):
        pass  # some are missing, or floats, or wrong
    made = array("q")
    for row, time in enumerate(column, 1):
        if time is None:
            made.append(missing)
            continue
        if isinstance(time, float):
            if not time.is_integer():
                raise InputError("%s: expected integers, as other times are, or floats in all "
                                 "places, found %s" % (name, shown(time)), line=row)
            time = int(time)
        try:
            number = operator.index(time)
        except TypeError:
            raise InputError("%s: expected a time, found %s" % (name, shown(time)),
                             line=row) from None
        if not lib.TIME_NONE < number < 2**63:
            _refuse_size(time, name, row)
        made.append(number)
    return made


def _nanoseconds(column: Sequence[float | None], name: str, missing: int) -> array[int]:
    made = array("q")
    for row, time in enumerate(column, 1):
        if time is None:
            made.append(missing)
            continue
        if not abs(time) * 1e9 < 2**63:  # nor is it nan
            raise InputError("%s: expected a time in seconds, of at most 64 bits in nanoseconds, "
                             "found %s" % (name, shown(time)), line=row)
        made.append(round(time * 1e9))
    return made


def _refuse_size(time: Any, name: str, row: int) -> None:
    raise InputError("%s: expected a time above -2**63 and below 2**63, found %s"
                     % (name, shown(time)), line=row)


def _refuse_close(columns: Mapping[str, Any], names: Sequence[str]) -> None:
    """Names the first time that falls together with another one of before."""
    before: dict[int, float] = {}
    for row, together in enumerate(zip(*(columns[name] for name in names)), 1):
        for name, time in zip(names, together):
            if time is not None and before.setdefault(round(time * 1e9), time) != time:
                raise InputError("%s: expected times at least a nanosecond apart, or equal, found "
                                 "%r and %r: use integers, time.perf_counter_ns() for example"
                                 % (name, before[round(time * 1e9)], time), line=row)
