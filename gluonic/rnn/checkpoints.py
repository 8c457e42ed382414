"""Checkpoints of nets with symbolic cells: weights are saved gate by gate."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.model import load_checkpoint, save_checkpoint
from gluonic.ndarray import NDArray
from gluonic.rnn.base import BaseRNNCell

Cells = BaseRNNCell | Sequence[BaseRNNCell]


def rnn_unroll(
    cell: BaseRNNCell,
    length: int,
    inputs: Any = None,
    begin_state: Any = None,
    input_prefix: str = "",
    layout: str = "NTC",
) -> tuple[Any, Any]:
    """Run a cell over a sequence; deprecated in favour of ``cell.unroll``, which knows no `input_prefix`.

    Parameters
    ----------
    cell : the cell
    length : the number of steps
    inputs : see `BaseRNNCell.unroll`
    begin_state : the first state, by default zeros
    input_prefix : ignored
    layout : ``"NTC"`` or ``"TNC"``: the order of batch, time and features
    """
    warnings.warn("rnn_unroll is deprecated; use cell.unroll", DeprecationWarning, stacklevel=2)
    return cell.unroll(length, inputs, begin_state=begin_state, layout=layout)


def save_rnn_checkpoint(
    cells: Cells,
    prefix: str,
    epoch: int,
    symbol: Any,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
) -> None:
    """Save a symbol and its parameters, with the cells' weights gate by gate.

    Parameters
    ----------
    cells : the cell or cells that the symbol was made with
    prefix, epoch, symbol, arg_params, aux_params : see `model.save_checkpoint`
    """
    for cell in _listed(cells):
        arg_params = cell.unpack_weights(arg_params)
    save_checkpoint(prefix, epoch, symbol, arg_params, aux_params)


def load_rnn_checkpoint(
    cells: Cells, prefix: str, epoch: int
) -> tuple[Any, dict[str, NDArray], dict[str, NDArray]]:
    """Load a symbol, its arguments and its auxiliary states; see `save_rnn_checkpoint`.

    Parameters
    ----------
    cells : a cell or several, whose weights are packed as they need them
    prefix : the path of the files up to ``-symbol.json`` and ``-0001.params``
    epoch : the number in the name of the second
    """
    symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
    for cell in _listed(cells):
        arg_params = cell.pack_weights(arg_params)
    return symbol, arg_params, aux_params


def do_rnn_checkpoint(cells: Cells, prefix: str, period: int = 1) -> Callable[..., None]:
    """Return a callback for the end of an epoch that saves a checkpoint.

    Parameters
    ----------
    cells, prefix : see `save_rnn_checkpoint`
    period : after how many epochs to save
    """
    period = int(max(1, period))

    def callback(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, iter_no + 1, sym, arg, aux)

    return callback


def _listed(cells: Cells) -> Sequence[BaseRNNCell]:
    return [cells] if isinstance(cells, BaseRNNCell) else cells
