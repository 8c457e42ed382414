"""The quantized forms of operators."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gluonic.graph import Node


def _always(n: Any) -> bool:
    return True


class Form(NamedTuple):
    """The quantized form of an operator.

    Attributes
    ----------
    name : the quantized operator
    supports : whether it supports the attributes of a use
    is_worthwhile : whether it is quantized for its own sake; others only between two such operators
    wide : whether its output is int32, which is then requantized to 8 bits
    kept : inputs that stay floating-point, by position
    asymmetric : inputs quantized by `_contrib_quantize_asym`, by position
    floats : whether its outputs are floating-point
    attributes : further attributes of the quantized operator
    """

    name: str
    supports: Callable[[Any], bool] = _always
    is_worthwhile: bool = False
    wide: bool = False
    kept: tuple[int, ...] = ()
    asymmetric: tuple[int, ...] = ()
    floats: bool = False
    attributes: Mapping[str, str] = MappingProxyType({})


_CHANNELS_FIRST = (None, "NCW", "NCHW", "NCDHW")
_FORMS = {
    "Convolution": Form(
        "_contrib_quantized_conv",
        supports=lambda n: n.layout in _CHANNELS_FIRST,
        is_worthwhile=True,
        wide=True,
    ),
    "FullyConnected": Form("_contrib_quantized_fully_connected", is_worthwhile=True, wide=True),
    "Pooling": Form(
        "_contrib_quantized_pooling",
        supports=lambda n: n.pool_type in ("max", "avg"),
    ),
    "Activation": Form("_contrib_quantized_act", supports=lambda n: n.act_type == "relu"),
    "Flatten": Form("_contrib_quantized_flatten"),
    "Concat": Form("_contrib_quantized_concat", supports=lambda n: n.dim > 0),
    "elemwise_add": Form("_contrib_quantized_elemwise_add", wide=True),
    "elemwise_mul": Form("_contrib_quantized_elemwise_mul", wide=True),
    "Embedding": Form(
        "_contrib_quantized_embedding", supports=lambda n: n.dtype == "float32", kept=(0,)
    ),
    "BatchNorm": Form(
        "_contrib_quantized_batch_norm",
        supports=lambda n: not n.output_mean_var,
        kept=(1, 2, 3, 4),
    ),
    "RNN": Form(
        "_contrib_quantized_rnn",
        supports=lambda n: n.mode == "lstm" and not n.use_sequence_length and not n.projection_size,
        is_worthwhile=True,
        kept=(1, 2, 3),
        asymmetric=(0,),
        floats=True,
        attributes={"quantized": "true"},
    ),
}


class _Settings:
    """The attributes of an operator's use, as rules read them."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.__dict__.update(settings)


def _fused_form(node: Node, *, by_channel: bool) -> Form:
    """The quantized form of a fused layer: the same operator with further attributes."""
    name, attributes = node.operator_name, {"quantized": "True"}
    kept: tuple[int, ...] = ()
    if name == "_sg_mkldnn_conv":
        attributes = {"quantized": "true"}
        inputs = enumerate(node.applied.inputs)
        kept = tuple(i for i, each in inputs if each not in ("data", "sum"))
    elif name == "_sg_mkldnn_fully_connected" and by_channel:
        attributes["channel_wise_quantize"] = "True"
        kept = tuple(range(1, len(node.inputs)))
    return Form(name, is_worthwhile=True, wide=True, kept=kept, attributes=attributes)


def form_of(node: Node, *, by_channel: bool = False) -> Form | None:
    """The quantized form of a node, if there is one.

    Parameters
    ----------
    by_channel : whether weights get a range for each row, where that is possible
    """
    if node.application is None:
        return None
    if node.operator_name.startswith("_sg_mkldnn_"):
        return _fused_form(node, by_channel=by_channel)
    form = _FORMS.get(node.operator_name)
    if form is None or not form.supports(_Settings(node.application.settings)):
        return None
    return form
