"""The recurrent layers."""

from typing import Any

from gluonic.gluon.rnn.fused_layer import Layout, _RNNLayer
from gluonic.graph.attributes import Count, Positive, Probability
from gluonic.initializer.base import Init

__all__ = ["GRU", "LSTM", "RNN"]


class RNN(_RNNLayer):
    """Plain recurrent layers; see `RNNCell`.

    Parameters
    ----------
    hidden_size : size of the states
    num_layers : number of stacked layers
    activation : ``"relu"`` or ``"tanh"``
    layout : the order of time (T), batch (N) and channels (C)
    dropout : the fraction of the outputs to drop between layers
    bidirectional : run backwards, too, and concatenate the outputs
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    input_size : size of an input; 0 infers it from the first one
    dtype : the dtype of parameters and states
    kwargs : `use_sequence_length`: whether calls give each sample's own length; and see `Block`
    """

    def __init__(
        self,
        hidden_size: Count,
        num_layers: Positive = 1,
        activation: str = "relu",
        layout: Layout = "TNC",
        dropout: Probability = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: Count = 0,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            f"rnn_{activation}",
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            {
                "i2h_weight": i2h_weight_initializer,
                "h2h_weight": h2h_weight_initializer,
                "i2h_bias": i2h_bias_initializer,
                "h2h_bias": h2h_bias_initializer,
            },
            dtype,
            **kwargs,
        )


class LSTM(_RNNLayer):
    """Long short-term memory layers; see `LSTMCell`.

    Parameters
    ----------
    hidden_size : size of the states
    num_layers : number of stacked layers
    layout : the order of time (T), batch (N) and channels (C)
    dropout : the fraction of the outputs to drop between layers
    bidirectional : run backwards, too, and concatenate the outputs
    input_size : size of an input; 0 infers it from the first one
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    projection_size : size of the outputs, if they are projected (Sak et al., 2014)
    h2r_weight_initializer : initializer of the projection
    state_clip_min, state_clip_max : bounds on the memory; None for none
    state_clip_nan : clip NaN, too
    dtype : the dtype of parameters and states
    kwargs : `use_sequence_length`: whether calls give each sample's own length; and see `Block`
    """

    _state_names = ("h", "c")

    def __init__(
        self,
        hidden_size: Count,
        num_layers: Positive = 1,
        layout: Layout = "TNC",
        dropout: Probability = 0,
        bidirectional: bool = False,
        input_size: Count = 0,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        projection_size: Positive | None = None,
        h2r_weight_initializer: Init = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            "lstm",
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            {
                "i2h_weight": i2h_weight_initializer,
                "h2h_weight": h2h_weight_initializer,
                "i2h_bias": i2h_bias_initializer,
                "h2h_bias": h2h_bias_initializer,
                "h2r_weight": h2r_weight_initializer,
            },
            dtype,
            projection_size,
            (state_clip_min, state_clip_max, state_clip_nan),
            **kwargs,
        )


class GRU(_RNNLayer):
    """Gated recurrent unit layers; see `GRUCell`.

    Parameters
    ----------
    hidden_size : size of the states
    num_layers : number of stacked layers
    layout : the order of time (T), batch (N) and channels (C)
    dropout : the fraction of the outputs to drop between layers
    bidirectional : run backwards, too, and concatenate the outputs
    input_size : size of an input; 0 infers it from the first one
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    dtype : the dtype of parameters and states
    kwargs : `use_sequence_length`: whether calls give each sample's own length; and see `Block`
    """

    def __init__(
        self,
        hidden_size: Count,
        num_layers: Positive = 1,
        layout: Layout = "TNC",
        dropout: Probability = 0,
        bidirectional: bool = False,
        input_size: Count = 0,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            "gru",
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            {
                "i2h_weight": i2h_weight_initializer,
                "h2h_weight": h2h_weight_initializer,
                "i2h_bias": i2h_bias_initializer,
                "h2h_bias": h2h_bias_initializer,
            },
            dtype,
            **kwargs,
        )
