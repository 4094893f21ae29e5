"""Contexts, and work in them that can be interrupted."""
from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Callable, Sequence, TypeVar

from . import _library as lib
from .errors import UsageError, shown

T = TypeVar("T")


class Context:
    """An lp_context. It is destroyed when nothing needs it any more; what lives in it keeps it."""

    def __init__(self, memory: int | None = None) -> None:
        if memory is not None and not (isinstance(memory, int) and 0 < memory < 2**63):
            raise UsageError("memory: expected a number of bytes above 0, found %s"
                             % shown(memory))
        self.pointer = lib.lp_context_create(memory or 0)
        if not self.pointer:
            raise MemoryError("the system has no memory left")
        self._finalizer = weakref.finalize(self, lib.lp_context_destroy, self.pointer)


class Owned:
    """Something that the library made in a context. It is given back before the context is."""

    def __init__(self, context: Context, pointer: Any, destroy: Callable[[Any], None]) -> None:
        self.context = context
        self.pointer = pointer
        # the finalizer holds the context, so that this goes first
        self._finalizer = weakref.finalize(self, _destroy, destroy, pointer, context)

    def release(self) -> None:
        self._finalizer()


def _destroy(destroy: Callable[[Any], None], pointer: Any, context: Context) -> None:
    destroy(pointer)


def run(contexts: Sequence[Context], work: Callable[[], T]) -> T:
    """Does long work of the library, so that an interrupt (Control-C) of the main thread ends it.

    Python handles signals in its main thread only, and there between two instructions; so that
    thread waits while another one works.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    answers: list[T] = []
    faults: list[BaseException] = []
    done = threading.Lock()
    done.acquire()

    def worker() -> None:
        try:
            answers.append(work())
        except BaseException as fault:  # handed on
            faults.append(fault)
        finally:
            done.release()

    threading.Thread(target=worker, name="linchpin", daemon=True).start()
    try:
        done.acquire()
    except BaseException:
        for context in contexts:
            lib.lp_context_interrupt(context.pointer)
        _wait(done)
        for context in contexts:
            lib.lp_context_resume(context.pointer)
        raise
    if faults:
        raise faults[0]
    return answers[0]


def _wait(done: threading.Lock) -> None:
    """However often the user is in a hurry: the library must have let go of what is in use."""
    while True:
        try:
            done.acquire()
            return
        except KeyboardInterrupt:
            continue


def encode(text: str, what: str) -> bytes:
    """A text for the library, which takes no zero bytes."""
    if not isinstance(text, str):
        raise UsageError("%s: expected a text, found %s" % (what, shown(text)))
    try:
        raw = text.encode("utf-8", "strict")
    except UnicodeEncodeError as error:
        raise UsageError("%s: expected a text in Unicode, found %s (%s)"
                         % (what, shown(text), error.reason)) from None
    if b"\0" in raw:
        raise UsageError("%s: expected no zero byte, found one in %s" % (what, shown(text)))
    return raw


def strings(items: Sequence[str], what: str) -> Any:
    """A null-terminated array of texts."""
    array = (ctypes.c_char_p * (len(items) + 1))()
    for i, item in enumerate(items):
        array[i] = encode(item, what)
    return array
