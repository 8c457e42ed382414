"""Recurrent cells with convolutions in place of matrices (Shi et al., 2015)."""

from typing import Any, ClassVar

from gluonic.gluon.nn.window import (
    Extents,
    PositiveExtents,
    add_parameters_of,
    checked_layout,
    extents,
)
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.rnn import HybridRecurrentCell
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.initializer.base import Init
from gluonic.recurrent.steps import Activate, applied, gru_step, lstm_step, rnn_step

__all__ = [
    "Conv1DGRUCell",
    "Conv1DLSTMCell",
    "Conv1DRNNCell",
    "Conv2DGRUCell",
    "Conv2DLSTMCell",
    "Conv2DRNNCell",
    "Conv3DGRUCell",
    "Conv3DLSTMCell",
    "Conv3DRNNCell",
]

_NAMED = {
    *("i2h", "h2h", "slice", "i", "f", "c", "o", "state", "out"),
    *("i2h_slice", "h2h_slice", "r_act", "z_act", "h_act"),
}
_LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _ConvCell(HybridRecurrentCell):
    """A recurrent cell with convolutions.

    Parameters
    ----------
    input_shape : the shape of an input, without the batch
    hidden_channels : number of channels in each state
    i2h_kernel, h2h_kernel : the kernels for inputs and for states; the latter must be odd
    i2h_pad : number of zeros added on either side of inputs
    i2h_dilate, h2h_dilate : the distances between the kernels' taps
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    conv_layout : the order of batch (N), channels (C) and the spatial axes
    activation : the name of a function for `Activation`, or a block such as `LeakyReLU`
    prefix, params : see `Block`
    """

    _rank: ClassVar[int]
    _gates: ClassVar[int]
    _states: ClassVar[int] = 1
    i2h_weight: Parameter

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: Positive,
        i2h_kernel: PositiveExtents,
        h2h_kernel: PositiveExtents,
        i2h_pad: Extents = 0,
        i2h_dilate: PositiveExtents = 1,
        h2h_dilate: PositiveExtents = 1,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        conv_layout: str | None = None,
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        name = type(self).__name__
        self._input_shape, self._hidden_channels = tuple(input_shape), hidden_channels
        self._activation = activation
        self._conv_layout = checked_layout(conv_layout, _LAYOUTS[self._rank], name)
        self._channel_axis = self._conv_layout.find("C")
        given = {
            "i2h": (i2h_kernel, i2h_dilate, i2h_pad),
            "h2h": (h2h_kernel, h2h_dilate, 0),
        }
        self._windows = {
            group: dict(
                zip(
                    ("kernel", "dilate", "pad"),
                    (extents(size, self._rank, f"{name}: {group}") for size in sizes),
                    strict=True,
                )
            )
            for group, sizes in given.items()
        }
        self._pad_states()
        weights = (i2h_weight_initializer, h2h_weight_initializer)
        self._make_parameters(weights, (i2h_bias_initializer, h2h_bias_initializer))

    def _pad_states(self) -> None:
        """Choose the padding of states that preserves their size."""
        window = self._windows["h2h"]
        if any(length % 2 == 0 for length in window["kernel"]):
            raise AttributeValueError(
                describe(
                    f"h2h_kernel must be odd, so that states keep their size, not {window['kernel']}",
                    where=type(self).__name__,
                )
            )
        pairs = zip(window["kernel"], window["dilate"], strict=True)
        window["pad"] = tuple(gap * (length - 1) // 2 for length, gap in pairs)

    def _make_parameters(self, weights: tuple[Init, Init], biases: tuple[Init, Init]) -> None:
        rows = self._gates * self._hidden_channels
        ins = (self._input_shape[self._channel_axis - 1], self._hidden_channels)
        for group, channels, init in zip(("i2h", "h2h"), ins, weights, strict=True):
            kernel = self._windows[group]["kernel"]
            shape = (rows, *self._arranged(channels, kernel))
            self._parameter(f"{group}_weight", shape, init)
        for group, init in zip(("i2h", "h2h"), biases, strict=True):
            self._parameter(f"{group}_bias", (rows,), init)

    def _parameter(self, name: str, shape: tuple[int, ...], init: Init) -> None:
        made = self.params.get(name, shape=shape, init=init, allow_deferred_init=True)
        setattr(self, name, made)

    def _arranged(self, channels: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Put channels before or after the spatial axes, depending on the layout."""
        return (channels, *sizes) if self._channel_axis == 1 else (*sizes, channels)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        window = self._windows["i2h"]
        channels_first = self._channel_axis == 1
        spatial = self._input_shape[1:] if channels_first else self._input_shape[:-1]
        sizes = tuple(
            length + 2 * pad - gap * (taps - 1) if length else 0
            for length, taps, gap, pad in zip(spatial, *window.values(), strict=True)
        )
        shape = (batch_size, *self._arranged(self._hidden_channels, sizes))
        return [{"shape": shape, "__layout__": self._conv_layout} for _ in range(self._states)]

    def __repr__(self) -> str:
        shape = self.i2h_weight.shape
        assert shape is not None
        ins = shape[1 if self._channel_axis == 1 else -1]
        mapping = f"{ins or None} -> {shape[0]}"
        return f"{type(self).__name__}({mapping}, {self._activation}, {self._conv_layout})"

    def _step(self, what: str) -> str | None:
        """Return the name of a result of this step; some get automatic names."""
        return f"t{self._counter}_{what}" if what in _NAMED else None

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
        i2h, h2h = (
            F.Convolution(
                data=data,
                weight=weight,
                bias=bias,
                num_filter=self._gates * self._hidden_channels,
                stride=(1,) * self._rank,
                layout=self._conv_layout,
                name=self._step(group),
                **self._windows[group],
            )
            for group, data, weight, bias in (
                ("i2h", inputs, i2h_weight, i2h_bias),
                ("h2h", states[0], h2h_weight, h2h_bias),
            )
        )
        return self._update(F, i2h, h2h, states)

    def _update(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        """Return output and states, given the contributions of inputs and states to all gates."""
        raise NotImplementedError

    def _own(self, F: Any) -> Activate:
        """Return the function that applies the requested activation."""
        return self._activating(F, self._activation)


class _ConvRNNCell(_ConvCell):
    """The base of all plain recurrent cells with convolutions."""

    _gates = 1

    def _alias(self) -> str:
        return "conv_rnn"

    def _update(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        output = rnn_step(F, i2h, h2h, self._own(F), self._step)
        return output, [output]


class _ConvLSTMCell(_ConvCell):
    """The base of all LSTM cells with convolutions."""

    _gates, _states = 4, 2

    def _alias(self) -> str:
        return "conv_lstm"

    def _update(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        activations = applied(F, "sigmoid"), self._own(F), self._own(F)
        output, memory = lstm_step(
            F, i2h, h2h, states[1], activations, self._step, axis=self._channel_axis
        )
        return output, [output, memory]


class _ConvGRUCell(_ConvCell):
    """The base of all GRU cells with convolutions."""

    _gates = 3

    def _alias(self) -> str:
        return "conv_gru"

    def _update(self, F: Any, i2h: Any, h2h: Any, states: Any) -> Any:
        output = gru_step(
            F,
            i2h,
            h2h,
            states[0],
            (applied(F, "sigmoid"), self._own(F)),
            lambda x: 1.0 - x,
            self._step,
            axis=self._channel_axis,
        )
        return output, [output]


class Conv1DRNNCell(_ConvRNNCell):
    """A plain recurrent cell with convolutions over one axis."""

    _rank = 1


class Conv2DRNNCell(_ConvRNNCell):
    """A plain recurrent cell with convolutions over two axes."""

    _rank = 2


class Conv3DRNNCell(_ConvRNNCell):
    """A plain recurrent cell with convolutions over three axes."""

    _rank = 3


class Conv1DLSTMCell(_ConvLSTMCell):
    """An LSTM cell with convolutions over one axis."""

    _rank = 1


class Conv2DLSTMCell(_ConvLSTMCell):
    """An LSTM cell with convolutions over two axes."""

    _rank = 2


class Conv3DLSTMCell(_ConvLSTMCell):
    """An LSTM cell with convolutions over three axes."""

    _rank = 3


class Conv1DGRUCell(_ConvGRUCell):
    """A GRU cell with convolutions over one axis."""

    _rank = 1


class Conv2DGRUCell(_ConvGRUCell):
    """A GRU cell with convolutions over two axes."""

    _rank = 2


class Conv3DGRUCell(_ConvGRUCell):
    """A GRU cell with convolutions over three axes."""

    _rank = 3


for _kind in _ConvCell.__subclasses__():
    for _cell in _kind.__subclasses__():
        add_parameters_of(_ConvCell, _cell)
