"""Random categories, orders and candidates."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import DType, Shape
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of, written
from gluonic.graph.zeros import ones_for_zeros

INT32, INT64 = DType(np.dtype(np.int32)), np.dtype(np.int64)


@operator(
    "_sample_multinomial",
    "sample_multinomial",
    outputs=lambda n: ("output", "log_probability") if n.get_prob else ("output",),
)
def sample_multinomial(
    data: Array,
    *,
    shape: Shape = (),
    get_prob: bool = False,
    dtype: DType = INT32,
    run: Run,
) -> Any:
    """Draw categories from categorical distributions.

    Parameters
    ----------
    data : probabilities, shape (…, k); each row sums to 1
    shape : the shape of the draws from each distribution; one by default
    get_prob : whether to also return the log probabilities of the drawn categories, through which
        gradients flow to `data` (as REINFORCE needs)
    dtype : the dtype of the categories

    Returns
    -------
    output : categories from 0 to k - 1, shape (…, *shape)
    """
    rows = data.reshape(-1, data.shape[-1])
    drawn = _invert(rows, run.random.uniforms((len(rows), prod(shape))))
    chosen = drawn.reshape(data.shape[:-1] + shape)
    if not get_prob:
        return chosen
    found = np.take_along_axis(rows.astype(np.float64), drawn, axis=1)
    return chosen, np.log(found).reshape(chosen.shape)


def _invert(rows: Array, uniform: Array) -> Array:
    """For each row of probabilities, the categories whose intervals contain uniform numbers."""
    cumulated = rows.cumsum(axis=1, dtype=np.float64).astype(np.float32).astype(rows.dtype)
    wanted = uniform.astype(rows.dtype)
    found = np.empty(uniform.shape, np.int64)
    for ends, each, indices in zip(cumulated, wanted, found, strict=True):
        indices[:] = ends.searchsorted(each)
    found[found == rows.shape[1]] -= 1
    return found


@sample_multinomial.infer_shape
def _(n: Any) -> None:
    if not n.data:
        raise InferenceError(f"{title_of(n)}: data must have at least one axis")
    shape = (*n.data[:-1], *n.shape) or (1,)
    n.output = shape
    if n.get_prob:
        n.log_probability = shape


@sample_multinomial.infer_dtype
def _(n: Any) -> None:
    n.output = n.dtype
    if n.get_prob:
        like("data", "log_probability")(n)


@sample_multinomial.all_gradients
def _(F: Any, n: Any, heads: Any) -> dict[str, Any]:
    if len(heads) < 2 or heads[1] is None:
        return {}
    by_chosen = F._backward_gather_chosen(heads[1], n.data, n.output)
    return {"data": by_chosen / ones_for_zeros(F, n.data)}


@operator("_gather_chosen", dtype=like("data"))
def gather_chosen(data: Array, chosen: Array) -> Array:
    """The probabilities in `data`, shape (…, k), of the chosen categories, shape (…, *shape)."""
    rows, drawn = _as_rows(data.shape, chosen)
    return np.take_along_axis(data.reshape(rows, -1), drawn, axis=1).reshape(chosen.shape)


def _as_rows(shape: tuple[int, ...], chosen: Array) -> tuple[int, Array]:
    rows = prod(shape[:-1])
    return rows, chosen.reshape(rows, -1).astype(np.int64)


@gather_chosen.infer_shape
def _(n: NodeView) -> None:
    like("chosen")(n)


@adjoint(gather_chosen)
def _scatter_chosen(grad: Array, data: Array, chosen: Array) -> Array:
    rows, drawn = _as_rows(data.shape, chosen)
    result = np.zeros((rows, data.shape[-1]), data.dtype)
    np.add.at(result, (np.arange(rows)[:, None], drawn), grad.reshape(drawn.shape))
    return result.reshape(data.shape)


@operator("_shuffle", "shuffle")
def shuffle(data: Array, *, run: Run) -> Array:
    """The input, with its rows (along the first axis) in random order."""
    order = list(range(len(data)))
    backwards = data.ndim > 1
    indices = range(len(order) - 1, 0, -1) if backwards else range(1, len(order))
    drawn = run.random.below(np.array(indices, np.int64) + 1)
    for index, other in zip(indices, drawn.tolist(), strict=True):
        order[index], order[other] = order[other], order[index]
    found: Array = data[np.array(order, np.int64)]
    return found


@operator("_sample_unique_zipfian", outputs=("samples", "num_tries"))
def sample_unique_zipfian(*, range_max: int, shape: Shape, run: Run) -> tuple[Array, Array]:
    """Draw distinct classes, those with low numbers more often.

    Parameters
    ----------
    range_max : the number of classes; class `c` is drawn with probability
        ``log((c + 2) / (c + 1)) / log(range_max + 1)``
    shape : (batch, number of distinct classes in a row)

    Returns
    -------
    samples : the classes
    num_tries : the number of draws for each row, shape (batch,)
    """
    batch, count = shape
    rows = run.random.different(batch, count, range_max)
    samples = np.array([row for row, _ in rows], INT64).reshape(shape)
    return samples, np.array([tries for _, tries in rows], INT64)


@sample_unique_zipfian.infer_shape
def _(n: Any) -> None:
    if len(n.shape) != 2 or n.shape[1] > n.range_max:
        raise InferenceError(
            f"{title_of(n)}: shape={written(n.shape)} must be (batch, count),"
            f" the count at most range_max={n.range_max}"
        )
    n.samples, n.num_tries = n.shape, n.shape[:1]


@sample_unique_zipfian.infer_dtype
def _(n: NodeView) -> None:
    n.samples = n.num_tries = INT64


sample_unique_zipfian.gradient()
