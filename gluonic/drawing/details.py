"""The important attributes of an operator, in a few words."""

import re
from collections.abc import Callable, Mapping

from gluonic.graph import Node


def _product(text: str) -> str:
    """``(3, 3)`` as ``3×3``."""
    return "×".join(re.findall(r"-?\d+", text)[:8])


def _kernel(attributes: Mapping[str, str]) -> str:
    kernel = _product(attributes.get("kernel", ""))
    stride = _product(attributes.get("stride", ""))
    return f"{kernel}/{stride}" if stride.strip("1×") else kernel


def _convolution(attributes: Mapping[str, str]) -> str:
    return f"{_kernel(attributes)}, {attributes.get('num_filter', '?')}"


def _pooling(attributes: Mapping[str, str]) -> str:
    kind = attributes.get("pool_type", "max")
    return (
        f"{kind}, global"
        if "rue" in attributes.get("global_pool", "")
        else f"{kind}, {_kernel(attributes)}"
    )


_DETAILS: dict[str, Callable[[Mapping[str, str]], str]] = {
    "Convolution": _convolution,
    "Deconvolution": _convolution,
    "Pooling": _pooling,
    "FullyConnected": lambda a: a.get("num_hidden", ""),
    "Activation": lambda a: a.get("act_type", ""),
    "LeakyReLU": lambda a: a.get("act_type", "leaky"),
    "Dropout": lambda a: a.get("p", "0.5"),
    "Embedding": lambda a: f"{a.get('input_dim', '?')} → {a.get('output_dim', '?')}",
    "Custom": lambda a: "",
}
_LONGEST_DETAIL = 34


def title_of(node: Node) -> str:
    """The first words in a node's box: its operator; a variable is an input."""
    if node.application is None:
        return "input"
    return node.attributes.get("op_type") or node.operator_name.lstrip("_")


def detail(op: str, attributes: Mapping[str, str]) -> str:
    """Summarize the important attributes of an operator in a few words."""
    if op in _DETAILS:
        return shortened(_DETAILS[op](attributes), _LONGEST_DETAIL)
    if op.endswith("_scalar"):
        return shortened(attributes.get("scalar", ""), _LONGEST_DETAIL)
    words = [f"{k}={v}" for k, v in attributes.items() if not k.startswith("num_arg")]
    return _fitting(words)


def _fitting(words: list[str]) -> str:
    """As many words as fit."""
    text = ", ".join(words)
    while len(words) > 1 and len(text) > _LONGEST_DETAIL:
        words = words[:-1]
        text = ", ".join([*words, "…"])
    return shortened(text, _LONGEST_DETAIL)


def shortened(text: str, most: int) -> str:
    """Shorten a text in the middle."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2 - 1]}…{text[-(most - most // 2) :]}"
