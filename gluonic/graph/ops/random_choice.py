"""Random categories, orders and candidates."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import DType, Shape
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, written

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
    data : probabilities, shape (…, k); each row sums up to 1
    shape : how many to draw from each distribution; without it, one
    get_prob : whether to return also the logarithms of the probabilities of what was drawn, through
        which gradients flow to `data` (as REINFORCE needs)
    dtype : the dtype of the categories

    Returns
    -------
    output : categories from 0 to k - 1, shape (…, *shape)
    """
    rows = data.reshape(-1, data.shape[-1]).astype(np.float64)
    count = prod(shape)
    drawn = _invert(rows.cumsum(axis=1), run.own_random().random((len(rows), count)))
    chosen = drawn.reshape(data.shape[:-1] + shape)
    if not get_prob:
        return chosen
    return chosen, np.log(np.take_along_axis(rows, drawn, axis=1)).reshape(chosen.shape)


def _invert(cumulated: Array, uniform: Array) -> Any:
    """For each row of numbers in [0, 1) the categories in whose intervals they lie."""
    scaled = uniform * cumulated[:, -1:]
    drawn = (scaled[:, :, None] >= cumulated[:, None, :]).sum(axis=2)
    return np.minimum(drawn, cumulated.shape[1] - 1).astype(np.int64)


@sample_multinomial.infer_shape
def _(n: Any) -> None:
    if not n.data:
        raise InferenceError(f"{n._title}: data must have at least one axis")
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
    return {"data": F._backward_gather_chosen(heads[1], n.data, n.output) / n.data}


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
    """The input, its rows (along the first axis) in random order."""
    return run.own_random().permutation(data, axis=0)


@operator("_sample_unique_zipfian", outputs=("samples", "num_tries"))
def sample_unique_zipfian(*, range_max: int, shape: Shape, run: Run) -> tuple[Array, Array]:
    """Draw different classes, the more frequent ones (of low numbers) more often.

    Parameters
    ----------
    range_max : the number of classes; class `c` is drawn with probability
        ``log((c + 2) / (c + 1)) / log(range_max + 1)``
    shape : (batch, number of different classes in a row)

    Returns
    -------
    samples : the classes
    num_tries : how many draws each row took, shape (batch,)
    """
    batch, count = shape
    random = run.own_random()
    rows = [_different(range_max, count, random) for _ in range(batch)]
    samples = np.array([row for row, _ in rows], INT64).reshape(shape)
    return samples, np.array([tries for _, tries in rows], INT64)


def _different(range_max: int, count: int, random: np.random.Generator) -> tuple[list[int], int]:
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        drawn = np.exp(random.random(2 * count) * np.log(range_max + 1.0)).astype(np.int64) - 1
        for value in drawn.tolist():
            tries += 1
            found[value] = None
            if len(found) == count:
                break
    return list(found), tries


@sample_unique_zipfian.infer_shape
def _(n: Any) -> None:
    if len(n.shape) != 2 or n.shape[1] > n.range_max:
        raise InferenceError(
            f"{n._title}: shape={written(n.shape)} must be (batch, count),"
            f" the count at most range_max={n.range_max}"
        )
    n.samples, n.num_tries = n.shape, n.shape[:1]


@sample_unique_zipfian.infer_dtype
def _(n: NodeView) -> None:
    n.samples = n.num_tries = INT64


sample_unique_zipfian.gradient()
