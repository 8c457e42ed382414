"""The initializer of the fused `RNN` operator's parameter vector."""

from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError
from gluonic.initializer.base import InitDesc, Initializer, create, register
from gluonic.ndarray.array import NDArray

_GATES = {
    "rnn_relu": ("",),
    "rnn_tanh": ("",),
    "lstm": ("_i", "_f", "_c", "_o"),
    "gru": ("_r", "_z", "_o"),
}


@register
class FusedRNN(Initializer):
    """Initialize the one parameter vector of the fused `RNN` operator, piece by piece.

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
        if mode not in _GATES:
            raise AttributeValueError(
                f"FusedRNN: mode must be one of {', '.join(_GATES)}, not {mode!r}"
            )
        self._init, self._mode, self._forget_bias = init, mode, forget_bias
        self._num_hidden, self._num_layers = num_hidden, num_layers
        self._directions = ("l", "r") if bidirectional else ("l",)

    def _init_weight(self, desc: Any, arr: NDArray) -> None:
        values = arr.asnumpy()
        start = 0
        for name, shape in self._pieces(values.size):
            piece = NDArray(np.zeros(shape, values.dtype))
            if self._mode == "lstm" and name.endswith("_f_bias"):
                piece[:] = self._forget_bias
            else:
                fallback = desc.global_init if self._init is None else self._init
                fallback(InitDesc(name, global_init=desc.global_init), piece)
            end = start + piece.size
            values[start:end] = piece.asnumpy().ravel()
            start = end
        arr[:] = values

    def _pieces(self, size: int) -> list[tuple[str, tuple[int, ...]]]:
        """All weights gate by gate, then all biases, as the operator expects them."""
        hidden, gates = self._num_hidden, _GATES[self._mode]
        weights, biases = [], []
        for layer in range(self._num_layers):
            ins = self._input_size(size) if layer == 0 else hidden * len(self._directions)
            for direction in self._directions:
                for group, length in (("i2h", ins), ("h2h", hidden)):
                    names = [f"{direction}{layer}_{group}{gate}" for gate in gates]
                    weights += [(f"{name}_weight", (hidden, length)) for name in names]
                    biases += [(f"{name}_bias", (hidden,)) for name in names]
        return [*weights, *biases]

    def _input_size(self, size: int) -> int:
        hidden, directions = self._num_hidden, len(self._directions)
        a_row = size // (directions * hidden * len(_GATES[self._mode]))
        upper = (self._num_layers - 1) * (hidden * directions + hidden + 2)
        return a_row - upper - hidden - 2
