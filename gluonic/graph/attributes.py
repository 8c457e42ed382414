"""Typed attributes of operators: reading them from Python values and from the strings of symbol JSON.

A value from a file is data: it is parsed by the small grammar below, never evaluated.
"""

import math
import operator
import re
import types
from collections.abc import Callable, Sequence
from inspect import Parameter
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

import numpy as np

from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import AttributeValueError, nearest
from gluonic.graph.subgraphs import Subgraphs, subgraphs
from gluonic.support.record import record


@record
class Bounds:
    """The bounds of an attribute, inclusive: ``Annotated[int, Bounds(1)]`` is positive."""

    least: float = -math.inf
    most: float = math.inf

    def check(self, value: float) -> None:
        """Raise ValueError for a number out of bounds."""
        if not self.least <= value <= self.most:
            raise ValueError

    def __str__(self) -> str:
        """The bounds in words that follow the name of the type."""
        bounds = ("of at least", self.least), ("of at most", self.most)
        return " and ".join(f"{words} {bound}" for words, bound in bounds if math.isfinite(bound))


Count = Annotated[int, Bounds(0)]
Positive = Annotated[int, Bounds(1)]
Probability = Annotated[float, Bounds(0, 1)]
Rate = Annotated[float, Bounds(most=1)]  # MXNet's layers drop nothing if it is negative
NonNegative = Annotated[float, Bounds(0)]
Shape = tuple[int, ...]
Extents = tuple[Positive, ...]
OptionalInts = tuple[int | None, ...]
Axes = int | tuple[int, ...] | None
DType = NewType("DType", np.dtype[Any])
Pairs = NewType("Pairs", tuple[tuple[int, int], ...])
"""Two numbers for each axis."""

REQUIRED = Parameter.empty
_INTEGER = re.compile(r"[+-]?\d+L?\Z")
_TRUE, _FALSE = {"True", "true", "1"}, {"False", "false", "0"}


def _integer(value: Any) -> int:
    if isinstance(value, str):
        if not _INTEGER.match(value.strip()):
            raise ValueError
        return int(value.strip().rstrip("L"))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return operator.index(value)


def _number(value: Any) -> float:
    return float(value)


def _boolean(value: Any) -> bool:
    if isinstance(value, str):
        if value in _TRUE:
            return True
        if value in _FALSE:
            return False
        raise ValueError
    if isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1):
        return bool(value)
    raise ValueError


def _text(value: Any) -> str:
    return str(value)


def _pairs(value: Any) -> tuple[tuple[int, ...], ...]:
    """Pairs of integers, or a string such as ``((1, 2), (0, 0))``."""
    if isinstance(value, str):
        numbers = [_integer(part) for part in re.findall(r"[^()\[\],\s]+", value)]
        if len(numbers) % 2:
            raise ValueError
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))
    pairs = tuple(tuple(_integer(number) for number in pair) for pair in value)
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError
    return pairs


def _dtype(value: Any) -> np.dtype[Any]:
    return as_dtype(value)


_SIMPLE: dict[Any, tuple[Callable[[Any], Any], str]] = {
    int: (_integer, "an integer"),
    float: (_number, "a number"),
    bool: (_boolean, "True or False"),
    str: (_text, "a string"),
    DType: (_dtype, "a dtype"),
    Pairs: (_pairs, "a pair of integers for each axis"),
    Subgraphs: (subgraphs, "a list of graphs"),
}


def _elements(value: Any) -> list[Any]:
    """The elements of a tuple, a list, an array, or a string such as ``(1, 2)``; otherwise the value itself."""
    if isinstance(value, str):
        text = value.strip()
        if text[:1] in ("(", "[") and text[-1:] in (")", "]"):
            text = text[1:-1]
        return [part for part in (p.strip() for p in text.split(",")) if part]
    if isinstance(value, np.ndarray):
        return list(value.ravel().tolist())
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value == "None")


def parse(kind: Any, value: Any) -> Any:
    """Parse `value` as the annotation `kind`; raise ValueError or TypeError if it is not of that kind."""
    if kind in _SIMPLE:
        return _SIMPLE[kind][0](value)
    origin, parameters = get_origin(kind), get_args(kind)
    if origin is Literal:
        if str(value) not in map(str, parameters):
            raise ValueError
        return next(p for p in parameters if str(p) == str(value))
    if origin is Annotated:
        parsed = parse(parameters[0], value)
        parameters[1].check(parsed)
        return parsed
    if origin in (tuple, Sequence):
        return tuple(parse(parameters[0], element) for element in _elements(value))
    if origin in (Union, types.UnionType):
        return _parse_union(parameters, value)
    raise TypeError(f"no attribute can be declared as {kind}")


def _parse_union(kinds: tuple[Any, ...], value: Any) -> Any:
    if type(None) in kinds and _is_none(value):
        return None
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return parse(kind, value)
        except (ValueError, TypeError):
            continue
    raise ValueError


def wording(kind: Any) -> str:
    """The values that the annotation `kind` accepts, in words."""
    if kind is type(None):
        return "None"
    if kind in _SIMPLE:
        return _SIMPLE[kind][1]
    origin, parameters = get_origin(kind), get_args(kind)
    if origin is Literal:
        return "one of " + ", ".join(repr(p) for p in parameters)
    if origin is Annotated:
        return f"{wording(parameters[0])} {parameters[1]}"
    if origin in (tuple, Sequence):
        return "a tuple, each element " + wording(parameters[0])
    return " or ".join(wording(p) for p in parameters)


_ANNOTATIONS = {
    int: "int",
    float: "float",
    bool: "bool | int",
    str: "str",
    DType: "DTypeLike",
    type(None): "None",
}


def annotation(kind: Any) -> str:
    """The type of the values that an attribute accepts.

    >>> annotation(tuple[int, ...] | None)
    'int | Sequence[int] | None'
    """
    if kind in _ANNOTATIONS:
        return _ANNOTATIONS[kind]
    origin, parameters = get_origin(kind), get_args(kind)
    if origin is Literal:
        is_text = all(isinstance(each, str) for each in parameters)  # a variable is accepted, too
        return f"Literal[{', '.join(map(repr, parameters))}]{' | str' if is_text else ''}"
    if origin is Annotated:
        return annotation(parameters[0])
    if origin in (tuple, Sequence):
        element = annotation(parameters[0])
        return f"{element} | Sequence[{element}]"
    if origin in (Union, types.UnionType):
        parts = [part for each in parameters for part in annotation(each).split(" | ")]
        return " | ".join(dict.fromkeys(parts)) if "Any" not in parts else "Any"
    return "Any"


def _choices(kind: Any) -> list[str]:
    """The choices that the annotation `kind` lists, as strings."""
    parts = get_args(kind)
    if get_origin(kind) is Literal:
        return [str(part) for part in parts]
    return [choice for part in parts for choice in _choices(part)]


@record
class Attribute:
    """A keyword-only parameter of an operator's kernel: a static setting of the operator.

    Attributes
    ----------
    name : the keyword
    kind : its annotation, which is also its parser
    default : its default, or `REQUIRED`
    """

    name: str
    kind: Any
    default: Any = REQUIRED

    def read(self, value: Any, owner: str) -> Any:
        """Check and convert a value from a user, or a string from a file."""
        if value is None and self.default is None:
            return None
        try:
            return parse(self.kind, value)
        except AttributeValueError as error:
            raise AttributeValueError(f"{owner}: {self.name}: {error}") from None
        except (ValueError, TypeError):
            hint = nearest(value, _choices(self.kind)) if isinstance(value, str) else ""
            given = repr(value) if "\n" not in repr(value) else f"<{type(value).__name__}>"
            raise AttributeValueError(
                f"{owner}: {self.name}={given} must be {wording(self.kind)}{hint}"
            ) from None
