"""Hints for contradictions between shapes or dtypes, guessed from the operator and the conflict."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from gluonic.graph.application import Application
from gluonic.graph.errors import InferenceError

Shapes: TypeAlias = Sequence[Any]
_FLOATS = ("float16", "float32", "float64")

_BROADCASTING = {
    "elemwise_add": "broadcast_add",
    "elemwise_sub": "broadcast_sub",
    "elemwise_mul": "broadcast_mul",
    "elemwise_div": "broadcast_div",
    "_power": "broadcast_power",
    "_mod": "broadcast_mod",
    "_maximum": "broadcast_maximum",
    "_minimum": "broadcast_minimum",
}


def _features(settings: dict[str, Any], _: Shapes, slot: str, is_: Any, must_be: Any) -> str:
    if slot != "weight" or len(is_) != 2 or None in (is_[1], must_be[1]):
        return ""
    counted = "all axes but the first" if settings.get("flatten", True) else "the last axis"
    return (
        f"in_units={must_be[1]} in the layer; the weight is made for {is_[1]} input features, "
        f"but the data has {must_be[1]} ({counted})"
    )


def _channels(settings: dict[str, Any], given: Shapes, slot: str, is_: Any, must_be: Any) -> str:
    if min(len(is_), len(must_be)) < 2:
        return ""
    axis = -1 if (settings.get("layout") or "").endswith("C") else 1
    made_for, found = is_[axis], must_be[axis]
    if slot != "weight" or made_for == found or None in (made_for, found):
        return ""
    groups = settings.get("num_group", 1)
    return _transposed(settings, given[0], made_for * groups) or (
        f"in_channels={found * groups} in the layer, or another layout= or transpose of the data; "
        f"the weight is made for {made_for * groups} input channels, but the data has {found * groups}"
    )


def _transposed(settings: dict[str, Any], data: Any, channels: int) -> str:
    """A transpose to the layout of a convolution, if the data has the channels on another axis."""
    if not isinstance(data, tuple) or len(data) < 3:
        return ""
    layout = settings.get("layout") or f"NC{'DHW'[5 - len(data) :]}"
    is_last = layout.endswith("C")
    there, here = (1, -1) if is_last else (-1, 1)
    if data[there] != channels or data[here] == channels:
        return ""
    last = len(data) - 1
    axes = (0, *range(2, last + 1), 1) if is_last else (0, last, *range(1, last))
    return (
        f"x.transpose({axes}): the data has the {channels} channels of the weight on axis "
        f"{last if there == -1 else 1}, but the layout is {layout}; or layout= in the layer"
    )


def _picked(settings: dict[str, Any], given: Shapes, slot: str, is_: Any, must_be: Any) -> str:
    if slot != "index" or len(given) < 2 or given[0] != given[1]:
        return ""
    return "sparse_label=False in the loss for one-hot labels or probabilities, or labels.argmax(axis=-1)"


def _recurrent(settings: dict[str, Any], given: Shapes, slot: str, is_: Any, must_be: Any) -> str:
    data = given[0]
    if slot == "data" and len(is_) != 3:
        return "three axes, (length, batch, features): x.expand_dims(axis=1) for a single sequence"
    if slot != "parameters" or not isinstance(data, tuple) or data[-1] is None:
        return ""
    return (
        f"input_size={data[-1]} in the layer: its weights are made for another number of features"
    )


def _normalized(settings: dict[str, Any], _: Shapes, slot: str, is_: Any, must_be: Any) -> str:
    if len(is_) != 1 or None in (is_[0], must_be[0]):
        return ""
    return (
        f"in_channels={must_be[0]} in the layer, or another axis=; {slot} is made for {is_[0]} channels, "
        f"but the data has {must_be[0]} on axis {settings.get('axis', 1)}"
    )


_BY_OPERATOR = {
    "dot": "transpose_a=True or transpose_b=True if a matrix is transposed, or batch_dot for batches",
    "batch_dot": "transpose_a=True or transpose_b=True if matrices are transposed",
    "Concat": "another dim=, arrays that differ only along it, or stack to join along a new axis",
    "stack": "arrays of equal shapes, or concat to join along an existing axis",
    "pick": "one index for each row: the shape of data without the axis (the labels of as many samples)",
    "reshape_like": "arrays with equally many elements: labels for as many samples as predictions",
    "_identity_with_attr_like_rhs": "labels of the predictions' shape: GLUONIC_CHECK=1 requires it in losses",
    "Reshape": "a shape with as many elements; -1 stands for one axis, inferred from the others",
    "Embedding": "the layer's input_dim= and output_dim= with which the weight was made",
}
_BY_WORDING = {
    "cannot be broadcast together": "reshape or expand_dims(axis=…), so that axes, counted from the last, "
    "are equal or 1",
    "is larger than data": "a smaller kernel=, more pad=, or larger images",
    "dimensions:": "x.expand_dims(axis=0) for a single sample, x.reshape(…) for missing channels",
}


_GUESSES: dict[str, Callable[[dict[str, Any], Shapes, str, Any, Any], str]] = {
    "FullyConnected": _features,
    "Convolution": _channels,
    "BatchNorm": _normalized,
    "LayerNorm": _normalized,
    "InstanceNorm": _normalized,
    "RNN": _recurrent,
    "pick": _picked,
}


def _of_one_dtype(given: Sequence[Any]) -> str:
    first, *others = [None if dtype is None else str(dtype) for dtype in given] or [None]
    wanted = next((dtype for dtype in others if dtype not in (None, first)), None)
    to = repr(wanted) if wanted else "dtype"
    back = repr(first) if first in _FLOATS else "dtype"
    return f"x.astype({to}) for an array, net.cast({back}) for a net, so that all dtypes are one"


def hint(application: Application, kind: str, error: InferenceError, given: Sequence[Any]) -> str:
    """A guess at how to resolve a contradiction, empty if there is none.

    Parameters
    ----------
    kind : ``"shape"`` or ``"dtype"``
    error : the error of the operator's rule
    given : the shapes or dtypes of the inputs
    """
    if kind == "dtype":
        return _of_one_dtype(given)
    message = str(error.args[0])
    broadcasting = _BROADCASTING.get(application.op.name)
    if broadcasting and "equal inputs" in message:
        return f"F.{broadcasting}(a, b): on Symbols, + - * / work on equal shapes only and do not broadcast"
    guess = _GUESSES.get(application.op.name)
    if guess is not None and error.conflict is not None and isinstance(error.conflict[1], tuple):
        found = guess(application.settings, given, *error.conflict)
        if found:
            return found
    for wording, what_to_try in _BY_WORDING.items():
        if wording in message:
            return what_to_try
    return _BY_OPERATOR.get(application.op.name, "")
