"""Functions of `mx.npx` that MXNet 2.0 adds: older operators on arrays of `mx.np`, and functions over them."""

from collections.abc import Callable
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.mxnet2.numpy import base
from gluonic.mxnet2.traced import while_traced
from gluonic.ndarray.numpy.operators import EAGER
from gluonic.symbol.numpy.operators import SYMBOLIC

# Names in `npx`, and those of the operators.
_OPERATORS = {
    "add_n": "add_n",
    "bipartite_matching": "_contrib_bipartite_matching",
    "box_decode": "_contrib_box_decode",
    "box_encode": "_contrib_box_encode",
    "box_iou": "_contrib_box_iou",
    "box_nms": "_contrib_box_nms",
    "broadcast_greater": "broadcast_greater",
    "broadcast_like": "broadcast_like",
    "ctc_loss": "ctc_loss",
    "deformable_convolution": "_contrib_DeformableConvolution",
    "depth_to_space": "depth_to_space",
    "digamma": "digamma",
    "hard_sigmoid": "hard_sigmoid",
    "instance_norm": "InstanceNorm",
    "interleaved_matmul_encdec_qk": "_contrib_interleaved_matmul_encdec_qk",
    "interleaved_matmul_encdec_valatt": "_contrib_interleaved_matmul_encdec_valatt",
    "interleaved_matmul_selfatt_qk": "_contrib_interleaved_matmul_selfatt_qk",
    "interleaved_matmul_selfatt_valatt": "_contrib_interleaved_matmul_selfatt_valatt",
    "khatri_rao": "khatri_rao",
    "l2_normalization": "L2Normalization",
    "lrn": "LRN",
    "modulated_deformable_convolution": "_contrib_ModulatedDeformableConvolution",
    "norm": "norm",
    "pad": "Pad",
    "quadratic": "_contrib_quadratic",
    "roi_align": "_contrib_ROIAlign",
    "round_ste": "_contrib_round_ste",
    "rsqrt": "rsqrt",
    "scalar_poisson": "_random_poisson",
    "sequence_last": "SequenceLast",
    "sequence_reverse": "SequenceReverse",
    "sign_ste": "_contrib_sign_ste",
    "slice_axis": "slice_axis",
    "slice_channel": "SliceChannel",
    "slice_like": "slice_like",
    "softmin": "softmin",
    "softsign": "softsign",
    "space_to_depth": "space_to_depth",
    "stop_gradient": "BlockGrad",
    "tensor_poisson": "_sample_poisson",
}


def _operator(name: str, operator: str) -> Callable[..., Any]:
    made = while_traced(getattr(EAGER, operator), getattr(SYMBOLIC, operator))
    made.__name__ = made.__qualname__ = name
    made.__module__ = "gluonic.mxnet2.numpy_extension"
    return made


_made = {name: _operator(name, op) for name, op in _OPERATORS.items() if op in REGISTRY}
globals().update(_made)
_np = base.functions
_group_norm = _operator("group_norm", "GroupNorm")
_softmax, _log_softmax = (
    _operator("softmax", "_npx_softmax"),
    _operator("log_softmax", "_npx_log_softmax"),
)


def group_norm(
    data: Any,
    gamma: Any,
    beta: Any,
    num_groups: int = 1,
    eps: float = 1e-3,
    output_mean_var: bool = False,
) -> Any:
    """Normalize groups of channels, and scale and shift each channel.

    Parameters
    ----------
    data : of shape ``(batch, channels, …)``
    gamma, beta : the scale and the shift of each channel
    num_groups : how many groups the channels are divided into
    eps : added to the variance
    output_mean_var : whether mean and variance are returned as well
    """
    return _group_norm(
        data, gamma, beta, num_groups=num_groups, eps=eps, output_mean_var=output_mean_var
    )


def masked_softmax(
    data: Any, mask: Any, axis: int = -1, temperature: float = 1.0, normalize: bool = True
) -> Any:
    """Return the softmax along an axis of the elements where `mask` is true, and 0 elsewhere.

    Parameters
    ----------
    data : any array
    mask : an array that is broadcast to it
    axis : whose elements sum to one
    temperature : what elements are divided by first
    normalize : accepted: the greatest element is subtracted in any case
    """
    kept = _np["broadcast_to"](_truths(mask), data.shape)
    hidden = _np["where"](kept, data, _np["full_like"](data, -1e4 if _is_half(data) else -1e18))
    found = _softmax(hidden, axis=axis, temperature=_or_none(temperature))
    return _np["where"](kept, found, _np["zeros_like"](found))


def masked_log_softmax(
    data: Any, mask: Any, axis: int = -1, temperature: float = 1.0, normalize: bool = True
) -> Any:
    """Return the logarithm of `masked_softmax`, which is minus infinity where `mask` is false."""
    kept = _np["broadcast_to"](_truths(mask), data.shape)
    hidden = _np["where"](kept, data, _np["full_like"](data, -1e4 if _is_half(data) else -1e18))
    found = _log_softmax(hidden, axis=axis, temperature=_or_none(temperature))
    return _np["where"](kept, found, _np["full_like"](found, float("-inf")))


def _truths(mask: Any) -> Any:
    return _np["not_equal"](mask, 0) if str(mask.dtype) != "bool" else mask


def _is_half(data: Any) -> bool:
    return str(data.dtype) == "float16"


def _or_none(temperature: float | None) -> float | None:
    return None if temperature == 1.0 else temperature


_accumulated = (
    _operator("index_add", "_backward_gather_nd") if "_backward_gather_nd" in REGISTRY else None
)
_replaced = _operator("index_update", "_scatter_set_nd")


def index_add(a: Any, ind: Any, val: Any) -> Any:
    """Return the array with values added at indices, all of them where indices are repeated.

    Parameters
    ----------
    a : any array
    ind : for each of its first axes a row of indices
    val : what is added, broadcast to what the indices name
    """
    values = _np["broadcast_to"](val, (*ind.shape[1:], *a.shape[ind.shape[0] :]))
    return _np["add"](a, _accumulated(values, ind, shape=a.shape))  # type: ignore[misc]


def index_update(a: Any, ind: Any, val: Any) -> Any:
    """Return the array with other values at indices; see `index_add`."""
    values = _np["broadcast_to"](val, (*ind.shape[1:], *a.shape[ind.shape[0] :]))
    return _replaced(a, values, ind, shape=a.shape)


def silu(data: Any) -> Any:
    """Return each element times its sigmoid."""
    return _np["multiply"](data, _sigmoid(data))


_sigmoid = _operator("sigmoid", "_npx_sigmoid")

__all__ = [
    *_made, "group_norm", "index_add", "index_update", "masked_log_softmax", "masked_softmax", "silu",
]  # fmt: skip
