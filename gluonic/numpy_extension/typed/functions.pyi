"""The functions of numpy_extension that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray

__all__: list[str] = [
    "activation",
    "arange_like",
    "batch_dot",
    "batch_flatten",
    "batch_norm",
    "cast",
    "constraint_check",
    "convolution",
    "deconvolution",
    "dropout",
    "embedding",
    "erf",
    "erfinv",
    "fully_connected",
    "gamma",
    "gammaln",
    "gather_nd",
    "layer_norm",
    "leaky_relu",
    "log_softmax",
    "multibox_detection",
    "multibox_prior",
    "multibox_target",
    "nonzero",
    "npx_nonzero",
    "npx_reshape",
    "one_hot",
    "pick",
    "pooling",
    "relu",
    "reshape",
    "reshape_like",
    "rnn",
    "roi_pooling",
    "sequence_mask",
    "shape_array",
    "sigmoid",
    "slice",
    "smooth_l1",
    "softmax",
    "topk",
]

def activation(
    data: ndarray,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] | str = ...,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Apply an activation function to every element."""

def arange_like(
    data: ndarray,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = '',
    axis: int | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Evenly spaced numbers, as many as `data` has elements, or as the length of one of its axes."""

def batch_dot(
    lhs: ndarray,
    rhs: ndarray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Multiply matrices pairwise: the last two axes are matrices, all others are batch axes."""

def batch_flatten(
    data: ndarray,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

def batch_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    moving_mean: ndarray,
    moving_var: ndarray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool | int = True,
    use_global_stats: bool | int = False,
    output_mean_var: bool | int = False,
    axis: int = 1,
    cudnn_off: bool | int = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> Any:
    """Standardize every channel over the batch, then scale and shift it."""

def cast(
    data: ndarray,
    dtype: DTypeLike = ...,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Convert every element to `dtype`; to integers by dropping the fraction."""

def constraint_check(x: Any, msg: str) -> ndarray:
    """Return True where all elements are true."""

def convolution(
    data: ndarray,
    weight: ndarray | None = None,
    bias: ndarray | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool | int = False,
    cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | str | None = None,
    cudnn_off: bool | int = False,
    layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Slide filters over data: every output is the product of a filter and a window of the data."""

def deconvolution(
    data: ndarray,
    weight: ndarray | None = None,
    bias: ndarray | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    adj: int | Sequence[int] = (),
    target_shape: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool | int = True,
    cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | str | None = None,
    cudnn_off: bool | int = False,
    layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Transpose a convolution: the gradient of its data, as a layer of its own."""

def dropout(
    data: ndarray,
    p: float = 0.5,
    mode: Literal['training', 'always'] | str = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | int | None = False,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Set elements to zero at random, and scale the others so that the mean is kept."""

def embedding(
    data: ndarray,
    weight: ndarray,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool | int = False,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Look up a vector for each number."""

def erf(data: ndarray, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Gauss's error function, of every element."""

def erfinv(data: ndarray, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Inverse of Gauss's error function, of every element."""

def fully_connected(
    data: ndarray,
    weight: ndarray | None = None,
    bias: ndarray | None = None,
    num_hidden: int = ...,
    no_bias: bool | int = False,
    flatten: bool | int = True,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

def gamma(data: ndarray, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Gamma function, of every element."""

def gammaln(data: ndarray, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Logarithm of the absolute value of the gamma function, of every element."""

def gather_nd(
    data: ndarray,
    indices: ndarray,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Gather elements, or slices, at indices along the first axes."""

def layer_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool | int = False,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> Any:
    """Standardize along one axis, then scale and shift (arXiv:1607.06450)."""

def leaky_relu(
    data: ndarray,
    gamma: ndarray | None = None,
    act_type: Literal['rrelu', 'leaky', 'prelu', 'elu', 'selu', 'gelu'] | str = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> Any:
    """Apply a leaky rectifier of a chosen kind, or GELU."""

def log_softmax(
    data: ndarray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The logarithm of `softmax`, computed without underflow of small probabilities."""

def multibox_detection(
    cls_prob: ndarray,
    loc_pred: ndarray,
    anchor: ndarray,
    clip: bool | int = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool | int = False,
    variances: float | Sequence[float] = ...,
    nms_topk: int = -1,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Find the objects that default boxes predict."""

def multibox_prior(
    data: ndarray,
    sizes: float | Sequence[float] = ...,
    ratios: float | Sequence[float] = ...,
    clip: bool | int = False,
    steps: float | Sequence[float] = ...,
    offsets: float | Sequence[float] = ...,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Lay default boxes over an image, some around each pixel of a feature map."""

def multibox_target(
    anchor: ndarray,
    label: ndarray,
    cls_pred: ndarray,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: float | Sequence[float] = ...,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """Find the training targets of default boxes, given the objects in the images."""

def nonzero(a: Any) -> Any:
    """Return the indices of elements that are not 0, a row each, as int64."""

def npx_nonzero(a: Any) -> Any:
    """Return the indices of elements that are not 0, a row each, as int64."""

def npx_reshape(a: Any, newshape: Any, reverse: bool = False, order: str = 'C') -> ndarray:
    """Return the elements under another shape, which may refer to that of `a`."""

def one_hot(
    indices: ndarray,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere."""

def pick(
    data: ndarray,
    index: ndarray,
    axis: int | None = -1,
    keepdims: bool | int = False,
    mode: Literal['clip', 'wrap'] | str = 'clip',
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Pick one element along an axis, for each index of the other axes."""

def pooling(
    data: ndarray,
    kernel: int | Sequence[int] = (),
    pool_type: Literal['max', 'avg', 'sum', 'lp'] | str = 'max',
    global_pool: bool | int = False,
    cudnn_off: bool | int = False,
    pooling_convention: Literal['valid', 'full', 'same'] | str = 'valid',
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    p_value: int | None = None,
    count_include_pad: bool | int | None = None,
    layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Reduce windows of the data, for each channel separately."""

def relu(data: ndarray, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The number, or 0 if it is negative, of every element."""

def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = 'C') -> ndarray:
    """Return the elements under another shape, which may refer to that of `a`."""

def reshape_like(
    lhs: ndarray,
    rhs: ndarray,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`."""

def rnn(
    data: ndarray,
    parameters: ndarray | None = None,
    state: ndarray | None = None,
    state_cell: ndarray | None = None,
    sequence_length: ndarray | None = None,
    state_size: int = ...,
    num_layers: int = ...,
    bidirectional: bool | int = False,
    mode: Literal['rnn_relu', 'rnn_tanh', 'lstm', 'gru'] | str = ...,
    p: float = 0.0,
    state_outputs: bool | int = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool | int = False,
    use_sequence_length: bool | int = False,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> Any:
    """Run a recurrent network of one layer or several over a batch of sequences."""

def roi_pooling(
    data: ndarray,
    rois: ndarray,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Take maxima over the parts of regions of interest."""

def sequence_mask(
    data: ndarray,
    sequence_length: ndarray | None = None,
    use_sequence_length: bool | int = False,
    value: float = 0.0,
    axis: int = 0,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Overwrite elements beyond the end of each sequence."""

def shape_array(
    data: ndarray,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The shape of `data` as an int64 array."""

def sigmoid(data: ndarray, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

def slice(
    data: ndarray,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def smooth_l1(
    data: ndarray,
    scalar: float = 1.0,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The Huber loss of every element: quadratic near 0, linear elsewhere."""

def softmax(
    data: ndarray,
    length: ndarray | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Exponentials of the numbers, scaled so that they sum to one along an axis."""

def topk(
    data: ndarray,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['value', 'indices', 'mask', 'both'] | str = 'indices',
    is_ascend: bool | int = False,
    dtype: DTypeLike = 'float32',
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> Any:
    """Find the k largest elements along an axis, in order."""
