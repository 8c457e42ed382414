"""`FusedRNNCell`: whole sequences, several layers and both directions in one operator."""

import warnings
from collections.abc import Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.initializer import FusedRNN
from gluonic.initializer.fused_rnn import GATE_NAMES, FusedLayout
from gluonic.ndarray import NDArray
from gluonic.rnn.base import Arrays, BaseRNNCell, RNNParams
from gluonic.rnn.cells import GRUCell, LSTMCell, RNNCell
from gluonic.rnn.compound import BidirectionalCell, SequentialRNNCell
from gluonic.rnn.modifiers import DropoutCell
from gluonic.rnn.sequences import arranged, time_axis, whole_of


class FusedRNNCell(BaseRNNCell):
    """Recurrent layers as one operator, `RNN`, with one vector of parameters.

    Parameters
    ----------
    num_hidden : size of the states
    num_layers : number of stacked layers
    mode : ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``
    bidirectional : run backwards, too, and join the outputs
    dropout : the part of the outputs to drop between layers
    get_next_state : whether `unroll` returns the last states
    forget_bias : the first bias of the forget gates of an LSTM
    prefix : see `BaseRNNCell`; the mode by default
    params : see `BaseRNNCell`
    """

    takes_steps = False

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(prefix=f"{mode}_" if prefix is None else prefix, params=params)
        self._num_hidden, self._num_layers = num_hidden, num_layers
        self._mode, self._bidirectional = mode, bidirectional
        self._dropout, self._get_next_state = dropout, get_next_state
        initializer = FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter: Any = self.params.get("parameters", init=initializer)
        self._layout = FusedLayout(num_hidden, num_layers, mode, bidirectional)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The shape and layout of each state; 0 is the batch."""
        layers = self._num_layers * len(self._layout.directions)
        info = {"shape": (layers, 0, self._num_hidden), "__layout__": "LNC"}
        return [dict(info) for _ in range(2 if self._mode == "lstm" else 1)]

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES[self._mode]

    def unpack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays by name, with the vector of parameters divided by layer, direction and gate."""
        found = dict(args)
        self._require([self._parameter.name], found)
        vector = found.pop(self._parameter.name)
        pieces = self._layout.views(vector, self._layout.input_size(vector.size))
        found.update({f"{self._prefix}{name}": piece.copy() for name, piece in pieces})
        return found

    def pack_weights(self, args: Arrays) -> dict[str, NDArray]:
        """Return arrays by name, with those of this cell in one vector; undoes `unpack_weights`."""
        found = dict(args)
        first = f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"
        self._require([first], found)
        width = found[first].size // self._num_hidden
        names = [f"{self._prefix}{name}" for name, _ in self._layout.pieces(width)]
        self._require(names, found)
        parts = [found.pop(name).reshape((-1,)) for name in names]
        found[self._parameter.name] = nd.concatenate(parts)
        return found

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Raise: the operator takes whole sequences."""
        raise NotImplementedError("FusedRNNCell takes no single steps; use unroll, or unfuse first")

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Any]:
        """Run over a sequence; see `BaseRNNCell`.

        Returns
        -------
        outputs, states
            the outputs of all steps, and with `get_next_state` the last states, otherwise none
        """
        self.reset()
        if time_axis(layout) not in (0, 1):
            raise AssertionError(f"FusedRNNCell: the layout must be TNC or NTC, not {layout!r}")
        batch_first = time_axis(layout) == 1
        data = whole_of(length, inputs, layout)
        if batch_first:
            warnings.warn("FusedRNNCell is faster with the layout TNC", stacklevel=2)
            data = sym.swapaxes(data, dim1=0, dim2=1)
        begin = self.begin_state() if begin_state is None else begin_state
        found = self._run(data, dict(zip(("state", "state_cell"), begin, strict=False)))
        outputs, states = (found[0], found[1:]) if self._get_next_state else (found[0], [])
        if batch_first:
            outputs = sym.swapaxes(outputs, dim1=0, dim2=1)
        return arranged(length, outputs, layout, merge_outputs), states

    def _run(self, data: Any, states: dict[str, Any]) -> list[Any]:
        """Return the outputs of the operator, the states with their layout."""
        result = sym.RNN(
            data=data,
            parameters=self._parameter,
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            mode=self._mode,
            name=f"{self._prefix}rnn",
            **states,
        )
        outputs = list(result)
        for state in outputs[1:]:
            state._set_attr(__layout__="LNC")
        return outputs

    def unfuse(self) -> SequentialRNNCell:
        """Return a stack of cells that computes the same, step by step.

        `unpack_weights` of this cell, then `pack_weights` of the stack turns the weights of one into those of
        the other.
        """
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            cell = self._one_cell(f"l{layer}_")
            if self._bidirectional:
                prefix = f"{self._prefix}bi_l{layer}_"
                backward = self._one_cell(f"r{layer}_")
                cell = BidirectionalCell(cell, backward, output_prefix=prefix)
            stack.add(cell)
            if self._dropout > 0 and layer != self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _one_cell(self, name: str) -> BaseRNNCell:
        prefix = self._prefix + name
        if self._mode in ("lstm", "gru"):
            return (LSTMCell if self._mode == "lstm" else GRUCell)(self._num_hidden, prefix=prefix)
        return RNNCell(self._num_hidden, self._mode.removeprefix("rnn_"), prefix=prefix)
