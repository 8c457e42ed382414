"""The initializer of the fused `RNN` operator's parameter vector."""

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import AttributeValueError
from gluonic.initializer.base import InitDesc, Initializer, create, register
from gluonic.ndarray.array import NDArray

GATE_NAMES = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}
"""The suffixes of the weights' names, gate by gate, for each mode of the `RNN` operator."""


class FusedLayout(NamedTuple):
    """The layout of weights and biases in the single parameter vector of the `RNN` operator.

    Parameters
    ----------
    num_hidden, num_layers, mode, bidirectional : as in the operator
    """

    num_hidden: int
    num_layers: int
    mode: str
    bidirectional: bool = False

    @property
    def directions(self) -> str:
        """The prefixes of the names of both directions, or of the only one."""
        return "lr" if self.bidirectional else "l"

    def pieces(self, input_size: int) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of all weights gate by gate, then of all biases, in the vector's order."""
        hidden = self.num_hidden
        weights, biases = [], []
        for layer in range(self.num_layers):
            ins = hidden * len(self.directions) if layer else input_size
            for direction in self.directions:
                for group, length in (("i2h", ins), ("h2h", hidden)):
                    names = [f"{direction}{layer}_{group}{gate}" for gate in GATE_NAMES[self.mode]]
                    weights += [(f"{name}_weight", (hidden, length)) for name in names]
                    biases += [(f"{name}_bias", (hidden,)) for name in names]
        return [*weights, *biases]

    def views(self, vector: Any, input_size: int) -> Iterator[tuple[str, Any]]:
        """The names and values of all weights and biases: views into a vector of parameters."""
        start = 0
        for name, shape in self.pieces(input_size):
            end = start + prod(shape)
            yield name, vector[start:end].reshape(shape)
            start = end

    def input_size(self, size: int) -> int:
        """The size of an input if the vector has `size` elements.

        Raises
        ------
        AttributeValueError
            if no input size gives that number
        """
        hidden, directions = self.num_hidden, len(self.directions)
        a_row = size // (directions * hidden * len(GATE_NAMES[self.mode]))
        upper = (self.num_layers - 1) * (hidden * directions + hidden + 2)
        found = a_row - upper - hidden - 2
        if found < 1 or size != self.size(found):
            raise AttributeValueError(
                f"no RNN with {self._asdict()} has {size} parameters, whatever the size of its inputs"
            )
        return found

    def size(self, input_size: int) -> int:
        """The number of elements of the vector."""
        return sum(prod(shape) for _, shape in self.pieces(input_size))


@register
class FusedRNN(Initializer):
    """Initialize the single parameter vector of the fused `RNN` operator, piece by piece.

    Parameters
    ----------
    init : the initializer of the pieces, or its JSON; None: the net's
    num_hidden, num_layers, mode, bidirectional : as in the operator
    forget_bias : the bias of the forget gates of an LSTM
    """

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        init = create(init) if isinstance(init, str) else init
        super().__init__(
            init=None if init is None else init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        if mode not in GATE_NAMES:
            raise AttributeValueError(
                f"FusedRNN: mode must be one of {', '.join(GATE_NAMES)}, not {mode!r}"
            )
        self._init, self._forget_bias = init, forget_bias
        self._layout = FusedLayout(num_hidden, num_layers, mode, bidirectional)

    def _init_weight(self, desc: Any, arr: NDArray) -> None:
        values = arr.asnumpy()
        for name, view in self._layout.views(values, self._layout.input_size(values.size)):
            piece = NDArray(np.zeros(view.shape, values.dtype))
            if self._layout.mode == "lstm" and name.endswith("_f_bias"):
                piece[:] = self._forget_bias
            else:
                fallback = desc.global_init if self._init is None else self._init
                fallback(InitDesc(name, global_init=desc.global_init), piece)
            view[...] = piece.asnumpy()
        arr[:] = values
