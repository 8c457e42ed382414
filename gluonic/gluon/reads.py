"""What a trace has read of Python: attributes of blocks, and the numbers that functions find outside.

A trace is valid as long as these are what they were. `Block.__setattr__` tells of attributes that are set; what
changes without it, such as an element of a list, is watched: compared at each call, by identity.
"""

import dis
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeAlias

from gluonic.gluon.frozen import (
    Watch,
    contents_of,
    freeze,
    freeze_settings,
    is_mutable,
    is_plain,
    watch_cell,
    watch_names,
)
from gluonic.gluon.tracing import TRACING
from gluonic.graph.constructors import CheckedArguments
from gluonic.support.locks import lock

if TYPE_CHECKING:
    from gluonic.gluon.block import Block

Find: TypeAlias = Callable[[list[Watch]], Any]
Tell: TypeAlias = "Callable[[Block, str], None]"

OWN_NAMES = set[str]()
"""The attributes of Gluon's base classes themselves."""

_ABSENT = "absent"
_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})


class Reads:
    """What one trace has read.

    Parameters
    ----------
    tell : called with a block and the name of its attribute that the trace depends on

    Attributes
    ----------
    watches : what is to be compared at each call
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._found: dict[Any, tuple[Find, Any]] = {}
        self._written: set[Any] = set()
        self._blocks: dict[Any, Block] = {}
        self.watches: tuple[Watch, ...] = ()

    def note(self, block: "Block", name: str) -> None:
        """Note that an attribute of a block is read."""
        if name.startswith("__") or name in OWN_NAMES:
            return
        key = id(block), name
        if key in self._found:
            return
        self._add(key, partial(_attribute, block, name))
        self._blocks[key] = block

    def note_function(self, function: Any) -> None:
        """Note that a function of the program is called, which may read globals and cells."""
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        if isinstance(function, FunctionType) and not _is_ours(function.__module__):
            key = id(function), None
            if key not in self._found:
                self._add(key, partial(_outside, function))

    def note_change(self, block: "Block", name: str) -> None:
        """Note that tracing itself sets an attribute: each trace would do so, and make the others invalid."""
        self._written.add((id(block), name))

    def _add(self, key: Any, find: Find) -> None:
        self._found[key] = find, find([])

    def settle(self) -> None:
        """Forget what tracing itself has changed, such as a counter."""
        kept = ((k, find, v) for k, (find, v) in self._found.items() if k not in self._written)
        self._found = {k: (find, v) for k, find, v in kept if not is_mutable(v) or find([]) == v}
        for key, block in self._blocks.items():
            if key in self._found:
                self._tell(block, key[1])
        self.hold()

    def hold(self) -> bool:
        """Whether everything is as it was read; it is watched as it is now, in other lists perhaps."""
        watches: list[Watch] = []
        for find, value in self._found.values():
            if find(watches) != value:
                return False
        self.watches = tuple(watches)
        return True


NOTHING = Reads(lambda _block, _name: None)


def _is_ours(module: str | None) -> bool:
    """Whether code is gluonic's, under its own name or under MXNet's."""
    return module is not None and module.partition(".")[0] in {"gluonic", "mxnet"}


def _attribute(block: "Block", name: str, watches: list[Watch]) -> Any:
    """What an attribute is now: the block's own, or what its class has, such as a method."""
    own = object.__getattribute__(block, "__dict__")
    if name in own:
        if name == "_kwargs" and _is_ours(type(block).__module__):
            return freeze_settings(own[name], watches)
        return freeze(own[name], watches)
    for kind in type(block).__mro__:
        if name in vars(kind):
            value = vars(kind)[name]
            if is_plain(value) and not _is_ours(kind.__module__):
                watch_names(vars(kind), (name,), watches)
            return freeze(value, watches)
    return _ABSENT


def _outside(function: FunctionType, watches: list[Watch]) -> Any:
    """The plain values among the globals and the cells that a function reads."""
    namespace, cells = function.__globals__, function.__closure__ or ()
    names = [n for n in _names(function.__code__) if is_plain(namespace.get(n, is_plain))]
    if names:
        loaded = _loaded(function.__code__)
        names = [name for name in names if name in loaded]
    if names:
        watch_names(namespace, tuple(names), watches)
    found = [(name, freeze(namespace[name], watches)) for name in names]
    for cell in cells:
        if any(map(is_plain, contents_of(cell))):
            watch_cell(cell, watches)
            found.append(("", freeze(cell.cell_contents, watches)))
    return found


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
    TRACING.reads.append(reads)
    try:
        _exchange(blocks, 1)
        yield reads
    finally:
        _exchange(blocks, -1)
        TRACING.reads.remove(reads)
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

    def __getattribute__(self: Any, name: str) -> Any:
        if name == "__class__":
            return kind
        try:
            value = kind.__getattribute__(self, name)  # type: ignore[call-arg]
        except AttributeError:
            for reads in TRACING.reads:
                reads.note(self, name)
            raise
        for reads in TRACING.reads:
            if isinstance(value, (FunctionType, MethodType)):
                reads.note_function(getattr(value, "__func__", value))
            reads.note(self, name)
        return value

    looks = {n: vars(kind)[n] for n in ("__module__", "__doc__") if n in vars(kind)}
    methods = {"__getattribute__": __getattribute__, "__qualname__": kind.__qualname__}
    first = CheckedArguments if kind.__basicsize__ == CheckedArguments.__basicsize__ else kind
    made = type.__new__(type(kind), kind.__name__, (first,), {**looks, **methods, "__slots__": ()})
    made.__bases__ = (kind,)  # now, lest a program's `__init_subclass__` sees it
    setattr(kind, _NOTING, made)
    return made


__all__ = ["NOTHING", "OWN_NAMES", "Reads", "noting"]
