"""Reports of the library: text, JSON, and pages for a browser."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

from . import _library as lib
from .errors import UsageError

TEXT, JSON, HTML = range(3)
LEAST_COLUMNS = 40


def make(form: int, add: Callable[[int], None], *, columns: int = 80, colour: bool = False,
         ascii: bool = False, quiet: bool = False, linearization: bool = False) -> str:
    """A report with the answers that `add` gives to it."""
    if columns < LEAST_COLUMNS:
        raise UsageError("columns: expected at least %d, found %r" % (LEAST_COLUMNS, columns))
    options = lib.ReportOptions(columns=columns, colour=colour, ascii=ascii, quiet=quiet,
                                linearization=linearization)
    report, length = lib.lp_report_create(form, options), ctypes.c_size_t()
    if not report:
        raise MemoryError("the system has no memory left")
    try:
        add(report)
    except BaseException:
        lib.lp_report_destroy(report)
        raise
    return lib.take(lib.lp_report_finish(report, length), length.value)


def frame(page: str, height: int = 480) -> str:
    """A page inside another one: what a notebook shows."""
    import html  # takes its time, and is seldom needed
    return ('<iframe sandbox="allow-scripts" style="width: 100%%; height: %dpx; border: 1px solid '
            '#ccc" srcdoc="%s"></iframe>' % (height, html.escape(page, quote=True)))
