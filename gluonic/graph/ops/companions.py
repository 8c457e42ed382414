"""Operators for another operator's gradient, with the same attributes."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from gluonic.graph.operator import REGISTRY, Array, Operator
from gluonic.graph.rules import like


def companion(
    op: Operator,
    name: str,
    inputs: Sequence[str],
    kernel: Callable[..., Array],
    *,
    output_like: str,
    documentation: str,
) -> Operator:
    """Register an operator with the attributes of `op`.

    Parameters
    ----------
    op : the operator with the attributes
    name : the new operator's name
    inputs : the names of its inputs; those that `op` has are of the same kind
    kernel : a kernel of ``(*inputs, **attributes)``
    output_like : the input whose shape and dtype the output has
    documentation : what it computes, in a sentence
    """
    known = inspect.signature(op.kernel).parameters
    attributes = [p for p in known.values() if p.kind is p.KEYWORD_ONLY]
    kinds = {one: known[one].annotation if one in known else Array for one in inputs}
    parameters = [
        inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)
        for one, kind in kinds.items()
    ]

    def run(*arrays: Array, **settings: Any) -> Array:
        return kernel(*arrays, **settings)

    run.__signature__ = inspect.Signature([*parameters, *attributes])  # type: ignore[attr-defined]
    run.__doc__ = documentation
    made = Operator(name, run, shape=like(output_like), dtype=like(output_like))
    REGISTRY.add(made)
    return made
