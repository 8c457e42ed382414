"""Identity, casts, sums, selection, and constants of an input's shape."""

from math import prod
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import DType
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import documented, elementwise
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import fixed_by, like
from gluonic.graph.view import NodeView, complete, peek, settings_of, title_of, unify, written

identity = elementwise("_copy", "identity")(
    documented(lambda m, data: data, "identity", "The input itself.")
)
identity.gradient(data=lambda F, n, g: g)


@elementwise("cast_storage")
def cast_storage(m: Any, data: Any, *, stype: Literal["default", "row_sparse", "csr"]) -> Any:
    """Return the elements in another storage type.

    Parameters
    ----------
    data : an array of any storage type
    stype : ``"default"`` (dense), ``"csr"`` (of matrices alone) or ``"row_sparse"``
    """
    return data


cast_storage.gradient(data=lambda F, n, g: g)

block_grad = elementwise("BlockGrad", "stop_gradient")(
    documented(lambda m, data: data, "BlockGrad", "The input itself; no gradient passes.")
)
block_grad.gradient()

make_loss = elementwise("make_loss", is_loss=True)(
    documented(
        lambda m, data: data, "make_loss", "The input itself, as a loss: its gradient is always 1."
    )
)
make_loss.gradient(data=lambda F, n, g: F.ones_like(n.data))


@elementwise("zeros_like")
def zeros_like(m: Any, data: Any) -> Any:
    """Zeros, as many as `data` has elements.

    Parameters
    ----------
    data : any array; only its shape and dtype matter
    """
    return m.zeros_like(data)


@elementwise("ones_like")
def ones_like(m: Any, data: Any) -> Any:
    """Ones, as many as `data` has elements.

    Parameters
    ----------
    data : any array; only its shape and dtype matter
    """
    return m.ones_like(data)


zeros_like.gradient()
ones_like.gradient()

cast_like = elementwise("_cast_like", shape=like("lhs"), dtype=like("rhs"))(
    documented(lambda m, lhs, rhs: lhs, "_cast_like", "`lhs` in the dtype of `rhs`.")
)
cast_like.gradient(lhs=lambda F, n, g: F._cast_like(g, n.lhs))


@elementwise("Cast", "cast", dtype=fixed_by("dtype"))
def cast(m: Any, data: Any, *, dtype: DType) -> Any:
    """Convert every element to `dtype`; to integers by dropping the fraction."""
    return m.astype(data, dtype)


cast.gradient(data=lambda F, n, g: F._cast_like(g, n.data))


@operator("MakeLoss", is_loss=True)
def make_loss_layer(
    data: Array,
    *,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal["batch", "null", "valid"] = "null",
) -> Array:
    """The input itself, as a loss: its gradient is a constant, whatever gradient flows in.

    Parameters
    ----------
    data : the loss, shape (batch, …)
    grad_scale : the gradient
    normalization : ``batch`` divides it by the lengths of all axes but the last, ``valid`` by the
        number of elements above `valid_thresh`
    valid_thresh : see `normalization`
    """
    return data


make_loss_layer.gradient(data=lambda F, n, g: F._backward_MakeLoss(n.data, **settings_of(n)))


@operator("_backward_MakeLoss")
def _make_loss_gradient(
    data: Array,
    *,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal["batch", "null", "valid"] = "null",
) -> Array:
    """The gradient of MakeLoss."""
    parts: Any = 1
    if normalization == "batch":
        parts = prod(data.shape[:-1])
    elif normalization == "valid":
        parts = max(1, np.count_nonzero(data > valid_thresh))
    return np.full_like(data, grad_scale / parts)


_make_loss_gradient.gradient()


@operator("add_n", "ElementWiseSum", count="num_args")
def add_n(*args: Array, num_args: int) -> Array:
    """The sum of all inputs, which have one shape."""
    result = args[0].copy()
    for array in args[1:]:
        result += array
    return result


add_n.gradient(args=lambda F, n, g: [g] * n.num_args)


@operator("where")
def where(condition: Array, x: Array, y: Array) -> Array:
    """Elements of `x` where `condition` is not 0, of `y` elsewhere.

    Parameters
    ----------
    condition : of the shape of `x`, or one number for each row of `x`, shape (len(x),)
    x, y : arrays of one shape and dtype
    """
    chosen = condition != 0
    return np.where(chosen.reshape(_rows(condition.shape, x.ndim)), x, y)


def _rows(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return shape if len(shape) == rank else (*shape, *(1,) * (rank - 1))


@where.infer_shape
def _(n: NodeView) -> None:
    condition = complete(n.condition)  # as MXNet: nothing is known before the condition is
    common = None
    for name in ("x", "y", "output"):
        common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
    n.x = n.y = n.output = common
    if common is None:
        if len(condition) != 1:
            n.x = n.y = n.output = condition
    elif len(condition) == len(common):
        n.condition, n.x, n.y, n.output = common, condition, condition, condition
    elif len(condition) == 1:
        n.condition = common[:1]
    else:
        raise InferenceError(
            f"{title_of(n)}: condition is {written(condition)} but must be {written(common)}"
            f" or {written(common[:1])}"
        )


@where.infer_dtype
def _(n: NodeView) -> None:
    common = None
    for name in ("x", "y", "output"):
        common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
    n.x = n.y = n.output = common


where.gradient(
    x=lambda F, n, g: F.where(n.condition, g, F.zeros_like(g)),
    y=lambda F, n, g: F.where(n.condition, F.zeros_like(g), g),
)
