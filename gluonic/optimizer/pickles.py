"""Pickles read as data: the names in a pickle are neither imported nor called.

`pickle.Unpickler` with a strict `find_class` is not enough for an untrusted file: it sets attributes of the
given classes, allocates as much memory as a memo index or a length claims, and hashing nested tuples can end
the process. So the opcodes are interpreted here, and an object created by a call remains a description of that
call.
"""

import pickletools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gluonic.graph.errors import FileFormatError

_LARGEST_KEY = 1 << 60
"""Below it no integers have the same hash, so that no file makes dictionaries slow."""
_MARK = object()


class Named(NamedTuple):
    """A function or class that a pickle names."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


class PickledCall:
    """An object that a pickle creates by a call.

    Attributes
    ----------
    called : the function or class
    arguments : its arguments
    state : the state set on the result, None for none
    items : keys and values then set in the result
    """

    __slots__ = ("arguments", "called", "items", "state")

    def __init__(self, called: Named, arguments: tuple[Any, ...]) -> None:
        self.called, self.arguments = called, arguments
        self.state: Any = None
        self.items: dict[Any, Any] = {}


def parse(data: bytes) -> Any:
    """Return the contents of a pickle.

    Returns
    -------
    object
        None, a number, text or bytes, or a list, tuple, dictionary or set of such; a `Named`, or a
        `PickledCall`. Lists may hold themselves.

    Raises
    ------
    FileFormatError
        if it is damaged, or holds what states of optimizers never hold
    """
    machine = _Machine()
    try:
        with warnings.catch_warnings():  # backslashes in Python 2's text may be deprecated escapes
            warnings.simplefilter("ignore")
            for opcode, argument, _ in pickletools.genops(data):
                machine.run(opcode.name, argument)
    except (ValueError, AssertionError) as error:  # pickletools raises these for damage
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"the pickle is damaged: {error}") from error
    return machine.result


class _Machine:
    """The state of the machine that runs a pickle's opcodes.

    Attributes
    ----------
    stack : operands of later opcodes
    memo : values kept for reuse, by number
    result : the pickle's value, once it has ended
    """

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.result: Any = None

    def run(self, opcode: str, argument: Any) -> None:
        """Execute an opcode."""
        if opcode in _PUSHED:
            self.stack.append(argument)
        elif opcode in _ACTIONS:
            _ACTIONS[opcode](self, argument)
        else:
            raise FileFormatError(f"the pickle has an opcode that states do not need: {opcode}")

    def peek(self) -> Any:
        """The topmost value."""
        if not self.stack or self.stack[-1] is _MARK:
            raise FileFormatError("the pickle is damaged: something is missing")
        return self.stack[-1]

    def pop(self) -> Any:
        """Pop the topmost value."""
        self.peek()
        return self.stack.pop()

    def pop_several(self, count: int) -> tuple[Any, ...]:
        """Pop `count` values, in the order in which they were pushed."""
        return tuple([self.pop() for _ in range(count)][::-1])

    def pop_marked(self) -> list[Any]:
        """Pop the values above the last mark."""
        found: list[Any] = []
        while self.stack:
            value = self.stack.pop()
            if value is _MARK:
                return found[::-1]
            found.append(value)
        raise FileFormatError("the pickle is damaged: a mark is missing")

    def peek_at(self, kind: type) -> Any:
        """The topmost value, which must be of a kind."""
        found = self.peek()
        if type(found) is not kind:
            raise FileFormatError(f"the pickle is damaged: there is no {kind.__name__}")
        return found

    def pop_one(self, kind: type) -> Any:
        """Pop the topmost value, which must be of a kind."""
        self.peek_at(kind)
        return self.stack.pop()

    def remember(self, index: int) -> None:
        """Store the topmost value in the memo."""
        self.memo[index] = self.peek()

    def recall(self, index: int) -> None:
        """Push a value from the memo."""
        if index not in self.memo:
            raise FileFormatError(f"the pickle is damaged: the memo has no entry {index}")
        self.stack.append(self.memo[index])

    def name(self, text: str) -> None:
        """Push the object named by a module and a name."""
        module, _, name = text.partition(" ")
        self.stack.append(Named(module, name))

    def name_from_stack(self) -> None:
        """Push the object named by the two topmost values."""
        name, module = self.pop_one(str), self.pop_one(str)
        self.stack.append(Named(module, name))

    def call(self) -> None:
        """Push the description of a call."""
        arguments, called = self.pop_one(tuple), self.pop_one(Named)
        self.stack.append(PickledCall(called, arguments))

    def build(self) -> None:
        """Set the state of a described call's result."""
        state, made = self.pop(), self.peek_at(PickledCall)
        if made.state is not None:
            raise FileFormatError("the pickle is damaged: an object is given a state twice")
        made.state = state

    def extend(self, items: Iterable[Any]) -> None:
        """Append to a list."""
        self.peek_at(list).extend(items)

    def add(self, items: Iterable[Any]) -> None:
        """Add to a set."""
        self.peek_at(set).update(_keys(items))

    def make_dictionary(self, items: Sequence[Any]) -> None:
        """Push a dictionary of alternating keys and values."""
        self.stack.append({})
        self.set_items(items)

    def set_items(self, items: Sequence[Any]) -> None:
        """Set alternating keys and values in a dictionary."""
        if len(items) % 2:
            raise FileFormatError("the pickle is damaged: a key has no value")
        target = self.peek()
        found = target.items if isinstance(target, PickledCall) else self.peek_at(dict)
        found.update(zip(_keys(items[::2]), items[1::2], strict=True))

    def stop(self) -> None:
        """End the pickle."""
        self.result = self.pop()


def _key(value: Any) -> Any:
    """Return a value if it may be a key: hashing others can take forever, or end the process."""
    if (type(value) is int and abs(value) < _LARGEST_KEY) or type(value) in (str, bytes):
        return value
    raise FileFormatError(f"the pickle has a {type(value).__name__} as a key")


def _keys(items: Iterable[Any]) -> Iterable[Any]:
    return map(_key, items)


_PUSHED = {
    "BINBYTES", "BINBYTES8", "BINFLOAT", "BININT", "BININT1", "BININT2", "BINSTRING", "BINUNICODE",
    "BINUNICODE8", "BYTEARRAY8", "FLOAT", "INT", "LONG", "LONG1", "LONG4", "SHORT_BINBYTES",
    "SHORT_BINSTRING", "SHORT_BINUNICODE", "STRING", "UNICODE",
}  # fmt: skip
"""The opcodes whose argument is a value."""

_ACTIONS: dict[str, Callable[[_Machine, Any], Any]] = {
    "PROTO": lambda m, argument: None,
    "FRAME": lambda m, argument: None,
    "STOP": lambda m, argument: m.stop(),
    "MARK": lambda m, argument: m.stack.append(_MARK),
    "POP": lambda m, argument: m.pop(),
    "POP_MARK": lambda m, argument: m.pop_marked(),
    "DUP": lambda m, argument: m.stack.append(m.peek()),
    "MEMOIZE": lambda m, argument: m.remember(len(m.memo)),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), _Machine.remember),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Machine.recall),
    "NONE": lambda m, argument: m.stack.append(None),
    "NEWTRUE": lambda m, argument: m.stack.append(True),
    "NEWFALSE": lambda m, argument: m.stack.append(False),
    "EMPTY_TUPLE": lambda m, argument: m.stack.append(()),
    "TUPLE1": lambda m, argument: m.stack.append(m.pop_several(1)),
    "TUPLE2": lambda m, argument: m.stack.append(m.pop_several(2)),
    "TUPLE3": lambda m, argument: m.stack.append(m.pop_several(3)),
    "TUPLE": lambda m, argument: m.stack.append(tuple(m.pop_marked())),
    "EMPTY_LIST": lambda m, argument: m.stack.append([]),
    "LIST": lambda m, argument: m.stack.append(m.pop_marked()),
    "APPEND": lambda m, argument: m.extend(m.pop_several(1)),
    "APPENDS": lambda m, argument: m.extend(m.pop_marked()),
    "EMPTY_DICT": lambda m, argument: m.stack.append({}),
    "DICT": lambda m, argument: m.make_dictionary(m.pop_marked()),
    "SETITEM": lambda m, argument: m.set_items(m.pop_several(2)),
    "SETITEMS": lambda m, argument: m.set_items(m.pop_marked()),
    "EMPTY_SET": lambda m, argument: m.stack.append(set()),
    "ADDITEMS": lambda m, argument: m.add(m.pop_marked()),
    "FROZENSET": lambda m, argument: m.stack.append(frozenset(_keys(m.pop_marked()))),
    "GLOBAL": _Machine.name,
    "STACK_GLOBAL": lambda m, argument: m.name_from_stack(),
    "REDUCE": lambda m, argument: m.call(),
    "NEWOBJ": lambda m, argument: m.call(),
    "BUILD": lambda m, argument: m.build(),
}
"""The actions of other opcodes; persistent identifiers, the extension registry and buffers have none."""
