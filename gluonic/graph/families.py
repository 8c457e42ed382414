"""Families of operators that share rules: element-wise expressions, and pairs of them with broadcasting."""

import inspect
from collections.abc import Callable
from typing import Any

from gluonic.graph.operator import REGISTRY, GradientRule, Operator, Rule
from gluonic.graph.rules import broadcast, same
from gluonic.graph.scalar_math import M

Expression = Callable[..., Any]


def elementwise(
    name: str, *aliases: str, shape: Rule = same, dtype: Rule = same, **options: Any
) -> Callable[[Expression], Operator]:
    """Register an operator by one scalar expression over `m`, read by NumPy and by LLVM.

    The decorated function takes `m`, then the inputs; keyword-only parameters are attributes. It must use
    only `m`'s functions and Python's arithmetic and comparisons, and may branch on attributes alone.
    """

    def register(expression: Expression) -> Operator:
        def kernel(*arrays: Any, **settings: Any) -> Any:
            return expression(M, *arrays, **settings)

        _, *parameters = inspect.signature(expression).parameters.values()
        kernel.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        kernel.__doc__, kernel.__name__ = expression.__doc__, expression.__name__
        op = Operator(
            name, kernel, aliases=aliases, scalar=expression, shape=shape, dtype=dtype, **options
        )
        REGISTRY.add(op)
        return op

    return register


def reduced_to(target: str, rule: GradientRule) -> GradientRule:
    """The gradient `rule`, summed over the axes along which the input `target` was broadcast."""
    return lambda F, n, g: F._reduce_like(rule(F, n, g), getattr(n, target))  # noqa: N803


def broadcasting_rules(**rules: GradientRule) -> dict[str, GradientRule]:
    """Gradient rules for a broadcasting operator from those of its element-wise twin."""
    return {target: reduced_to(target, rule) for target, rule in rules.items()}


__all__ = ["broadcast", "broadcasting_rules", "elementwise", "reduced_to"]
