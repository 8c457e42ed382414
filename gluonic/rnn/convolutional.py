"""Symbolic cells with convolutions in place of matrices (Shi et al., 2015)."""

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from gluonic import symbol as sym
from gluonic.graph.errors import describe
from gluonic.initializer.fused_rnn import GATE_NAMES
from gluonic.recurrent.steps import applied, gru_step, lstm_step, rnn_step
from gluonic.rnn.base import BaseRNNCell, RNNParams
from gluonic.rnn.cells import GRU_NAMES, LSTM_NAMES, PLAIN_NAMES

Pair = tuple[int, int]
_LEAKY = partial(sym.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(BaseRNNCell):
    """The base of symbolic cells with convolutions over two axes.

    Parameters
    ----------
    input_shape : the shape of an input, with the batch
    num_hidden : number of channels in each state
    h2h_kernel, h2h_dilate : the kernel for states, which must be odd, and the distances between its taps
    i2h_kernel, i2h_stride, i2h_pad, i2h_dilate : the same for inputs, with its steps and zeros around them
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    activation : the name of a function for `Activation`, or a function of symbols
    prefix, params : see `BaseRNNCell`
    conv_layout : the order of batch (N), channels (C) and the spatial axes
    """

    _states: ClassVar[int] = 1

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: Pair,
        h2h_dilate: Pair,
        i2h_kernel: Pair,
        i2h_stride: Pair,
        i2h_pad: Pair,
        i2h_dilate: Pair,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        activation: Any,
        prefix: str = "",
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if any(length % 2 == 0 for length in h2h_kernel):
            raise AssertionError(
                describe(
                    f"h2h_kernel must be odd, so that states keep their size, not {h2h_kernel}",
                    where=type(self).__name__,
                )
            )
        self._num_hidden, self._input_shape = num_hidden, input_shape
        self._conv_layout, self._activation = conv_layout, activation
        self._i2h: dict[str, Any] = {
            "kernel": i2h_kernel,
            "stride": i2h_stride,
            "pad": i2h_pad,
            "dilate": i2h_dilate,
        }
        pairs = zip(h2h_kernel, h2h_dilate, strict=True)
        self._h2h: dict[str, Any] = {
            "kernel": h2h_kernel,
            "dilate": h2h_dilate,
            "pad": tuple(gap * (length - 1) // 2 for length, gap in pairs),
            "stride": (1, 1),
        }
        self._state_shape = self._shape_of_a_state()
        self._make_weights(
            i2h_weight=i2h_weight_initializer,
            h2h_weight=h2h_weight_initializer,
            i2h_bias=i2h_bias_initializer,
            h2h_bias=h2h_bias_initializer,
        )

    def _shape_of_a_state(self) -> tuple[int, ...]:
        state = sym.Convolution(
            data=sym.Variable("data"),
            num_filter=self._num_hidden,
            layout=self._conv_layout,
            **self._i2h,
        )
        shapes: Any = state.infer_shape(data=self._input_shape)[1]
        (shape,) = shapes
        return (0, *shape[1:])

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The shape and layout of each state; 0 is the batch."""
        info = {"shape": self._state_shape, "__layout__": self._conv_layout}
        return [dict(info) for _ in range(self._states)]

    def _project(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Begin a step: return the contributions of inputs and of the state to all gates."""
        self._counter += 1
        shared: dict[str, Any] = {
            "num_filter": self._num_hidden * len(self._gate_names),
            "layout": self._conv_layout,
        }
        i2h, h2h = (f"{self._prefix}t{self._counter}_{group}" for group in ("i2h", "h2h"))
        return (
            sym.Convolution(
                data=inputs, weight=self._iW, bias=self._iB, name=i2h, **self._i2h, **shared
            ),
            sym.Convolution(
                data=state, weight=self._hW, bias=self._hB, name=h2h, **self._h2h, **shared
            ),
        )


class _ConvCell(BaseConvRNNCell):
    """What the three kinds of cells share: defaults."""

    _default_prefix: ClassVar[str]

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: Pair = (3, 3),
        h2h_dilate: Pair = (1, 1),
        i2h_kernel: Pair = (3, 3),
        i2h_stride: Pair = (1, 1),
        i2h_pad: Pair = (1, 1),
        i2h_dilate: Pair = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        activation: Any = _LEAKY,
        prefix: str | None = None,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(
            input_shape,
            num_hidden,
            h2h_kernel,
            h2h_dilate,
            i2h_kernel,
            i2h_stride,
            i2h_pad,
            i2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            activation,
            self._default_prefix if prefix is None else prefix,
            params,
            conv_layout,
        )


class ConvRNNCell(_ConvCell):
    """A plain recurrent cell with convolutions; see `BaseConvRNNCell`."""

    _names, _default_prefix = PLAIN_NAMES, "ConvRNN_"

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES["rnn_tanh"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        i2h, h2h = self._project(inputs, states[0])
        output = rnn_step(sym, i2h, h2h, self._activating(self._activation), self._name)
        return output, [output]


class ConvLSTMCell(_ConvCell):
    """An LSTM cell with convolutions; see `BaseConvRNNCell`."""

    _names, _states, _default_prefix = LSTM_NAMES, 2, "ConvLSTM_"

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES["lstm"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        i2h, h2h = self._project(inputs, states[0])
        own = self._activating(self._activation)
        activations = applied(sym, "sigmoid"), own, own
        axis = self._conv_layout.find("C")
        output, memory = lstm_step(sym, i2h, h2h, states[1], activations, self._name, axis=axis)
        return output, [output, memory]


class ConvGRUCell(_ConvCell):
    """A GRU cell with convolutions; see `BaseConvRNNCell`. The layout must have channels second."""

    _names, _default_prefix = GRU_NAMES, "ConvGRU_"

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATE_NAMES["gru"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Take one step."""
        i2h, h2h = self._project(inputs, states[0])
        activations = applied(sym, "sigmoid"), self._activating(self._activation)
        output = gru_step(sym, i2h, h2h, states[0], activations, lambda x: 1.0 - x, self._name)
        return output, [output]
