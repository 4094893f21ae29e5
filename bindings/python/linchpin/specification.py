"""Sequential specifications: built in, in files, or classes of Python that are called back.

A class of Python:

    class Counter(linchpin.Specification):
        initial = 0

        def add(self, state, amount):
            return state + amount, None

        def read(self, state, argument):
            return state, state

Each method without an underscore in front is an operation: it is given a state and the argument,
and returns the new state and the result. States must be values that can be hashed and do not
change: numbers, texts, tuples, frozensets. Equal ones are one state, but that True is not 1, nor
1.0. Of each state, operation and argument a method is asked once, so it must not look at anything
else. A result that was recorded must equal the one that is returned; ANYTHING agrees with all, for
a write, say, that was recorded with its own argument.
"""
from __future__ import annotations

import ctypes
import enum
import inspect
import threading
from typing import Any, Callable, Mapping, Union

from . import _library as lib
from ._context import Context, Owned, encode, strings
from .errors import SpecificationError, UsageError, raise_for
from .values import FrozenMap, Values


class Impossible(Exception):
    """Raised by a method of a Specification: the operation cannot happen in this state."""


class Anything(enum.Enum):
    """ANYTHING is the result of an operation where whatever was recorded will do."""
    ANYTHING = "anything"


ANYTHING = Anything.ANYTHING


class Specification:
    """A specification written in Python. Inherit from it; see the module's documentation.

    Instead of methods for each operation there may be a list `operations` of names, and one method
    `step(state, operation, argument)`.
    """
    #: the state at first; or a method `initial()` that returns it
    initial: Any = None
    #: the names of the operations, where `step` is given; else they are the methods
    operations: tuple[str, ...] = ()

    def agrees(self, operation: str, recorded: Any, given: Any) -> bool:
        """Whether a result that was recorded agrees with the one that the method gave. Override it
        where there is more than equality to it."""
        return bool(recorded == given)

    def describe(self, state: Any) -> str:
        """The state for people."""
        return repr(state)


Named = Union[str, Specification, "type[Specification]"]
Choice = Union[None, Named, Mapping[str, Named]]

_RESERVED = ("initial", "agrees", "describe", "step", "operations")


def _operations_of(spec: Specification) -> dict[str, Callable[[Any, Any], Any]]:
    """The operations, each as a function of a state and an argument."""
    step = getattr(spec, "step", None)
    if step is not None:
        if not spec.operations:
            raise SpecificationError("%s: expected a list `operations` of names beside `step`, "
                                     "found none" % type(spec).__name__)
        return {name: _bind_step(step, name) for name in spec.operations}
    found = {}
    for name, member in inspect.getmembers(type(spec)):
        if not name.startswith("_") and name not in _RESERVED and callable(member):
            found[name] = _bind_method(getattr(spec, name))
    if not found:
        raise SpecificationError("%s: expected a method for each operation, found none"
                                 % type(spec).__name__)
    return found


# kinds of which equal values are the same value
_PLAIN = frozenset((int, str, bytes, type(None)))
_BOOLEAN, _FLOAT, _MAP = object(), object(), object()


def _key(state: Any) -> Any:
    """What a state is known by. Python has True == 1 == 1.0, of which histories tell each from the
    others, so that an object that holds one must not be taken for one that holds another."""
    kind = type(state)
    if kind in _PLAIN:
        return state
    if kind is bool:
        return _BOOLEAN, int(state)
    if kind is float:
        return _FLOAT, repr(state)
    if isinstance(state, (tuple, frozenset)):
        if _PLAIN.issuperset(map(type, state)):
            return state
        keys = map(_key, state)
        return tuple(keys) if isinstance(state, tuple) else frozenset(keys)
    if isinstance(state, FrozenMap):
        return _MAP, frozenset((_key(name), _key(item)) for name, item in state.items())
    return state


def _bind_step(step: Any, name: str) -> Callable[[Any, Any], Any]:
    return lambda state, argument: step(state, name, argument)


def _bind_method(method: Any) -> Callable[[Any, Any], Any]:
    """Methods of operations that take no argument may leave it out."""
    parameters = [p for p in inspect.signature(method).parameters.values()
                  if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if several or len(parameters) >= 2:
        return lambda state, argument: method(state, argument)
    return lambda state, argument: method(state)


class _Called:
    """A Specification of Python at work: states are numbers, from 1, in the order of their coming.

    It never raises into the library: the first exception is kept, and the work is stopped, unless it is a step's:
    then that is at fault.
    """

    def __init__(self, spec: Specification, values: Values) -> None:
        self.spec, self.values = spec, values
        self.operations = _operations_of(spec)
        self.names = list(self.operations)
        self.steps = list(self.operations.values())
        self.states: list[Any] = [None]  # number 0 is the library's null
        self.numbers: dict[Any, int] = {}
        self.lock = threading.Lock()
        self.fault: BaseException | None = None
        self.failed: BaseException | None = None  # what a step raised first
        given = type(spec).agrees is not Specification.agrees
        self.callbacks = lib.SpecCallbacks(
            name=encode(type(spec).__name__, "name"),
            operations=strings(self.names, "operation"),
            init=lib.INIT(self.init), step=lib.STEP(self.step), print=lib.PRINT(self.print),
            agrees=lib.AGREES(self.agrees) if given else lib.AGREES(0))

    def stop(self, fault: BaseException) -> None:
        if self.fault is None:
            self.fault = fault
        lib.lp_context_interrupt(self.values.context.pointer)

    def number(self, state: Any, where: str) -> int:
        try:
            key = _key(state)
            number = self.numbers.get(key)
        except TypeError:
            raise SpecificationError("%s.%s: expected a state that can be hashed, found %r of %s"
                                     % (type(self.spec).__name__, where, state,
                                        type(state).__name__)) from None
        if number is None:
            with self.lock:
                number = self.numbers.setdefault(key, len(self.states))
                if number == len(self.states):
                    self.states.append(state)
        return number

    def init(self, _: Any) -> int:
        try:
            initial = self.spec.initial
            return self.number(initial() if callable(initial) else initial, "initial")
        except BaseException as fault:
            self.stop(fault)
            return 0

    def step(self, _: Any, state: int, operation: int, argument: int, result: Any) -> int:
        try:
            return self.take(state, operation, argument, result)
        except Impossible:
            return 0
        except Exception as fault:  # whether it matters the library knows
            if self.failed is None:
                self.failed = fault
            return lib.STATE_FAULT
        except BaseException as fault:
            self.stop(fault)
            return lib.STATE_REFUSED

    def take(self, state: int, operation: int, argument: int, result: Any) -> int:
        answer = self.steps[operation](self.states[state], self.values.read(argument))
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise SpecificationError(
                "%s.%s: expected the new state and the result (return state, None where there is "
                "none; raise Impossible where the operation cannot happen), found %r"
                % (type(self.spec).__name__, self.names[operation], answer))
        if answer[1] is ANYTHING:
            result[0] = lib.RESULT_ANY
        elif answer[1] is not None:
            result[0] = self.values.make(answer[1])
        return self.number(answer[0], self.names[operation])

    def agrees(self, _: Any, operation: int, recorded: int, given: int) -> bool:
        try:
            read = self.values.read
            return bool(self.spec.agrees(self.names[operation], read(recorded), read(given)))
        except BaseException as fault:
            self.stop(fault)
            return False

    def print(self, _: Any, state: int) -> int:
        try:
            shown = str(self.spec.describe(self.states[state]))
            raw = shown.replace("\0", "\\0").encode("utf-8", "replace")
            return lib.strdup(raw) or 0
        except BaseException as fault:
            self.stop(fault)
            return 0


class Bindings:
    """Which specification decides which object, in the context of a history."""

    def __init__(self, context: Context, values: Values, choice: Choice,
                 options: lib.SpecOptions) -> None:
        self.specs: list[Owned] = []
        self.called: list[_Called] = []
        self.context, self.values = context, values
        named: dict[str | None, Named] = {}
        if isinstance(choice, Mapping):
            named.update({name: each for name, each in choice.items()})
        elif choice is not None:
            named[None] = choice
        self.count = len(named)
        self.array = (lib.Binding * max(1, self.count))()
        for i, (name, spec) in enumerate(named.items()):
            self.array[i].object = None if name is None else encode(name, "object")
            self.array[i].spec = self._create(spec, options)

    def _create(self, spec: Any, options: lib.SpecOptions) -> int:
        pointer, error = ctypes.c_void_p(), lib.Error()
        if isinstance(spec, type) and issubclass(spec, Specification):
            spec = spec()
        if isinstance(spec, Specification):
            if options.initial is not None or options.owned or options.nil_reads:
                raise UsageError("initial, owned and nil_reads are for built-in specifications; %s "
                                 "says itself what it begins with" % type(spec).__name__)
            called = _Called(spec, self.values)
            self.called.append(called)
            status = lib.lp_spec_create_custom(self.context.pointer, called.callbacks, None,
                                               pointer, error)
        elif isinstance(spec, str):
            status = lib.lp_spec_create(self.context.pointer, encode(spec, "spec"), options,
                                        pointer, error)
        else:
            raise UsageError("spec: expected a name, or a class that inherits from Specification, "
                             "found %r" % (spec,))
        raise_for(status, error)
        self.specs.append(Owned(self.context, pointer.value, lib.lp_spec_destroy))
        return pointer.value or 0

    def raise_fault(self, answered: bool) -> None:
        """Raises what was raised by a specification in Python. Not what a step raised, if the library has
        `answered`: it was asked about an order that the history forbids, to find a core."""
        for called in self.called:
            failed, called.failed = called.failed, None
            if called.fault is None and not answered:
                called.fault = failed
            if called.fault is not None:
                fault, called.fault = called.fault, None
                lib.lp_context_resume(self.context.pointer)
                raise fault


def specifications() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The built-in specifications: what each is, and its operations."""
    entry, operation = lib.SpecEntry(), lib.SpecOperationEntry()
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    while lib.lp_spec_at(len(found), entry):
        operations: list[str] = []
        index = len(found)
        while lib.lp_spec_operation_at(index, len(operations), operation):
            operations.append(lib.text(operation.name))
        parameters = "(%s)" % lib.text(entry.parameters) if entry.parameters else ""
        found[lib.text(entry.name) + parameters] = (lib.text(entry.summary), tuple(operations))
    return found
