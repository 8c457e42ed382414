"""The number of outputs of a node, as MXNet counts them in its files.

Hidden outputs, such as workspace and what a gradient reads, are counted. Where ours differ, MXNet's number is
here; of ours, those whose names begin with ``_`` are no outputs of MXNet.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gluonic.graph.node import Node
from gluonic.graph.ops.recurrent_rules import shown_outputs

_COUNTS: dict[str, int] = {
    **dict.fromkeys(("_linalg_det", "_npi_det", "Correlation", "SpatialTransformer"), 3),
    **dict.fromkeys(("_linalg_slogdet", "_npi_slogdet", "_npi_norm", "_contrib_BatchNormWithReLU"), 4),
    **dict.fromkeys(("BilinearSampler", "GridGenerator", "LRN", "_backward_SoftmaxOutput"), 2),
    **dict.fromkeys(("_npi_var", "_npi_std"), 2),
    "IdentityAttachKLSparseReg": 1,
}  # fmt: skip
_COUNTS |= {
    f"_npi_{distribution}": 2  # with the numbers that were drawn before scaling
    for distribution in (
        "normal", "gumbel", "logistic", "exponential", "rayleigh", "weibull", "pareto")
}  # fmt: skip


def _of_pooling(n: Any) -> int:
    """Two if oneDNN could compute it and needs to know where the maxima are."""
    is_channels_first = n.layout is None or n.layout.startswith("NC")
    return 2 if n.pool_type == "max" and n.kernel and is_channels_first else 1


_RULES: dict[str, Callable[[Any], int]] = {
    "Pooling": _of_pooling,
    "RNN": lambda n: len(shown_outputs(n)),
}


def counted_outputs(node: Node) -> int:
    """The number of outputs that a node has in MXNet's files."""
    application = node.application
    if application is None:
        return 1
    name = application.op.name
    if name in _COUNTS:
        return _COUNTS[name]
    if name in _RULES:
        return _RULES[name](SimpleNamespace(**application.settings))
    return sum(not output.startswith("_") for output in application.outputs)
