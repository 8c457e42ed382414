"""An operator's entry, and how it is found.

    lower("Pooling", step="pooling.steps:PoolingStep.of")

An entry names rules by where they stand, ``module:name`` within the compiler, and a family's file is read when
the first of its operators is met: nothing is imported before a graph needs it.
"""

import importlib
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, TypeAlias

from gluonic.graph.operator import Operator
from gluonic.graph.record import record

Rule: TypeAlias = str | Callable[..., Any]
"""A function, or where it stands."""

FAMILIES = frozenset({
    "activation", "attention", "binary", "broadcasting", "companions", "convolution", "copying", "creation",
    "ctc_loss", "indexing", "mixed_precision", "pooling", "rearrange", "recurrent", "recurrent_gradients",
    "reduce", "sampling", "sequence", "shape", "slicing", "softmax_output", "standardization", "unary",
})  # fmt: skip
"""The families of `graph/ops/` that have a file here."""


@record
class OperatorLowering:
    """What the compiler knows of an operator.

    Attributes
    ----------
    loop : ``(settings, input shapes, output shape) → Loop | None``; operators with an expression need none
    is_function : whether attributes can make it a function of one element of each input
    relabels : whether the output is the first input's elements, in order, under another shape
    permutes : whether it is those elements in another order
    selects : whether results are elements that are read, or attributes, or whole numbers, up to the sign;
        or a function of the attributes that tells
    multiplies : whether it multiplies two numbers
    signs : of a sum of two terms, their signs; a number is the second term
    step : ``(node, facts) → Step | None``: what runs it as a whole
    """

    loop: Rule | None = None
    is_function: bool = False
    relabels: bool = False
    permutes: bool = False
    selects: bool | Callable[[dict[str, Any]], bool] = False
    multiplies: bool = False
    signs: tuple[int, int] | None = None
    step: Rule | None = None


_NOTHING = OperatorLowering()
_BY_NAME: dict[str, OperatorLowering] = {}
_FOUND: dict[Operator, OperatorLowering] = {}


def lower(*operators: str | Operator, **known: Any) -> None:
    """Enter what is known of operators: those of the registry by name, those that only passes make themselves.

    Raises
    ------
    ValueError
        for an operator that has an entry
    """
    entry = OperatorLowering(**known)
    for each in operators:
        entries: dict[Any, OperatorLowering] = _BY_NAME if isinstance(each, str) else _FOUND
        if each in entries:
            raise ValueError(f"{each} has an entry")
        entries[each] = entry


def lowering_of(op: Operator) -> OperatorLowering:
    """What the compiler knows of an operator; of most, only that NumPy can run it."""
    found = _FOUND.get(op)
    if found is None:
        family = op.kernel.__module__.rpartition(".")[2]
        if family in FAMILIES:
            importlib.import_module(f"gluonic.codegen.lowerings.{family}")
        found = _FOUND[op] = _BY_NAME.get(op.name, _NOTHING)
    return found


@cache
def rule_at(rule: Rule) -> Any:
    """The function that an entry names."""
    if not isinstance(rule, str):
        return rule
    module, _, name = rule.partition(":")
    return attrgetter(name)(importlib.import_module(f"gluonic.codegen.{module}"))
