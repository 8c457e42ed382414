"""Private functions of `mx.gluon.rnn.rnn_cell` that programs with cells of their own import."""

from collections.abc import Sequence
from typing import Any

from gluonic.gluon.rnn.sequences import (
    batch_size_of,
    is_whole,
    mask,
    namespace_of,
    put_together,
    reverse,
    take_apart,
    zeros_for,
)
from gluonic.ndarray import NDArray


def _format_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int, Any, int]:
    """Return a sequence, its time axis, its namespace and its batch size.

    Parameters
    ----------
    length : number of steps
    inputs : an array or symbol, or a list with one for each step
    layout : the order of batch (N), time (T) and channels (C) in the result
    merge : whether to return one array (True) or a list (False); None: as it is
    in_layout : that order in `inputs`, if it is another
    """
    from_layout, axis = in_layout or layout, layout.find("T")
    F, batch_size = namespace_of(inputs), batch_size_of(inputs, from_layout)
    if merge is False:
        inputs = take_apart(length, inputs, from_layout).steps
    elif not is_whole(inputs):
        inputs = put_together(inputs, layout, merge)
    elif (from_axis := from_layout.find("T")) != axis:
        inputs = F.swapaxes(inputs, axis, from_axis)
    return inputs, axis, F, batch_size


def _get_begin_state(cell: Any, F: Any, begin_state: Any, inputs: Any, batch_size: int) -> Any:
    """Return the states before the first step: the given ones, or zeros where the inputs are."""
    if begin_state is not None:
        return begin_state
    first = inputs if is_whole(inputs) else inputs[0]
    if isinstance(first, NDArray):
        with first.context:
            return cell.begin_state(batch_size=batch_size, func=F.zeros)
    func = F.zeros if is_whole(inputs) else zeros_for(first, 0)
    return cell.begin_state(batch_size=batch_size, func=func)


def _mask_sequence_variable_length(
    F: Any, data: Any, length: int, valid_length: Any, time_axis: int, merge: bool
) -> Any:
    """Set the steps after each sample's length to zero."""
    return mask(F, data, length, valid_length, "T".rjust(time_axis + 1, "N"), merge)


def _reverse_sequences(
    sequences: Sequence[Any], unroll_step: int, valid_length: Any = None
) -> list[Any]:
    """Reverse the steps, each sample within its length."""
    return reverse(sequences, valid_length)
