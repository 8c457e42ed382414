"""Weighted means."""

from typing import Any

import numpy as np

from gluonic.graph.attributes import Axes
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import wide
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.numpy.reductions import axes_to_reduce, shape_left
from gluonic.graph.rules import like, same
from gluonic.graph.summation import total
from gluonic.graph.view import PartialShape, complete, put, title_of, unify, written


def shape_beside(weights: PartialShape, a: PartialShape, axis: Axes, title: str) -> PartialShape:
    """The shape in which weights are broadcast to `a`: their own, or that of a vector along one axis.

    >>> shape_beside((3,), (2, 3, 4), 1, "average")
    (1, 3, 1)
    """
    if len(weights) == len(a):
        return unify(a, weights, f"{title}: weights")  # type: ignore[no-any-return]
    axes = axes_to_reduce(axis, len(a), title)
    if len(weights) != 1 or len(axes) != 1:
        raise InferenceError(
            f"{title}: weights of shape {written(weights)} must have the shape of a, {written(a)}, or be a"
            f" vector along one axis, which axis= names"
        )
    extent = unify(weights, (a[axes[0]],), f"{title}: weights")[0]
    return tuple(extent if i == axes[0] else 1 for i in range(len(a)))


@operator("_weights_beside", is_view=True, dtype=like("weights"))
def weights_beside(weights: Array, a: Array, *, axis: Axes = None) -> Any:
    """Reshape weights so that they are broadcast to `a`."""
    return weights.reshape(complete(shape_beside(weights.shape, a.shape, axis, "_weights_beside")))


@weights_beside.infer_shape
def _(n: Any) -> None:
    n.output = shape_beside(n.weights, n.a, n.axis, title_of(n))


weights_beside.gradient(weights=lambda F, n, g: F.reshape_like(g, n.weights))


def _visible(n: Any) -> int:
    return 2 if n.returned else 1


@operator(
    "_npi_average",
    outputs=("output0", "output1"),
    visible=_visible,
    absent=lambda n: () if n.weighted else ("weights",),
    dtype=same,
)
def average(
    a: Array,
    weights: Array | None = None,
    *,
    axis: Axes = None,
    returned: bool = False,
    weighted: bool = True,
) -> tuple[Any, Any]:
    """The weighted mean over axes.

    Parameters
    ----------
    a : any array
    weights : of the shape of `a`, or one for each index along the axis; absent if not `weighted`
    axis : an axis or several; None means all
    returned : whether the user sees the sums of the weights too
    weighted : whether there are weights; otherwise all are 1

    Returns
    -------
    output0 : of the dtype of `a`
    output1 : the sums of the weights; without axes if there is only one sum
    """
    axes = axes_to_reduce(axis, a.ndim, "_npi_average")
    if weights is None:
        count = np.prod([a.shape[i] for i in axes], dtype=np.int64)
        return total(wide(a), axes) / count, count
    beside = weights.reshape(complete(shape_beside(weights.shape, a.shape, axis, "_npi_average")))
    of_elements = weights.shape == a.shape
    sums = total(wide(beside), axes if of_elements else tuple(range(a.ndim)))
    return total(wide(a) * wide(beside), axes) / sums, sums


@average.infer_shape
def _(n: Any) -> None:
    axes = axes_to_reduce(n.axis, len(n.a), title_of(n))
    n.output0 = shape_left(n.a, axes, False)
    if not n.weighted:
        n.output1 = ()
        return
    beside = shape_beside(n.weights, n.a, n.axis, title_of(n))
    of_elements = len(n.weights) == len(n.a)
    if of_elements:
        put(n, "weights", beside)
        n.a = beside
    n.output1 = shape_left(beside, axes, False) if of_elements else ()


@operator("_backward_npi_average_sums", shape=like("weights"), dtype=like("weights"))
def sums_back(grad: Array, weights: Array, a: Array, *, axis: Axes = None) -> Any:
    """The gradient of the weights through their sums; of `weights` only the shape matters."""
    if weights.shape != a.shape:
        return np.broadcast_to(grad, weights.shape)
    axes = axes_to_reduce(axis, a.ndim)
    kept = shape_left(a.shape, axes, True)
    return np.broadcast_to(grad.reshape(complete(kept)), a.shape)


sums_back.gradient(
    grad=lambda F, n, g: F._npi_average(n.a, g, axis=n.axis, returned=True)[1],
)


@average.all_gradients
def _(F: Any, n: Any, heads: Any) -> dict[str, Any]:
    of_mean, of_sums = heads
    found: dict[str, Any] = {}

    def spread(value: Any) -> Any:
        return value if n.axis == () else F._backward_sum(value, n.a, axis=n.axis)

    if not n.weighted:
        if of_mean is not None:
            found["a"] = of_mean if n.axis == () else F._backward_mean(of_mean, n.a, axis=n.axis)
        return found
    if of_mean is not None:
        beside = F._weights_beside(n.weights, n.a, axis=n.axis)
        share = spread(F.broadcast_div(of_mean, n.output1))
        found["a"] = F.broadcast_mul(share, beside)
        parts = F._reduce_like(share * (n.a - spread(n.output0)), beside)
        found["weights"] = F.reshape_like(parts, n.weights)
    if of_sums is not None:
        more = F._backward_npi_average_sums(of_sums, n.weights, n.a, axis=n.axis)
        found["weights"] = found["weights"] + more if "weights" in found else more
    return found
