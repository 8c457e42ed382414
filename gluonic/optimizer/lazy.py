"""Updates where the weight, the gradient or a state is sparse.

A lazy update skips the rows that the gradient does not store, including their weight decay and momentum. Its
time and memory are proportional to the rows that it updates.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import is_half_width
from gluonic.graph.memory import allocating, converted
from gluonic.graph.scalar_math import M
from gluonic.graph.storage.updates import all_rows
from gluonic.graph.versions import mark_modified
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.storage.arrays import (
    BaseSparseNDArray,
    RowSparseNDArray,
    dense_of,
    value_of,
    zeros_of,
)
from gluonic.ndarray.storage.dispatch import assign
from gluonic.optimizer.row_kernels import run_natively

Rule = Callable[..., tuple[Any, ...]]


def is_stored(*arrays: Any) -> bool:
    """Whether one of the arrays is sparse."""
    return any(isinstance(array, BaseSparseNDArray) for array in arrays)


def state_like(weight: NDArray, lazy: bool) -> NDArray:
    """Zeros as a state of a sparse weight: of its storage type, if updates are lazy."""
    kind = weight.stype if lazy else "default"
    return zeros_of(kind, weight.shape, weight.dtype, weight.context)


def _computed(rule: Rule, numbers: SimpleNamespace, arrays: Sequence[Array]) -> tuple[Any, ...]:
    """The new weight and states; numbers of 16 bits are computed in float32."""
    if is_half_width(arrays[0].dtype):
        arrays = [converted(x, np.float32, "an update in float32") for x in arrays]
    with allocating("an update of a parameter"), np.errstate(all="ignore"):
        return rule(M, numbers, *arrays)


def update_stored(
    rule: Rule,
    numbers: SimpleNamespace,
    weight: NDArray,
    grad: NDArray,
    states: Sequence[NDArray],
    *,
    lazy: bool,
) -> None:
    """Run a rule on arrays, some of them sparse, and write the new weight and states in place.

    Parameters
    ----------
    rule, numbers : the rule, and the numbers it reads
    weight, grad, states : the arrays, of any storage types
    lazy : whether to skip the rows that a row_sparse gradient does not store
    """
    if any(x.stype == "csr" for x in (weight, *states)):
        arrays = [dense_of(x) for x in (weight, grad, *states)]
        for x, result in zip((weight, *states), _computed(rule, numbers, arrays), strict=True):
            assign(x, np.asarray(result))
        return
    targets = [all_rows(value_of(x)) for x in (weight, *states)]
    if lazy and isinstance(grad, RowSparseNDArray):
        value = grad.stored.ordered()
        if run_natively(rule, numbers, targets, value):
            for target in targets:
                mark_modified(target)
            return
        rows: Any = value.indices
        chosen = [target[rows] for target in targets]
        results = list(_computed(rule, numbers, [chosen[0], value.data, *chosen[1:]]))
    else:
        rows = ...
        results = list(_computed(rule, numbers, [targets[0], dense_of(grad), *targets[1:]]))
    for target, result in zip(targets[::-1], results[::-1], strict=True):
        target[rows] = result
        mark_modified(target)
