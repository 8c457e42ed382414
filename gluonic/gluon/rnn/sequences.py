"""Sequences: lists of steps and whole arrays, converted, masked and reversed.

An array has a time axis, the position of ``T`` in its layout; a list has one array per time step.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy_class import as_switched
from gluonic.support.own_code import module_of


def is_whole(sequence: Any) -> bool:
    """Return whether a sequence is one array or symbol, not a list of steps."""
    return isinstance(sequence, (NDArray, sym.Symbol))


def namespace_of(sequence: Any) -> Any:
    """Return `nd` or `sym`, whichever a sequence belongs to."""
    first = sequence if is_whole(sequence) else sequence[0]
    return sym if isinstance(first, sym.Symbol) else nd


class Steps(NamedTuple):
    """A sequence divided into steps.

    Attributes
    ----------
    steps : one array per time step
    F : `nd` or `sym`
    batch_size : 0 if unknown
    """

    steps: list[Any]
    F: Any
    batch_size: int


def take_apart(length: int | None, inputs: Any, layout: str) -> Steps:
    """Return a sequence as its steps.

    Parameters
    ----------
    length : number of steps; None for all
    inputs : the array, or the steps
    layout : the order of batch (N), time (T) and channels (C)

    Raises
    ------
    AttributeValueError
        if the number of steps differs from `length`
    """
    if inputs is None:
        raise AttributeValueError("unroll needs inputs: an array, a symbol or a list of steps")
    F, size = namespace_of(inputs), batch_size_of(inputs, layout)
    if is_whole(inputs):
        found = inputs.shape[layout.find("T")] if isinstance(inputs, NDArray) else length
        _check_length(length, found)
        inputs = _split(F, inputs, found, layout.find("T"))
    _check_length(length, len(inputs))
    return Steps(list(inputs), F, size)


def batch_size_of(inputs: Any, layout: str) -> int:
    """Return the length of the batch axis, 0 for symbols."""
    if isinstance(inputs, NDArray):
        return inputs.shape[layout.find("N")]
    if is_whole(inputs) or isinstance(inputs[0], sym.Symbol):
        return 0
    size: int = inputs[0].shape[layout.replace("T", "").find("N")]
    return size


def _check_length(length: int | None, found: int | None) -> None:
    if length is not None and found is not None and length != found:
        raise AttributeValueError(
            describe(f"{length} steps are asked for, but the inputs have {found}", where="unroll")
        )


def _split(F: Any, whole: Any, length: int | None, axis: int) -> list[Any]:
    parts = F.split(whole, axis=axis, num_outputs=length, squeeze_axis=True)
    return [parts] if length == 1 else list(parts)


def put_together(sequence: Any, layout: str, merge: bool | None, length: int | None = None) -> Any:
    """Return a sequence as one array (`merge`), as steps (not `merge`), or as it is (None)."""
    if merge is None or merge is is_whole(sequence):
        return sequence
    F, axis = namespace_of(sequence), layout.find("T")
    return F.stack(*sequence, axis=axis) if merge else _split(F, sequence, length, axis)


def mask(
    F: Any, sequence: Any, length: int, valid_length: Any, layout: str, merge: bool | None
) -> Any:
    """Set the steps after each sample's length to zero."""
    whole = F.SequenceMask(
        put_together(sequence, layout, True),
        sequence_length=valid_length,
        use_sequence_length=True,
        axis=layout.find("T"),
    )
    return whole if merge else put_together(whole, layout, False, length)


def reverse(steps: Sequence[Any], valid_length: Any = None) -> list[Any]:
    """Reverse the steps, each sample within its length."""
    if valid_length is None:
        return list(reversed(steps))
    F = namespace_of(steps)
    turned = F.SequenceReverse(
        F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True
    )
    return _split(F, turned, len(steps), 0)


# not `nd.__name__`, which differs if gluonic is served as mxnet
_OF_ARRAYS = nd.zeros.__module__.rpartition(".")[0]


def make_state(func: Callable[..., Any] | None, name: str, info: Mapping[str, Any]) -> Any:
    """Make a state from its shape and its other properties.

    Parameters
    ----------
    func : makes it; `nd.zeros` by default
    name : its name, if it is a symbol; arrays have none
    info : shape, dtype and so on; the layout is left out
    """
    func = func or nd.zeros
    settings = {key: value for key, value in info.items() if key != "__layout__"}
    if not module_of(func).startswith(_OF_ARRAYS):
        settings["name"] = name
    return as_switched(func(**settings))


def zeros_for(x: Any, batch_axis: int) -> Callable[..., Any]:
    """Return a function that makes zeros: like `nd.zeros`, but a length of 0 is the batch size.

    Symbols do not know the batch size, so their zeros are computed from `x`.

    Parameters
    ----------
    x : the array or symbol that has the batch size
    batch_axis : its axis there
    """
    if isinstance(x, NDArray):
        zeros: Callable[..., Any] = nd.zeros
        return zeros

    def make(shape: Sequence[int], name: str | None = None, **settings: Any) -> Any:
        if 0 not in shape:
            return sym.zeros(shape, name=name, **settings)
        rows = sym.reshape(x if batch_axis == 0 else sym.swapaxes(x, 0, batch_axis), shape=(0, -1))
        column = sym.zeros_like(sym.slice_axis(rows, axis=1, begin=0, end=1))
        extents = [-1 if length == 0 else 1 for length in shape]
        return sym.broadcast_to(sym.reshape(column, shape=extents), shape=shape, name=name)

    return make
