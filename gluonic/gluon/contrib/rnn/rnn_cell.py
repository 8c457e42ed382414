"""Projected LSTM, dropout with one mask for a whole sequence, and unrolling as a loop."""

from typing import Any

from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.rnn import BidirectionalCell, LSTMCell, ModifierCell
from gluonic.gluon.rnn.sequences import batch_size_of, mask, namespace_of, put_together
from gluonic.graph.attributes import Count, Positive, Rate
from gluonic.graph.errors import describe
from gluonic.initializer.base import Init

__all__ = ["LSTMPCell", "VariationalDropoutCell", "dynamic_unroll"]


class VariationalDropoutCell(ModifierCell):
    """Dropout that drops the same elements at each step (Gal and Ghahramani, 2016).

    Parameters
    ----------
    base_cell : the cell
    drop_inputs, drop_states, drop_outputs : the fractions of inputs, first state and outputs to drop
    """

    def __init__(
        self,
        base_cell: Any,
        drop_inputs: Rate = 0.0,
        drop_states: Rate = 0.0,
        drop_outputs: Rate = 0.0,
    ) -> None:
        if drop_states and isinstance(base_cell, BidirectionalCell):
            raise AssertionError(
                describe(
                    "a BidirectionalCell takes no single steps, so its states cannot be dropped",
                    where="VariationalDropoutCell",
                    hint="put dropout around the cells inside it",
                )
            )
        super().__init__(base_cell)
        self.drop_inputs, self.drop_states = drop_inputs, drop_states
        self.drop_outputs = drop_outputs

    def _alias(self) -> str:
        return "vardrop"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"

    def reset(self) -> None:
        """Reset the cell: new masks are drawn at the next step."""
        super().reset()
        self._masks: dict[str, Any] = {}

    def _dropped(self, F: Any, what: str, rate: Rate, x: Any) -> Any:
        if not rate:
            return x
        if what not in self._masks:
            self._masks[what] = F.Dropout(F.ones_like(x), p=rate)
        return x * self._masks[what]

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Take one step."""
        first, *others = states
        states = [self._dropped(F, "states", self.drop_states, first), *others]
        inputs = self._dropped(F, "inputs", self.drop_inputs, inputs)
        output, states = self.base_cell(inputs, states)
        return self._dropped(F, "outputs", self.drop_outputs, output), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run the cell over a sequence; see `RecurrentCell`."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        inputs, time = put_together(inputs, layout, True), (layout.find("T"),)
        F, size = namespace_of(inputs), batch_size_of(inputs, layout)
        begin_state = self._first_states(inputs, begin_state, size, layout)
        if self.drop_inputs:
            inputs = F.Dropout(inputs, p=self.drop_inputs, axes=time)
        outputs, states = self.base_cell.unroll(
            length, inputs, begin_state, layout, True, valid_length
        )
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=time)
        if valid_length is not None:
            outputs = mask(F, outputs, length, valid_length, layout, True)
        return put_together(outputs, layout, merge_outputs, length), states


class LSTMPCell(LSTMCell):
    """An LSTM cell whose output is projected to fewer elements (Sak et al., 2014).

    Parameters
    ----------
    hidden_size : size of the memory cell
    projection_size : size of the output
    i2h_weight_initializer, h2h_weight_initializer, h2r_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    input_size : size of an input; 0 infers it from the first one
    prefix, params : see `Block`
    """

    _renamed = {"out": "hidden"}

    def __init__(
        self,
        hidden_size: Positive,
        projection_size: Positive,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        h2r_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        self._output_size = self._projection_size = projection_size
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
        )
        self.h2r_weight = self.params.get(
            "h2r_weight",
            shape=(projection_size, hidden_size),
            init=h2r_weight_initializer,
            allow_deferred_init=True,
        )

    def _alias(self) -> str:
        return "lstmp"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()} -> {self._projection_size})"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        lengths = (self._projection_size, self._hidden_size)
        return [{"shape": (batch_size, length), "__layout__": "NC"} for length in lengths]

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
        h2r_weight: Any = None,
    ) -> Any:
        """Take one step."""
        hidden, (_, memory) = super().hybrid_forward(
            F, inputs, states, i2h_weight, h2h_weight, i2h_bias, h2h_bias
        )
        output = F.FullyConnected(
            data=hidden,
            weight=h2r_weight,
            num_hidden=self._projection_size,
            no_bias=True,
            name=f"t{self._counter}_out",
        )
        return output, [output, memory]


def dynamic_unroll(
    cell: Any,
    inputs: Any,
    begin_state: Any,
    drop_inputs: Rate = 0,
    drop_outputs: Rate = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, Any]:
    """Run a cell over a sequence of any length as a loop (`F.contrib.foreach`).

    Parameters
    ----------
    cell : the cell
    inputs : the sequence, an array or symbol
    begin_state : the states before the first step
    drop_inputs, drop_outputs : the fractions to drop, with one mask for the whole sequence
    layout : the order of time (T), batch (N) and channels (C)
    valid_length : the length of each sample; outputs after it are zero, states those at its end

    Returns
    -------
    outputs, states
        the outputs of all steps as one array, and the last states
    """
    F, time = namespace_of(inputs), layout.find("T")
    if time != 0:
        inputs = F.swapaxes(inputs, 0, time)
    if drop_inputs:
        inputs = F.Dropout(inputs, p=drop_inputs, axes=(0,))
    if valid_length is None:
        outputs, states = F.contrib.foreach(cell, inputs, begin_state)
    else:
        outputs, states = F.contrib.foreach(
            _step_within(F, cell, valid_length), inputs, [*begin_state, F.zeros((1,))]
        )
        states = states[:-1]
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(0,))
    if time != 0:
        outputs = F.swapaxes(outputs, 0, time)
    if valid_length is not None:
        outputs = F.SequenceMask(
            outputs, sequence_length=valid_length, use_sequence_length=True, axis=time
        )
    return outputs, states


def _step_within(F: Any, cell: Any, valid_length: Any) -> Any:
    """Return a step that keeps the states of samples that have ended, and counts steps."""

    def step(inputs: Any, states: Any) -> Any:
        *before, number = states
        output, after = cell(inputs, before)
        goes_on = F.broadcast_greater(valid_length, number)
        kept = [F.where(goes_on, new, old) for new, old in zip(after, before, strict=True)]
        return output, [*kept, number + 1]

    return step
