"""Gradients of linear operators: the transposed map as an operator of its own.

A linear operator such as `slice` and its transpose are each other's gradient, so a transposed kernel
is enough for derivatives of every order.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gluonic.graph.families import Expression
from gluonic.graph.operator import REGISTRY, Array, Operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, peek, settings_of


def adjoint(
    op: Operator,
    *,
    name: str = "",
    source: str = "data",
    homogeneous: Mapping[str, Any] | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Operator]:
    """Register the decorated kernel as the transpose of `op`, which is linear in `source`.

    The kernel takes the gradient of the output, then the operator's inputs (of the input `source`
    only the shape matters), then its attributes by keyword; it returns the gradient of `source`.

    Parameters
    ----------
    op : an operator with one output of the dtype of `source`
    name : the new operator's name; by default ``_backward_`` and the name of `op`
    source : the input in which `op` is linear
    homogeneous : attributes with values that make an affine `op` linear
    options : further fields of `Operator`
    """
    forward, backward = op.name, name or f"_backward_{op.name.removeprefix('_')}"

    def register(kernel: Expression) -> Operator:
        kernel.__doc__ = kernel.__doc__ or f"The gradient through {forward}."
        kernel.__signature__ = signature_after(op, "grad")  # type: ignore[attr-defined]
        rules = {"shape": like(source), "dtype": _as_source(source), **options}
        transposed = Operator(backward, kernel, **rules)
        REGISTRY.add(transposed)
        op.gradient(**{source: _transposed_rule(backward, op.inputs)})
        transposed.gradient(grad=_forward_rule(forward, op.inputs, source, homogeneous or {}))
        return transposed

    return register


def signature_after(op: Operator, *names: str) -> inspect.Signature:
    """The signature of `op` after further inputs."""
    own = inspect.signature(op.kernel).parameters.values()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [*(inspect.Parameter(name, kind, annotation=Array) for name in names), *own]
    )


def _as_source(source: str) -> Callable[[NodeView], None]:
    """Give the output and its gradient the dtype of `source`."""
    return like(source, "output", "grad")


def _transposed_rule(name: str, inputs: tuple[str, ...]) -> Callable[[Any, NodeView, Any], Any]:
    def rule(F: Any, n: NodeView, g: Any) -> Any:
        values = (peek(n, one) for one in inputs)
        return getattr(F, name)(g, *values, **settings_of(n))

    return rule


def _forward_rule(
    name: str, inputs: tuple[str, ...], source: str, homogeneous: Mapping[str, Any]
) -> Callable[[Any, NodeView, Any], Any]:
    def rule(F: Any, n: NodeView, g: Any) -> Any:
        values = (g if one == source else peek(n, one) for one in inputs)
        return getattr(F, name)(*values, **{**settings_of(n), **homogeneous})

    return rule


__all__ = ["adjoint", "signature_after"]
