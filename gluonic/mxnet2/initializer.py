"""``mx.initializer`` of MXNet 2.0: that of 1.x, and the one of a recurrent layer's vector of parameters."""

from typing import Any

import numpy as np

from gluonic import initializer as of_one
from gluonic.initializer import InitDesc, Initializer, create
from gluonic.mxnet2.gluon.utils import input_size_of_rnn_params, split_rnn_params
from gluonic.ndarray import NDArray

_kept = {name: getattr(of_one, name) for name in of_one.__all__}
globals().update(_kept)
__all__ = [*_kept, "RNNFused"]

_PIECES = ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight")


@of_one.register
class RNNFused(Initializer):
    """Initialize the vector of all parameters of a recurrent layer, piece by piece.

    Parameters
    ----------
    mode : ``"rnn_relu"``, ``"rnn_tanh"``, ``"lstm"`` or ``"gru"``
    num_layers : the number of layers
    state_size : the length of a state
    bidirectional : whether there is a layer for each direction
    projection_size : the length of a projected state
    i2h_weight_initializer, h2h_weight_initializer, h2r_weight_initializer : of the weights; None: the net's
    i2h_bias_initializer, h2h_bias_initializer : of the biases; None: the net's
    """

    def __init__(
        self,
        mode: str,
        num_layers: int,
        state_size: int,
        bidirectional: bool = False,
        projection_size: int | None = None,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = None,
        h2h_bias_initializer: Any = None,
        h2r_weight_initializer: Any = None,
    ) -> None:
        given = (
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer,
            h2r_weight_initializer,
        )  # fmt: skip
        self._of_piece = {
            piece: None if init is None else create(init)
            for piece, init in zip(_PIECES, given, strict=True)
        }
        super().__init__(
            mode=mode,
            num_layers=num_layers,
            state_size=state_size,
            bidirectional=bidirectional,
            projection_size=projection_size,
            **{
                f"{piece}_initializer": None if init is None else init.dumps()
                for piece, init in self._of_piece.items()
            },
        )
        self._layout: dict[str, Any] = {
            "mode": mode, "num_layers": num_layers, "hidden_size": state_size,
            "bidirectional": bidirectional, "projection_size": projection_size,
        }  # fmt: skip

    def set_initializer(self, init: Any) -> None:
        """Choose the initializer of all pieces that have none of their own."""
        for piece, own in self._of_piece.items():
            self._of_piece[piece] = create(init) if own is None else own

    def _init_weight(self, desc: Any, arr: NDArray) -> None:
        values = arr.asnumpy()
        input_size = input_size_of_rnn_params(values.size, **self._layout)
        for name, view in split_rnn_params(values, input_size=input_size, **self._layout).items():
            _, _, piece = name.partition("_")
            own = self._of_piece[piece]
            filled = NDArray(np.zeros(view.shape, values.dtype))
            if own is None:
                desc.global_init(InitDesc(name, global_init=desc.global_init), filled)
            else:
                own(InitDesc(name, {"__init__": own}, desc.global_init), filled)
            view[...] = filled.asnumpy()
        arr[:] = values
