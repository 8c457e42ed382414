"""Operators that are one step of an optimizer: made of the rules that optimizers use themselves."""

from collections.abc import Callable, Sequence
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

Derived: TypeAlias = Callable[..., dict[str, float]]

FLOAT32 = np.dtype(np.float32)

_IN_RULES = {
    "rescale_grad": "rescale",
    "clip_gradient": "clip",
    "clip_grad": "clip",
}
"""What rules call attributes that MXNet gives longer names."""
_BOUNDS = ("clip", "clip_weights")
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


def _numbers(settings: dict[str, Any], derived: Derived | None) -> SimpleNamespace:
    """The numbers of a rule from an operator's attributes."""
    numbers = {_IN_RULES.get(name, name): value for name, value in settings.items()}
    for name in _BOUNDS:
        if numbers.get(name, 0.0) < 0:
            numbers[name] = None
    if derived is not None:
        numbers.update(derived(**settings))
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
    is_usable: Callable[[SimpleNamespace], bool] | None = None,
) -> Callable[[Callable[..., None]], Operator]:
    """Make an operator of a rule and of a function that has its signature and documentation.

    Parameters
    ----------
    rule : of :mod:`gluonic.graph.updates`
    derived : computes numbers of the rule from all attributes and those of `single`, given as keywords
    single : the last inputs, if they are numbers of the rule: arrays of one element
    shape : the shape rule
    is_usable : whether there is a step at all, by the numbers of the rule; without one the weight and the
        states stay as they are
    """

    def declare(schema: Callable[..., None]) -> Operator:
        @wraps(schema)
        def kernel(*arrays: Array, **settings: Any) -> Array:
            count = len(arrays) - len(single)
            for key, array in zip(single, arrays[count:], strict=True):
                settings[key] = float(array.reshape(()))
            numbers = _numbers(settings, derived)
            if is_usable is not None and not is_usable(numbers):
                return arrays[0]
            return _stepped(rule, numbers, *arrays[:count])

        return operator(name, shape=shape, dtype=floating)(kernel)

    return declare
