"""Separation of a call's arguments into arrays and constants, to repeat it with other arrays."""

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gluonic.graph.errors import MXNetError, describe

Argnum: TypeAlias = "int | str"
"""The position of an argument, or its keyword."""


class ConstantArgument(NamedTuple):
    """An argument that is not an array."""

    value: Any


Slot: TypeAlias = "int | ConstantArgument"


class Template:
    """The arguments of a call; a slot is the index of an array, or a constant.

    Attributes
    ----------
    argnums : for each array, the position or the keyword of its argument
    """

    def __init__(self, args: Sequence[Slot], kwargs: Mapping[str, Slot]) -> None:
        self.args, self.kwargs = tuple(args), dict(kwargs)
        slots: list[tuple[Argnum, Slot]] = [*enumerate(self.args), *self.kwargs.items()]
        self.argnums: list[Argnum] = [
            argnum for argnum, s in slots if not isinstance(s, ConstantArgument)
        ]

    @classmethod
    def of_call(
        cls, args: Sequence[Any], kwargs: Mapping[str, Any], is_array: Callable[[Any], bool]
    ) -> "tuple[Template, list[Any]]":
        """Separate the arguments of a call into a template and its arrays."""
        arrays: list[Any] = []

        def slot(value: Any) -> Slot:
            if not is_array(value):
                return ConstantArgument(value)
            arrays.append(value)
            return len(arrays) - 1

        positional = [slot(value) for value in args]
        return cls(positional, {name: slot(value) for name, value in kwargs.items()}), arrays

    def filled(self, arrays: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments with arrays filled in."""

        def value(slot: Slot) -> Any:
            return slot.value if isinstance(slot, ConstantArgument) else arrays[slot]

        return [value(s) for s in self.args], {name: value(s) for name, s in self.kwargs.items()}

    def written(self, function: str) -> str:
        """Return the template as text, for the attribute of a node.

        Raises
        ------
        MXNetError
            if a constant is not a literal
        """
        return json.dumps(
            {
                "args": [_written(slot, function) for slot in self.args],
                "kwargs": {name: _written(slot, function) for name, slot in self.kwargs.items()},
            }
        )

    @classmethod
    def read(cls, text: str) -> "Template":
        """Parse the text of `written`; nothing is evaluated."""
        try:
            document = json.loads(text)
            args = [_slot(item) for item in document["args"]]
            return cls(args, {name: _slot(item) for name, item in document["kwargs"].items()})
        except (ValueError, SyntaxError, KeyError, TypeError, RecursionError) as error:
            raise MXNetError(describe(f"no arguments of a call: {text[:80]!r} ({error})")) from None


def _written(slot: Slot, function: str) -> Any:
    if not isinstance(slot, ConstantArgument):
        return slot
    text = repr(slot.value)
    try:
        same = ast.literal_eval(text) == slot.value
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise MXNetError(
            describe(
                f"the argument {text[:60]} cannot be kept in a graph",
                where=function,
                hint="graphs keep arrays, and as constants numbers, strings, tuples, lists and dicts",
            )
        )
    return {"value": text}


def _slot(item: Any) -> Slot:
    return item if isinstance(item, int) else ConstantArgument(ast.literal_eval(item["value"]))
