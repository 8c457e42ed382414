"""Operators derived from others, with another name and other rules of shapes and dtypes."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gluonic.graph.dtypes import is_floating
from gluonic.graph.operator import REGISTRY, Array, GradientRule, Operator, Rule
from gluonic.graph.view import NodeView, peek, slots_of
from gluonic.support.caches import Interned

Dtype = np.dtype[Any]
FLOAT32, INT64, BOOL = np.dtype(np.float32), np.dtype(np.int64), np.dtype(np.bool_)


def derived(
    name: str,
    base: str,
    *aliases: str,
    documentation: str = "",
    cast_to: Callable[..., Dtype] | None = None,
    **changes: Any,
) -> Operator:
    """Register a variant of the operator `base` under another name.

    Parameters
    ----------
    name, aliases : the names of the new operator
    base : the name of the operator whose kernel, gradient and machine code it has
    documentation : what it computes, if it differs from the base's text
    cast_to : from the inputs' dtypes, the dtype of the computation and the output
    changes : fields of `Operator` that differ, usually the rules of shapes and dtypes

    Examples
    --------
    >>> from gluonic.graph import ops
    >>> REGISTRY["_npi_subtract"].base.name
    'broadcast_sub'
    """
    known = REGISTRY[base]
    kernel = known.kernel
    if cast_to is not None:
        kernel = _casting(kernel, cast_to)
        changes = {
            "dtype": _cast_rule(cast_to),
            "casts": True,
            "gradients": _cast_gradients(known.gradients),
            **changes,
        }
    if documentation or cast_to is not None:
        kernel = _dressed(kernel, known.kernel, documentation or known.documentation)
    fresh: dict[str, Any] = {"attributes": {}, "applications": Interned()}
    op = replace(known, name=name, aliases=aliases, base=known, kernel=kernel, **fresh, **changes)
    REGISTRY.add(op)
    return op


def _dressed(
    kernel: Callable[..., Any], known: Callable[..., Any], text: str
) -> Callable[..., Any]:
    """A kernel with the signature of another, and a docstring."""
    if kernel is known:

        def run(*arrays: Array, **settings: Any) -> Any:
            return known(*arrays, **settings)

        kernel = run
    made: Any = kernel
    made.__signature__ = inspect.signature(known)
    made.__doc__, made.__module__, made.__name__ = text, known.__module__, known.__name__
    return kernel


def _casting(kernel: Callable[..., Any], cast_to: Callable[..., Dtype]) -> Callable[..., Any]:
    """A kernel on inputs of other dtypes: they are cast first."""

    def run(first: Array, second: Array | None = None, **settings: Any) -> Any:
        arrays: tuple[Array, ...] = (first,) if second is None else (first, second)
        dtype = first.dtype
        if dtype.kind != "f" or (second is not None and second.dtype is not dtype):
            dtype = cast_to(*[array.dtype for array in arrays])
            arrays = tuple([array.astype(dtype, copy=False) for array in arrays])
        return kernel(*arrays, **settings)

    return run


def _cast_rule(cast_to: Callable[..., Dtype]) -> Rule:
    """The dtype rule, from the inputs to the output only."""

    def rule(n: NodeView) -> None:
        inputs = list(slots_of(n).items())[:-1]
        if all(value is not None for _, value in inputs):
            n.output = cast_to(*[value for _, value in inputs])

    return rule


class _Cast:
    """A node whose inputs are cast to the dtype of its output, for the rules of its base."""

    def __init__(self, namespace: Any, n: NodeView) -> None:
        self._namespace, self._n = namespace, n

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._n, name)
        if name in slots_of(self._n) and name != "output":
            value = self._namespace._cast_like(value, self._n.output)
            setattr(self, name, value)
        return value


def _cast_gradients(rules: dict[str, GradientRule] | None) -> dict[str, GradientRule] | None:
    if rules is None:
        return None
    return {name: _cast_gradient(name, rule) for name, rule in rules.items()}


def _cast_gradient(name: str, rule: GradientRule) -> GradientRule:
    """The rule with its inputs cast to the output's dtype, and its gradient cast back."""

    def gradient(F: Any, n: NodeView, g: Any) -> Any:
        cast: Any = _Cast(F, n)
        return F._cast_like(rule(F, cast, g), getattr(n, name))

    return gradient


def promoted(*dtypes: Dtype) -> Dtype:
    """The dtype of arithmetic on several dtypes: the widest floating one, if there is any.

    >>> promoted(np.dtype("float32"), np.dtype("int64")), promoted(np.dtype("int8"), np.dtype("uint8"))
    (dtype('float32'), dtype('int32'))
    """
    floating = [dtype for dtype in dtypes if is_floating(dtype)]
    if floating:
        return max(floating, key=lambda dtype: dtype.itemsize)
    if len({*dtypes}) > 1 and np.dtype(np.uint8) in dtypes and np.dtype(np.int8) in dtypes:
        return np.dtype(np.int32)
    return np.result_type(*dtypes)


def floating(*dtypes: Dtype) -> Dtype:
    """The dtype of quotients: that of arithmetic, or float32 if none is floating.

    >>> floating(np.dtype("int64"), np.dtype("int64"))
    dtype('float32')
    """
    found = promoted(*dtypes)
    return found if is_floating(found) else FLOAT32


def one_dtype(n: NodeView) -> None:
    """The dtype rule of comparisons: inputs of one dtype, a boolean output."""
    inputs: Sequence[str] = [name for name in slots_of(n) if name != "output"]
    known = next((peek(n, name) for name in inputs if peek(n, name) is not None), None)
    if known is not None:
        for name in inputs:
            setattr(n, name, known)
    n.output = BOOL
