"""What a trace has read of Python: attributes of blocks, and the numbers that functions find outside.

A trace is valid as long as these are what they were. `Block.__setattr__` tells of attributes that are set; what
changes without it, such as an element of a list, is watched: compared at each call, by identity.
"""

import dis
from abc import ABCMeta
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeAlias

from gluonic.gluon.frozen import (
    Watch,
    contents_of,
    freeze,
    has_changed,
    is_plain,
    may_change,
    watch_cell,
    watch_names,
)
from gluonic.gluon.tracing import TRACING
from gluonic.graph.constructors import CheckedArguments
from gluonic.support.locks import lock
from gluonic.support.own_code import is_own

if TYPE_CHECKING:
    from gluonic.gluon.block import Block

Tell: TypeAlias = "Callable[[Block, list[str]], None]"

OWN_NAMES = {"_kwargs"}
"""The attributes of Gluon's base classes themselves, which their methods read all the time, and the arguments
of its layers, which would be compared at each call."""

_ABSENT = object()
_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})


class _Attribute:
    """An attribute of a block, its own or its class's, as it was read."""

    __slots__ = ("_frozen", "_is_fixed", "_value", "block", "name", "watches")

    def __init__(self, block: "Block", name: str) -> None:
        self.block, self.name = block, name
        self.watches: list[Watch] = []
        self._value = value = self._find(self.watches)
        self._is_fixed = not may_change(value)
        self._frozen = None if self._is_fixed else self._freeze(value, self.watches)

    def _find(self, watches: list[Watch]) -> Any:
        """What the attribute is now; that of a program's class is watched."""
        own = object.__getattribute__(self.block, "__dict__")
        if self.name in own:
            return own[self.name]
        value = getattr(type(self.block), self.name, _ABSENT)
        if isinstance(value, MethodType):
            return value.__func__
        if value is not _ABSENT and is_plain(value):
            kind = next(kind for kind in type(self.block).__mro__ if self.name in vars(kind))
            if not is_own(kind):
                watch_names(vars(kind), (self.name,), watches)
        return value

    def _freeze(self, value: Any, watches: list[Watch]) -> Any:
        return freeze(value, watches)

    def is_as_traced(self) -> bool:
        """Whether tracing itself has not changed it."""
        return self._is_fixed or not has_changed(tuple(self.watches))

    def holds(self) -> bool:
        """Whether the attribute is what it was; then what is mutable is watched as it is now."""
        watches: list[Watch] = []
        value = self._find(watches)
        if not self._is_fixed or value is not self._value:
            frozen = freeze(self._value, []) if self._is_fixed else self._frozen
            if self._freeze(value, watches) != frozen:
                return False
        self.watches = watches
        return True


class _Function:
    """The plain values among the globals and the cells that a function reads, as they were."""

    __slots__ = ("_frozen", "_function", "watches")

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self.watches: list[Watch] = []
        self._frozen = self._freeze(self.watches)

    def _freeze(self, watches: list[Watch]) -> Any:
        code, namespace = self._function.__code__, self._function.__globals__
        names = [n for n in _names(code) if n in namespace and is_plain(namespace[n])]
        if names:
            loaded = _loaded(code)
            names = [name for name in names if name in loaded]
            watch_names(namespace, tuple(names), watches)
        found = [(name, freeze(namespace[name], watches)) for name in names]
        for cell in self._function.__closure__ or ():
            if any(map(is_plain, contents_of(cell))):
                watch_cell(cell, watches)
                found.append(("", freeze(cell.cell_contents, watches)))
        return found

    def is_as_traced(self) -> bool:
        """Whether tracing itself has not changed them."""
        return not has_changed(tuple(self.watches))

    def holds(self) -> bool:
        """Whether the values are what they were; then they are watched as they are now."""
        watches: list[Watch] = []
        if self._freeze(watches) != self._frozen:
            return False
        self.watches = watches
        return True


class Reads:
    """What one trace has read.

    Parameters
    ----------
    tell : called with a block and the names of its attributes that the trace depends on

    Attributes
    ----------
    watches : what is to be compared at each call
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._attributes: dict[Any, _Attribute] = {}
        self._functions: dict[int, _Function | None] = {}
        self._written: set[Any] = set()
        self.watches: tuple[Watch, ...] = ()

    def note(self, block: "Block", name: str, value: Any = None) -> None:
        """Note that an attribute of a block is read, and what its value reads, if it is a function."""
        key = id(block), name
        if key not in self._attributes:
            self._attributes[key] = _Attribute(block, name)
            if isinstance(value, (FunctionType, MethodType)):
                self._note_function(getattr(value, "__func__", value))

    def _note_function(self, function: Any) -> None:
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if isinstance(function, FunctionType) and id(function) not in self._functions:
            self._functions[id(function)] = None if is_own(function) else _Function(function)

    def note_change(self, block: "Block", name: str) -> None:
        """Note that tracing itself sets an attribute: each trace would do so, and make the others invalid."""
        self._written.add((id(block), name))

    def settle(self) -> None:
        """Forget what tracing itself has changed, such as a counter."""
        for key in self._written:
            self._attributes.pop(key, None)
        self._attributes = {k: a for k, a in self._attributes.items() if a.is_as_traced()}
        functions = ((k, f) for k, f in self._functions.items() if f is not None)
        self._functions = {key: function for key, function in functions if function.is_as_traced()}
        names: dict[Block, list[str]] = {}
        for attribute in self._attributes.values():
            names.setdefault(attribute.block, []).append(attribute.name)
        for block, read in names.items():
            self._tell(block, read)

    def hold(self) -> bool:
        """Whether everything is as it was read; it is watched as it is now, in other lists perhaps."""
        found: list[_Attribute | _Function] = list(self._attributes.values())
        found += filter(None, self._functions.values())
        if not all(one.holds() for one in found):
            return False
        self.watches = tuple(watch for one in found for watch in one.watches)
        return True


NOTHING = Reads(lambda _block, _names: None)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> list[str]:
    return sorted({name for each in _codes(code) for name in each.co_names})


def _loaded(code: CodeType) -> set[str]:
    """The names of globals that code reads, without those of attributes."""
    instructions = (one for each in _codes(code) for one in dis.get_instructions(each))
    return {one.argval for one in instructions if one.opname in _LOADS}


# Blocks that tell what is read of them

_NOTING = "_noting_class"
_users: dict[int, int] = {}
_users_lock = lock()


@contextmanager
def noting(owner: "Block", tell: Tell) -> Iterator[Reads]:
    """Note what is read, within a ``with``, of a block and of all below it.

    Their classes are replaced meanwhile by subclasses that tell. Patching the classes themselves would be
    simpler, but would end what the interpreter knows about them, and slow down all other threads.
    """
    reads = Reads(tell)
    blocks: dict[int, Block] = {}
    owner.apply(lambda block: blocks.setdefault(id(block), block))
    _exchange(blocks, 1)
    TRACING.reads.append(reads)
    try:
        yield reads
    finally:
        TRACING.reads.remove(reads)
        _exchange(blocks, -1)
    reads.settle()


def _exchange(blocks: "dict[int, Block]", change: int) -> None:
    """Count the traces that read blocks; the first gives them classes that tell, the last their own."""
    with _users_lock:
        for key, block in blocks.items():
            before = _users.pop(key, 0)
            if before + change:
                _users[key] = before + change
            if not before:
                object.__setattr__(block, "__class__", _noting_class(type(block)))
            elif not before + change:
                object.__setattr__(block, "__class__", type(block).__bases__[0])


def _noting_class(kind: type) -> type:
    """The subclass of a class whose instances tell what is read of them; its looks are those of the class."""
    found: type | None = vars(kind).get(_NOTING)
    if found is not None:
        return found

    read: Any = kind.__getattribute__

    def __getattribute__(self: Any, name: str) -> Any:
        if name in OWN_NAMES:
            return kind if name == "__class__" else read(self, name)
        try:
            value = read(self, name)
        except AttributeError:
            for reads in TRACING.reads:
                reads.note(self, name)
            raise
        for reads in TRACING.reads:
            reads.note(self, name, value)
        return value

    looks = {n: vars(kind)[n] for n in ("__module__", "__doc__") if n in vars(kind)}
    methods = {"__getattribute__": __getattribute__, "__qualname__": kind.__qualname__}
    first = _base_of_the_same_layout(kind)
    new = ABCMeta.__new__ if isinstance(kind, ABCMeta) else type.__new__
    made = new(type(kind), kind.__name__, (first,), {**looks, **methods, "__slots__": ()})
    made.__bases__ = (kind,)  # now, lest a program's `__init_subclass__` sees it
    setattr(kind, _NOTING, made)
    return made


def _base_of_the_same_layout(kind: type) -> type:
    """A class that a subclass of another may have as its base at first.

    Python wants their dictionaries to have been added by classes with the same base: by `CheckedArguments`,
    unless a class whose instances have none, such as `abc.ABC`, stands first among the bases.
    """
    if kind.__basicsize__ != CheckedArguments.__basicsize__:
        return kind
    adds = kind
    while adds.__base__ is not None and _layout(adds) == _layout(adds.__base__):
        adds = adds.__base__
    if adds.__base__ in (None, object):
        return CheckedArguments
    return type(adds)("_WithADictionary", (adds.__base__,), {})


def _layout(kind: type) -> tuple[int, int, int]:
    return kind.__basicsize__, kind.__dictoffset__, kind.__weakrefoffset__


__all__ = ["NOTHING", "OWN_NAMES", "Reads", "noting"]
