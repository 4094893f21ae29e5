"""linchpin: is a concurrent object linearizable?

    import linchpin
    result = linchpin.check("history.edn")
    print(result)                    # what the program prints
    result.verdict, result.core      # and as objects

`check` decides recorded histories: files, lists, frames of pandas. `verify` decides what models in
`.lin` and CSP# assert. `Specification` is what a specification in Python inherits from. `Monitor`
watches an object while a test runs, `StreamMonitor` one that runs for days.
"""
from . import _library
from .answer import Answer
from .checking import Progress, assert_linearizable, check, check_files, page
from .errors import (InputError, InternalError, LimitReached, LinchpinError, NotLinearizable,
                     SpecificationError, Undecided, UsageError)
from .history import History, formats
from .model import (Assertion, Execution, Model, Question, Step, Verification, verify)
from .monitor import Monitor
from .operation import Operation, Operations
from .result import Part, Partial, Result, Verdict, Violation
from .specification import ANYTHING, Impossible, Specification, specifications
from .stream import State, StreamMonitor
from .values import FrozenMap, Keyword, Symbol

__version__ = _library.VERSION

LINEARIZABLE = Verdict.LINEARIZABLE
VIOLATION = Verdict.VIOLATION
UNKNOWN = Verdict.UNKNOWN

__all__ = [
    "ANYTHING", "Answer", "Assertion", "Execution", "FrozenMap", "History", "Impossible", "InputError", "InternalError",
    "Keyword", "LINEARIZABLE", "LimitReached", "LinchpinError", "Model", "Monitor",
    "NotLinearizable", "Operation", "Operations", "Part", "Partial", "Progress", "Question",
    "Result", "Specification", "SpecificationError", "State", "Step", "StreamMonitor", "Symbol", "UNKNOWN", "Undecided",
    "UsageError", "VIOLATION", "Verdict", "Verification", "Violation", "assert_linearizable",
    "check", "check_files", "formats", "page", "specifications", "verify",
]
