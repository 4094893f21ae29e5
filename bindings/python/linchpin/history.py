"""Histories: read from files, or made of lists and frames."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable, Iterator, Literal, Mapping, Sequence, Union, overload

from . import _columns
from . import _library as lib
from ._context import Context, Owned, encode, run
from .errors import InputError, LimitReached, UsageError, raise_for, shown
from .operation import OUTCOMES, Operation, Operations
from .values import Values

Path = Union[str, "os.PathLike[str]"]
Order = Literal["file", "time"]

_ORDERS = {None: 0, "file": 1, "time": 2}


class History(Sequence[Operation]):
    """A recorded history; a sequence of its operations, in the order in which they were recorded.

    Made with `History.read`, `History.parse` or `History.of`; it does not change.
    """

    def __init__(self, owned: Owned, values: Values) -> None:
        self._owned = owned
        self._values = values
        self._pointer: int = owned.pointer
        self._context = owned.context

    # ---- making ----

    @classmethod
    def of(cls, rows: Any, *, name: str = "history", columns: Mapping[str, str] | None = None,
           ignore: Iterable[str] = (), memory: int | None = None) -> History:
        """The history of operations or events: a list of tuples, dicts or `Operation`s, or a frame
        of pandas.

        Tuples are `(process, function, argument, result, called, returned)`, all or none with the
        outcome behind that. Dicts and frames have these names (`f`, `call` and `return` are
        understood), and perhaps `key` and `object`; or, as events, `process`, `type`, `function`,
        `value`, and perhaps `time`, `key` and `object`: the order of the events is that of the
        rows. `columns` says how a frame calls them, `ignore` names columns that say nothing.
        """
        if _columns.is_frame(rows):
            try:
                table = _columns.table_of_frame(rows, columns, ignore)
            except InputError as error:
                raise InputError(error.message, name, error.line) from None
        elif columns is not None or tuple(ignore):
            raise UsageError("columns and ignore are for frames of pandas")
        else:
            quick = cls._marshalled(rows, name, memory) if type(rows) is list else None
            if quick is not None:
                return quick
            table = _table(rows, name)
        return cls._recorded(table, name, memory)

    @classmethod
    def _marshalled(cls, rows: list[Any], name: str, memory: int | None) -> History | None:
        """The history of a list, by the quick way; None: that is not for this list."""
        owned, values = cls._open(name, memory)
        return cls(owned, values) if _columns.record_marshalled(owned.pointer, rows) else None

    @classmethod
    def _open(cls, name: str, memory: int | None) -> tuple[Owned, Values]:
        """A history that has no operations yet."""
        context = Context(memory)
        pointer = lib.lp_history_create(context.pointer, encode(name, "name"))
        if not pointer:
            raise LimitReached("the memory limit is reached", "memory")
        return Owned(context, pointer, lib.lp_history_destroy), Values(context)

    @classmethod
    def _recorded(cls, table: _columns.Table, name: str, memory: int | None) -> History:
        owned, values = cls._open(name, memory)
        _columns.record(owned.pointer, values, table, name)
        return cls(owned, values)

    @classmethod
    def read(cls, path: Path, *, format: str | None = None, order: Order | None = None,
             jobs: int = 0, timeout: float | None = None, memory: int | None = None) -> History:
        """The one history that a file holds, in any format of docs/manual/formats.md."""
        found = cls.read_all(path, format=format, order=order, jobs=jobs, timeout=timeout,
                             memory=memory)
        return _only(found, str(path))

    @classmethod
    def read_all(cls, path: Path, *, format: str | None = None, order: Order | None = None,
                 jobs: int = 0, timeout: float | None = None,
                 memory: int | None = None) -> list[History]:
        """All histories of a file, or of a folder such as Jepsen's store."""
        context = Context(memory)
        options = _read_options(format, order, jobs, timeout)
        try:
            raw = os.fsencode(path)
        except (TypeError, UnicodeEncodeError):
            raw = b"\0"
        if b"\0" in raw:
            raise UsageError("expected a path, found %s" % shown(path))

        def read_one(each: bytes) -> list[History]:
            return _take(context, lambda *out: lib.lp_history_read(context.pointer, each, options,
                                                                   *out))

        return [history for each in _find(context, raw) for history in read_one(each)]

    @classmethod
    def parse(cls, text: str | bytes, *, name: str = "history", format: str | None = None,
              order: Order | None = None, memory: int | None = None) -> History:
        """The history in a text, in any format."""
        context = Context(memory)
        if not isinstance(text, (str, bytes, bytearray)):
            raise UsageError("expected the text of a history, found %s" % shown(text))
        try:
            raw = text.encode() if isinstance(text, str) else bytes(text)
        except UnicodeEncodeError as error:
            before = error.object[:error.start]
            raise InputError("expected a text in Unicode, found %s (%s)"
                             % (shown(error.object[error.start]), error.reason), name,
                             before.count("\n") + 1) from None
        options = _read_options(format, order, 0, None)
        found = _take(context, lambda *out: lib.lp_history_parse(
            context.pointer, encode(name, "name"), raw, len(raw), options, *out))
        return _only(found, name)

    # ---- looking at it ----

    @property
    def name(self) -> str:
        return lib.text(lib.lp_history_name(self._pointer))

    @property
    def format(self) -> str | None:
        """The format that it was read in; None: it was recorded."""
        raw = lib.lp_history_format(self._pointer)
        return lib.text(raw) if raw else None

    def __len__(self) -> int:
        length: int = lib.lp_history_length(self._pointer)
        return length

    @overload
    def __getitem__(self, at: int) -> Operation: ...
    @overload
    def __getitem__(self, at: slice) -> Operations: ...

    def __getitem__(self, at: int | slice) -> Operation | Operations:
        if isinstance(at, slice):
            return Operations(self, range(len(self))[at])
        index = range(len(self))[at]
        raw = lib.lp_history_operation(self._pointer, index)
        read = self._values.read
        return Operation(
            process=read(raw.process), function=lib.text(raw.function),
            argument=read(raw.argument), result=read(raw.result),
            called=_time(raw.invoke_time), returned=_time(raw.response_time),
            outcome=OUTCOMES[raw.outcome], key=read(raw.key) if raw.has_key else None,
            object=lib.text(raw.object) if raw.object else None, index=index,
            rows=(raw.invoke_line, raw.response_line), call_position=raw.invoke,
            return_position=None if raw.response == lib.NEVER else raw.response)

    def __iter__(self) -> Iterator[Operation]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        return "<History %s: %d operations>" % (self.name, len(self))

    def write(self, format: str = "json") -> str:
        """The history in a format that can be written: "json", "edn", ..."""
        out, length = ctypes.c_void_p(), ctypes.c_size_t()
        error = lib.Error()
        stream = lib.open_memstream(out, length)
        if not stream:
            raise MemoryError("the system has no memory left")
        status = lib.lp_history_write(self._pointer, encode(format, "format"), stream, error)
        lib.fclose(stream)
        text = lib.take(out.value, length.value)
        raise_for(status, error)
        return text

    def to_frame(self) -> Any:
        """A frame of pandas with a row for each operation."""
        import pandas  # type: ignore[import]
        rows = [(o.process, o.function, o.argument, o.result, o.called, o.returned, o.outcome,
                 o.key, o.object) for o in self]
        return pandas.DataFrame(rows, columns=list(_columns.OPERATION_COLUMNS), dtype=object)


# ---- helpers ----


def _time(time: int) -> int | None:
    return None if time == lib.TIME_NONE else time


def _table(rows: Any, name: str) -> _columns.Table:

    if isinstance(rows, (str, bytes, Mapping)) or not hasattr(rows, "__iter__"):
        raise UsageError("expected a list of operations or a frame, found %s" % shown(rows))
    try:
        return _columns.table_of(list(rows))
    except InputError as error:
        raise InputError(error.message, name, error.line) from None


def _read_options(format: str | None, order: Order | None, jobs: int,
                  timeout: float | None) -> lib.ReadOptions:
    if order not in tuple(_ORDERS):
        raise UsageError('order: expected "file" or "time", found %s' % shown(order))
    return lib.ReadOptions(format=None if format is None else encode(format, "format"),
                           jobs=checked_jobs(jobs), timeout=checked_timeout(timeout),
                           order=_ORDERS[order])


def checked_timeout(timeout: float | None) -> float:
    """Seconds for the library."""
    if timeout is None:
        return 0.0
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise UsageError("timeout: expected seconds above 0, found %s" % shown(timeout))
    return float(timeout)


def checked_jobs(jobs: int) -> int:
    if not isinstance(jobs, int) or not 0 <= jobs < 2**31:
        raise UsageError("jobs: expected a number of threads, or 0, found %s" % shown(jobs))
    return jobs


def _find(context: Context, path: bytes) -> list[bytes]:
    """What a path stands for: a folder for the files in it."""
    paths, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
    error = lib.Error()
    raise_for(lib.lp_history_find(context.pointer, path, paths, count, error), error)
    found = [paths[i] for i in range(count.value)]
    lib.free(ctypes.cast(paths, ctypes.c_void_p))
    return [each for each in found if each is not None]


def _take(context: Context, read: Any) -> list[History]:
    """Takes over histories that the library read."""
    pointers, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_size_t()
    error = lib.Error()
    values = Values(context)
    try:
        status: int = run([context], lambda: int(read(pointers, count, error)))
    finally:  # whatever was read is owned from now on
        found = [History(Owned(context, pointers[i], lib.lp_history_destroy), values)
                 for i in range(count.value)]
        lib.free(ctypes.cast(pointers, ctypes.c_void_p))
    raise_for(status, error)
    return found


def _only(found: list[History], name: str) -> History:
    if len(found) != 1:
        raise UsageError("expected one history in %s, found %d: use read_all or check_files"
                         % (name, len(found)))
    return found[0]


def formats() -> list[tuple[str, str, bool]]:
    """The formats of histories: name, description, whether it can be written."""
    name, description, writable = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_bool()
    rows: list[tuple[str, str, bool]] = []
    while lib.lp_format_at(len(rows), name, description, writable):
        rows.append((lib.text(name.value), lib.text(description.value), writable.value))
    return rows
