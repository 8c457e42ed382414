"""Recurrent cells of MXNet 2.0: the shapes of their weights can be inferred before the first step."""

from typing import Any

from gluonic.gluon.rnn import rnn_cell
from gluonic.gluon.rnn.base import RecurrentCell
from gluonic.graph.attributes import Count
from gluonic.initializer.base import Init
from gluonic.mxnet2.gluon.block import BASES, BlockOfTwo, of_two
from gluonic.mxnet2.gluon.hybrid import HybridBlockOfTwo
from gluonic.recurrent.steps import Activate

__all__ = ["GRUCell", "RecurrentCell"]


class RecurrentCellOfTwo(BlockOfTwo, RecurrentCell):
    """The base of all cells: ``output, states = cell(input, states)``."""

    def infer_shape(self, i: Any, x: Any = None, is_bidirect: bool = False) -> None:
        """Complete the shapes of the weights.

        Parameters
        ----------
        i : the place in a stack of cells of one size
        x : an input of the stack
        is_bidirect : whether the cells of the stack run in both directions
        """
        if not isinstance(i, int):  # an input and states, from which a step infers
            HybridBlockOfTwo.infer_shape(self, i, x)  # type: ignore[arg-type]
            return
        length = None
        states = self.state_info()
        if i > 0 and states:
            length = (1 + is_bidirect) * states[0]["shape"][1]
        self._complete(x, length)

    def _complete(self, x: Any, length: int | None) -> int | None:
        """Complete the weights of the cell and of those inside it.

        Parameters
        ----------
        x : an input of the whole stack
        length : of the cell's inputs, or their number of channels; None for those of `x`

        Returns
        -------
        int or None
            the length of the cell's outputs; None if it is still that of `x`
        """
        inner = [cell for cell in self._children.values() if isinstance(cell, RecurrentCellOfTwo)]
        if isinstance(self, rnn_cell.BidirectionalCell):
            return sum(cell._complete(x, length) or 0 for cell in inner)
        for cell in inner:
            length = cell._complete(x, length)
        weight = self._reg_params.get("i2h_weight")
        if inner or weight is None or weight.shape is None:
            return length
        axis = getattr(self, "_channel_axis", 1)  # of cells with convolutions
        shape = list(weight.shape)
        shape[axis] = x.shape[1 - len(shape) :][axis - 1] if length is None else length
        weight.shape = tuple(shape)
        found: int = self.state_info()[0]["shape"][axis]
        return found

    def _infers_own_shapes(self) -> bool:
        return type(self).infer_shape is not RecurrentCellOfTwo.infer_shape


RecurrentCellOfTwo.__name__ = RecurrentCellOfTwo.__qualname__ = "RecurrentCell"
BASES[RecurrentCell] = RecurrentCellOfTwo
_GRUCell: Any = of_two(rnn_cell.GRUCell)


class GRUCellOfTwo(_GRUCell):  # type: ignore[misc]
    """A gated recurrent unit whose functions can be chosen; see `GRUCell` of MXNet 1.x.

    Parameters
    ----------
    hidden_size : size of the state
    i2h_weight_initializer, h2h_weight_initializer : initializers of the weights
    i2h_bias_initializer, h2h_bias_initializer : initializers of the biases
    input_size : size of an input; 0 infers it from the first one
    activation : the function for the new content
    recurrent_activation : the function for the gates
    """

    def __init__(
        self,
        hidden_size: Count,
        i2h_weight_initializer: Init = None,
        h2h_weight_initializer: Init = None,
        i2h_bias_initializer: Init = "zeros",
        h2h_bias_initializer: Init = "zeros",
        input_size: Count = 0,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        super().__init__(
            hidden_size, i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer,
            h2h_bias_initializer, input_size,
        )  # fmt: skip
        self._activation, self._recurrent_activation = activation, recurrent_activation

    def _functions(self, F: Any) -> tuple[Activate, Activate]:
        return (
            self._activating(F, self._recurrent_activation),
            self._activating(F, self._activation),
        )


GRUCell = GRUCellOfTwo
GRUCellOfTwo.__name__ = GRUCellOfTwo.__qualname__ = "GRUCell"
