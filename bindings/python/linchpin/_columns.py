"""Lists and frames of operations or events, as columns that the library records at once.

Of a list each row is a tuple, a dict or an Operation; of a frame (pandas) each column has a name.
Both become `Table`: lists by name, or arrays of numpy. What tells operations from events is a
column `type`: "invoke", "ok", "fail", "info".
"""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import marshal
import operator
from array import array
from typing import Any, Callable, Iterable, Mapping, Sequence

from . import _library as lib
from ._context import strings
from ._times import is_array, times
from .errors import InputError, UsageError, raise_for, shown
from .operation import OUTCOMES, Operation
from .values import Keyword, Symbol, Values

OPERATION_COLUMNS = ("process", "function", "argument", "result", "called", "returned", "outcome",
                     "key", "object")
EVENT_COLUMNS = ("process", "type", "function", "value", "time", "key", "object")
TIMES = ("called", "returned", "time")
ALIASES = {"f": "function", "call": "called", "return": "returned"}
#: that say nothing about the verdict, and are there in histories of Jepsen
PASSED_OVER = ("index", "error")

Table = Mapping[str, Any]


# ---- lists ----


def table_of(rows: Sequence[Any]) -> Table:
    """The columns of a list. InputError names the row, from 1."""
    if not rows:
        return {"process": [], "function": [], "called": [], "returned": []}
    kinds = set(map(type, rows))
    if all(issubclass(kind, Operation) for kind in kinds):
        return {name: list(map(operator.attrgetter(name), rows)) for name in OPERATION_COLUMNS}
    if all(issubclass(kind, Mapping) for kind in kinds):
        return _of_dicts(rows)
    if all(issubclass(kind, (tuple, list)) for kind in kinds):
        return _of_tuples(rows)
    kind_of_first = next((kind for kind in _ROWS if isinstance(rows[0], kind)), None)
    for i, row in enumerate(rows, 1):
        if not isinstance(row, tuple(_ROWS)):
            raise InputError("expected an operation: a tuple, a dict or an Operation, found %s"
                             % shown(row), line=i)
        if not isinstance(row, kind_of_first or ()):
            raise InputError("expected %s, as rows before, found %s"
                             % (_ROWS[kind_of_first], shown(row)), line=i)
    raise AssertionError("rows of one kind")


#: the kinds of rows
_ROWS: dict[Any, str] = {Operation: "an Operation", Mapping: "a dict", (tuple, list): "a tuple"}


def _of_dicts(rows: Sequence[Mapping[str, Any]]) -> Table:
    events = "type" in rows[0]
    known = EVENT_COLUMNS if events else OPERATION_COLUMNS
    columns: dict[str, list[Any]] = {name: [None] * len(rows) for name in known}
    for i, row in enumerate(rows):
        for short, name in ALIASES.items():
            if short in row and name in row:
                raise InputError("expected one of `%s` and `%s`, found both" % (name, short),
                                 line=i + 1)
        for name, value in row.items():
            name = ALIASES.get(name, name)
            if name in columns:
                columns[name][i] = value
            elif name not in PASSED_OVER:
                raise InputError("expected %s, found %s" % (_listed(known), shown(name)),
                                 line=i + 1)
    if not events and not any("result" in row for row in rows):
        raise InputError("expected a `result`, of None where nothing is returned, found none",
                         line=1)
    return columns


def _of_tuples(rows: Sequence[Sequence[Any]]) -> Table:
    lengths = set(map(len, rows))
    if len(lengths) != 1 or not 6 <= min(lengths) <= 7:
        row = next(i for i, r in enumerate(rows, 1) if not 6 <= len(r) <= 7 or
                   len(r) != len(rows[0]))
        raise InputError("expected (process, function, argument, result, called, returned), and in "
                         "all rows or in none the outcome behind it, found %s" % shown(rows[row - 1]),
                         line=row)
    length = min(lengths)
    items = list(itertools.chain.from_iterable(rows))
    return {name: items[i::length] for i, name in enumerate(OPERATION_COLUMNS[:length])}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


# ---- frames ----


def is_frame(source: Any) -> bool:
    """Whether it is a DataFrame of pandas, which need not be installed."""
    return type(source).__name__ == "DataFrame" and hasattr(source, "columns") and \
        hasattr(source, "to_numpy")


def table_of_frame(frame: Any, columns: Mapping[str, str] | None, ignore: Iterable[str]) -> Table:
    """The columns of a frame; `columns` says how it calls them: {"process": "client"}."""
    if not isinstance(columns, (Mapping, type(None))):
        raise UsageError("columns: expected a dict, {\"process\": \"client\"} for example, found %s"
                         % shown(columns))
    if isinstance(ignore, str):
        raise UsageError("ignore: expected a list of columns, found %s" % shown(ignore))
    named = dict(columns or {})
    there = list(frame.columns)
    known = set(OPERATION_COLUMNS) | set(EVENT_COLUMNS)
    for name, own in named.items():
        if name not in known:
            raise UsageError("columns: expected %s, found %r"
                             % (_listed(OPERATION_COLUMNS + ("type", "value", "time")), name))
        if own not in there:
            raise UsageError("columns: expected one of the frame's, %s, found %r"
                             % (_listed(map(str, there)), own))
    passed_over = set(ignore) | set(PASSED_OVER) | set(named.values())
    said = set(named)
    for own in there:
        name = ALIASES.get(own, own)
        if own in passed_over or name in said:
            continue
        if name in named:
            raise UsageError("expected one column for `%s`, found %s: say which it is with "
                             "columns={\"%s\": ...}, or leave one out with ignore=[...]"
                             % (name, " and ".join(map(repr, (named[name], own))), name))
        named[name] = own
    known = set(EVENT_COLUMNS if "type" in named else OPERATION_COLUMNS)
    unknown = sorted(str(named[name]) for name in named if name not in known)
    if unknown:
        raise UsageError("expected columns %s, found %s: say what they are with "
                         "columns={\"argument\": ...}, or leave them out with ignore=[...]"
                         % (_listed(EVENT_COLUMNS if "type" in named else OPERATION_COLUMNS),
                            _listed(unknown)))
    if "type" not in named and "result" not in named:
        raise UsageError("expected a column `result`, of None where nothing is returned, found none")
    _refuse_mixed_times(frame, [named[name] for name in TIMES if name in named])
    return {name: _coded(frame[own]) if name in ("function", "object") else
            _frame_column(frame[own], name in TIMES) for name, own in named.items()}


@dataclasses.dataclass(frozen=True)
class Masked:
    """Integers of 64 bits as an array of numpy, and one of which are missing."""
    integers: Any
    missing: Any

    def __len__(self) -> int:
        return len(self.integers)

    def tolist(self) -> list[int | None]:
        return [None if gone else number
                for number, gone in zip(self.integers.tolist(), self.missing.tolist())]


@dataclasses.dataclass(frozen=True)
class Coded:
    """A column of few labels: the place of each in `labels`, an array of numpy; of what is missing
    -1, where None stands."""
    codes: Any
    labels: list[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def tolist(self) -> list[Any]:
        return [self.labels[code] for code in self.codes.tolist()]


def _is_missing(item: Any) -> bool:
    return item is None or item != item


def _coded(series: Any) -> Any:
    """A column of names."""
    try:
        codes, labels = series.factorize()
    except TypeError:  # something is no name, and cannot be hashed: told where names are made
        return [None if _is_missing(label) else label for label in series.astype(object)]
    return Coded(codes.astype("int32"), [*labels.tolist(), None])


def _masked(series: Any, kind: str, missing: Any) -> Masked | None:
    """A column of numbers that are whole, or None: there are others."""
    gone = missing.to_numpy()
    if kind == "f":
        numbers = series.to_numpy(dtype="float64", na_value=0.0)
        integers = numbers.astype("int64")
        return Masked(integers, gone) if (integers == numbers).all() else None
    if kind == "i" or str(series.dtype).lower() == "uint32":
        return Masked(series.to_numpy(dtype="int64", na_value=0), gone)
    return None


def _frame_column(series: Any, is_time: bool) -> Any:
    """A list, or of integers and times an array of numpy. What is missing is None. Times that are
    floats stay so: seconds."""
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in "mM":
        return _frame_times(series, kind)
    if type(dtype).__name__ == "SparseDtype":
        series = series.sparse.to_dense()
        kind = series.dtype.kind
    if kind == "i" and str(dtype) == "int64":
        return series.to_numpy()
    missing = series.isna()
    if kind == "f":
        _refuse_inexact(series, missing)
    masked = _masked(series, kind, missing) if kind == "i" or (kind == "f" and not is_time) \
        else None
    if masked is not None:
        return masked
    column = series.astype(object).tolist()
    if missing.any():
        column = [None if gone else item for item, gone in zip(column, missing)]
    return column


def _refuse_mixed_times(frame: Any, names: list[Any]) -> None:
    """Dates, durations and numbers are not compared with one another."""
    kinds = {"M": "dates", "m": "durations"}
    found = []
    for name in names:
        dtype = frame[name].dtype
        kind = kinds.get(getattr(dtype, "kind", "O"), "numbers")
        zone = " with a time zone" if getattr(dtype, "tz", None) is not None else ""
        if not frame[name].isna().all():
            found.append(kind + zone)
    if len(set(found)) > 1:
        raise InputError("expected times of one kind (dates, all or none with a time zone, durations "
                         "or numbers), found %s" % " and ".join(found), line=1)


def _frame_times(series: Any, kind: str) -> Any:
    """Times and durations, in nanoseconds."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    numbers = series.to_numpy(dtype="datetime64[ns]" if kind == "M" else "timedelta64[ns]")
    missing = series.isna()
    if not missing.any():
        return numbers.astype("int64")
    return [None if gone else n for n, gone in zip(numbers.astype("int64").tolist(), missing)]


def _refuse_inexact(series: Any, missing: Any) -> None:
    """pandas makes floats of integers where one is missing; large ones are others then."""
    wrong = (series.abs() >= 2**53) & ~missing
    if wrong.any():
        row = wrong.tolist().index(True)
        raise InputError("%s: expected integers that are kept exactly (dtype Int64, which may have "
                         "missing ones), found the float %r"
                         % (series.name, series.iloc[row]), line=row + 1)


# ---- recording ----


@dataclasses.dataclass
class _Recorded:
    """Columns for the library, and what they point to."""
    columns: lib.Columns
    kept: list[Any] = dataclasses.field(default_factory=list)

    def set(self, name: str, column: Any) -> None:
        """A column that is an array, or one of numpy."""
        self.kept.append(column)
        address = column.buffer_info()[0] if isinstance(column, array) else column.ctypes.data
        setattr(self.columns, name, address)

    def set_names(self, name: str, names: str, column: Sequence[Any], what: str) -> None:
        """A column of names, as numbers."""
        numbers: dict[Any, int] = {None: lib.NO_NAME}
        codes: Any = None
        found: list[str] = []
        if isinstance(column, Coded):
            codes, column = column.codes, column.labels
        labels: Iterable[Any] = column
        with contextlib.suppress(TypeError):  # something is no name, and cannot be hashed
            labels = dict.fromkeys(column)
        for label in labels:
            if label is None:
                continue  # NO_NAME
            text, fault = _name(label)
            if fault:
                row = next(i for i, other in enumerate(column, 1) if other is label)
                row = row if codes is None else codes.tolist().index(row - 1) + 1
                raise InputError("expected %s, found %s" % (what, fault), line=row)
            numbers[label] = len(found)
            found.append(text)
        texts = strings(found, what)
        self.kept.append(texts)
        places = array("I", map(numbers.__getitem__, column))
        if codes is not None:  # behind the last label stands the place of what is missing
            places = type(codes)((len(places),), codes.dtype, places)[codes]
        self.set(name, places)
        setattr(self.columns, names, texts)
        setattr(self.columns, names.rstrip("s") + "_count", len(found))


def _name(label: Any) -> tuple[str, str]:
    """The name that a label is; or else what is found in its place, for a message."""
    text = label.name if isinstance(label, (Keyword, Symbol)) else label
    if not isinstance(text, str) or not text:
        return "", shown(label)
    if "\0" in text:
        return "", "%s, with a zero byte" % shown(label)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return "", "%s, which is no Unicode (%s)" % (shown(label), error.reason)
    return text, ""


def _plain(table: Table, *names: str) -> Table:
    """The table with lists in place of masked arrays, where these are looked at one by one."""
    return {name: column.tolist() if name not in names and isinstance(column, Masked) else column
            for name, column in table.items()}


def _values(values: Values, column: Any, name: str) -> Any:
    try:
        if is_array(column):
            if not column.flags.c_contiguous:
                column = column.copy()
            return values.integers(column.ctypes.data, len(column))
        if isinstance(column, Masked):
            handles = _values(values, column.integers, name)
            words = column.integers[:0].copy()  # an array of numpy over the handles
            words = type(words)((len(handles),), words.dtype, handles)
            words[column.missing] = lib.NIL
            return handles
        return values.column(column)
    except InputError as error:
        raise InputError("%s: %s" % (name, error.message), line=error.line) from None


def _all_none(column: Any) -> bool:
    if isinstance(column, Masked):
        return bool(column.missing.all())
    if isinstance(column, Coded):
        return column.labels == [None]
    return not is_array(column) and all(map(operator.is_, column, itertools.repeat(None)))


def _refuse_none(column: Any, expected: str) -> None:
    if not is_array(column):
        row = next((i for i, each in enumerate(column, 1) if each is None), 0)
        if row:
            raise InputError("%s, found None" % expected, line=row)


def _common(recorded: _Recorded, values: Values, table: Table, calls: Iterable[bool]) -> None:
    """What operations and events have; `calls`: which of them must name a function."""
    length = len(table["process"])
    recorded.columns.length = length
    _refuse_none(table["process"], "process: expected a name or a number")
    recorded.set("process", _values(values, table["process"], "process"))
    function, what = table["function"], "the name of an operation as `function`"
    if is_array(function):
        function = function.tolist()
    if not isinstance(function, Coded) or (function.codes < 0).any():
        named = function.tolist() if isinstance(function, Coded) else function
        _refuse_none([not call or name for name, call in zip(named, calls)], "expected %s" % what)
    recorded.set_names("function", "names", function, what)
    if "key" in table and not _all_none(table["key"]):
        recorded.set("key", _values(values, table["key"], "key"))
    if "object" in table and not _all_none(table["object"]):
        recorded.set_names("object", "objects", table["object"], "the name of an object as `object`")


def _outcomes(recorded: _Recorded, column: Sequence[Any], returned: Any) -> None:
    numbers: dict[str, int] = {name: i for i, name in enumerate(OUTCOMES)}
    outcomes = array("B")
    gone = [False] * len(column) if is_array(returned) else [time is None for time in returned]
    for row, (outcome, pending) in enumerate(zip(column, gone), 1):
        if outcome is None:
            outcome = "info" if pending else "ok"
        number = numbers.get(_name(outcome)[0])
        if number is None:
            raise InputError('outcome: expected "ok", "fail" or "info", found %s' % shown(outcome),
                             line=row)
        if pending and number != numbers["info"]:
            raise InputError("returned: expected the time of an operation that is %s, found None"
                             % shown(outcome), line=row)
        outcomes.append(number)
    recorded.set("outcome", outcomes)


def _record_operations(values: Values, table: Table) -> _Recorded:
    recorded = _Recorded(lib.Columns())
    _common(recorded, values, table, itertools.repeat(True))
    length = recorded.columns.length
    if "called" not in table or (length and _all_none(table["called"])):
        raise InputError("called: expected the time of each operation (or events, with a `type`), "
                         "found none", line=1)
    if "returned" not in table:
        table = {**table, "returned": [None] * length}
    called, returned = table["called"], table["returned"]
    _refuse_none(called, "called: expected a time")
    outcome = table.get("outcome")
    if outcome is None:
        outcome = [None] * length
    if not (_all_none(outcome) and (is_array(returned) or all(
            time is not None for time in returned))):
        _outcomes(recorded, outcome, returned)
    for name, column in zip(TIMES, times({"called": called, "returned": returned}, TIMES[:2], 0)):
        recorded.set(name, column)
    for name in ("argument", "result"):
        if name in table and not _all_none(table[name]):
            recorded.set(name, _values(values, table[name], name))
    return recorded


def _record_events(values: Values, table: Table) -> _Recorded:
    recorded = _Recorded(lib.Columns())
    if "function" not in table:
        raise UsageError("expected a column `function`, found none")
    types = [_name(kind)[0] for kind in table["type"]]
    wrong = next((i for i, kind in enumerate(types) if kind not in ("invoke",) + OUTCOMES), None)
    if wrong is not None:
        raise InputError('type: expected "invoke", "ok", "fail" or "info", found %s'
                         % shown(table["type"][wrong]), line=wrong + 1)
    _common(recorded, values, table, [kind == "invoke" for kind in types])
    recorded.set("invokes", array("B", [kind == "invoke" for kind in types]))
    outcomes = {"invoke": 0, "ok": 0, "fail": 1, "info": 2}
    recorded.set("outcome", array("B", map(outcomes.__getitem__, types)))
    if "time" in table and not _all_none(table["time"]):
        recorded.set("called", times(table, ("time",), lib.TIME_NONE)[0])
    if "value" in table and not _all_none(table["value"]):
        handles = _values(values, table["value"], "value")
        recorded.set("argument", handles)
        recorded.set("result", handles)
    return recorded


def _tupled(first: Any) -> tuple[int, Callable[[list[Any]], list[Any]] | None]:
    """How rows like this one become tuples of how many items; no items: not at all. The function
    raises ValueError where rows are not alike, or say more than tuples can."""
    if type(first) in (tuple, list):
        return len(first), None
    if type(first) is Operation:
        return 7, _of_operations
    if type(first) is not dict:
        return 0, None
    keys = tuple(first)
    own = {ALIASES.get(key, key): key for key in keys if key not in PASSED_OVER}
    wanted = [name for name in OPERATION_COLUMNS[:7] if name in own]
    if len(own) != len(wanted) or len([key for key in keys if key not in PASSED_OVER]) != len(own):
        return 0, None
    if wanted != list(OPERATION_COLUMNS[:len(wanted)]):
        return 0, None
    take = operator.itemgetter(*(own[name] for name in wanted))

    def of_dicts(rows: list[Any]) -> list[Any]:
        if set(map(type, rows)) != {dict} or set(map(tuple, rows)) != {keys}:
            raise ValueError
        return list(map(take, rows))

    return len(wanted), of_dicts


_of_operation = operator.attrgetter(*OPERATION_COLUMNS[:7])
_whose_operation = operator.attrgetter(*OPERATION_COLUMNS[7:])


def _of_operations(rows: list[Any]) -> list[Any]:
    if set(map(type, rows)) != {Operation} or \
            any(map(operator.ne, map(_whose_operation, rows), itertools.repeat((None, None)))):
        raise ValueError
    return list(map(_of_operation, rows))


MARSHALLED = 1024  # so many rows at once stay in the processor's cache


def record_marshalled(history: int, rows: Sequence[Any]) -> bool:
    """Records a list of operations in an open history, and closes it: the way for lists that hold
    only the commonest types, which are never looked at one by one here. False: they hold something
    else, or something that is wrong; the history is of no use then."""
    width, tuples_of = _tupled(rows[0]) if rows else (0, None)
    if width not in (6, 7):
        return False
    understood, error = ctypes.c_bool(), lib.Error()
    for first in range(0, len(rows), MARSHALLED):
        chunk: Any = rows[first:first + MARSHALLED]
        try:
            packed = marshal.dumps(tuples_of(chunk) if tuples_of else chunk, 2)
        except ValueError:
            return False
        status = lib.lp_history_marshalled(history, packed, len(packed), width, understood, error)
        if status != lib.OK or not understood:
            return False
    return bool(lib.lp_history_close(history, error) == lib.OK)


def record(history: int, values: Values, table: Table, name: str) -> None:
    """Records a table in a history that is open, and closes it."""
    error = lib.Error()
    if "process" not in table or ("function" not in table and "type" not in table):
        raise UsageError("%s: expected columns `process` and `function`, found %s"
                         % (name, _listed(map(str, table)) or "none"))
    table = _plain(table, "argument", "result", "value", "key")
    try:
        if "type" in table:
            recorded = _record_events(values, table)
            status = lib.lp_history_events(history, recorded.columns, error)
        else:
            recorded = _record_operations(values, table)
            status = lib.lp_history_intervals(history, recorded.columns, error)
    except InputError as fault:
        raise InputError(fault.message, name, fault.line) from None
    if status == lib.OK:
        status = lib.lp_history_close(history, error)
    raise_for(status, error)


