"""``mx.gluon.utils`` of MXNet 2.0: that of 1.x, and the parts of a recurrent layer's parameters."""

from itertools import accumulate, product
from math import prod
from typing import Any

from gluonic.gluon import utils as of_one

_kept = {name: getattr(of_one, name) for name in of_one.__all__}
globals().update(_kept)
__all__ = [*_kept, "split_rnn_params"]
_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def shapes_of_rnn_params(
    mode: str,
    num_layers: int,
    input_size: int,
    hidden_size: int,
    bidirectional: bool = False,
    projection_size: int | None = None,
) -> dict[str, tuple[int, ...]]:
    """The shapes of a recurrent layer's weights and biases, in their order in one array."""
    rows, sides = _GATES[mode] * hidden_size, "lr" if bidirectional else "l"
    state = projection_size or hidden_size
    shapes: dict[str, tuple[int, ...]] = {}
    for kind, layer, side in product(("weight", "bias"), range(num_layers), sides):
        inputs = state * len(sides) if layer else input_size
        parts: dict[str, tuple[int, ...]] = {"i2h": (rows, inputs), "h2h": (rows, state)}
        if kind == "bias":
            parts = dict.fromkeys(parts, (rows,))
        elif projection_size:
            parts["h2r"] = (projection_size, hidden_size)
        shapes |= {f"{side}{layer}_{which}_{kind}": shape for which, shape in parts.items()}
    return shapes


def input_size_of_rnn_params(size: int, **layout: Any) -> int:
    """The length of a recurrent layer's input if all its parameters have `size` elements together."""
    without, with_one = (
        sum(map(prod, shapes_of_rnn_params(input_size=length, **layout).values()))
        for length in (0, 1)
    )
    return (size - without) // (with_one - without)


def split_rnn_params(
    param: Any,
    mode: str,
    num_layers: int,
    input_size: int,
    hidden_size: int,
    bidirectional: bool = False,
    projection_size: int | None = None,
) -> dict[str, Any]:
    """Return the weights and biases of a recurrent layer, which lie in one array one after the other.

    Parameters
    ----------
    param : the array
    mode : ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``
    num_layers : the number of layers
    input_size, hidden_size : the lengths of an input and of a state
    bidirectional : whether there is a layer for each direction
    projection_size : the length of a projected state

    Returns
    -------
    dict
        such as ``l0_i2h_weight``, with ``r`` for the other direction
    """
    shapes = shapes_of_rnn_params(
        mode, num_layers, input_size, hidden_size, bidirectional, projection_size
    )
    ends = list(accumulate(map(prod, shapes.values())))
    begins = [0, *ends[:-1]]
    return {
        name: param[begin:end].reshape(shape)
        for (name, shape), begin, end in zip(shapes.items(), begins, ends, strict=True)
    }
