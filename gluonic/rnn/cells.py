"""The symbolic cells with matrices: plain, LSTM and GRU."""

from collections.abc import Sequence
from typing import Any, ClassVar

from gluonic import symbol as sym
from gluonic.initializer import LSTMBias
from gluonic.initializer.fused_rnn import GATE_NAMES
from gluonic.recurrent.steps import applied, gru_step, lstm_step, rnn_step
from gluonic.rnn.base import BaseRNNCell, RNNParams

PLAIN_NAMES = {"i2h": "i2h", "h2h": "h2h", "out": "out"}
LSTM_NAMES = {**PLAIN_NAMES, **{name: name for name in ("slice", "i", "f", "c", "o", "state")}}
GRU_NAMES = {
    **{name: f"_{name}" for name in ("i2h", "h2h", "i2h_slice", "h2h_slice")},
    **{name: f"_{name}" for name in ("r_act", "z_act", "h_act")},
    "out": "out",
}


class _MatrixCell(BaseRNNCell):
    """A cell with matrices from inputs (i2h) and from states (h2h) to its gates."""

    _states: ClassVar[int] = 1

    def __init__(
        self, num_hidden: int, prefix: str, params: RNNParams | None, **initializers: Any
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._num_hidden = num_hidden
        self._make_weights(**initializers)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The shape and layout of each state; 0 is the batch."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"} for _ in range(self._states)]

    def _project(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Begin a step: return the contributions of inputs and of the state to all gates."""
        self._counter += 1
        rows = self._num_hidden * len(self._gate_names)
        return (
            sym.FullyConnected(
                data=inputs,
                weight=self._iW,
                bias=self._iB,
                num_hidden=rows,
                name=self._name("i2h"),
            ),
            sym.FullyConnected(
                data=state,
                weight=self._hW,
                bias=self._hB,
                num_hidden=rows,
                name=self._name("h2h"),
            ),
        )


class RNNCell(_MatrixCell):
    """A plain recurrent cell (Elman, 1990): ``h' = activation(W x + b + R h + c)``.

    Parameters
    ----------
    num_hidden : size of the state
    activation : the name of a function for `Activation`, or a function of symbols
    prefix, params : see `BaseRNNCell`
    """

    _names = PLAIN_NAMES

    def __init__(
        self,
        num_hidden: int,
        activation: Any = "tanh",
        prefix: str = "rnn_",
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES["rnn_tanh"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        i2h, h2h = self._project(inputs, states[0])
        output = rnn_step(sym, i2h, h2h, self._activating(self._activation), self._name)
        return output, [output]


class LSTMCell(_MatrixCell):
    """A cell with long short-term memory (Hochreiter and Schmidhuber, 1997).

    Its states are the output ``h`` and the memory ``c``; see `gluon.rnn.LSTMCell`.

    Parameters
    ----------
    num_hidden : size of each state
    prefix, params : see `BaseRNNCell`
    forget_bias : the first bias of the forget gate; 1 keeps memory from the start (Jozefowicz et al., 2015)
    """

    _names, _states = LSTM_NAMES, 2

    def __init__(
        self,
        num_hidden: int,
        prefix: str = "lstm_",
        params: RNNParams | None = None,
        forget_bias: float = 1.0,
    ) -> None:
        super().__init__(num_hidden, prefix, params, i2h_bias=LSTMBias(forget_bias=forget_bias))

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES["lstm"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        i2h, h2h = self._project(inputs, states[0])
        sigmoid, tanh = applied(sym, "sigmoid"), applied(sym, "tanh")
        output, memory = lstm_step(sym, i2h, h2h, states[1], (sigmoid, tanh, tanh), self._name)
        return output, [output, memory]


class GRUCell(_MatrixCell):
    """A gated recurrent unit (Cho et al., 2014), the reset gate applied after the matrix.

    See `gluon.rnn.GRUCell`.

    Parameters
    ----------
    num_hidden : size of the state
    prefix, params : see `BaseRNNCell`
    """

    _names = GRU_NAMES

    def __init__(
        self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES["gru"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        i2h, h2h = self._project(inputs, states[0])
        activations = applied(sym, "sigmoid"), applied(sym, "tanh")
        output = gru_step(sym, i2h, h2h, states[0], activations, lambda x: 1.0 - x, self._name)
        return output, [output]
