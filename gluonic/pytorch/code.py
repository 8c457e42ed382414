"""Pieces of Python source."""

import keyword
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from gluonic.graph import Array

_OF_MODULES = frozenset(
    {
        *("add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "compile", "cpu"),
        *("cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer"),
        *("get_extra_state", "get_parameter", "get_submodule", "half", "ipu", "load_state_dict", "modules"),
        *("mtia", "named_buffers", "named_children", "named_modules", "named_parameters", "parameters"),
        *("register_buffer", "register_module", "register_parameter", "requires_grad_", "set_extra_state"),
        *("set_submodule", "share_memory", "state_dict", "to", "to_empty", "train", "training", "type"),
        *("xpu", "zero_grad"),
    }
)  # fmt: skip
"""What `torch.nn.Module` has already."""
_OF_THE_FILE = frozenset({"F", "float", "nn", "range", "reversed", "self", "torch", "tuple"})


class Loose(str):
    """An expression with an operator outside of brackets."""


class Several(str):
    """An expression of several values; `pattern` has a pair of braces for the name of each."""

    pattern: str

    def __new__(cls, text: str, pattern: str = "") -> "Several":
        """Make one; without a pattern, it is a plain tuple."""
        several = super().__new__(cls, text)
        several.pattern = pattern
        return several


class Statements(str):
    """Lines that assign several values to the names that the rule was given."""


def indented(lines: Iterable[str]) -> list[str]:
    """Lines one level deeper."""
    return [f"    {part}" for line in lines for part in line.split("\n")]


def atom(text: str) -> str:
    """An expression as an operand."""
    return f"({text})" if isinstance(text, Loose) else text


def number(array: Array) -> str:
    """An array of one element as a literal.

    >>> number(np.array([0.1], np.float32)), number(np.array(-2)), number(np.array(np.inf))
    ('0.1', '(-2)', 'float("inf")')
    """
    element = array.reshape(-1)[0]
    text = str(element)
    if array.dtype.kind not in "iub":
        if not np.isfinite(np.float64(element)):
            return f'float("{text}")'
        if abs(float(text)) > abs(float(element)):  # the largest one, written with few digits
            text = repr(float(element))
    return f"({text})" if text.startswith("-") else text


def sequence(values: Iterable[Any]) -> str:
    """A tuple.

    >>> sequence([1, "n"]), sequence([1])
    ('(1, n)', '(1,)')
    """
    items = [str(value) for value in values]
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def shared(values: Iterable[int]) -> str:
    """Numbers for the axes of an image: one if they are equal.

    >>> shared([3, 3]), shared([3, 1])
    ('3', '(3, 1)')
    """
    items = list(values)
    return str(items[0]) if len(set(items)) == 1 else sequence(items)


def call(function: str, *arguments: Any, **keywords: tuple[Any, Any]) -> str:
    """A call.

    Parameters
    ----------
    keywords : the value of each keyword, and the default, with which it is left out

    >>> call("f", "x", stride=("2", "1"), padding=("0", "0"))
    'f(x, stride=2)'
    """
    named = [f"{name}={value}" for name, (value, default) in keywords.items() if value != default]
    return f"{function}({', '.join([*map(str, arguments), *named])})"


def torch_dtype(dtype: np.dtype[Any]) -> str:
    """PyTorch's name of a dtype."""
    return f"torch.{np.dtype(dtype).name}"


def plain_name(proposed: str) -> str:
    """A name as Python can have it.

    >>> plain_name("net_conv0_fwd"), plain_name("0.bias")
    ('net_conv0', 'x_0_bias')
    """
    plain = re.sub(r"\W", "_", proposed, flags=re.ASCII).removesuffix("_fwd").lstrip("_") or "x"
    return f"x_{plain}" if plain[0].isdigit() or keyword.iskeyword(plain) else plain


class Names:
    """Names in a scope, each given once."""

    def __init__(self, *, of_a_module: bool = False) -> None:
        self._taken = {*(_OF_MODULES if of_a_module else _OF_THE_FILE)}

    def new(self, proposed: str) -> str:
        """A name like the proposed one."""
        plain = plain_name(proposed)
        unique, count = plain, 1
        while unique in self._taken:
            unique, count = f"{plain}_{count}", count + 1
        self._taken.add(unique)
        return unique
