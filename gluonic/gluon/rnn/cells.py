"""The recurrent cells: plain, LSTM and GRU."""

from collections.abc import Mapping
from typing import Any, ClassVar

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.rnn.base import HybridRecurrentCell
from gluonic.graph.attributes import Count
from gluonic.initializer.base import Init
from gluonic.recurrent.steps import Activate, applied, gru_step, lstm_step, rnn_step


class _GatedCell(HybridRecurrentCell):
    """A cell with weights from inputs (i2h) and from states (h2h) to its gates."""

    _gates: ClassVar[int]
    _states: ClassVar[int] = 1
    _output_size: int = 0  # if outputs and states differ in length
    _renamed: ClassVar[Mapping[str, str]] = {}
    """Results of a step whose names differ from those of the other cells."""
    i2h_weight: Parameter

    def __init__(
        self,
        hidden_size: Count,
        input_size: Count,
        weights: tuple[Init, Init],
        biases: tuple[Init, Init],
        prefix: str | None,
        params: ParameterDict | None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size, self._input_size = hidden_size, input_size
        rows, outs = self._gates * hidden_size, self._output_size or hidden_size
        shapes = {"weight": ((rows, input_size), (rows, outs)), "bias": ((rows,), (rows,))}
        for kind, inits in (("weight", weights), ("bias", biases)):
            for group, shape, init in zip(("i2h", "h2h"), shapes[kind], inits, strict=True):
                name = f"{group}_{kind}"
                made = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
                setattr(self, name, made)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        return [
            {"shape": (batch_size, self._hidden_size), "__layout__": "NC"}
            for _ in range(self._states)
        ]

    def _pre_activations(
        self, F: Any, inputs: Any, state: Any, weights: Any, biases: Any
    ) -> tuple[Any, Any]:
        """Return the contributions of inputs and of the state to all gates."""
        rows = self._gates * self._hidden_size
        i2h, h2h = (
            F.FullyConnected(
                data=data, weight=weight, bias=bias, num_hidden=rows, name=self._step(group)
            )
            for data, weight, bias, group in zip(
                (inputs, state), weights, biases, ("i2h", "h2h"), strict=True
            )
        )
        return i2h, h2h

    def _step(self, what: str) -> str:
        """Return the name of a result of this step."""
        return f"t{self._counter}_{self._renamed.get(what, what)}"

    def _mapping(self) -> str:
        assert self.i2h_weight.shape is not None
        rows, ins = self.i2h_weight.shape
        return f"{ins or None} -> {rows}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()})"


class RNNCell(_GatedCell):
    """A plain recurrent cell (Elman, 1990): ``h' = activation(W x + b + R h + c)``.

    Parameters
    ----------
    hidden_size : size of the state
    activation : the name of a function for `Activation`
    i2h_weight_initializer, h2h_weight_initializer : initializers of ``W`` and ``R``
    i2h_bias_initializer, h2h_bias_initializer : initializers of ``b`` and ``c``
    input_size : size of an input; 0 infers it from the first one
    prefix, params : see `Block`
    """

    _gates = 1

    def __init__(
        self,
        hidden_size: Count,
        activation: Any = "tanh",
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            hidden_size,
            input_size,
            (i2h_weight_initializer, h2h_weight_initializer),
            (i2h_bias_initializer, h2h_bias_initializer),
            prefix,
            params,
        )
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._mapping()}, {self._activation})"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Take one step."""
        i2h, h2h = self._pre_activations(
            F, inputs, states[0], (i2h_weight, h2h_weight), (i2h_bias, h2h_bias)
        )
        output = rnn_step(F, i2h, h2h, self._activating(F, self._activation), self._step)
        return output, [output]


class LSTMCell(_GatedCell):
    """A long short-term memory cell (Hochreiter and Schmidhuber, 1997).

    Its states are the output ``h`` and the memory ``c``: ``c' = f · c + i · g; h' = o · tanh(c')``,
    where ``i, f, g, o`` are gates computed from input and ``h``.

    Parameters
    ----------
    hidden_size : size of each state
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    input_size : size of an input; 0 infers it from the first one
    prefix, params : see `Block`
    activation : the function for ``g`` and for the memory
    recurrent_activation : the function for the other gates
    """

    _gates, _states = 4, 2

    def __init__(
        self,
        hidden_size: Count,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        super().__init__(
            hidden_size,
            input_size,
            (i2h_weight_initializer, h2h_weight_initializer),
            (i2h_bias_initializer, h2h_bias_initializer),
            prefix,
            params,
        )
        self._activation, self._recurrent_activation = activation, recurrent_activation

    def _alias(self) -> str:
        return "lstm"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Take one step."""
        i2h, h2h = self._pre_activations(
            F, inputs, states[0], (i2h_weight, h2h_weight), (i2h_bias, h2h_bias)
        )
        gate, transform = (
            self._activating(F, activation)
            for activation in (self._recurrent_activation, self._activation)
        )
        show = applied(F, self._activation) if isinstance(self._activation, str) else transform
        output, memory = lstm_step(F, i2h, h2h, states[1], (gate, transform, show), self._step)
        return output, [output, memory]


class GRUCell(_GatedCell):
    """A gated recurrent unit (Cho et al., 2014), the reset gate applied after the matrix.

    ``h' = (1 - z) · tanh(W x + b + r · (R h + c)) + z · h``, where ``r`` and ``z`` are gates computed
    from input and ``h``.

    Parameters
    ----------
    hidden_size : size of the state
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    input_size : size of an input; 0 infers it from the first one
    prefix, params : see `Block`
    """

    _gates = 3

    def __init__(
        self,
        hidden_size: Count,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: Count = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            hidden_size,
            input_size,
            (i2h_weight_initializer, h2h_weight_initializer),
            (i2h_bias_initializer, h2h_bias_initializer),
            prefix,
            params,
        )

    def _alias(self) -> str:
        return "gru"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Take one step."""
        i2h, h2h = self._pre_activations(
            F, inputs, states[0], (i2h_weight, h2h_weight), (i2h_bias, h2h_bias)
        )

        def complement(x: Any) -> Any:
            ones = F.ones_like(x, name=self._step("ones_like0"))
            return F.elemwise_sub(ones, x, name=self._step("minus0"))

        functions = self._functions(F)
        output = gru_step(F, i2h, h2h, states[0], functions, complement, self._step)
        return output, [output]

    def _functions(self, F: Any) -> tuple[Activate, Activate]:
        """The activations of the gates and of the new content."""
        return applied(F, "sigmoid"), applied(F, "tanh")
