"""Operators that are one step of an optimizer: made of the rules that optimizers use themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import wraps
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from gluonic.graph.dtypes import is_floating
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Operator, Rule, operator
from gluonic.graph.rules import same
from gluonic.graph.scalar_math import M
from gluonic.graph.updates import UpdateRule, Values
from gluonic.graph.view import NodeView, peek, put, slots_of, title_of, unify
from gluonic.support.record import record

Derived: TypeAlias = Callable[..., dict[str, Any]]
"""``(m, **numbers) → further numbers``, for numbers of Python or of a program that is recorded."""


@record
class Update:
    """How an operator updates its weights.

    Attributes
    ----------
    rule : what it computes
    derived : numbers of the rule that follow from others
    single : inputs of one element, after all weights, that are numbers of the rule
    is_usable : whether there is a step at all, by the numbers of the rule; by default always
    is_mixed : whether a float32 copy of the weight, `weight32`, follows the states
    is_new_weight : whether the output is the new weight
    count : the attribute with the number of weights; empty for one
    own : for numbers with a value per weight, the attributes, or inputs, with the sequences of these values
    """

    rule: UpdateRule
    derived: Derived | None = None
    single: tuple[str, ...] = ()
    is_usable: Callable[[Any, Any], Any] | None = None
    is_mixed: bool = False
    is_new_weight: bool = True
    count: str = ""
    own: Mapping[str, str] = field(default_factory=dict)


UPDATES: dict[str, Update] = {}
"""By the name of the operator; those that are one step of several rules are not there."""

FLOAT32 = np.dtype(np.float32)

_IN_RULES = {
    "rescale_grad": "rescale",
    "clip_gradient": "clip",
    "clip_grad": "clip",
}
"""What rules call attributes that MXNet gives longer names."""
_BOUNDS = ("clip", "clip_weights", "lower_bound", "upper_bound")
"""Numbers that are None for no bound; negative attributes mean that."""
_BLOCK = 1 << 14
"""How many elements are updated at once: what a rule computes between stays in the caches."""


def floating(n: NodeView) -> None:
    """The dtype rule: everything has one floating dtype."""
    same(n)
    for name, dtype in slots_of(n).items():
        if dtype is not None and not is_floating(dtype):
            raise InferenceError(f"{title_of(n)}: {name} must be floating, not {dtype.name}")


def all_but(*names: str) -> Rule:
    """The shape rule: all inputs and outputs have one shape, except for those named."""

    def rule(n: NodeView) -> None:
        unify_all(n, [name for name in slots_of(n) if name not in names])

    return rule


def unify_all(n: NodeView, names: list[str]) -> Any:
    """Give inputs and outputs one shape or dtype, whichever is being inferred; returns it."""
    common: Any = None
    for name in names:
        common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
    for name in names:
        put(n, name, common)
    return common


def narrow(*names: str) -> Rule:
    """The dtype rule: those named have one floating dtype, all others are float32."""

    def rule(n: NodeView) -> None:
        common = unify_all(n, list(names))
        if common is not None and not is_floating(common):
            raise InferenceError(f"{title_of(n)}: weight must be floating, not {common.name}")
        for name in slots_of(n):
            if name not in names:
                put(n, name, FLOAT32)

    return rule


def name_in_rules(name: str) -> str:
    """What rules call an attribute or an input."""
    return _IN_RULES.get(name, name)


def numbers_in_rules(settings: Mapping[str, Any]) -> dict[str, Any]:
    """An operator's attributes as rules call them: bounds that are negative, for none, are None."""
    numbers = {name_in_rules(name): value for name, value in settings.items()}
    absent = [name for name in _BOUNDS if numbers.get(name, 0.0) < 0]
    return numbers | dict.fromkeys(absent)


def _numbers(settings: Mapping[str, Any], derived: Derived | None) -> SimpleNamespace:
    """The numbers of a rule from an operator's attributes."""
    numbers = numbers_in_rules(settings)
    if derived is not None:
        numbers |= {name: float(number) for name, number in derived(M, **numbers).items()}
    return SimpleNamespace(**numbers)


def _stepped(
    rule: UpdateRule, numbers: SimpleNamespace, weight: Array, grad: Array, *states: Array
) -> Array:
    """Take one step: update the states in place and return the new weight."""
    arrays = (weight, grad, *states)
    alike = all(x.shape == weight.shape and x.flags.c_contiguous for x in arrays)
    if weight.size <= _BLOCK or not alike:
        return _written(rule(M, numbers, *arrays), states)
    new = np.empty_like(weight)
    flat = [array.reshape(-1) for array in (new, *arrays)]
    for start in range(0, weight.size, _BLOCK):
        target, *block = (array[start : start + _BLOCK] for array in flat)
        target[...] = _written(rule(M, numbers, *block), block[2:])
    return new


def _written(results: Values, states: Sequence[Array]) -> Array:
    """Overwrite the states with the new ones, and return the new weight."""
    new, *updated = results
    for state, value in zip(states, updated, strict=True):
        state[...] = value
    weight: Array = new
    return weight


def update_operator(
    name: str,
    rule: UpdateRule,
    *,
    derived: Derived | None = None,
    single: Sequence[str] = (),
    shape: Rule = same,
    is_usable: Callable[[Any, Any], Any] | None = None,
) -> Callable[[Callable[..., None]], Operator]:
    """Make an operator of a rule and of a function that has its signature and documentation.

    Parameters
    ----------
    rule : of :mod:`gluonic.graph.updates`
    derived : computes numbers of the rule from all attributes and those of `single`, given as keywords
    single : the last inputs, if they are numbers of the rule: arrays of one element
    shape : the shape rule
    is_usable : ``(m, numbers)``: whether there is a step at all; without one the weight and the states stay as
        they are
    """
    UPDATES[name] = Update(rule, derived, tuple(single), is_usable)

    def declare(schema: Callable[..., None]) -> Operator:
        @wraps(schema)
        def kernel(*arrays: Array, **settings: Any) -> Array:
            count = len(arrays) - len(single)
            for key, array in zip(single, arrays[count:], strict=True):
                settings[key] = float(array.reshape(()))
            numbers = _numbers(settings, derived)
            if is_usable is not None and not is_usable(M, numbers):
                return arrays[0]
            return _stepped(rule, numbers, *arrays[:count])

        return operator(name, shape=shape, dtype=floating)(kernel)

    return declare
