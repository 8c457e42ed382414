"""Dropout."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Probability, Shape
from gluonic.graph.axes import axis_of
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.random_words import kept
from gluonic.graph.view import NodeView


def drops(train: bool, mode: str, p: float) -> bool:
    """Whether anything is dropped."""
    return p > 0 and (train or mode == "always")


def drop(data: Array, key: int, p: float, axes: Shape) -> tuple[Array, Array]:
    """What is left of an array, and by what it was multiplied, with the numbers that follow from a key."""
    scale = data.dtype.type(np.inf if p == 1 else 1 / (1 - p))
    mask: Array = kept(key, _mask_shape(data.shape, axes), p) * scale
    return data * mask, mask


def _mask_shape(shape: Shape, axes: Shape) -> Shape:
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
    """Set elements to zero at random, and scale the others so that the mean stays.

    Outside of training the input passes as it is, unless ``mode="always"`` (JMLR 15, 1929-1958).

    Parameters
    ----------
    data : array
        Any shape, floating-point.
    p : float, default 0.5
        The probability with which an element is dropped. With 1, of which no mean can stay, the
        results are NaN.
    mode : {"training", "always"}, default "training"
        When to drop.
    axes : tuple of int, default ()
        Axes along which elements are dropped or kept together.
    cudnn_off : bool
        Accepted and ignored.
    """
    if not drops(run.train, mode, p):
        return data, np.ones(_mask_shape(data.shape, axes), data.dtype)
    return drop(data, run.take_key(), p, axes)


@dropout.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    shared = {axis_of(axis, len(n.data), n._title) for axis in n.axes}
    n.mask = tuple(1 if i in shared else extent for i, extent in enumerate(n.data))


def _gradient(F: Any, n: NodeView, g: Any) -> Any:
    if not drops(n._train, n.mode, n.p):
        return g
    return F.broadcast_mul(g, n.mask) if n.axes else g * n.mask


dropout.gradient(data=_gradient)
