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
        "linear": "FullyConnected Convolution Deconvolution dot batch_dot Embedding khatri_rao "
        "_linalg_gemm _linalg_gemm2 _np_dot _npi_matmul _npi_tensordot _npi_tensordot_int_axes "
        "_npi_einsum _contrib_interleaved_matmul_selfatt_qk "
        "_contrib_interleaved_matmul_selfatt_valatt _contrib_interleaved_matmul_encdec_qk "
        "_contrib_interleaved_matmul_encdec_valatt _sg_mkldnn_conv _sg_mkldnn_fully_connected "
        "_sg_mkldnn_selfatt_qk _sg_mkldnn_selfatt_valatt",
        "normalization": "BatchNorm LayerNorm InstanceNorm GroupNorm L2Normalization LRN",
        "activation": "Activation LeakyReLU relu sigmoid tanh softsign hard_sigmoid softrelu gelu "
        "softmax log_softmax softmin SoftmaxActivation",
        "pooling": "Pooling UpSampling ROIPooling BilinearSampler SpatialTransformer",
        "shape": "Concat SliceChannel stack Pad tile repeat take gather_nd Cast cast _split_v2 "
        "_npi_concatenate _npi_stack _npi_vstack _npi_hstack _npi_dstack _npi_column_stack "
        "_npi_hsplit _npi_dsplit _npi_pad",
        "loss": "SoftmaxOutput LinearRegressionOutput LogisticRegressionOutput MakeLoss make_loss "
        "MAERegressionOutput SVMOutput CTCLoss softmax_cross_entropy",
        "recurrent": "RNN _foreach _while_loop _cond",
        "random": "Dropout",
        "custom": "Custom",
    }.items()
    for name in names.split()
}


_QUIET = frozenset({
    "Flatten", "Reshape", "transpose", "SwapAxis", "expand_dims", "squeeze", "slice", "slice_axis",
    "slice_like", "_copy", "BlockGrad", "broadcast_to", "broadcast_axis", "broadcast_like",
    "_np_transpose", "_np_moveaxis", "_np_copy", "_np_atleast_1d", "_np_atleast_2d",
    "_np_atleast_3d", "_npi_broadcast_to",
})  # fmt: skip


def is_quiet(node: Node) -> bool:
    """Whether an operator only gives the same numbers another shape: a small box in a picture."""
    if node.application is None or isinstance(node.application.op, Placeholder):
        return False
    return node.application.op.name in _QUIET or node.application.op.is_view


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
    if is_quiet(node):
        return "shape"
    return "elementwise" if op.scalar is not None else "other"
