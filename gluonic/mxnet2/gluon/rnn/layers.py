"""Recurrent layers of MXNet 2.0, whose weights and biases are one vector: ``rnn_param``."""

import re
from math import prod
from typing import Any

from gluonic import ndarray as nd
from gluonic.gluon.rnn import rnn_layer
from gluonic.gluon.rnn.fused_layer import _RNNLayer
from gluonic.mxnet2.gluon.block import BlockOfTwo, of_two
from gluonic.mxnet2.gluon.utils import input_size_of_rnn_params, shapes_of_rnn_params
from gluonic.mxnet2.initializer import RNNFused

__all__ = ["GRU", "LSTM", "RNN"]

_LayerOfParts: Any = of_two(_RNNLayer)
_PART = re.compile(r"(?P<side>[lr])(?P<layer>\d+)_(?P<rest>\w+)")


class _RNNLayerOfTwo(_LayerOfParts):  # type: ignore[misc]
    """The base of the layers, which makes and reads their vector of parameters."""

    def _make_parameters(self) -> None:
        self._parts: dict[str, Any] = {
            "mode": self._mode, "num_layers": self._num_layers, "hidden_size": self._hidden_size,
            "bidirectional": self._dir == 2, "projection_size": self._projection_size,
        }  # fmt: skip
        size = -1
        if self._input_size:
            shapes = shapes_of_rnn_params(input_size=self._input_size, **self._parts)
            size = sum(map(prod, shapes.values()))
        self.rnn_param = self.params.get(
            "rnn_param",
            shape=(size,),
            init=RNNFused(
                self._mode, self._num_layers, self._hidden_size, self._dir == 2, self._projection_size,
                **{f"{piece}_initializer": init for piece, init in self._initializers.items()},
            ),
            allow_deferred_init=True,
            dtype=self._dtype,
        )  # fmt: skip

    def _vector(self, F: Any, weights: Any) -> Any:
        return weights["rnn_param"]

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Any]:
        found: dict[str, Any] = BlockOfTwo._collect_params_with_prefix(self, prefix)
        return found

    def _mapping(self) -> tuple[int | None, int]:
        (size,) = self.rnn_param.shape
        known = size > 0
        return input_size_of_rnn_params(size, **self._parts) if known else None, self._hidden_size

    def _join_parts(self, values: dict[str, Any], prefix: str) -> None:
        """Join the weights and biases that MXNet 1.x writes for such a layer."""
        places = []
        for name in shapes_of_rnn_params(input_size=1, **self._parts):
            part = _PART.fullmatch(name)
            assert part is not None
            cell = f"{part['side']}_cell." if self._dir == 2 else ""
            places.append(f"{prefix}_unfused.{part['layer']}.{cell}{part['rest']}")
        if all(place in values for place in places):
            parts = [values.pop(place).reshape((-1,)) for place in places]
            values[f"{prefix}rnn_param"] = nd.concat(*parts, dim=0)


def _of_one_vector(kind: Any) -> Any:
    """The layer of MXNet 2.0 for one of 1.x."""
    members = {"__module__": __name__, "__doc__": kind.__doc__}
    return type(kind.__name__, (_RNNLayerOfTwo, of_two(kind)), members)


RNN, LSTM, GRU = (_of_one_vector(getattr(rnn_layer, name)) for name in ("RNN", "LSTM", "GRU"))
