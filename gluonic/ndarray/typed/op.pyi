"""The functions of ndarray.op that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray

__all__: list[str] = [
    "Activation",
    "BatchNorm",
    "BatchNorm_v1",
    "BilinearSampler",
    "BlockGrad",
    "CTCLoss",
    "Cast",
    "Concat",
    "Convolution",
    "Convolution_v1",
    "Correlation",
    "Crop",
    "Custom",
    "Deconvolution",
    "Dropout",
    "ElementWiseSum",
    "Embedding",
    "Flatten",
    "FullyConnected",
    "GridGenerator",
    "GroupNorm",
    "IdentityAttachKLSparseReg",
    "InstanceNorm",
    "L2Normalization",
    "LRN",
    "LayerNorm",
    "LeakyReLU",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
    "MakeLoss",
    "Pad",
    "Pooling",
    "Pooling_v1",
    "RNN",
    "ROIPooling",
    "Reshape",
    "SVMOutput",
    "SequenceLast",
    "SequenceMask",
    "SequenceReverse",
    "SliceChannel",
    "Softmax",
    "SoftmaxActivation",
    "SoftmaxOutput",
    "SpatialTransformer",
    "SwapAxis",
    "UpSampling",
    "abs",
    "adam_update",
    "add_n",
    "all_finite",
    "amp_cast",
    "amp_multicast",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "argmax",
    "argmax_channel",
    "argmin",
    "argsort",
    "batch_dot",
    "batch_take",
    "broadcast_add",
    "broadcast_axes",
    "broadcast_axis",
    "broadcast_div",
    "broadcast_equal",
    "broadcast_greater",
    "broadcast_greater_equal",
    "broadcast_hypot",
    "broadcast_lesser",
    "broadcast_lesser_equal",
    "broadcast_like",
    "broadcast_logical_and",
    "broadcast_logical_or",
    "broadcast_logical_xor",
    "broadcast_maximum",
    "broadcast_minimum",
    "broadcast_minus",
    "broadcast_mod",
    "broadcast_mul",
    "broadcast_not_equal",
    "broadcast_plus",
    "broadcast_power",
    "broadcast_sub",
    "broadcast_to",
    "cast",
    "cast_storage",
    "cbrt",
    "ceil",
    "choose_element_0index",
    "clip",
    "col2im",
    "concat",
    "cos",
    "cosh",
    "crop",
    "ctc_loss",
    "cumsum",
    "degrees",
    "depth_to_space",
    "diag",
    "digamma",
    "dot",
    "elemwise_add",
    "elemwise_div",
    "elemwise_mul",
    "elemwise_sub",
    "erf",
    "erfinv",
    "exp",
    "expand_dims",
    "expm1",
    "fill_element_0index",
    "fix",
    "flatten",
    "flip",
    "floor",
    "ftml_update",
    "ftrl_update",
    "gamma",
    "gammaln",
    "gather_nd",
    "hard_sigmoid",
    "identity",
    "im2col",
    "khatri_rao",
    "lamb_update_phase1",
    "lamb_update_phase2",
    "linalg_det",
    "linalg_extractdiag",
    "linalg_extracttrian",
    "linalg_gelqf",
    "linalg_gemm",
    "linalg_gemm2",
    "linalg_inverse",
    "linalg_makediag",
    "linalg_maketrian",
    "linalg_potrf",
    "linalg_potri",
    "linalg_slogdet",
    "linalg_sumlogdiag",
    "linalg_syevd",
    "linalg_syrk",
    "linalg_trmm",
    "linalg_trsm",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logical_not",
    "make_loss",
    "max",
    "max_axis",
    "mean",
    "min",
    "min_axis",
    "moments",
    "mp_lamb_update_phase1",
    "mp_lamb_update_phase2",
    "mp_nag_mom_update",
    "mp_sgd_mom_update",
    "mp_sgd_update",
    "multi_all_finite",
    "multi_lars",
    "multi_mp_sgd_mom_update",
    "multi_mp_sgd_update",
    "multi_sgd_mom_update",
    "multi_sgd_update",
    "multi_sum_sq",
    "nag_mom_update",
    "nanprod",
    "nansum",
    "negative",
    "norm",
    "normal",
    "one_hot",
    "ones_like",
    "pad",
    "pick",
    "preloaded_multi_mp_sgd_mom_update",
    "preloaded_multi_mp_sgd_update",
    "preloaded_multi_sgd_mom_update",
    "preloaded_multi_sgd_update",
    "prod",
    "radians",
    "random_exponential",
    "random_gamma",
    "random_generalized_negative_binomial",
    "random_negative_binomial",
    "random_normal",
    "random_pdf_dirichlet",
    "random_pdf_exponential",
    "random_pdf_gamma",
    "random_pdf_generalized_negative_binomial",
    "random_pdf_negative_binomial",
    "random_pdf_normal",
    "random_pdf_poisson",
    "random_pdf_uniform",
    "random_poisson",
    "random_randint",
    "random_uniform",
    "ravel_multi_index",
    "rcbrt",
    "reciprocal",
    "relu",
    "repeat",
    "reset_arrays",
    "reshape",
    "reshape_like",
    "reverse",
    "rint",
    "rmsprop_update",
    "rmspropalex_update",
    "round",
    "rsqrt",
    "sample_exponential",
    "sample_gamma",
    "sample_generalized_negative_binomial",
    "sample_multinomial",
    "sample_negative_binomial",
    "sample_normal",
    "sample_poisson",
    "sample_uniform",
    "scatter_nd",
    "sgd_mom_update",
    "sgd_update",
    "shape_array",
    "shuffle",
    "sigmoid",
    "sign",
    "signsgd_update",
    "signum_update",
    "sin",
    "sinh",
    "size_array",
    "slice",
    "slice_axis",
    "slice_like",
    "smooth_l1",
    "softmax",
    "softmax_cross_entropy",
    "softmin",
    "softsign",
    "sort",
    "space_to_depth",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "sum",
    "sum_axis",
    "swapaxes",
    "take",
    "tan",
    "tanh",
    "tile",
    "topk",
    "transpose",
    "trunc",
    "uniform",
    "unravel_index",
    "where",
    "zeros_like",
]

def Activation(
    data: NDArray,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] | str = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Apply an activation function to every element."""

def BatchNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool | int = True,
    use_global_stats: bool | int = False,
    output_mean_var: bool | int = False,
    axis: int = 1,
    cudnn_off: bool | int = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Standardize every channel over the batch, then scale and shift it."""

def BatchNorm_v1(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool | int = True,
    use_global_stats: bool | int = False,
    output_mean_var: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Standardize every channel over the batch, as BatchNorm does, which supersedes it."""

def BilinearSampler(
    data: NDArray,
    grid: NDArray,
    cudnn_off: bool | int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Sample images at given positions, interpolating between four pixels; outside they are zero."""

def BlockGrad(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The input itself; no gradient passes."""

def CTCLoss(
    data: NDArray,
    label: NDArray | None = None,
    data_lengths: NDArray | None = None,
    label_lengths: NDArray | None = None,
    use_data_lengths: bool | int = False,
    use_label_lengths: bool | int = False,
    blank_label: Literal['first', 'last'] | str = 'first',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The loss of sequences whose labels are not aligned with their steps."""

def Cast(
    data: NDArray,
    dtype: DTypeLike = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Convert every element to `dtype`; to integers by dropping the fraction."""

def Concat(
    *arg: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Join arrays along an axis."""

def Convolution(
    data: NDArray,
    weight: NDArray | None = None,
    bias: NDArray | None = None,
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
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Slide filters over data: every output is the product of a filter and a window of the data."""

def Convolution_v1(
    data: NDArray,
    weight: NDArray | None = None,
    bias: NDArray | None = None,
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
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Slide filters over data: every output is the product of a filter and a window of the data."""

def Correlation(
    data1: NDArray,
    data2: NDArray,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Compare patches of one image with displaced patches of another (arXiv:1504.06852)."""

def Crop(
    *arg: NDArray,
    num_args: int = ...,
    offset: int | Sequence[int] = (0, 0),
    h_w: int | Sequence[int] = (0, 0),
    center_crop: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Crop images to a window (for old models; `slice` and `slice_like` do more)."""

def Custom(
    *data: NDArray,
    op_type: str = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
    **settings: Any,
) -> Any:
    """Run an operator written in Python."""

def Deconvolution(
    data: NDArray,
    weight: NDArray | None = None,
    bias: NDArray | None = None,
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
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Transpose a convolution: the gradient of its data, as a layer of its own."""

def Dropout(
    data: NDArray,
    p: float = 0.5,
    mode: Literal['training', 'always'] | str = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | int | None = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Set elements to zero at random, and scale the others so that the mean is kept."""

def ElementWiseSum(
    *args: NDArray,
    num_args: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of all inputs, which have one shape."""

def Embedding(
    data: NDArray,
    weight: NDArray,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Look up a vector for each number."""

def Flatten(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

def FullyConnected(
    data: NDArray,
    weight: NDArray | None = None,
    bias: NDArray | None = None,
    num_hidden: int = ...,
    no_bias: bool | int = False,
    flatten: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

def GridGenerator(
    data: NDArray,
    transform_type: Literal['affine', 'warp'] | str = ...,
    target_shape: int | Sequence[int] = (0, 0),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Make a grid of positions to sample."""

def GroupNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    num_groups: int = 1,
    eps: float = 1e-05,
    output_mean_var: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Standardize groups of channels of every instance, then scale and shift (arXiv:1803.08494)."""

def IdentityAttachKLSparseReg(
    data: NDArray,
    moving_avg: NDArray,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The identity, with the gradient of a penalty on mean activations that differ from a target."""

def InstanceNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    eps: float = 0.001,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Standardize every channel of every instance, then scale and shift (arXiv:1607.08022)."""

def L2Normalization(
    data: NDArray,
    eps: float = 1e-10,
    mode: Literal['instance', 'spatial', 'channel'] | str = 'instance',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Divide vectors by their Euclidean norm: ``x / sqrt(Σ x² + eps)``."""

def LRN(
    data: NDArray,
    alpha: float = 0.0001,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Divide each number by a power of the sum of squares over the channels around it."""

def LayerNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Standardize along one axis, then scale and shift (arXiv:1607.06450)."""

def LeakyReLU(
    data: NDArray,
    gamma: NDArray | None = None,
    act_type: Literal['rrelu', 'leaky', 'prelu', 'elu', 'selu', 'gelu'] | str = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Apply a leaky rectifier of a chosen kind, or GELU."""

def LinearRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The identity, with the gradient of the squared error."""

def LogisticRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The logistic function, with the gradient of the binary cross entropy."""

def MAERegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The identity, with the gradient of the absolute error."""

def MakeLoss(
    data: NDArray,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal['batch', 'null', 'valid'] | str = 'null',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The input itself, as a loss: its gradient is a constant, whatever gradient flows in."""

def Pad(
    data: NDArray,
    mode: Literal['constant', 'edge', 'reflect'] | str = ...,
    pad_width: int | Sequence[int] = ...,
    constant_value: float = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Add a border."""

def Pooling(
    data: NDArray,
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
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Reduce windows of the data, for each channel separately."""

def Pooling_v1(
    data: NDArray,
    kernel: int | Sequence[int] = (),
    pool_type: Literal['max', 'avg', 'sum'] | str = 'max',
    global_pool: bool | int = False,
    pooling_convention: Literal['valid', 'full'] | str = 'valid',
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Reduce windows of the data; superseded by Pooling, and kept for old files."""

def RNN(
    data: NDArray,
    parameters: NDArray | None = None,
    state: NDArray | None = None,
    state_cell: NDArray | None = None,
    sequence_length: NDArray | None = None,
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
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Run a recurrent network of one layer or several over a batch of sequences."""

def ROIPooling(
    data: NDArray,
    rois: NDArray,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take maxima over the parts of regions of interest."""

def Reshape(
    data: NDArray,
    shape: int | Sequence[int] = (),
    reverse: bool | int = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Give the elements another shape."""

def SVMOutput(
    data: NDArray,
    label: NDArray,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The identity, with the gradient of the hinge loss of one-vs-rest support vector machines."""

def SequenceLast(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool | int = False,
    axis: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take the last step of each sequence."""

def SequenceMask(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool | int = False,
    value: float = 0.0,
    axis: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Overwrite elements beyond the end of each sequence."""

def SequenceReverse(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool | int = False,
    axis: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Reverse each sequence; elements beyond its end are unchanged."""

def SliceChannel(
    data: NDArray,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Split an array into equal parts."""

def Softmax(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool | int = False,
    use_ignore: bool | int = False,
    preserve_shape: bool | int = False,
    normalization: Literal['null', 'batch', 'valid'] | str = 'null',
    out_grad: bool | int = False,
    smooth_alpha: float = 0.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Softmax, with the gradient of the cross entropy against `label`."""

def SoftmaxActivation(
    data: NDArray,
    mode: Literal['instance', 'channel'] | str = 'instance',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Softmax along the last axis, or along the channels; superseded by `softmax`."""

def SoftmaxOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool | int = False,
    use_ignore: bool | int = False,
    preserve_shape: bool | int = False,
    normalization: Literal['null', 'batch', 'valid'] | str = 'null',
    out_grad: bool | int = False,
    smooth_alpha: float = 0.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Softmax, with the gradient of the cross entropy against `label`."""

def SpatialTransformer(
    data: NDArray,
    loc: NDArray,
    target_shape: int | Sequence[int] = (0, 0),
    transform_type: Literal['affine'] | str = ...,
    sampler_type: Literal['bilinear'] | str = ...,
    cudnn_off: bool | int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Transform images by matrices: `BilinearSampler` on the grids of `GridGenerator`."""

def SwapAxis(
    data: NDArray,
    dim1: int = 0,
    dim2: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exchange two axes."""

def UpSampling(
    *args: NDArray,
    scale: int = ...,
    num_filter: int = 0,
    sample_type: Literal['nearest', 'bilinear'] | str = ...,
    multi_input_mode: Literal['concat', 'sum'] | str = 'concat',
    num_args: int = 1,
    workspace: int = 512,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Enlarge images: repeat pixels, or interpolate between them by a transposed convolution."""

def abs(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Absolute value, of every element."""

def adam_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of Adam without bias correction, which is the caller's (in `lr`)."""

def add_n(
    *args: NDArray,
    num_args: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of all inputs, which have one shape."""

def all_finite(
    data: NDArray,
    init_output: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 if no element is infinite or NaN, else 0, as a float32 array of shape (1,)."""

def amp_cast(
    data: NDArray,
    dtype: DTypeLike = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Cast floating numbers to `dtype`; leave other dtypes unchanged."""

def amp_multicast(
    *data: NDArray,
    num_outputs: int = ...,
    cast_narrow: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Cast all floating inputs to the widest floating dtype among them, or to the narrowest."""

def arccos(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse cosine, in radians, of every element."""

def arccosh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse hyperbolic cosine, of every element."""

def arcsin(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse sine, in radians, of every element."""

def arcsinh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse hyperbolic sine, of every element."""

def arctan(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse tangent, in radians, of every element."""

def arctanh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse hyperbolic tangent, of every element."""

def argmax(
    data: NDArray,
    axis: int | None = None,
    keepdims: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The index of the largest element."""

def argmax_channel(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The index of the largest element along axis 1, in the dtype of `data`."""

def argmin(
    data: NDArray,
    axis: int | None = None,
    keepdims: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The index of the smallest element."""

def argsort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool | int = True,
    dtype: DTypeLike = 'float32',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Find the indices that sort an array along an axis; equal elements keep their order."""

def batch_dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply matrices pairwise: the last two axes are matrices, all others are batch axes."""

def batch_take(
    a: NDArray,
    indices: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Pick one element of each row: ``output[i] = a[i, indices[i]]`` (`pick` does more)."""

def broadcast_add(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_axes(
    data: NDArray,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Repeat each `axis` of `data`, of length one, `size` times."""

def broadcast_axis(
    data: NDArray,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Repeat each `axis` of `data`, of length one, `size` times."""

def broadcast_div(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs / rhs``, for integers rounded towards zero, repeating axes of length one."""

def broadcast_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where ``lhs == rhs``, else 0, repeating axes of length one."""

def broadcast_greater(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where ``lhs > rhs``, else 0, repeating axes of length one."""

def broadcast_greater_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where ``lhs >= rhs``, else 0, repeating axes of length one."""

def broadcast_hypot(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``sqrt(lhs**2 + rhs**2)``, repeating axes of length one."""

def broadcast_lesser(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where ``lhs < rhs``, else 0, repeating axes of length one."""

def broadcast_lesser_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where ``lhs <= rhs``, else 0, repeating axes of length one."""

def broadcast_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_axes: int | Sequence[int] | None = None,
    rhs_axes: int | Sequence[int] | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Repeat the axes of length one of `lhs` until it has the shape of `rhs`."""

def broadcast_logical_and(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where neither `lhs` nor `rhs` is 0, else 0, repeating axes of length one."""

def broadcast_logical_or(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where `lhs` or `rhs` is not 0, else 0, repeating axes of length one."""

def broadcast_logical_xor(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where exactly one of `lhs` and `rhs` is 0, else 0, repeating axes of length one."""

def broadcast_maximum(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The larger of `lhs` and `rhs`, NaN where either is, repeating axes of length one."""

def broadcast_minimum(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The smaller of `lhs` and `rhs`, NaN where either is, repeating axes of length one."""

def broadcast_minus(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs - rhs``, repeating axes of length one."""

def broadcast_mod(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The remainder of ``lhs / rhs`` with the sign of `rhs`, and 0 where `rhs` is 0, repeating axes of length one."""

def broadcast_mul(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs * rhs``, repeating axes of length one."""

def broadcast_not_equal(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where ``lhs != rhs``, else 0, repeating axes of length one."""

def broadcast_plus(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_power(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs ** rhs``, repeating axes of length one."""

def broadcast_sub(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs - rhs``, repeating axes of length one."""

def broadcast_to(
    data: NDArray,
    shape: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Repeat the axes of length one of `data` until it has the given shape; 0 keeps an axis."""

def cast(
    data: NDArray,
    dtype: DTypeLike = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Convert every element to `dtype`; to integers by dropping the fraction."""

def cast_storage(
    data: NDArray,
    stype: Literal['default', 'row_sparse', 'csr'] | str = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Return the elements in another storage type."""

def cbrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Cube root, of every element."""

def ceil(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The next integer upwards, of every element."""

def choose_element_0index(
    data: NDArray,
    index: NDArray,
    axis: int | None = -1,
    keepdims: bool | int = False,
    mode: Literal['clip', 'wrap'] | str = 'clip',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Pick one element along an axis, for each index of the other axes."""

def clip(
    data: NDArray,
    a_min: float = ...,
    a_max: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

def col2im(
    data: NDArray,
    output_size: int | Sequence[int] = ...,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Add columns at the positions of their windows; the transpose of `im2col`."""

def concat(
    *arg: NDArray,
    num_args: int = ...,
    dim: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Join arrays along an axis."""

def cos(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Cosine, of every element."""

def cosh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Hyperbolic cosine, of every element."""

def crop(
    data: NDArray,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def ctc_loss(
    data: NDArray,
    label: NDArray | None = None,
    data_lengths: NDArray | None = None,
    label_lengths: NDArray | None = None,
    use_data_lengths: bool | int = False,
    use_label_lengths: bool | int = False,
    blank_label: Literal['first', 'last'] | str = 'first',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The loss of sequences whose labels are not aligned with their steps."""

def cumsum(
    a: NDArray,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Cumulative sums."""

def degrees(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Radians converted to degrees, of every element."""

def depth_to_space(
    data: NDArray,
    block_size: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Move blocks of channels into height and width."""

def diag(
    data: NDArray,
    k: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Extract a diagonal, or make a matrix from one."""

def digamma(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Derivative of `gammaln`, of every element."""

def dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply two matrices, or vectors, or arrays along one axis of each."""

def elemwise_add(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs + rhs``, element by element."""

def elemwise_div(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs / rhs``, for integers rounded towards zero, element by element."""

def elemwise_mul(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs * rhs``, element by element."""

def elemwise_sub(
    lhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``lhs - rhs``, element by element."""

def erf(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gauss's error function, of every element."""

def erfinv(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Inverse of Gauss's error function, of every element."""

def exp(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Exponential, of every element."""

def expand_dims(
    data: NDArray,
    axis: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Insert an axis of length one before `axis`; -1 appends it."""

def expm1(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``exp(x) - 1``, exact for small numbers, of every element."""

def fill_element_0index(
    lhs: NDArray,
    mhs: NDArray,
    rhs: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Replace one element of each row: ``lhs[i, rhs[i]] = mhs[i]``."""

def fix(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The next integer towards 0, of every element."""

def flatten(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

def flip(
    data: NDArray,
    axis: int | Sequence[int] = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Reverse the order of the elements along one or several axes."""

def floor(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The next integer downwards, of every element."""

def ftml_update(
    weight: NDArray,
    grad: NDArray,
    d: NDArray,
    v: NDArray,
    z: NDArray,
    lr: float = ...,
    beta1: float = 0.6,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    t: int = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of FTML, the `t`-th (Zheng and Kwok, Follow the Moving Leader in Deep Learning, 2017)."""

def ftrl_update(
    weight: NDArray,
    grad: NDArray,
    z: NDArray,
    n: NDArray,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013)."""

def gamma(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Gamma function, of every element."""

def gammaln(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Logarithm of the absolute value of the gamma function, of every element."""

def gather_nd(
    data: NDArray,
    indices: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Gather elements, or slices, at indices along the first axes."""

def hard_sigmoid(
    data: NDArray,
    alpha: float = 0.2,
    beta: float = 0.5,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``alpha * x + beta``, at least 0 and at most 1."""

def identity(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The input itself."""

def im2col(
    data: NDArray,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Copy each window into a column."""

def khatri_rao(
    *arg: NDArray,
    num_args: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply matrices column by column: column j is the Kronecker product of their columns j."""

def lamb_update_phase1(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int = ...,
    bias_correction: bool | int = True,
    wd: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The direction of the `t`-th step of LAMB (You et al., Reducing BERT Pre-Training Time, 2019)."""

def lamb_update_phase2(
    weight: NDArray,
    g: NDArray,
    r1: NDArray,
    r2: NDArray,
    lr: float = ...,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of LAMB along the direction `g`: ``weight - lr * r1 / r2 * g``."""

def linalg_det(A: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""

def linalg_extractdiag(
    A: NDArray,
    offset: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take a diagonal of square matrices, `offset` diagonals above the main one."""

def linalg_extracttrian(
    A: NDArray,
    offset: int = 0,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take a triangle of square matrices as a vector, row by row."""

def linalg_gelqf(
    A: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """Find the LQ factorization ``A = L · Q``."""

def linalg_gemm(
    A: NDArray,
    B: NDArray,
    C: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply and add matrices: ``alpha · A · B + beta · C``."""

def linalg_gemm2(
    A: NDArray,
    B: NDArray,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    axis: int = -2,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply matrices: ``alpha · A · B``."""

def linalg_inverse(
    A: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Invert square matrices."""

def linalg_makediag(
    A: NDArray,
    offset: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""

def linalg_maketrian(
    A: NDArray,
    offset: int = 0,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""

def linalg_potrf(
    A: NDArray,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``."""

def linalg_potri(
    A: NDArray,
    lower: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Invert matrices, given their Cholesky factors."""

def linalg_slogdet(
    A: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """Find the signs of determinants and the logarithms of their absolute values."""

def linalg_sumlogdiag(
    A: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""

def linalg_syevd(
    A: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``."""

def linalg_syrk(
    A: NDArray,
    transpose: bool | int = False,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""

def linalg_trmm(
    A: NDArray,
    B: NDArray,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``."""

def linalg_trsm(
    A: NDArray,
    B: NDArray,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``."""

def log(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Natural logarithm, of every element."""

def log10(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Logarithm to base 10, of every element."""

def log1p(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``log(1 + x)``, exact for small numbers, of every element."""

def log2(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Logarithm to base 2, of every element."""

def log_softmax(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The logarithm of `softmax`, computed without underflow of small probabilities."""

def logical_not(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 where the number is 0, else 0, of every element."""

def make_loss(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The input itself, as a loss: its gradient is always 1."""

def max(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The largest element over the given axes."""

def max_axis(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The largest element over the given axes."""

def mean(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The arithmetic mean over the given axes."""

def min(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The smallest element over the given axes."""

def min_axis(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The smallest element over the given axes."""

def moments(
    data: NDArray,
    axes: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The mean and the variance over the given axes; for integers, around the truncated mean."""

def mp_lamb_update_phase1(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int = ...,
    bias_correction: bool | int = True,
    wd: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """As `lamb_update_phase1`, with the weight in float32, kept in `weight32`."""

def mp_lamb_update_phase2(
    weight: NDArray,
    g: NDArray,
    r1: NDArray,
    r2: NDArray,
    weight32: NDArray,
    lr: float = ...,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """As `lamb_update_phase2`, with the weight in float32, kept in `weight32`."""

def mp_nag_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    weight32: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """As `nag_mom_update`, with the weight in float32, kept in `weight32`."""

def mp_sgd_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    weight32: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """As `sgd_mom_update`, with the weight in float32, kept in `weight32`."""

def mp_sgd_update(
    weight: NDArray,
    grad: NDArray,
    weight32: NDArray,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """As `sgd_update`, with the weight in float32, kept in `weight32`."""

def multi_all_finite(
    *data: NDArray,
    num_arrays: int = 1,
    init_output: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 if no element of any array is infinite or NaN, else 0, as a float32 array of shape (1,)."""

def multi_lars(
    lrs: NDArray,
    weights_sum_sq: NDArray,
    grads_sum_sq: NDArray,
    wds: NDArray,
    eta: float = ...,
    eps: float = ...,
    rescale_grad: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The learning rate of each layer by LARS, from the sums of squares of weights and gradients."""

def multi_mp_sgd_mom_update(
    *data: NDArray,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`mp_sgd_mom_update` for several weights."""

def multi_mp_sgd_update(
    *data: NDArray,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`mp_sgd_update` for several weights."""

def multi_sgd_mom_update(
    *data: NDArray,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`sgd_mom_update` for several weights."""

def multi_sgd_update(
    *data: NDArray,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`sgd_update` for several weights."""

def multi_sum_sq(
    *data: NDArray,
    num_arrays: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of squares of each array, as a float32 array of shape (num_arrays,)."""

def nag_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of Nesterov's accelerated gradient descent."""

def nanprod(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product of the elements that are not NaN over the given axes."""

def nansum(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of the elements that are not NaN over the given axes."""

def negative(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The negated number, of every element."""

def norm(
    data: NDArray,
    ord: Literal[2, 1] = 2,
    axis: int | Sequence[int] | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; float32 unless `dtype` says otherwise."""

def one_hot(
    indices: NDArray,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere."""

def ones_like(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Ones, as many as `data` has elements."""

def pad(
    data: NDArray,
    mode: Literal['constant', 'edge', 'reflect'] | str = ...,
    pad_width: int | Sequence[int] = ...,
    constant_value: float = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Add a border."""

def pick(
    data: NDArray,
    index: NDArray,
    axis: int | None = -1,
    keepdims: bool | int = False,
    mode: Literal['clip', 'wrap'] | str = 'clip',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Pick one element along an axis, for each index of the other axes."""

def preloaded_multi_mp_sgd_mom_update(
    *data: NDArray,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`mp_sgd_mom_update` for several weights. The last 2 inputs are lrs and wds."""

def preloaded_multi_mp_sgd_update(
    *data: NDArray,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`mp_sgd_update` for several weights. The last 2 inputs are lrs and wds."""

def preloaded_multi_sgd_mom_update(
    *data: NDArray,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`sgd_mom_update` for several weights. The last 2 inputs are lrs and wds."""

def preloaded_multi_sgd_update(
    *data: NDArray,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """`sgd_update` for several weights. The last 2 inputs are lrs and wds."""

def prod(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product over the given axes."""

def radians(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Degrees converted to radians, of every element."""

def random_exponential(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; float32 unless `dtype` says otherwise."""

def random_gamma(
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Gamma distributed numbers of shape `alpha` and scale `beta`; float32 unless `dtype` says otherwise."""

def random_generalized_negative_binomial(
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; float32 unless `dtype` says otherwise."""

def random_negative_binomial(
    k: int = 1,
    p: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The number of successes, of probability ``1 - p``, before `k` failures; float32 unless `dtype` says otherwise."""

def random_normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; float32 unless `dtype` says otherwise."""

def random_pdf_dirichlet(
    sample: NDArray,
    alpha: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from Dirichlet distributions."""

def random_pdf_exponential(
    sample: NDArray,
    lam: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: exponential of rate `lam`."""

def random_pdf_gamma(
    sample: NDArray,
    alpha: NDArray,
    beta: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: gamma of shape `alpha` and rate `beta`."""

def random_pdf_generalized_negative_binomial(
    sample: NDArray,
    mu: NDArray,
    alpha: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: negative binomial of mean `mu` and variance ``mu + alpha * mu**2``."""

def random_pdf_negative_binomial(
    sample: NDArray,
    k: NDArray,
    p: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: the number of successes, of probability ``1 - p``, before `k` failures."""

def random_pdf_normal(
    sample: NDArray,
    mu: NDArray,
    sigma: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: normal with mean `mu` and standard deviation `sigma`."""

def random_pdf_poisson(
    sample: NDArray,
    lam: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: Poisson of mean `lam`."""

def random_pdf_uniform(
    sample: NDArray,
    low: NDArray,
    high: NDArray,
    is_log: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The density of samples from a distribution: uniform between `low` and `high`; the density is the same outside."""

def random_poisson(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Poisson distributed numbers of mean `lam`; float32 unless `dtype` says otherwise."""

def random_randint(
    low: int = ...,
    high: int = ...,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Integers from `low` (included) to `high` (excluded); int32 unless `dtype` says int64."""

def random_uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; float32 unless `dtype` says otherwise."""

def ravel_multi_index(
    data: NDArray,
    shape: int | Sequence[int] | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Return the flat, row-major indices of elements in an array of the given shape."""

def rcbrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / cbrt(x)``, of every element."""

def reciprocal(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """``1 / x``, of every element."""

def relu(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The number, or 0 if it is negative, of every element."""

def repeat(
    data: NDArray,
    repeats: int = ...,
    axis: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Repeat each element `repeats` times along an axis; None flattens the array first."""

def reset_arrays(
    *data: NDArray,
    num_arrays: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """Set all elements of some arrays to 0, in place; there is no output."""

def reshape(
    data: NDArray,
    shape: int | Sequence[int] = (),
    reverse: bool | int = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Give the elements another shape."""

def reshape_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`."""

def reverse(
    data: NDArray,
    axis: int | Sequence[int] = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Reverse the order of the elements along one or several axes."""

def rint(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The nearest integer; ties are rounded down, of every element."""

def rmsprop_update(
    weight: NDArray,
    grad: NDArray,
    n: NDArray,
    lr: float = ...,
    gamma1: float = 0.95,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of RMSProp (Tieleman and Hinton, 2012)."""

def rmspropalex_update(
    weight: NDArray,
    grad: NDArray,
    n: NDArray,
    g: NDArray,
    delta: NDArray,
    lr: float = ...,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of RMSProp with momentum (Graves, Generating Sequences With Recurrent Networks, 2013)."""

def round(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The nearest integer; ties are rounded away from 0, of every element."""

def rsqrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``1 / sqrt(x)``, of every element."""

def sample_exponential(
    lam: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; `shape` of them for each element of the parameters."""

def sample_gamma(
    alpha: NDArray,
    beta: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Gamma distributed numbers of shape `alpha` and scale `beta`; `shape` of them for each element of the parameters."""

def sample_generalized_negative_binomial(
    mu: NDArray,
    alpha: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; `shape` of them for each element of the parameters."""

def sample_multinomial(
    data: NDArray,
    shape: int | Sequence[int] = (),
    get_prob: bool | int = False,
    dtype: DTypeLike = 'int32',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Draw categories from categorical distributions."""

def sample_negative_binomial(
    k: NDArray,
    p: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The number of successes, of probability ``1 - p``, before `k` failures; `shape` of them for each element of the parameters."""

def sample_normal(
    mu: NDArray,
    sigma: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; `shape` of them for each element of the parameters."""

def sample_poisson(
    lam: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Poisson distributed numbers of mean `lam`; `shape` of them for each element of the parameters."""

def sample_uniform(
    low: NDArray,
    high: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; `shape` of them for each element of the parameters."""

def scatter_nd(
    data: NDArray,
    indices: NDArray,
    shape: int | Sequence[int] = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Write elements, or slices, to given positions in an array of zeros."""

def sgd_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of gradient descent with momentum."""

def sgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""

def shape_array(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The shape of `data` as an int64 array."""

def shuffle(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The input, with its rows (along the first axis) in random order."""

def sigmoid(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

def sign(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """1 for positive numbers, -1 for negative ones, else 0, of every element."""

def signsgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step along the signs of the gradient: ``(1 - lr * wd) * weight - lr * sign(grad)``."""

def signum_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step along the signs of a running mean of the gradient."""

def sin(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Sine, of every element."""

def sinh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Hyperbolic sine, of every element."""

def size_array(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The number of elements of `data` as an int64 array of shape (1,)."""

def slice(
    data: NDArray,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def slice_axis(
    data: NDArray,
    axis: int = ...,
    begin: int = ...,
    end: int | None = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take the elements ``begin:end`` along one axis."""

def slice_like(
    data: NDArray,
    shape_like: NDArray,
    axes: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Slice an array to the lengths of another."""

def smooth_l1(
    data: NDArray,
    scalar: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The Huber loss of every element: quadratic near 0, linear elsewhere."""

def softmax(
    data: NDArray,
    length: NDArray | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exponentials of the numbers, scaled so that they sum to one along an axis."""

def softmax_cross_entropy(
    data: NDArray,
    label: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The cross entropy of softmax probabilities, summed over the batch."""

def softmin(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The `softmax` of the negated numbers: the smallest number gets the largest share."""

def softsign(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``x / (1 + abs(x))``, of every element."""

def sort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool | int = True,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Sort along an axis; equal elements keep their order."""

def space_to_depth(
    data: NDArray,
    block_size: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Move blocks of height and width into channels: the inverse of `depth_to_space`."""

def split(
    data: NDArray,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Split an array into equal parts."""

def sqrt(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Square root, of every element."""

def square(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """``x * x``, of every element."""

def squeeze(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Drop axes of length one: all of them, or those in `axis`; at least one axis remains."""

def stack(
    *arg: NDArray,
    axis: int = 0,
    num_args: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Join arrays of one shape along a new axis."""

def stop_gradient(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The input itself; no gradient passes."""

def sum(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum over the given axes."""

def sum_axis(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum over the given axes."""

def swapaxes(
    data: NDArray,
    dim1: int = 0,
    dim2: int = 0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exchange two axes."""

def take(
    a: NDArray,
    indices: NDArray,
    axis: int = 0,
    mode: Literal['clip', 'wrap', 'raise'] | str = 'clip',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Take slices along an axis, in the order of `indices`."""

def tan(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Tangent, of every element."""

def tanh(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Hyperbolic tangent, of every element."""

def tile(
    data: NDArray,
    reps: int | Sequence[int] = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Put copies of the array side by side: ``reps[-1]`` along the last axis, and so on."""

def topk(
    data: NDArray,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['value', 'indices', 'mask', 'both'] | str = 'indices',
    is_ascend: bool | int = False,
    dtype: DTypeLike = 'float32',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> Any:
    """Find the k largest elements along an axis, in order."""

def transpose(
    data: NDArray,
    axes: int | Sequence[int] = (),
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Permute the axes: axis i of the result is axis ``axes[i]`` of `data`; the default reverses them."""

def trunc(data: NDArray, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """The integer without the fraction, of every element."""

def uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; float32 unless `dtype` says otherwise."""

def unravel_index(
    data: NDArray,
    shape: int | Sequence[int] | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Return the indices of elements from their flat indices; the inverse of `ravel_multi_index`."""

def where(
    condition: NDArray,
    x: NDArray,
    y: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Elements of `x` where `condition` is not 0, of `y` elsewhere."""

def zeros_like(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Zeros, as many as `data` has elements."""
