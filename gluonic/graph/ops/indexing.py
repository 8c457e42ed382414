"""Elements selected by arrays of indices along one axis."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Count, DType, Positive
from gluonic.graph.axes import axis_of, inserted, product, replaced, require_rank, without
from gluonic.graph.errors import InferenceError
from gluonic.graph.indices import Mode, add_rows, positions
from gluonic.graph.operator import Array, LayerWeights, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, peek, title_of, unify, written

FLOAT32 = DType(np.dtype("float32"))


@operator("take")
def take(a: Array, indices: Array, *, axis: int = 0, mode: Mode = "clip") -> Any:
    """Take slices along an axis, in the order of `indices`.

    Parameters
    ----------
    a : any array
    indices : positions, of any shape and dtype; fractions are truncated
    axis : the axis of `a` that the shape of `indices` replaces
    mode : out of bounds, ``clip`` takes the first or last slice, ``wrap`` wraps around, ``raise``
        is an error
    """
    return np.take(a, positions(indices, a.shape[axis], mode, "take"), axis)


@take.infer_shape
def _(n: NodeView) -> None:
    axis = axis_of(n.axis, len(n.a), title_of(n))
    n.output = (*n.a[:axis], *n.indices, *n.a[axis + 1 :])


take.infer_dtype(like("a"))


@adjoint(take, source="a")
def _(grad: Array, a: Array, indices: Array, *, axis: int, mode: Mode) -> Any:
    """Add the gradients up in the slices that were taken."""
    axis %= a.ndim
    index = positions(indices, a.shape[axis], mode, "take").ravel()
    slices = grad.reshape(*a.shape[:axis], index.size, *a.shape[axis + 1 :])
    rows = add_rows(a.shape[axis], index, np.moveaxis(slices, axis, 0))
    return np.moveaxis(rows, 0, axis)


@operator("Embedding")
def embedding(
    data: Array,
    weight: LayerWeights,
    *,
    input_dim: Positive,
    output_dim: Positive,
    dtype: DType = FLOAT32,
    sparse_grad: bool = False,
) -> Any:
    """Look up a vector for each number.

    Parameters
    ----------
    data : numbers of rows, of any shape and dtype; beyond the table is its first or last row
    weight : the table of vectors, (input_dim, output_dim)
    input_dim : number of rows in the table
    output_dim : length of each vector
    dtype : the dtype of a table of which nothing else is known
    sparse_grad : whether the table's gradient is row_sparse: it stores the rows that were looked up
    """
    return np.take(weight, positions(data, len(weight), "clip", "Embedding"), 0)


@operator("_contrib_SparseEmbedding")
def sparse_embedding(
    data: Array,
    weight: LayerWeights,
    *,
    input_dim: Positive,
    output_dim: Positive,
    dtype: DType = FLOAT32,
    deterministic: bool = False,
) -> Any:
    """Look up a vector for each number; the table's gradient is row_sparse.

    Parameters
    ----------
    data : numbers of rows, of any shape and dtype; beyond the table is its first or last row
    weight : the table of vectors, (input_dim, output_dim)
    input_dim : number of rows in the table
    output_dim : length of each vector
    dtype : the dtype of a table of which nothing else is known
    deterministic : accepted for compatibility: gradients are always added in the same order
    """
    return np.take(weight, positions(data, len(weight), "clip", "SparseEmbedding"), 0)


sparse_embedding.gradient(
    weight=lambda F, n, g: F._backward_Embedding(
        g, n.data, n.weight, input_dim=n.input_dim, output_dim=n.output_dim, sparse_grad=True
    )
)


@sparse_embedding.infer_shape
@embedding.infer_shape
def _(n: NodeView) -> None:
    n.weight = (n.input_dim, n.output_dim)
    n.output = (*n.data, n.output_dim)


@sparse_embedding.infer_dtype
@embedding.infer_dtype
def _(n: NodeView) -> None:
    found = unify(peek(n, "weight"), peek(n, "output"), f"{title_of(n)}: weight")
    n.data  # noqa: B018 - the default of the weight's dtype must not come before what is given
    n.weight = n.output = n.dtype if found is None else found


@adjoint(embedding, source="weight")
def _(
    grad: Array, data: Array, weight: Array, *, input_dim: int, output_dim: int, **ignored: Any
) -> Any:
    """Add the gradients up in the rows that were looked up."""
    index = positions(data, input_dim, "clip", "Embedding").ravel()
    return add_rows(input_dim, index, grad.reshape(index.size, output_dim))


@operator("pick", "choose_element_0index")
def pick(
    data: Array,
    index: Array,
    *,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
) -> Any:
    """Pick one element along an axis, for each index of the other axes.

    Parameters
    ----------
    data : any array
    index : a position for each element of the output: the shape of `data` without `axis`, or with 1 there
    axis : the axis
    keepdims : keep that axis, with length one
    mode : out of bounds, ``clip`` picks the first or last element, ``wrap`` wraps around
    """
    assert axis is not None
    along = _along(index, data, axis, mode)
    if _is_last(axis, data):  # the common case, and much faster so
        rows = data.reshape(along.size, data.shape[axis])
        return rows[_elements(along)].reshape(along.shape)
    return np.take_along_axis(data, along, axis)


def _along(index: Array, data: Array, axis: int, mode: str) -> Array:
    """Insert an axis of length one into the indices."""
    whole = positions(index, data.shape[axis], mode, "pick")
    if whole.ndim == data.ndim:
        return whole
    return whole[..., None] if _is_last(axis, data) else np.expand_dims(whole, axis)


def _is_last(axis: int, data: Array) -> bool:
    return axis in (-1, data.ndim - 1)


def _elements(along: Array) -> tuple[Array, Array]:
    """The indices of one element of each row."""
    return np.arange(along.size), along.ravel()


@pick.infer_shape
def _(n: NodeView) -> None:
    if n.axis is None:
        raise InferenceError(f"{title_of(n)}: needs an axis")
    axis = axis_of(n.axis, len(n.data), title_of(n))
    kept = replaced(n.data, axis, 1)
    dropped = without(n.data, axis) or (1,)
    n.output = kept if n.keepdims else dropped
    index = peek(n, "index")
    n.index = kept if index is not None and len(index) == len(n.data) else dropped
    if len(n.data) > 1:
        known_axes = without(n.output, axis) if n.keepdims else n.output
        n.data = inserted(known_axes, axis, n.data[axis])


pick.infer_dtype(like("data"))


@adjoint(pick)
def _(grad: Array, data: Array, index: Array, *, axis: int, keepdims: bool, mode: Mode) -> Any:
    """Put the gradients where the elements were picked, zeros elsewhere."""
    result = np.zeros(data.shape, data.dtype)
    along = _along(index, data, axis, mode)
    if _is_last(axis, data):
        result.reshape(along.size, data.shape[axis])[_elements(along)] = grad.ravel()
    else:
        np.put_along_axis(result, along, grad.reshape(along.shape), axis)
    return result


@operator("batch_take")
def batch_take(a: Array, indices: Array) -> Any:
    """Pick one element of each row: ``output[i] = a[i, indices[i]]`` (`pick` does more)."""
    rows = a.reshape(indices.size, a.shape[-1])
    index = positions(indices, a.shape[-1], "clip", "batch_take")
    return rows[np.arange(len(rows)).reshape(index.shape), index]


@batch_take.infer_shape
def _(n: NodeView) -> None:
    rows, count = product(n.a[:-1]), product(n.indices)
    if None not in (rows, count) and rows != count:
        raise InferenceError(
            f"{title_of(n)}: {written(n.indices)} must have an index for each of the {rows} rows of a"
        )
    n.output = n.indices


@batch_take.infer_dtype
def _(n: NodeView) -> None:
    n.indices = np.dtype(np.int32)
    like("a")(n)


@adjoint(batch_take, source="a")
def _(grad: Array, a: Array, indices: Array) -> Any:
    """Put the gradients where the elements were, zeros elsewhere."""
    result = np.zeros_like(a)
    rows = result.reshape(indices.size, a.shape[-1])
    index = positions(indices, a.shape[-1], "clip", "batch_take").ravel()
    rows[np.arange(len(rows)), index] = grad.ravel()
    return result


@operator("one_hot")
def one_hot(
    indices: Array,
    *,
    depth: Count,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DType = FLOAT32,
) -> Any:
    """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere.

    Parameters
    ----------
    indices : indices, of any shape and dtype; for those out of bounds the vector is all `off_value`
    depth : length of the vectors
    on_value, off_value : the values of the vectors
    dtype : the dtype of the result
    """
    index = indices.astype(np.intp).ravel()
    result = np.full((index.size, depth), off_value, dtype)
    inside = np.flatnonzero((index >= 0) & (index < depth))
    result[inside, index[inside]] = on_value
    return result.reshape(*indices.shape, depth)


@one_hot.infer_shape
def _(n: NodeView) -> None:
    n.output = (*n.indices, n.depth)


@one_hot.infer_dtype
def _(n: NodeView) -> None:
    if n.dtype == np.bool_:
        raise InferenceError(f"{title_of(n)}: dtype cannot be bool")
    n.output = n.dtype


one_hot.gradient()


@operator("_onehot_encode")
def onehot_encode(lhs: Array, rhs: Array) -> Any:
    """Write each number as a row of `rhs`'s shape that is 1 at that position (of old models)."""
    return one_hot.kernel(lhs, depth=rhs.shape[1], on_value=1, off_value=0, dtype=rhs.dtype)


@onehot_encode.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.rhs, (2,), f"{title_of(n)}: rhs")
    n.output = n.rhs
    n.lhs = n.rhs[:1]


onehot_encode.infer_dtype(like("rhs"))
onehot_encode.gradient()


@operator("fill_element_0index")
def fill_element_0index(lhs: Array, mhs: Array, rhs: Array) -> Any:
    """Replace one element of each row: ``lhs[i, rhs[i]] = mhs[i]``.

    Parameters
    ----------
    lhs : a matrix, (rows, columns); it stays as it is
    mhs : the new elements, (rows,)
    rhs : their columns, (rows,)
    """
    result = lhs.copy()
    columns = positions(rhs, lhs.shape[1], "raise", "fill_element_0index")
    result[np.arange(len(lhs)), columns] = mhs
    return result


@fill_element_0index.infer_shape
def _(n: NodeView) -> None:
    n.output = n.lhs
    require_rank(n.lhs, (2,), f"{title_of(n)}: lhs")
    n.mhs = n.rhs = n.lhs[:1]
    n.lhs = n.output = (n.rhs[0], n.output[1])


fill_element_0index.infer_dtype(like("lhs", "mhs", "output"))
