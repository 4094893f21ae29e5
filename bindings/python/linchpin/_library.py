"""The C library: where it is found, its types and its functions (include/linchpin/*.h).

Everything here has the names of the headers. tests/test_layout.py compares sizes and places of
fields with those that a C compiler finds in the headers.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int64, c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p)
from typing import Any, Iterator

VERSION = "0.1.0"  # of the headers that this file was written after
NAME = "liblinchpin.so.0"

NIL = 0
REFUSED = 2**64 - 1
TIME_NONE = -2**63
NO_NAME = NEVER = NO_PART = 2**32 - 1
STATE_REFUSED = 2**64 - 1
STATE_FAULT = 2**64 - 2
RESULT_ANY = 2**64 - 2

OK, INPUT, USAGE, LIMIT, INTERNAL = range(5)
LIMITS = ("none", "time", "memory", "interrupt", "depth")
(KIND_NIL, KIND_BOOLEAN, KIND_INTEGER, KIND_REAL, KIND_STRING, KIND_KEYWORD, KIND_SYMBOL,
 KIND_LIST, KIND_SET, KIND_MAP) = range(10)


def _candidates() -> Iterator[str]:
    """Where the library may be, best first: said, beside this file, in a build of the checkout that
    this file is in, or where the loader looks."""
    if os.environ.get("LINCHPIN_LIBRARY"):
        yield os.environ["LINCHPIN_LIBRARY"]
        return
    here = os.path.dirname(os.path.realpath(__file__))
    yield os.path.join(here, NAME)
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    if os.path.exists(os.path.join(checkout, "CMakePresets.json")):
        yield os.path.join(checkout, "build", NAME)
    yield NAME


def _find() -> str:
    tried = []
    for candidate in _candidates():
        try:
            ctypes.CDLL(candidate)
            return candidate
        except OSError as error:
            tried.append(str(error))
    raise ImportError("the library of linchpin is not there: install the package, or let "
                      "LINCHPIN_LIBRARY name it (%s)" % "; ".join(tried))


PATH = _find()
_slow = ctypes.CDLL(PATH)  # without Python's lock: what may take long, or call back
_quick = ctypes.PyDLL(PATH)  # with it: what takes less time than to give it up

value = c_uint64


class Sized(Structure):
    """One that is filled in here: it says how large it is, so that the library may know more."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **fields)


class Error(Structure):
    _fields_ = [("file", c_char * 512), ("line", c_uint32), ("message", c_char * 1024),
                ("column", c_uint32)]


class Columns(Sized):
    _fields_ = [("size", c_size_t),
                ("length", c_size_t), ("process", c_void_p), ("function", c_void_p),
                ("names", POINTER(c_char_p)), ("name_count", c_size_t), ("key", c_void_p),
                ("object", c_void_p), ("objects", POINTER(c_char_p)), ("object_count", c_size_t),
                ("argument", c_void_p), ("result", c_void_p), ("outcome", c_void_p),
                ("invokes", c_void_p), ("called", c_void_p), ("returned", c_void_p),
                ("answers", c_void_p)]


class ReadOptions(Sized):
    _fields_ = [("size", c_size_t),
                ("format", c_char_p), ("jobs", c_uint), ("timeout", c_double), ("order", c_int)]


class Operation(Structure):
    _fields_ = [("process", value), ("function", c_char_p), ("object", c_char_p), ("key", value),
                ("argument", value), ("result", value), ("outcome", c_int), ("has_key", c_bool),
                ("result_recorded", c_bool), ("invoke", c_uint32), ("response", c_uint32),
                ("invoke_time", c_int64), ("response_time", c_int64), ("invoke_line", c_uint32),
                ("response_line", c_uint32)]


class SpecOptions(Sized):
    _fields_ = [("size", c_size_t),
                ("initial", c_char_p), ("owned", c_bool), ("nil_reads", c_bool)]


INIT = CFUNCTYPE(c_void_p, c_void_p)
STEP = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t, value, POINTER(value))
PRINT = CFUNCTYPE(c_void_p, c_void_p, c_void_p)
AGREES = CFUNCTYPE(c_bool, c_void_p, c_size_t, value, value)


class SpecCallbacks(Sized):
    _fields_ = [("size", c_size_t),
                ("name", c_char_p), ("operations", POINTER(c_char_p)), ("init", INIT),
                ("step", STEP), ("equal", c_void_p), ("hash", c_void_p), ("print", PRINT),
                ("release", c_void_p), ("agrees", AGREES), ("follow", c_void_p)]


class SpecEntry(Structure):
    _fields_ = [("name", c_char_p), ("parameters", c_char_p), ("summary", c_char_p),
                ("operations", c_size_t)]


class SpecOperationEntry(Structure):
    _fields_ = [("name", c_char_p), ("argument", c_char_p), ("result", c_char_p),
                ("aliases", POINTER(c_char_p))]


class Binding(Structure):
    _fields_ = [("object", c_char_p), ("spec", c_void_p)]


class Progress(Structure):
    _fields_ = [("parts_done", c_size_t), ("parts", c_size_t), ("explored", c_uint64),
                ("memory", c_size_t), ("seconds", c_double)]


PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))


class CheckOptions(Sized):
    _fields_ = [("size", c_size_t),
                ("method", c_int), ("inferred", POINTER(SpecOptions)), ("independent", c_bool),
                ("results", c_int), ("all", c_bool), ("untold", c_bool), ("jobs", c_uint),
                ("timeout", c_double), ("progress", PROGRESS), ("progress_user", c_void_p),
                ("require", c_size_t)]


class Partial(Structure):
    _fields_ = [("order", POINTER(c_uint32)), ("order_length", c_size_t),
                ("stuck", POINTER(c_uint32)), ("stuck_length", c_size_t), ("state", c_char_p)]


class Violation(Structure):
    _fields_ = [("object", c_char_p), ("has_key", c_bool), ("key", value),
                ("keyed_results", c_bool), ("spec", c_char_p), ("method", c_char_p),
                ("reason", c_char_p), ("core", POINTER(c_uint32)), ("core_length", c_size_t),
                ("core_complete", c_bool), ("context", POINTER(c_uint32)),
                ("context_length", c_size_t), ("evidence", POINTER(c_uint32)),
                ("evidence_length", c_size_t), ("silent", POINTER(c_char_p)),
                ("silent_count", c_size_t), ("partials", POINTER(Partial)),
                ("partial_count", c_size_t)]


class Warning(Structure):
    _fields_ = [("line", c_uint32), ("message", c_char_p)]


class Result(Structure):
    _fields_ = [("verdict", c_int), ("limit", c_int), ("spec", c_char_p), ("method", c_char_p),
                ("reason", c_char_p), ("covered", c_char_p), ("operations", c_size_t),
                ("pending", c_size_t), ("skipped", c_size_t), ("passed_over", c_size_t),
                ("parts", c_size_t), ("keyed_results", c_bool), ("parts_decided", c_size_t),
                ("seconds", c_double), ("explored", c_uint64),
                ("linearization", POINTER(c_uint32)), ("linearization_length", c_size_t),
                ("violations", POINTER(Violation)), ("violation_count", c_size_t),
                ("warnings", POINTER(Warning)), ("warning_count", c_size_t)]


class Part(Structure):
    _fields_ = [("object", c_char_p), ("has_key", c_bool), ("key", value),
                ("operations", c_size_t)]


class Assertion(Structure):
    _fields_ = [("text", c_char_p), ("process", c_char_p), ("line", c_uint32),
                ("column", c_uint32), ("expected", c_char_p)]


class VerifyProgress(Structure):
    _fields_ = [("explored", c_uint64), ("memory", c_size_t), ("seconds", c_double)]


VERIFY_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(VerifyProgress))


class VerifyOptions(Sized):
    _fields_ = [("size", c_size_t),
                ("reductions", c_char_p), ("search", c_int), ("method", c_int),
                ("fairness", c_int), ("timeout", c_double), ("progress", VERIFY_PROGRESS),
                ("progress_user", c_void_p), ("engine", c_int), ("jobs", c_size_t),
                ("checkpoint", c_char_p), ("ranks", c_void_p)]


class Variable(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class Step(Structure):
    _fields_ = [("event", c_char_p), ("process", c_uint32), ("visible", c_bool),
                ("changes", POINTER(Variable)), ("change_count", c_size_t), ("kind", c_int),
                ("line", c_uint32), ("file", c_char_p)]


class Execution(Structure):
    _fields_ = [("start", POINTER(Variable)), ("start_count", c_size_t), ("steps", POINTER(Step)),
                ("length", c_size_t), ("is_lasso", c_bool), ("loop_start", c_size_t)]


class Question(Structure):
    _fields_ = [("name", c_char_p), ("about", c_char_p), ("answer", c_int), ("method", c_char_p),
                ("reason", c_char_p), ("explored", c_uint64), ("controls", c_uint64),
                ("places", c_uint64), ("transitions", c_uint64), ("seconds", c_double)]


class Verification(Structure):
    _fields_ = [("answer", c_int), ("limit", c_int), ("method", c_char_p), ("reason", c_char_p),
                ("covered", c_char_p), ("met_bounds", c_bool), ("reductions", POINTER(c_char_p)),
                ("reduction_count", c_size_t), ("missing", POINTER(c_char_p)),
                ("missing_count", c_size_t), ("uncalled", POINTER(c_char_p)),
                ("uncalled_count", c_size_t), ("states", c_uint64), ("transitions", c_uint64),
                ("memory", c_size_t), ("seconds", c_double), ("is_temporal", c_bool),
                ("fairness", c_int), ("has_extreme", c_bool), ("extreme", c_int64),
                ("copies", c_uint), ("search", c_int), ("values", c_uint),
                ("has_execution", c_bool), ("execution", Execution), ("threads", c_uint),
                ("questions", POINTER(Question)), ("question_count", c_size_t), ("failure", c_int),
                ("offered", POINTER(c_char_p)), ("offered_count", c_size_t),
                ("history", c_void_p), ("check", POINTER(Result)), ("resumed", c_bool),
                ("checkpoint_fault", c_char_p), ("stats", c_void_p)]


class MonitorOptions(Sized):
    _fields_ = [("size", c_size_t),
                ("format", c_char_p), ("independent", c_bool), ("results", c_int),
                ("order", c_int), ("keep", c_size_t), ("batch", c_size_t),
                ("logs", POINTER(c_char_p)), ("log_count", c_size_t), ("window", c_int64),
                ("late", c_int64), ("forget", c_bool), ("keep_bytes", c_size_t),
                ("checkpoints", c_bool), ("jobs", c_size_t), ("monitors_only", c_bool), ("inferred", c_bool)]


class MonitorState(Structure):
    _fields_ = [("verdict", c_int), ("limit", c_int), ("operations", c_uint64),
                ("running", c_uint64), ("pending", c_uint64), ("skipped", c_uint64),
                ("objects", c_uint64), ("retained", c_uint64), ("lines", c_uint32),
                ("waiting", c_size_t), ("line", c_uint32), ("exact", c_bool),
                ("memory", c_size_t), ("held", c_uint64), ("late", c_uint64),
                ("late_answers", c_uint64), ("given_up", c_uint64), ("given_up_line", c_uint32),
                ("log", c_size_t), ("given_up_log", c_size_t), ("over", c_bool),
                ("failed", c_bool)]


class ReportOptions(Sized):
    _fields_ = [("size", c_size_t),
                ("columns", c_uint), ("colour", c_bool), ("ascii", c_bool), ("quiet", c_bool),
                ("linearization", c_bool)]


def _declare(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    try:
        function = getattr(library, name)
    except AttributeError:
        raise ImportError("%s has no %s: it is not of the version %s that this package is for"
                          % (PATH, name, VERSION)) from None
    function.restype = result
    function.argtypes = arguments
    return function


_P = c_void_p
_E = POINTER(Error)

lp_version = _declare(_quick, "lp_version", c_char_p)
lp_context_create = _declare(_quick, "lp_context_create", _P, c_size_t)
lp_context_destroy = _declare(_quick, "lp_context_destroy", None, _P)
lp_context_interrupt = _declare(_quick, "lp_context_interrupt", None, _P)
lp_context_resume = _declare(_quick, "lp_context_resume", None, _P)
lp_context_memory_peak = _declare(_quick, "lp_context_memory_peak", c_size_t, _P)

lp_value_boolean = _declare(_quick, "lp_value_boolean", value, c_bool)
lp_value_integer = _declare(_quick, "lp_value_integer", value, _P, c_int64)
lp_value_integers = _declare(_quick, "lp_value_integers", c_bool, _P, _P, c_size_t, _P)
lp_value_real = _declare(_quick, "lp_value_real", value, _P, c_double)
lp_value_text = _declare(_quick, "lp_value_text", value, _P, c_int, c_char_p, c_size_t)
lp_value_list = _declare(_quick, "lp_value_list", value, _P, _P, c_size_t)
lp_value_set = _declare(_quick, "lp_value_set", value, _P, _P, c_size_t)
lp_value_map = _declare(_quick, "lp_value_map", value, _P, _P, c_size_t)
lp_value_kind = _declare(_quick, "lp_value_kind", c_int, value)
lp_value_get_boolean = _declare(_quick, "lp_value_get_boolean", c_bool, value, POINTER(c_bool))
lp_value_get_integer = _declare(_quick, "lp_value_get_integer", c_bool, value, POINTER(c_int64))
lp_value_get_real = _declare(_quick, "lp_value_get_real", c_bool, value, POINTER(c_double))
lp_value_get_text = _declare(_quick, "lp_value_get_text", c_bool, value, POINTER(_P),
                             POINTER(c_size_t))
lp_value_get_items = _declare(_quick, "lp_value_get_items", c_bool, value,
                              POINTER(POINTER(value)), POINTER(c_size_t))
lp_value_to_edn = _declare(_quick, "lp_value_to_edn", _P, value)

lp_history_create = _declare(_quick, "lp_history_create", _P, _P, c_char_p)
lp_history_destroy = _declare(_slow, "lp_history_destroy", None, _P)
lp_history_intervals = _declare(_slow, "lp_history_intervals", c_int, _P, POINTER(Columns), _E)
lp_history_events = _declare(_slow, "lp_history_events", c_int, _P, POINTER(Columns), _E)
lp_history_marshalled = _declare(_slow, "lp_history_marshalled", c_int, _P, c_char_p, c_size_t,
                                 c_size_t, POINTER(c_bool), _E)
lp_history_close = _declare(_slow, "lp_history_close", c_int, _P, _E)
lp_history_find = _declare(_slow, "lp_history_find", c_int, _P, c_char_p,
                           POINTER(POINTER(c_char_p)), POINTER(c_size_t), _E)
lp_history_read = _declare(_slow, "lp_history_read", c_int, _P, c_char_p, POINTER(ReadOptions),
                           POINTER(POINTER(_P)), POINTER(c_size_t), _E)
lp_history_parse = _declare(_slow, "lp_history_parse", c_int, _P, c_char_p, c_char_p, c_size_t,
                            POINTER(ReadOptions), POINTER(POINTER(_P)), POINTER(c_size_t), _E)
lp_history_write = _declare(_slow, "lp_history_write", c_int, _P, c_char_p, _P, _E)
lp_history_name = _declare(_quick, "lp_history_name", c_char_p, _P)
lp_history_format = _declare(_quick, "lp_history_format", c_char_p, _P)
lp_history_length = _declare(_quick, "lp_history_length", c_size_t, _P)
lp_history_operation = _declare(_quick, "lp_history_operation", Operation, _P, c_size_t)
lp_history_parts = _declare(_slow, "lp_history_parts", c_int, _P, _P, POINTER(Binding), c_size_t,
                            POINTER(CheckOptions), POINTER(POINTER(Part)), POINTER(c_size_t),
                            POINTER(c_uint32), _E)
lp_format_at = _declare(_quick, "lp_format_at", c_bool, c_size_t, POINTER(c_char_p),
                        POINTER(c_char_p), POINTER(c_bool))

lp_spec_create = _declare(_slow, "lp_spec_create", c_int, _P, c_char_p, POINTER(SpecOptions),
                          POINTER(_P), _E)
lp_spec_create_custom = _declare(_slow, "lp_spec_create_custom", c_int, _P,
                                 POINTER(SpecCallbacks), _P, POINTER(_P), _E)
lp_spec_destroy = _declare(_slow, "lp_spec_destroy", None, _P)
lp_spec_at = _declare(_quick, "lp_spec_at", c_bool, c_size_t, POINTER(SpecEntry))
lp_spec_operation_at = _declare(_quick, "lp_spec_operation_at", c_bool, c_size_t, c_size_t,
                                POINTER(SpecOperationEntry))

lp_check = _declare(_slow, "lp_check", c_int, _P, _P, POINTER(Binding), c_size_t,
                    POINTER(CheckOptions), POINTER(POINTER(Result)), _E)
lp_result_destroy = _declare(_slow, "lp_result_destroy", None, POINTER(Result))

lp_model_read = _declare(_slow, "lp_model_read", c_int, _P, c_char_p, POINTER(_P), _E)
lp_model_parse = _declare(_slow, "lp_model_parse", c_int, _P, c_char_p, c_char_p, c_size_t,
                          POINTER(_P), _E)
lp_model_destroy = _declare(_slow, "lp_model_destroy", None, _P)
lp_model_name = _declare(_quick, "lp_model_name", c_char_p, _P)
lp_model_assertion_at = _declare(_quick, "lp_model_assertion_at", c_bool, _P, c_size_t,
                                 POINTER(Assertion))
lp_reductions_check = _declare(_quick, "lp_reductions_check", c_int, c_char_p, _E)
lp_fairness_name = _declare(_quick, "lp_fairness_name", c_char_p, c_int)
lp_verify = _declare(_slow, "lp_verify", c_int, _P, _P, c_size_t, POINTER(VerifyOptions),
                     POINTER(POINTER(Verification)), _E)
lp_verification_destroy = _declare(_slow, "lp_verification_destroy", None, POINTER(Verification))

lp_monitor_create = _declare(_slow, "lp_monitor_create", c_int, _P, c_char_p, POINTER(Binding),
                             c_size_t, POINTER(MonitorOptions), POINTER(_P), _E)
lp_monitor_destroy = _declare(_slow, "lp_monitor_destroy", None, _P)
lp_monitor_invoke = _declare(_slow, "lp_monitor_invoke", c_int, _P, value, c_char_p, value, _E)
lp_monitor_complete = _declare(_slow, "lp_monitor_complete", c_int, _P, value, c_int, value, _E)
lp_monitor_feed = _declare(_slow, "lp_monitor_feed", c_int, _P, c_char_p, c_size_t, _E)
lp_monitor_end = _declare(_slow, "lp_monitor_end", c_int, _P, _E)
lp_monitor_decide = _declare(_slow, "lp_monitor_decide", c_int, _P, _E)
lp_monitor_look = _declare(_quick, "lp_monitor_look", POINTER(MonitorState), _P)
lp_monitor_result = _declare(_slow, "lp_monitor_result", c_int, _P, POINTER(_P),
                             POINTER(POINTER(Result)), _E)

lp_report_create = _declare(_quick, "lp_report_create", _P, c_int, POINTER(ReportOptions))
lp_report_check = _declare(_slow, "lp_report_check", None, _P, _P, _P, POINTER(Binding), c_size_t,
                           POINTER(CheckOptions), POINTER(Result), c_char_p)
lp_report_verification = _declare(_slow, "lp_report_verification", None, _P, _P, c_size_t,
                                  POINTER(Verification), c_char_p)
lp_report_finish = _declare(_slow, "lp_report_finish", _P, _P, POINTER(c_size_t))
lp_report_destroy = _declare(_quick, "lp_report_destroy", None, _P)

if lp_version().decode() != VERSION:
    raise ImportError("%s is linchpin %s, this package is for %s"
                      % (PATH, lp_version().decode(), VERSION))

_c = ctypes.CDLL(None)
free = _declare(_c, "free", None, _P)
strdup = _declare(_c, "strdup", _P, c_char_p)
open_memstream = _declare(_c, "open_memstream", _P, POINTER(_P), POINTER(c_size_t))
fclose = _declare(_c, "fclose", c_int, _P)


def text(raw: bytes | None) -> str:
    """A text of the library; "" for null."""
    return raw.decode("utf-8", "replace") if raw else ""


def texts(items: Any, count: int) -> tuple[str, ...]:
    return tuple(text(items[i]) for i in range(count))


def take(pointer: int | None, length: int | None = None) -> str:
    """A text of the library that is the caller's, who frees it."""
    if not pointer:
        raise MemoryError("the system has no memory left")
    try:
        raw = ctypes.string_at(pointer) if length is None else ctypes.string_at(pointer, length)
        return raw.decode("utf-8", "replace")
    finally:
        free(pointer)
