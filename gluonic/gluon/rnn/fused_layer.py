"""The base of recurrent layers: whole sequences, several layers and both directions in one operator."""

import re
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.rnn.cells import GRUCell, LSTMCell, RNNCell
from gluonic.gluon.rnn.compound import BidirectionalCell, DropoutCell, HybridSequentialRNNCell
from gluonic.gluon.rnn.sequences import is_whole, make_state, zeros_for
from gluonic.graph.attributes import Count, Positive, Probability
from gluonic.graph.errors import AttributeValueError, NotThereError, describe
from gluonic.initializer.base import Init
from gluonic.initializer.fused_rnn import GATE_NAMES
from gluonic.ndarray import NDArray

Layout = Literal["TNC", "NTC"]
_NAME = re.compile(r"(l|r)(\d+)_(i2h|h2h|h2r)_(weight|bias)\Z")


class _RNNLayer(HybridBlock):
    """The base of all recurrent layers."""

    _state_names: ClassVar[tuple[str, ...]] = ("h",)

    def __init__(
        self,
        mode: str,
        hidden_size: Count,
        num_layers: Positive,
        layout: Layout,
        dropout: Probability,
        bidirectional: bool,
        input_size: Count,
        initializers: dict[str, Init],
        dtype: Any,
        projection_size: Positive | None = None,
        clip: tuple[float | None, float | None, bool] = (None, None, False),
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if layout not in ("TNC", "NTC"):
            raise AttributeValueError(
                f"{type(self).__name__}: the layout must be TNC or NTC, not {layout!r}"
            )
        if mode not in GATE_NAMES:
            raise AttributeValueError(
                f"{type(self).__name__}: there is no mode {mode!r}; there are {', '.join(GATE_NAMES)}"
            )
        self._mode, self._layout, self._dtype = mode, layout, dtype
        self._hidden_size, self._input_size = hidden_size, input_size
        self._num_layers, self._dropout = num_layers, dropout
        self._dir = 2 if bidirectional else 1
        self._projection_size = projection_size or None
        self._lstm_state_clip_min, self._lstm_state_clip_max, self._lstm_state_clip_nan = clip
        self._use_sequence_length = use_sequence_length
        self._initializers, self._gates = initializers, len(GATE_NAMES[mode])
        self._make_parameters()

    def _make_parameters(self) -> None:
        rows, ins = self._gates * self._hidden_size, self._input_size
        out = self._projection_size or self._hidden_size
        for layer in range(self._num_layers):
            shapes = {
                "i2h_weight": (rows, ins),
                "h2h_weight": (rows, out),
                "i2h_bias": (rows,),
                "h2h_bias": (rows,),
            }
            if self._projection_size:
                shapes["h2r_weight"] = (out, self._hidden_size)
            for direction in self._directions:
                for kind, shape in shapes.items():
                    name = f"{direction}{layer}_{kind}"
                    made = self.params.get(
                        name,
                        shape=shape,
                        init=self._initializers[kind],
                        allow_deferred_init=True,
                        dtype=self._dtype,
                    )
                    setattr(self, name, made)
            ins = out * self._dir

    @property
    def _directions(self) -> str:
        return "lr"[: self._dir]

    def _mapping(self) -> tuple[int | None, int]:
        """The lengths of an input, None if it is unknown yet, and of a state."""
        shape = self._reg_params["l0_i2h_weight"].shape
        assert shape is not None
        return shape[1] or None, shape[0] // self._gates

    def __repr__(self) -> str:
        ins, outs = self._mapping()
        parts = [f"{ins} -> {outs}", self._layout]
        if self._num_layers != 1:
            parts.append(f"num_layers={self._num_layers}")
        if self._dropout != 0:
            parts.append(f"dropout={self._dropout}")
        if self._dir == 2:
            parts.append("bidirectional")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Name parameters like those of the equivalent stack of cells, as in files."""
        prefix = prefix + "." if prefix else ""
        found = {}
        for name, parameter in self._reg_params.items():
            match = _NAME.match(name)
            assert match is not None
            direction, layer, group, kind = match.groups()
            cell = f"{direction}_cell." if self._dir == 2 else ""
            found[f"{prefix}_unfused.{layer}.{cell}{group}_{kind}"] = parameter
        return found

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return shape, layout and dtype of each state."""
        layers = self._num_layers * self._dir
        lengths = {"h": self._projection_size or self._hidden_size, "c": self._hidden_size}
        return [
            {"shape": (layers, batch_size, lengths[n]), "__layout__": "LNC", "dtype": self._dtype}
            for n in self._state_names
        ]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        """Return the states before the first step.

        Parameters
        ----------
        batch_size : number of samples in a batch; 0 leaves it to inference
        func : makes a state from its shape; `nd.zeros` by default
        kwargs : further arguments for it, such as `ctx` and `dtype`
        """
        return [
            make_state(func, f"{self.prefix}h0_{i}", {**info, **kwargs})
            for i, info in enumerate(self.state_info(batch_size))
        ]

    def cast(self, dtype: Any) -> None:
        """Convert parameters, and states created later, to another dtype."""
        super().cast(dtype)
        self._dtype = dtype

    def unfuse(self) -> HybridSequentialRNNCell:
        """Return a stack of cells with the same parameters.

        Raises
        ------
        NotImplementedError
            for layers with projection or clipping, which cells do not have
        """
        if self._projection_size or self._lstm_state_clip_min or self._lstm_state_clip_max:
            raise NotThereError(f"{type(self).__name__}: projection and clipping in cells")
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        with stack.name_scope():
            ins = self._input_size
            for layer in range(self._num_layers):
                cells = [self._make_cell(f"{d}{layer}_", ins) for d in self._directions]
                stack.add(cells[0] if self._dir == 1 else BidirectionalCell(*cells))
                if self._dropout > 0 and layer != self._num_layers - 1:
                    stack.add(DropoutCell(self._dropout))
                ins = self._hidden_size * self._dir
        return stack

    _unfuse = unfuse

    def _make_cell(self, prefix: str, input_size: Count) -> Any:
        settings: dict[str, Any] = {"prefix": prefix, "input_size": input_size}
        for kind in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias"):
            settings[f"{kind}_initializer"] = self._initializers[kind]
        if self._mode in ("rnn_relu", "rnn_tanh"):
            return RNNCell(self._hidden_size, activation=self._mode[4:], **settings)
        return (LSTMCell if self._mode == "lstm" else GRUCell)(self._hidden_size, **settings)

    def __call__(self, inputs: Any, states: Any = None, sequence_length: Any = None) -> Any:
        """Run over a sequence.

        Parameters
        ----------
        inputs : the sequence, its axes in the order of the layout
        states : the states before the first step; zeros by default
        sequence_length : the length of each sample, if the layer was created to use it

        Returns
        -------
        outputs, or outputs and states
            the states after the last step only if those before the first one were given
        """
        if sequence_length is not None:
            return super().__call__(inputs, states, sequence_length)
        return super().__call__(inputs) if states is None else super().__call__(inputs, states)

    def hybrid_forward(
        self, F: Any, x: Any, states: Any = None, sequence_length: Any = None, **weights: Any
    ) -> Any:
        """Run over a sequence, given the states before it or None, and each sample's length or None."""
        if self._use_sequence_length is (sequence_length is None):
            raise AttributeValueError(
                describe(
                    "sequence_length requires use_sequence_length=True, and vice versa",
                    where=self.name,
                )
            )
        if is_whole(states):
            states = [states]
        given = states is not None
        batch_axis = self._layout.find("N")
        size = x.shape[batch_axis] if isinstance(x, NDArray) else 0
        if states is None:
            states = self.begin_state(size, func=zeros_for(x, batch_axis))
        elif isinstance(x, NDArray):
            self._check_states(states, size)
        outputs, states = self._run(F, x, states, sequence_length, weights)
        return (outputs, states) if given else outputs

    def _check_states(self, states: list[NDArray], size: int) -> None:
        expected = [info["shape"] for info in self.state_info(size)]
        found = [state.shape for state in states]
        if found != expected:
            raise AttributeValueError(
                describe(
                    "the states do not fit",
                    where=self.name,
                    facts=[f"states: {found}", f"needed: {expected}"],
                    hint=f"begin_state(batch_size={size}) of the layer",
                )
            )

    def _vector(self, F: Any, weights: Any) -> Any:
        """The weights and biases one after the other, as the operator takes them."""
        groups = ("i2h", "h2h", "h2r") if self._projection_size else ("i2h", "h2h")
        order = [
            f"{direction}{layer}_{group}_{kind}"
            for kind in ("weight", "bias")
            for layer in range(self._num_layers)
            for direction in self._directions
            for group in groups
        ]
        flat = [F.reshape(weights[n], shape=(-1,)) for n in order if n in weights]
        return F._internal._rnn_param_concat(*flat, dim=0)

    def _run(
        self, F: Any, inputs: Any, states: list[Any], sequence_length: Any, weights: Any
    ) -> tuple[Any, list[Any]]:
        if self._layout == "NTC":
            inputs = F.swapaxes(inputs, 0, 1)
        out = F.RNN(
            inputs,
            self._vector(F, weights),
            *states,
            **({} if sequence_length is None else {"sequence_length": sequence_length}),
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            lstm_state_clip_min=self._lstm_state_clip_min,
            lstm_state_clip_max=self._lstm_state_clip_max,
            lstm_state_clip_nan=self._lstm_state_clip_nan,
        )
        outputs = F.swapaxes(out[0], 0, 1) if self._layout == "NTC" else out[0]
        return outputs, [out[1 + i] for i in range(len(self._state_names))]
