"""Dropout."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.axes import axis_of
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.layer_rules import both_ways, floating
from gluonic.graph.view import NodeView


def _drops(train: bool, mode: str, p: float) -> bool:
    return p > 0 and (train or mode == "always")


@operator("Dropout", "_npx_dropout", outputs=("output", "mask"), visible=1, dtype=floating())
def dropout(
    data: Array,
    *,
    p: float = 0.5,
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
    shape = [1 if i in axes else n for i, n in enumerate(data.shape)]
    if not _drops(run.train, mode, p):
        return data, np.ones(shape, data.dtype)
    kept = run.random.random(shape, dtype=np.float32) >= p
    mask = kept * data.dtype.type(np.inf if p == 1 else 1 / (1 - p))
    return data * mask, mask


@dropout.infer_shape
def _(n: NodeView) -> None:
    if not 0 <= n.p <= 1:
        raise InferenceError(f"{n._title}: p={n.p} is no probability")
    both_ways(n, "data", "output")
    shared = {axis_of(axis, len(n.data), n._title) for axis in n.axes}
    n.mask = tuple(1 if i in shared else extent for i, extent in enumerate(n.data))


def _gradient(F: Any, n: NodeView, g: Any) -> Any:
    if not _drops(n._train, n.mode, n.p):
        return g
    return F.broadcast_mul(g, n.mask) if n.axes else g * n.mask


dropout.gradient(data=_gradient)
