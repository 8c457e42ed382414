"""Dropout."""

from functools import lru_cache
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Probability, Shape
from gluonic.graph.axes import axis_of
from gluonic.graph.draws_of_a_run import F32, F64, uniforms
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.distributions import drawn_as
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.random_source import Draws
from gluonic.graph.view import NodeView, is_training, title_of


def drops(train: bool, mode: str, p: float) -> bool:
    """Whether anything is dropped."""
    return kept_part(p) < 1 and (train or mode == "always")


def kept_part(p: float) -> Any:
    """The probability with which an element is kept, as the precision of float32 makes it."""
    return np.float32(1) - np.float32(p)


def kept_scale(p: float) -> Any:
    """The factor on the elements that are kept."""
    with np.errstate(divide="ignore"):
        return np.float32(1) / kept_part(p)


def draw_kept(random: Draws, shape: Shape, dtype: Any, p: float, axes: Shape) -> Array:
    """Draw which elements of an array of such a shape are kept."""
    if axes:
        shape = mask_shape(shape, axes)
    if drawn_as(dtype) == F32:
        return random.draw("kept", shape, np.bool_, _largest_word(p, bool(axes)))
    part = kept_part(p)
    drawn = random.draw("uniform", shape, F64, 0.0, 1.0).astype(F32)
    kept: Array = drawn < part if axes else drawn <= part
    return kept


@lru_cache(256)
def _largest_word(p: float, below: bool) -> int:
    """The largest word whose number is at most the part that is kept, or below it."""
    part = kept_part(p)
    least, most = 0, (1 << 32) - 1
    while least < most:
        middle = (least + most + 1) // 2
        number = uniforms(lambda count, word=middle: np.array([word], np.uint32), 1, F32)[0]  # type: ignore[misc]
        if number < part or (number == part and not below):
            least = middle
        else:
            most = middle - 1
    return least


def mask_shape(shape: Shape, axes: Shape) -> Shape:
    """The shape of what an array of such a shape is multiplied by."""
    shared = {axis % len(shape) for axis in axes}
    return tuple(1 if i in shared else n for i, n in enumerate(shape))


@operator("Dropout", "_npx_dropout", outputs=("output", "mask"), visible=1, dtype=floating())
def dropout(
    data: Array,
    *,
    p: Probability = 0.5,
    mode: Literal["training", "always"] = "training",
    axes: Shape = (),
    cudnn_off: bool | None = False,
    run: Run,
) -> Any:
    """Set elements to zero at random, and scale the others so that the mean is kept.

    Outside of training the input passes as it is, unless ``mode="always"`` (JMLR 15, 1929-1958).

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    p : float, default 0.5
        The probability with which an element is dropped. With 1, which keeps no mean, the
        results are NaN.
    mode : {"training", "always"}, default "training"
        When to drop.
    axes : tuple of int, default ()
        Axes along which elements are dropped or kept together.
    cudnn_off : bool
        Accepted and ignored.
    """
    if not drops(run.train, mode, p):
        return data, np.ones(mask_shape(data.shape, axes), data.dtype)
    kept = draw_kept(run.random, data.shape, data.dtype, p, axes)
    with np.errstate(invalid="ignore"):  # if nothing is kept, 0 is multiplied by infinity
        mask = np.multiply(kept, data.dtype.type(kept_scale(p)), dtype=data.dtype)
    return data * mask, mask


@dropout.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    shared = {axis_of(axis, len(n.data), title_of(n)) for axis in n.axes}
    n.mask = tuple(1 if i in shared else extent for i, extent in enumerate(n.data))


def _gradient(F: Any, n: NodeView, g: Any) -> Any:
    if not drops(is_training(n), n.mode, n.p):
        return g
    return F.broadcast_mul(g, n.mask) if n.axes else g * n.mask


dropout.gradient(data=_gradient)
