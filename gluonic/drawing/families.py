"""Families of operators, which share a colour."""

from typing import NamedTuple

from gluonic.graph import Node
from gluonic.graph.json.placeholder import Placeholder

_PARAMETER_NAMES = (
    "_weight", "_bias", "_beta", "_gamma", "_moving_var", "_moving_mean", "_running_var",
    "_running_mean", "_parameters",
)  # fmt: skip


class Colours(NamedTuple):
    """The colours of a family of operators."""

    fill: str
    line: str
    text: str


FAMILIES = {
    "input": Colours("#ffffff", "#64748b", "#334155"),
    "output": Colours("#ffffff", "#0f172a", "#0f172a"),
    "parameter": Colours("#f8fafc", "#94a3b8", "#475569"),
    "linear": Colours("#dbeafe", "#3b82f6", "#1e3a8a"),
    "normalization": Colours("#ede9fe", "#8b5cf6", "#4c1d95"),
    "activation": Colours("#fef3c7", "#f59e0b", "#78350f"),
    "pooling": Colours("#ccfbf1", "#14b8a6", "#134e4a"),
    "elementwise": Colours("#dcfce7", "#22c55e", "#14532d"),
    "reduction": Colours("#cffafe", "#06b6d4", "#164e63"),
    "shape": Colours("#e5e7eb", "#6b7280", "#1f2937"),
    "loss": Colours("#ffe4e6", "#f43f5e", "#881337"),
    "recurrent": Colours("#e0e7ff", "#6366f1", "#312e81"),
    "random": Colours("#fae8ff", "#d946ef", "#701a75"),
    "custom": Colours("#ffedd5", "#f97316", "#7c2d12"),
    "other": Colours("#f1f5f9", "#475569", "#0f172a"),
    "unknown": Colours("#fff1f2", "#e11d48", "#881337"),
}

_FAMILY_OF = {
    name: family
    for family, names in {
        "linear": "FullyConnected Convolution Deconvolution dot batch_dot Embedding khatri_rao",
        "normalization": "BatchNorm LayerNorm InstanceNorm GroupNorm L2Normalization LRN",
        "activation": "Activation LeakyReLU relu sigmoid tanh softsign hard_sigmoid softrelu gelu",
        "pooling": "Pooling UpSampling ROIPooling BilinearSampler SpatialTransformer",
        "shape": "Concat SliceChannel Flatten Reshape transpose slice slice_axis stack squeeze "
        "expand_dims SwapAxis Pad tile repeat take gather_nd Cast cast",
        "loss": "softmax log_softmax softmin SoftmaxOutput LinearRegressionOutput MakeLoss "
        "LogisticRegressionOutput MAERegressionOutput SVMOutput CTCLoss softmax_cross_entropy",
        "recurrent": "RNN _foreach _while_loop _cond",
        "random": "Dropout",
        "custom": "Custom",
    }.items()
    for name in names.split()
}


def looks_like_parameter(name: str) -> bool:
    """Whether a variable's name looks like that of a weight or another parameter."""
    return name.endswith(_PARAMETER_NAMES)


def family_of(node: Node) -> str:
    """The family of operators, and so the colours, of a node."""
    if node.application is None:
        return "parameter" if looks_like_parameter(node.name) else "input"
    op = node.application.op
    if isinstance(op, Placeholder):
        return "unknown"
    if op.name in _FAMILY_OF:
        return _FAMILY_OF[op.name]
    if op.name.startswith(("_random_", "_sample_")):
        return "random"
    if op.reduction is not None:
        return "reduction"
    if op.is_view:
        return "shape"
    return "elementwise" if op.scalar is not None else "other"
