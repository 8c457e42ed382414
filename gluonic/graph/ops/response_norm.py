"""Division by a norm: L2Normalization and local response normalization."""

from typing import Any, Literal

import numpy as np

from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import both_ways, floating, wide
from gluonic.graph.summation import total_like
from gluonic.graph.view import NodeView, title_of

# The axes that each mode sums over, as the attributes of a reduction.
_AXES: dict[str, dict[str, Any]] = {
    "instance": {"axis": 0, "exclude": True},
    "channel": {"axis": 1},
    "spatial": {"axis": (0, 1), "exclude": True},
}


def _summed(mode: str, rank: int) -> tuple[int, ...]:
    return {"instance": tuple(range(1, rank)), "channel": (1,), "spatial": tuple(range(2, rank))}[
        mode
    ]


@operator("L2Normalization", outputs=("output", "norm"), visible=1, dtype=floating())
def l2_normalization(
    data: Array,
    *,
    eps: float = 1e-10,
    mode: Literal["instance", "spatial", "channel"] = "instance",
) -> Any:
    """Divide vectors by their Euclidean norm: ``x / sqrt(Σ x² + eps)``.

    Parameters
    ----------
    data : array of shape (batch, channels, …)
        Floating-point.
    eps : float, default 1e-10
        Added to the sum of squares.
    mode : {"instance", "channel", "spatial"}, default "instance"
        The elements of a vector: those of an instance, the channels of one pixel, or the pixels of one
        channel.
    """
    numbers = wide(data)
    squares = total_like(np.square(numbers), _summed(mode, data.ndim), keepdims=True)
    norm = np.sqrt(squares + eps)
    return numbers / norm, norm


@l2_normalization.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    rank = len(n.data)
    if rank < (1 if n.mode == "instance" else 3):
        raise InferenceError(f"{title_of(n)}: mode={n.mode!r} needs more than {rank} dimensions")
    summed = _summed(n.mode, rank)
    n.norm = tuple(1 if i in summed else extent for i, extent in enumerate(n.data))


@l2_normalization.all_gradients
def _(F: Any, n: NodeView, heads: Any) -> dict[str, Any]:
    g, norm_gradient = heads
    parts = []
    if g is not None:
        along = F.sum(g * n.output, keepdims=True, **_AXES[n.mode])
        rest = g - F.broadcast_mul(n.output, along)
        parts.append(F.broadcast_div(rest, n.norm))
    if norm_gradient is not None:
        parts.append(F.broadcast_mul(n.output, norm_gradient))
    return {"data": F.add_n(*parts)} if parts else {}


@operator("LRN", dtype=floating())
def lrn(
    data: Array,
    *,
    alpha: float = 1e-4,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int,
) -> Any:
    """Divide each number by a power of the sum of squares over the channels around it.

    ``x / (knorm + alpha / nsize * Σ x²) ** beta``, where the sum is over `nsize` channels around that
    of ``x`` (NIPS 25, 1097-1105).

    Parameters
    ----------
    data : array of shape (batch, channels, height, width) or (batch, channels)
        Floating-point.
    alpha, beta, knorm : float, default 1e-4, 0.75 and 2
        See above.
    nsize : int
        The number of channels to sum over; odd.
    """
    numbers = wide(data)
    squares = _window_sum(np.square(numbers), nsize)
    return numbers * (knorm + alpha / nsize * squares) ** -beta


def _window_sum(data: Array, size: int) -> Array:
    """The sums over `size` neighbouring channels, each at the middle one."""
    total, channels = data.copy(), data.shape[1]
    for distance in range(1, min(size // 2, channels - 1) + 1):
        total[:, distance:] += data[:, :-distance]
        total[:, :-distance] += data[:, distance:]
    return total


@lrn.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    require_rank(n.data, (2, 4), f"{title_of(n)}: data")
    if n.nsize < 1 or n.nsize % 2 == 0:
        raise InferenceError(
            f"{title_of(n)}: nsize={n.nsize} must be odd: a channel and its neighbours"
        )


def _lrn_gradient(F: Any, n: NodeView, g: Any) -> Any:
    share = n.alpha / n.nsize
    base = F._channel_window_sum(F.square(n.data), nsize=n.nsize) * share + n.knorm
    power = F.exp(F.log(base) * -n.beta)
    around = F._channel_window_sum(g * n.data * power / base, nsize=n.nsize)
    return g * power - n.data * around * (2 * n.beta * share)


lrn.gradient(data=_lrn_gradient)


@operator("_channel_window_sum", dtype=floating())
def channel_window_sum(data: Array, *, nsize: int) -> Any:
    """Sum over `nsize` (odd) channels centred at each channel."""
    return _window_sum(wide(data), nsize)


channel_window_sum.gradient(data=lambda F, n, g: F._channel_window_sum(g, nsize=n.nsize))
