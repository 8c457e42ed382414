"""Elements selected by indices along several axes, by a mask, or by flat indices."""

from math import prod
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import axis_of, known, replaced, require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.indices import add_rows, multi_index, positions
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like, output_dtype
from gluonic.graph.view import NodeView, PartialShape, peek, title_of, unify, written


def _picked(indices: PartialShape, source: PartialShape, n: NodeView) -> PartialShape:
    """Find the shape of what `indices` pick: theirs, then the axes that they do not name."""
    if len(indices) < 2:
        raise InferenceError(
            f"{title_of(n)}: indices {written(indices)} must have two or more axes; the first one"
            f" counts the axes that are indexed"
        )
    (named,) = known(indices[0])
    if named > len(source):
        raise InferenceError(
            f"{title_of(n)}: indices {written(indices)} name {named} axes of {written(source)}"
        )
    return (*indices[1:], *source[named:])


@operator("gather_nd")
def gather_nd(data: Array, indices: Array) -> Any:
    """Gather elements, or slices, at indices along the first axes.

    Parameters
    ----------
    data : any array
    indices : (m, ...): ``indices[:, j]`` are positions along the first m axes of `data`; negative
        ones count from the end

    Returns
    -------
    array
        of the shape ``indices.shape[1:] + data.shape[m:]``
    """
    if not len(indices):
        return np.broadcast_to(data, indices.shape[1:] + data.shape)
    return data[multi_index(indices, data.shape, "gather_nd")]


@gather_nd.infer_shape
def _(n: NodeView) -> None:
    n.output = _picked(n.indices, n.data, n)


gather_nd.infer_dtype(like("data"))


def _add_at(shape: tuple[int, ...], indices: Array, values: Array, title: str) -> Array:
    """Sum values at positions given as for `gather_nd`."""
    named = len(indices)
    where = multi_index(indices, shape, title)
    flat = np.ravel_multi_index(where, shape[:named]).ravel() if prod(shape[:named]) else where[0]
    rest = shape[named:]
    sums = add_rows(prod(shape[:named]), flat.ravel(), values.reshape(flat.size, *rest))
    return sums.reshape(shape)


@adjoint(gather_nd, name="_backward_gather_nd_like")
def _(grad: Array, data: Array, indices: Array) -> Any:
    """Add the gradients up where the elements were gathered."""
    return _add_at(data.shape, indices, grad, "gather_nd")


def _scatter_shapes(n: NodeView) -> None:
    n.output = n.shape
    n.data = _picked(n.indices, n.shape, n)


@operator("_backward_gather_nd")
def accumulate_nd(data: Array, indices: Array, *, shape: Shape) -> Any:
    """Sum values at given positions in an array of zeros (MXNet's name for it)."""
    return _add_at(shape, indices, data, "_backward_gather_nd")


accumulate_nd.infer_shape(_scatter_shapes)
accumulate_nd.infer_dtype(like("data"))
accumulate_nd.gradient(data=lambda F, n, g: F.gather_nd(g, n.indices))


@operator("scatter_nd")
def scatter_nd(data: Array, indices: Array, *, shape: Shape) -> Any:
    """Write elements, or slices, to given positions in an array of zeros.

    Parameters
    ----------
    data : the elements, of the shape ``indices.shape[1:] + shape[m:]``
    indices : (m, ...): positions along the first m axes; if they repeat, the last element is kept
    shape : the shape of the result
    """
    result = np.zeros(shape, data.dtype)
    result[multi_index(indices, shape, "scatter_nd")] = data
    return result


scatter_nd.infer_shape(_scatter_shapes)
scatter_nd.infer_dtype(like("data"))
scatter_nd.gradient(data=lambda F, n, g: F.gather_nd(g, n.indices))


@operator("_scatter_set_nd")
def scatter_set_nd(lhs: Array, rhs: Array, indices: Array, *, shape: Shape) -> Any:
    """Copy `lhs` with the elements `rhs` written at `indices`, as `scatter_nd` does."""
    result = lhs.copy()
    result[multi_index(indices, lhs.shape, "_scatter_set_nd")] = rhs
    return result


@scatter_set_nd.infer_shape
def _(n: NodeView) -> None:
    n.output = n.lhs = n.shape
    n.rhs = _picked(n.indices, n.shape, n)


@scatter_set_nd.infer_dtype
def _(n: NodeView) -> None:
    like("lhs", "rhs", "output")(n)


scatter_set_nd.gradient(
    lhs=lambda F, n, g: F._scatter_set_nd(g, F.zeros_like(n.rhs), n.indices, shape=n.shape),
    rhs=lambda F, n, g: F.gather_nd(g, n.indices),
)


@operator("_contrib_index_copy")
def index_copy(old_tensor: Array, index_vector: Array, new_tensor: Array) -> Any:
    """Copy `old_tensor` with some of its slices along the first axis replaced.

    Parameters
    ----------
    old_tensor : any array
    index_vector : the positions of the slices to replace, a vector
    new_tensor : the new slices, as many
    """
    result = old_tensor.copy()
    result[positions(index_vector, len(old_tensor), "raise", "index_copy")] = new_tensor
    return result


@index_copy.infer_shape
def _(n: NodeView) -> None:
    n.output = n.old_tensor
    require_rank(n.index_vector, (1,), f"{title_of(n)}: index_vector")
    n.new_tensor = (*n.index_vector, *n.old_tensor[1:])


index_copy.infer_dtype(like("old_tensor", "new_tensor", "output"))
index_copy.gradient(
    old_tensor=lambda F, n, g: F._contrib_index_copy(g, n.index_vector, F.zeros_like(n.new_tensor)),
    new_tensor=lambda F, n, g: F.take(g, n.index_vector),
)


@operator("_contrib_index_array")
def index_array(data: Array, *, axes: Shape | None = None) -> Any:
    """Return each element's index: it is in the last axis of the result.

    Parameters
    ----------
    data : any array; its elements are not used
    axes : the axes; default: all
    """
    rank = data.ndim
    chosen = range(rank) if axes is None else [axis % rank for axis in axes]
    result = np.empty((*data.shape, len(chosen)), np.int64)
    for i, axis in enumerate(chosen):
        result[..., i] = np.arange(data.shape[axis]).reshape(-1, *[1] * (rank - 1 - axis))
    return result


@index_array.infer_shape
def _(n: NodeView) -> None:
    n.output = (*n.data, len(n.data) if n.axes is None else len(n.axes))


index_array.infer_dtype(output_dtype("int64"))
index_array.gradient()


@operator("_contrib_boolean_mask", dynamic=True)
def boolean_mask(data: Array, index: Array, *, axis: int = 0) -> Any:
    """Keep the slices along an axis for which `index` is not zero.

    Parameters
    ----------
    data : any array
    index : a number for each slice, (data.shape[axis],)
    axis : the axis

    Returns
    -------
    array
        whose length along `axis` depends on the elements of `index`
    """
    return np.compress(index != 0, data, axis)


@boolean_mask.infer_shape
def _(n: NodeView) -> None:
    axis = axis_of(n.axis, len(n.data), title_of(n))
    n.index = (n.data[axis],)
    n.data = replaced(n.data, axis, n.index[0])
    n.output = replaced(n.data, axis, None)
    n.data = replaced(n.output, axis, n.data[axis])


boolean_mask.infer_dtype(like("data"))


@adjoint(boolean_mask)
def _(grad: Array, data: Array, index: Array, *, axis: int) -> Any:
    """Put the gradients where the slices were, zeros elsewhere."""
    result = np.zeros_like(data)
    np.moveaxis(result, axis, 0)[index != 0] = np.moveaxis(grad, axis, 0)
    return result


def _require_shape(n: NodeView) -> Shape:
    shape: Shape | None = n.shape
    if not shape:
        raise InferenceError(f"{title_of(n)}: needs shape=")
    return shape


@operator("_ravel_multi_index", "ravel_multi_index")
def ravel_multi_index(data: Array, *, shape: Shape | None = None) -> Any:
    """Return the flat, row-major indices of elements in an array of the given shape.

    Parameters
    ----------
    data : positions along each axis, (axes, count)
    shape : the shape of the array; the first extent does not matter

    Returns
    -------
    array
        the numbers, (count,)
    """
    assert shape is not None
    result = np.zeros(data.shape[1:], np.int64)
    for extent, row in zip(shape, data, strict=True):
        result = (result * extent + row).astype(np.int64)
    return result


@ravel_multi_index.infer_shape
def _(n: NodeView) -> None:
    if (output := peek(n, "output")) is not None:
        n.data = (len(_require_shape(n)), *output)
    require_rank(n.data, (2,), f"{title_of(n)}: data")
    n.data = (len(_require_shape(n)), None)
    n.output = n.data[1:]


ravel_multi_index.gradient()


@operator("_unravel_index", "unravel_index")
def unravel_index(data: Array, *, shape: Shape | None = None) -> Any:
    """Return the indices of elements from their flat indices; the inverse of `ravel_multi_index`.

    Parameters
    ----------
    data : numbers of elements, of any shape
    shape : the shape of the array they are in; the first extent does not matter

    Returns
    -------
    array
        positions along each axis, ``(len(shape),) + data.shape``
    """
    assert shape is not None
    number = data.astype(np.int64)
    rows = []
    for extent in shape[:0:-1]:
        above = np.sign(number) * (np.abs(number) // extent)  # towards zero, as C divides
        rows.append(number - above * extent)
        number = above
    return np.stack([number, *rows[::-1]])


@unravel_index.infer_shape
def _(n: NodeView) -> None:
    rows = len(_require_shape(n))
    if (output := peek(n, "output")) is not None:
        unify(output[:1], (rows,), f"{title_of(n)}: the number of axes")
        n.data = output[1:]
    n.output = (rows, *n.data)


unravel_index.gradient()
