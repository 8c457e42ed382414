"""What to try when shapes or dtypes contradict each other: guesses from the operator and the conflict."""

from collections.abc import Callable
from typing import Any

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Application

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


def _features(settings: dict[str, Any], slot: str, is_: Any, must_be: Any) -> str:
    if slot != "weight" or len(is_) != 2 or None in (is_[1], must_be[1]):
        return ""
    counted = "all axes but the first" if settings.get("flatten", True) else "the last axis"
    return (
        f"in_units={must_be[1]} in the layer; the weight is made for {is_[1]} input features, "
        f"but the data has {must_be[1]} ({counted})"
    )


def _channels(settings: dict[str, Any], slot: str, is_: Any, must_be: Any) -> str:
    if slot != "weight" or is_[1:2] == must_be[1:2] or None in (is_[1], must_be[1]):
        return ""
    groups = settings.get("num_group", 1)
    return (
        f"in_channels={must_be[1] * groups} in the layer, or another layout= or transpose of the data; "
        f"the weight is made for {is_[1] * groups} input channels, but the data has {must_be[1] * groups}"
    )


def _normalized(settings: dict[str, Any], slot: str, is_: Any, must_be: Any) -> str:
    if len(is_) != 1 or None in (is_[0], must_be[0]):
        return ""
    return (
        f"in_channels={must_be[0]} in the layer, or another axis=; {slot} is made for {is_[0]} channels, "
        f"but the data has {must_be[0]} on axis {settings.get('axis', 1)}"
    )


_GUESSES: dict[str, Callable[[dict[str, Any], str, Any, Any], str]] = {
    "FullyConnected": _features,
    "Convolution": _channels,
    "BatchNorm": _normalized,
    "LayerNorm": _normalized,
    "InstanceNorm": _normalized,
}


def hint(application: Application, kind: str, error: InferenceError) -> str:
    """A guess at what to do about a contradiction, empty where there is none.

    Parameters
    ----------
    kind : ``"shape"`` or ``"dtype"``
    error : what the operator's rule has raised
    """
    if kind == "dtype":
        return "x.astype(dtype) for an array, net.cast(dtype) for a net, so that all dtypes are one"
    message = str(error.args[0])
    broadcasting = _BROADCASTING.get(application.op.name)
    if broadcasting and "equal inputs" in message:
        return f"F.{broadcasting}(a, b): on Symbols, + - * / work on equal shapes only and do not broadcast"
    guess = _GUESSES.get(application.op.name)
    if guess is None or error.conflict is None or not isinstance(error.conflict[1], tuple):
        return ""
    return guess(application.settings, *error.conflict)
