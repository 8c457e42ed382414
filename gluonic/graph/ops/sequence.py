"""Batches of sequences of different lengths: (time, batch, ...), or (batch, time, ...) with axis=1."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.axes import replaced
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Rule, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of


def _without_lengths(n: Any) -> Iterable[str]:
    return () if n.use_sequence_length else ("sequence_length",)


def _batch_of(n: NodeView, axes: tuple[int, ...]) -> int:
    """Check the attributes and return the batch axis."""
    if n.axis not in axes:
        allowed = " or ".join(map(str, axes))
        raise InferenceError(f"{title_of(n)}: axis is {n.axis} but must be {allowed}")
    if len(n.data) < 2:
        raise InferenceError(f"{title_of(n)}: data must have at least two axes, time and batch")
    return 1 - int(n.axis)


def _same_shape(axes: tuple[int, ...]) -> Rule:
    """The shape rule of an operator whose output is like its input."""

    def rule(n: NodeView) -> None:
        like("data")(n)
        batch = _batch_of(n, axes)
        if n.use_sequence_length:
            n.sequence_length = (n.data[batch],)
            n.data = n.output = replaced(n.data, batch, n.sequence_length[0])

    return rule


def _lengths(lengths: Array, data: Array, axis: int) -> Array:
    """The lengths of the sequences, shaped to broadcast over the data."""
    shape = [1] * data.ndim
    shape[1 - axis] = len(lengths)
    return np.clip(lengths.astype(np.intp), 0, data.shape[axis]).reshape(shape)


def _steps(data: Array, axis: int) -> Array:
    """The indices of the steps along the time axis, shaped to broadcast over the data."""
    shape = [1] * data.ndim
    shape[axis] = data.shape[axis]
    return np.arange(data.shape[axis]).reshape(shape)


@operator("SequenceMask", absent=_without_lengths)
def sequence_mask(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
) -> Any:
    """Overwrite elements beyond the end of each sequence.

    Parameters
    ----------
    data : (time, batch, ...)
    sequence_length : the length of each sequence, (batch,); present if `use_sequence_length`
    use_sequence_length : without it, the result is `data`
    value : the value to write
    axis : 0, or 1 for (batch, time, ...)
    """
    if sequence_length is None:
        return data.view()
    inside = _steps(data, axis) < _lengths(sequence_length, data, axis)
    return np.where(inside, data, np.asarray(value, data.dtype))


sequence_mask.infer_shape(_same_shape((0, 1)))
sequence_mask.infer_dtype(like("data"))
sequence_mask.gradient(
    data=lambda F, n, g: (
        F.SequenceMask(g, n.sequence_length, use_sequence_length=n.use_sequence_length, axis=n.axis)
        if n.use_sequence_length
        else g
    )
)


@operator("SequenceLast", absent=_without_lengths)
def sequence_last(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool = False,
    axis: int = 0,
) -> Any:
    """Take the last step of each sequence.

    Parameters
    ----------
    data : (time, batch, ...)
    sequence_length : the length of each sequence, (batch,); present if `use_sequence_length`
    use_sequence_length : without it, all sequences are as long as the time axis
    axis : 0, or 1 for (batch, time, ...)

    Returns
    -------
    array
        (batch, ...)
    """
    by_time = np.moveaxis(data, axis, 0)
    return by_time[_last_steps(data, sequence_length, axis), np.arange(by_time.shape[1])]


def _last_steps(data: Array, sequence_length: Array | None, axis: int) -> Any:
    """Find the last step of each sequence; for an empty one it is the first."""
    last = data.shape[axis] - 1
    if sequence_length is None:
        return last
    return np.clip(sequence_length.astype(np.intp) - 1, 0, last)


@sequence_last.infer_shape
def _(n: NodeView) -> None:
    batch = _batch_of(n, (0, 1))
    if n.use_sequence_length:
        n.sequence_length = (n.data[batch],)
        n.data = replaced(n.data, batch, n.sequence_length[0])
    n.output = (n.data[batch], *n.data[2:])
    n.data = (*([None, n.output[0]] if batch else [n.output[0], None]), *n.output[1:])


sequence_last.infer_dtype(like("data"))


@adjoint(sequence_last, absent=_without_lengths)
def _(
    grad: Array,
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool,
    axis: int,
) -> Any:
    """Put the gradient at the last steps, zeros elsewhere."""
    result = np.zeros_like(data)
    by_time = np.moveaxis(result, axis, 0)
    by_time[_last_steps(data, sequence_length, axis), np.arange(by_time.shape[1])] = grad
    return result


@operator("SequenceReverse", absent=_without_lengths)
def sequence_reverse(
    data: Array,
    sequence_length: Array | None = None,
    *,
    use_sequence_length: bool = False,
    axis: int = 0,
) -> Any:
    """Reverse each sequence; elements beyond its end are unchanged.

    Parameters
    ----------
    data : (time, batch, ...)
    sequence_length : the length of each sequence, (batch,); present if `use_sequence_length`
    use_sequence_length : without it, all sequences are as long as the time axis
    axis : 0
    """
    if sequence_length is None:
        return data[::-1]
    lengths = _lengths(sequence_length, data, axis)
    steps = _steps(data, axis)
    return np.take_along_axis(data, np.where(steps < lengths, lengths - 1 - steps, steps), axis)


sequence_reverse.infer_shape(_same_shape((0,)))
sequence_reverse.infer_dtype(like("data"))
sequence_reverse.gradient(
    data=lambda F, n, g: (
        F.SequenceReverse(g, n.sequence_length, use_sequence_length=n.use_sequence_length)
        if n.use_sequence_length
        else F.SequenceReverse(g)
    )
)
