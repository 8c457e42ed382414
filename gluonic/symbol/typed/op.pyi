"""The functions of symbol.op that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol

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
    data: Symbol | None = None,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] | str = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Apply an activation function to every element."""

def BatchNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool | int = True,
    use_global_stats: bool | int = False,
    output_mean_var: bool | int = False,
    axis: int = 1,
    cudnn_off: bool | int = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Standardize every channel over the batch, then scale and shift it."""

def BatchNorm_v1(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool | int = True,
    use_global_stats: bool | int = False,
    output_mean_var: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Standardize every channel over the batch, as BatchNorm does, which supersedes it."""

def BilinearSampler(
    data: Symbol | None = None,
    grid: Symbol | None = None,
    cudnn_off: bool | int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Sample images at given positions, interpolating between four pixels; outside they are zero."""

def BlockGrad(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself; no gradient passes."""

def CTCLoss(
    data: Symbol | None = None,
    label: Symbol | None = None,
    data_lengths: Symbol | None = None,
    label_lengths: Symbol | None = None,
    use_data_lengths: bool | int = False,
    use_label_lengths: bool | int = False,
    blank_label: Literal['first', 'last'] | str = 'first',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The loss of sequences whose labels are not aligned with their steps."""

def Cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Convert every element to `dtype`; to integers by dropping the fraction."""

def Concat(
    *arg: Symbol,
    num_args: int = ...,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join arrays along an axis."""

def Convolution(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Slide filters over data: every output is the product of a filter and a window of the data."""

def Convolution_v1(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Slide filters over data: every output is the product of a filter and a window of the data."""

def Correlation(
    data1: Symbol | None = None,
    data2: Symbol | None = None,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Compare patches of one image with displaced patches of another (arXiv:1504.06852)."""

def Crop(
    *arg: Symbol,
    num_args: int = ...,
    offset: int | Sequence[int] = (0, 0),
    h_w: int | Sequence[int] = (0, 0),
    center_crop: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Crop images to a window (for old models; `slice` and `slice_like` do more)."""

def Custom(
    *data: Symbol,
    op_type: str = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **settings: Any,
) -> Symbol:
    """Run an operator written in Python."""

def Deconvolution(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Transpose a convolution: the gradient of its data, as a layer of its own."""

def Dropout(
    data: Symbol | None = None,
    p: float = 0.5,
    mode: Literal['training', 'always'] | str = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | int | None = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Set elements to zero at random, and scale the others so that the mean is kept."""

def ElementWiseSum(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of all inputs, which have one shape."""

def Embedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Look up a vector for each number."""

def Flatten(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

def FullyConnected(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool | int = False,
    flatten: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

def GridGenerator(
    data: Symbol | None = None,
    transform_type: Literal['affine', 'warp'] | str = ...,
    target_shape: int | Sequence[int] = (0, 0),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Make a grid of positions to sample."""

def GroupNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    num_groups: int = 1,
    eps: float = 1e-05,
    output_mean_var: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Standardize groups of channels of every instance, then scale and shift (arXiv:1803.08494)."""

def IdentityAttachKLSparseReg(
    data: Symbol | None = None,
    moving_avg: Symbol | None = None,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The identity, with the gradient of a penalty on mean activations that differ from a target."""

def InstanceNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    eps: float = 0.001,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Standardize every channel of every instance, then scale and shift (arXiv:1607.08022)."""

def L2Normalization(
    data: Symbol | None = None,
    eps: float = 1e-10,
    mode: Literal['instance', 'spatial', 'channel'] | str = 'instance',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Divide vectors by their Euclidean norm: ``x / sqrt(Σ x² + eps)``."""

def LRN(
    data: Symbol | None = None,
    alpha: float = 0.0001,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Divide each number by a power of the sum of squares over the channels around it."""

def LayerNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Standardize along one axis, then scale and shift (arXiv:1607.06450)."""

def LeakyReLU(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    act_type: Literal['rrelu', 'leaky', 'prelu', 'elu', 'selu', 'gelu'] | str = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Apply a leaky rectifier of a chosen kind, or GELU."""

def LinearRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The identity, with the gradient of the squared error."""

def LogisticRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The logistic function, with the gradient of the binary cross entropy."""

def MAERegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The identity, with the gradient of the absolute error."""

def MakeLoss(
    data: Symbol | None = None,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal['batch', 'null', 'valid'] | str = 'null',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself, as a loss: its gradient is a constant, whatever gradient flows in."""

def Pad(
    data: Symbol | None = None,
    mode: Literal['constant', 'edge', 'reflect'] | str = ...,
    pad_width: int | Sequence[int] = ...,
    constant_value: float = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add a border."""

def Pooling(
    data: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Reduce windows of the data, for each channel separately."""

def Pooling_v1(
    data: Symbol | None = None,
    kernel: int | Sequence[int] = (),
    pool_type: Literal['max', 'avg', 'sum'] | str = 'max',
    global_pool: bool | int = False,
    pooling_convention: Literal['valid', 'full'] | str = 'valid',
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Reduce windows of the data; superseded by Pooling, and kept for old files."""

def RNN(
    data: Symbol | None = None,
    parameters: Symbol | None = None,
    state: Symbol | None = None,
    state_cell: Symbol | None = None,
    sequence_length: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Run a recurrent network of one layer or several over a batch of sequences."""

def ROIPooling(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take maxima over the parts of regions of interest."""

def Reshape(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    reverse: bool | int = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Give the elements another shape."""

def SVMOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The identity, with the gradient of the hinge loss of one-vs-rest support vector machines."""

def SequenceLast(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool | int = False,
    axis: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take the last step of each sequence."""

def SequenceMask(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool | int = False,
    value: float = 0.0,
    axis: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Overwrite elements beyond the end of each sequence."""

def SequenceReverse(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool | int = False,
    axis: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Reverse each sequence; elements beyond its end are unchanged."""

def SliceChannel(
    data: Symbol | None = None,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Split an array into equal parts."""

def Softmax(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool | int = False,
    use_ignore: bool | int = False,
    preserve_shape: bool | int = False,
    normalization: Literal['null', 'batch', 'valid'] | str = 'null',
    out_grad: bool | int = False,
    smooth_alpha: float = 0.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Softmax, with the gradient of the cross entropy against `label`."""

def SoftmaxActivation(
    data: Symbol | None = None,
    mode: Literal['instance', 'channel'] | str = 'instance',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Softmax along the last axis, or along the channels; superseded by `softmax`."""

def SoftmaxOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool | int = False,
    use_ignore: bool | int = False,
    preserve_shape: bool | int = False,
    normalization: Literal['null', 'batch', 'valid'] | str = 'null',
    out_grad: bool | int = False,
    smooth_alpha: float = 0.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Softmax, with the gradient of the cross entropy against `label`."""

def SpatialTransformer(
    data: Symbol | None = None,
    loc: Symbol | None = None,
    target_shape: int | Sequence[int] = (0, 0),
    transform_type: Literal['affine'] | str = ...,
    sampler_type: Literal['bilinear'] | str = ...,
    cudnn_off: bool | int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Transform images by matrices: `BilinearSampler` on the grids of `GridGenerator`."""

def SwapAxis(
    data: Symbol | None = None,
    dim1: int = 0,
    dim2: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Exchange two axes."""

def UpSampling(
    *args: Symbol,
    scale: int = ...,
    num_filter: int = 0,
    sample_type: Literal['nearest', 'bilinear'] | str = ...,
    multi_input_mode: Literal['concat', 'sum'] | str = 'concat',
    num_args: int = 1,
    workspace: int = 512,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Enlarge images: repeat pixels, or interpolate between them by a transposed convolution."""

def abs(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Absolute value, of every element."""

def adam_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of Adam without bias correction, which is the caller's (in `lr`)."""

def add_n(
    *args: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of all inputs, which have one shape."""

def all_finite(
    data: Symbol | None = None,
    init_output: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 if no element is infinite or NaN, else 0, as a float32 array of shape (1,)."""

def amp_cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Cast floating numbers to `dtype`; leave other dtypes unchanged."""

def amp_multicast(
    *data: Symbol,
    num_outputs: int = ...,
    cast_narrow: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Cast all floating inputs to the widest floating dtype among them, or to the narrowest."""

def arccos(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse cosine, in radians, of every element."""

def arccosh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse hyperbolic cosine, of every element."""

def arcsin(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse sine, in radians, of every element."""

def arcsinh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse hyperbolic sine, of every element."""

def arctan(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse tangent, in radians, of every element."""

def arctanh(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse hyperbolic tangent, of every element."""

def argmax(
    data: Symbol | None = None,
    axis: int | None = None,
    keepdims: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The index of the largest element."""

def argmax_channel(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The index of the largest element along axis 1, in the dtype of `data`."""

def argmin(
    data: Symbol | None = None,
    axis: int | None = None,
    keepdims: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The index of the smallest element."""

def argsort(
    data: Symbol | None = None,
    axis: int | None = -1,
    is_ascend: bool | int = True,
    dtype: DTypeLike = 'float32',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the indices that sort an array along an axis; equal elements keep their order."""

def batch_dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply matrices pairwise: the last two axes are matrices, all others are batch axes."""

def batch_take(
    a: Symbol | None = None,
    indices: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Pick one element of each row: ``output[i] = a[i, indices[i]]`` (`pick` does more)."""

def broadcast_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_axes(
    data: Symbol | None = None,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Repeat each `axis` of `data`, of length one, `size` times."""

def broadcast_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Repeat each `axis` of `data`, of length one, `size` times."""

def broadcast_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs / rhs``, for integers rounded towards zero, repeating axes of length one."""

def broadcast_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs == rhs``, else 0, repeating axes of length one."""

def broadcast_greater(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs > rhs``, else 0, repeating axes of length one."""

def broadcast_greater_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs >= rhs``, else 0, repeating axes of length one."""

def broadcast_hypot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``sqrt(lhs**2 + rhs**2)``, repeating axes of length one."""

def broadcast_lesser(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs < rhs``, else 0, repeating axes of length one."""

def broadcast_lesser_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs <= rhs``, else 0, repeating axes of length one."""

def broadcast_like(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_axes: int | Sequence[int] | None = None,
    rhs_axes: int | Sequence[int] | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Repeat the axes of length one of `lhs` until it has the shape of `rhs`."""

def broadcast_logical_and(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where neither `lhs` nor `rhs` is 0, else 0, repeating axes of length one."""

def broadcast_logical_or(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where `lhs` or `rhs` is not 0, else 0, repeating axes of length one."""

def broadcast_logical_xor(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where exactly one of `lhs` and `rhs` is 0, else 0, repeating axes of length one."""

def broadcast_maximum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The larger of `lhs` and `rhs`, NaN where either is, repeating axes of length one."""

def broadcast_minimum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The smaller of `lhs` and `rhs`, NaN where either is, repeating axes of length one."""

def broadcast_minus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs - rhs``, repeating axes of length one."""

def broadcast_mod(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The remainder of ``lhs / rhs`` with the sign of `rhs`, and 0 where `rhs` is 0, repeating axes of length one."""

def broadcast_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs * rhs``, repeating axes of length one."""

def broadcast_not_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where ``lhs != rhs``, else 0, repeating axes of length one."""

def broadcast_plus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, repeating axes of length one."""

def broadcast_power(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs ** rhs``, repeating axes of length one."""

def broadcast_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs - rhs``, repeating axes of length one."""

def broadcast_to(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Repeat the axes of length one of `data` until it has the given shape; 0 keeps an axis."""

def cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Convert every element to `dtype`; to integers by dropping the fraction."""

def cast_storage(
    data: Symbol | None = None,
    stype: Literal['default', 'row_sparse', 'csr'] | str = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Return the elements in another storage type."""

def cbrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Cube root, of every element."""

def ceil(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The next integer upwards, of every element."""

def choose_element_0index(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool | int = False,
    mode: Literal['clip', 'wrap'] | str = 'clip',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Pick one element along an axis, for each index of the other axes."""

def clip(
    data: Symbol | None = None,
    a_min: float = ...,
    a_max: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

def col2im(
    data: Symbol | None = None,
    output_size: int | Sequence[int] = ...,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add columns at the positions of their windows; the transpose of `im2col`."""

def concat(
    *arg: Symbol,
    num_args: int = ...,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join arrays along an axis."""

def cos(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Cosine, of every element."""

def cosh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Hyperbolic cosine, of every element."""

def crop(
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def ctc_loss(
    data: Symbol | None = None,
    label: Symbol | None = None,
    data_lengths: Symbol | None = None,
    label_lengths: Symbol | None = None,
    use_data_lengths: bool | int = False,
    use_label_lengths: bool | int = False,
    blank_label: Literal['first', 'last'] | str = 'first',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The loss of sequences whose labels are not aligned with their steps."""

def cumsum(
    a: Symbol | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Cumulative sums."""

def degrees(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Radians converted to degrees, of every element."""

def depth_to_space(
    data: Symbol | None = None,
    block_size: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Move blocks of channels into height and width."""

def diag(
    data: Symbol | None = None,
    k: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Extract a diagonal, or make a matrix from one."""

def digamma(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Derivative of `gammaln`, of every element."""

def dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply two matrices, or vectors, or arrays along one axis of each."""

def elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs + rhs``, element by element."""

def elemwise_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs / rhs``, for integers rounded towards zero, element by element."""

def elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs * rhs``, element by element."""

def elemwise_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``lhs - rhs``, element by element."""

def erf(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gauss's error function, of every element."""

def erfinv(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Inverse of Gauss's error function, of every element."""

def exp(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Exponential, of every element."""

def expand_dims(
    data: Symbol | None = None,
    axis: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Insert an axis of length one before `axis`; -1 appends it."""

def expm1(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``exp(x) - 1``, exact for small numbers, of every element."""

def fill_element_0index(
    lhs: Symbol | None = None,
    mhs: Symbol | None = None,
    rhs: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Replace one element of each row: ``lhs[i, rhs[i]] = mhs[i]``."""

def fix(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The next integer towards 0, of every element."""

def flatten(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

def flip(
    data: Symbol | None = None,
    axis: int | Sequence[int] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Reverse the order of the elements along one or several axes."""

def floor(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The next integer downwards, of every element."""

def ftml_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    d: Symbol | None = None,
    v: Symbol | None = None,
    z: Symbol | None = None,
    lr: float = ...,
    beta1: float = 0.6,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    t: int = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of FTML, the `t`-th (Zheng and Kwok, Follow the Moving Leader in Deep Learning, 2017)."""

def ftrl_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    z: Symbol | None = None,
    n: Symbol | None = None,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013)."""

def gamma(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Gamma function, of every element."""

def gammaln(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Logarithm of the absolute value of the gamma function, of every element."""

def gather_nd(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gather elements, or slices, at indices along the first axes."""

def hard_sigmoid(
    data: Symbol | None = None,
    alpha: float = 0.2,
    beta: float = 0.5,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``alpha * x + beta``, at least 0 and at most 1."""

def identity(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself."""

def im2col(
    data: Symbol | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Copy each window into a column."""

def khatri_rao(
    *arg: Symbol,
    num_args: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply matrices column by column: column j is the Kronecker product of their columns j."""

def lamb_update_phase1(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int = ...,
    bias_correction: bool | int = True,
    wd: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The direction of the `t`-th step of LAMB (You et al., Reducing BERT Pre-Training Time, 2019)."""

def lamb_update_phase2(
    weight: Symbol | None = None,
    g: Symbol | None = None,
    r1: Symbol | None = None,
    r2: Symbol | None = None,
    lr: float = ...,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of LAMB along the direction `g`: ``weight - lr * r1 / r2 * g``."""

def linalg_det(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""

def linalg_extractdiag(
    A: Symbol | None = None,
    offset: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take a diagonal of square matrices, `offset` diagonals above the main one."""

def linalg_extracttrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take a triangle of square matrices as a vector, row by row."""

def linalg_gelqf(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the LQ factorization ``A = L · Q``."""

def linalg_gemm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    C: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply and add matrices: ``alpha · A · B + beta · C``."""

def linalg_gemm2(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose_a: bool | int = False,
    transpose_b: bool | int = False,
    alpha: float = 1.0,
    axis: int = -2,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply matrices: ``alpha · A · B``."""

def linalg_inverse(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Invert square matrices."""

def linalg_makediag(
    A: Symbol | None = None,
    offset: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""

def linalg_maketrian(
    A: Symbol | None = None,
    offset: int = 0,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""

def linalg_potrf(
    A: Symbol | None = None,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``."""

def linalg_potri(
    A: Symbol | None = None,
    lower: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Invert matrices, given their Cholesky factors."""

def linalg_slogdet(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the signs of determinants and the logarithms of their absolute values."""

def linalg_sumlogdiag(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""

def linalg_syevd(
    A: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``."""

def linalg_syrk(
    A: Symbol | None = None,
    transpose: bool | int = False,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""

def linalg_trmm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``."""

def linalg_trsm(
    A: Symbol | None = None,
    B: Symbol | None = None,
    transpose: bool | int = False,
    rightside: bool | int = False,
    lower: bool | int = True,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``."""

def log(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Natural logarithm, of every element."""

def log10(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Logarithm to base 10, of every element."""

def log1p(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``log(1 + x)``, exact for small numbers, of every element."""

def log2(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Logarithm to base 2, of every element."""

def log_softmax(
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The logarithm of `softmax`, computed without underflow of small probabilities."""

def logical_not(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 where the number is 0, else 0, of every element."""

def make_loss(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself, as a loss: its gradient is always 1."""

def max(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The largest element over the given axes."""

def max_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The largest element over the given axes."""

def mean(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The arithmetic mean over the given axes."""

def min(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The smallest element over the given axes."""

def min_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The smallest element over the given axes."""

def moments(
    data: Symbol | None = None,
    axes: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The mean and the variance over the given axes; for integers, around the truncated mean."""

def mp_lamb_update_phase1(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    weight32: Symbol | None = None,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-06,
    t: int = ...,
    bias_correction: bool | int = True,
    wd: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """As `lamb_update_phase1`, with the weight in float32, kept in `weight32`."""

def mp_lamb_update_phase2(
    weight: Symbol | None = None,
    g: Symbol | None = None,
    r1: Symbol | None = None,
    r2: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """As `lamb_update_phase2`, with the weight in float32, kept in `weight32`."""

def mp_nag_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """As `nag_mom_update`, with the weight in float32, kept in `weight32`."""

def mp_sgd_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """As `sgd_mom_update`, with the weight in float32, kept in `weight32`."""

def mp_sgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    weight32: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """As `sgd_update`, with the weight in float32, kept in `weight32`."""

def multi_all_finite(
    *data: Symbol,
    num_arrays: int = 1,
    init_output: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 if no element of any array is infinite or NaN, else 0, as a float32 array of shape (1,)."""

def multi_lars(
    lrs: Symbol | None = None,
    weights_sum_sq: Symbol | None = None,
    grads_sum_sq: Symbol | None = None,
    wds: Symbol | None = None,
    eta: float = ...,
    eps: float = ...,
    rescale_grad: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The learning rate of each layer by LARS, from the sums of squares of weights and gradients."""

def multi_mp_sgd_mom_update(
    *data: Symbol,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`mp_sgd_mom_update` for several weights."""

def multi_mp_sgd_update(
    *data: Symbol,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`mp_sgd_update` for several weights."""

def multi_sgd_mom_update(
    *data: Symbol,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`sgd_mom_update` for several weights."""

def multi_sgd_update(
    *data: Symbol,
    lrs: float | Sequence[float] = ...,
    wds: float | Sequence[float] = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`sgd_update` for several weights."""

def multi_sum_sq(
    *data: Symbol,
    num_arrays: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of squares of each array, as a float32 array of shape (num_arrays,)."""

def nag_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of Nesterov's accelerated gradient descent."""

def nanprod(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The product of the elements that are not NaN over the given axes."""

def nansum(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum of the elements that are not NaN over the given axes."""

def negative(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The negated number, of every element."""

def norm(
    data: Symbol | None = None,
    ord: Literal[2, 1] = 2,
    axis: int | Sequence[int] | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; float32 unless `dtype` says otherwise."""

def one_hot(
    indices: Symbol | None = None,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere."""

def ones_like(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Ones, as many as `data` has elements."""

def pad(
    data: Symbol | None = None,
    mode: Literal['constant', 'edge', 'reflect'] | str = ...,
    pad_width: int | Sequence[int] = ...,
    constant_value: float = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add a border."""

def pick(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool | int = False,
    mode: Literal['clip', 'wrap'] | str = 'clip',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Pick one element along an axis, for each index of the other axes."""

def preloaded_multi_mp_sgd_mom_update(
    *data: Symbol,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`mp_sgd_mom_update` for several weights. The last 2 inputs are lrs and wds."""

def preloaded_multi_mp_sgd_update(
    *data: Symbol,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`mp_sgd_update` for several weights. The last 2 inputs are lrs and wds."""

def preloaded_multi_sgd_mom_update(
    *data: Symbol,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`sgd_mom_update` for several weights. The last 2 inputs are lrs and wds."""

def preloaded_multi_sgd_update(
    *data: Symbol,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`sgd_update` for several weights. The last 2 inputs are lrs and wds."""

def prod(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The product over the given axes."""

def radians(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Degrees converted to radians, of every element."""

def random_exponential(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; float32 unless `dtype` says otherwise."""

def random_gamma(
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gamma distributed numbers of shape `alpha` and scale `beta`; float32 unless `dtype` says otherwise."""

def random_generalized_negative_binomial(
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; float32 unless `dtype` says otherwise."""

def random_negative_binomial(
    k: int = 1,
    p: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The number of successes, of probability ``1 - p``, before `k` failures; float32 unless `dtype` says otherwise."""

def random_normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; float32 unless `dtype` says otherwise."""

def random_pdf_dirichlet(
    sample: Symbol | None = None,
    alpha: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from Dirichlet distributions."""

def random_pdf_exponential(
    sample: Symbol | None = None,
    lam: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: exponential of rate `lam`."""

def random_pdf_gamma(
    sample: Symbol | None = None,
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: gamma of shape `alpha` and rate `beta`."""

def random_pdf_generalized_negative_binomial(
    sample: Symbol | None = None,
    mu: Symbol | None = None,
    alpha: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: negative binomial of mean `mu` and variance ``mu + alpha * mu**2``."""

def random_pdf_negative_binomial(
    sample: Symbol | None = None,
    k: Symbol | None = None,
    p: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: the number of successes, of probability ``1 - p``, before `k` failures."""

def random_pdf_normal(
    sample: Symbol | None = None,
    mu: Symbol | None = None,
    sigma: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: normal with mean `mu` and standard deviation `sigma`."""

def random_pdf_poisson(
    sample: Symbol | None = None,
    lam: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: Poisson of mean `lam`."""

def random_pdf_uniform(
    sample: Symbol | None = None,
    low: Symbol | None = None,
    high: Symbol | None = None,
    is_log: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The density of samples from a distribution: uniform between `low` and `high`; the density is the same outside."""

def random_poisson(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Poisson distributed numbers of mean `lam`; float32 unless `dtype` says otherwise."""

def random_randint(
    low: int = ...,
    high: int = ...,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Integers from `low` (included) to `high` (excluded); int32 unless `dtype` says int64."""

def random_uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; float32 unless `dtype` says otherwise."""

def ravel_multi_index(
    data: Symbol | None = None,
    shape: int | Sequence[int] | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Return the flat, row-major indices of elements in an array of the given shape."""

def rcbrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``1 / cbrt(x)``, of every element."""

def reciprocal(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``1 / x``, of every element."""

def relu(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The number, or 0 if it is negative, of every element."""

def repeat(
    data: Symbol | None = None,
    repeats: int = ...,
    axis: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Repeat each element `repeats` times along an axis; None flattens the array first."""

def reset_arrays(
    *data: Symbol,
    num_arrays: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Set all elements of some arrays to 0, in place; there is no output."""

def reshape(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    reverse: bool | int = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Give the elements another shape."""

def reshape_like(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`."""

def reverse(
    data: Symbol | None = None,
    axis: int | Sequence[int] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Reverse the order of the elements along one or several axes."""

def rint(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The nearest integer; ties are rounded down, of every element."""

def rmsprop_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    n: Symbol | None = None,
    lr: float = ...,
    gamma1: float = 0.95,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of RMSProp (Tieleman and Hinton, 2012)."""

def rmspropalex_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    n: Symbol | None = None,
    g: Symbol | None = None,
    delta: Symbol | None = None,
    lr: float = ...,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of RMSProp with momentum (Graves, Generating Sequences With Recurrent Networks, 2013)."""

def round(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The nearest integer; ties are rounded away from 0, of every element."""

def rsqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """``1 / sqrt(x)``, of every element."""

def sample_exponential(
    lam: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; `shape` of them for each element of the parameters."""

def sample_gamma(
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gamma distributed numbers of shape `alpha` and scale `beta`; `shape` of them for each element of the parameters."""

def sample_generalized_negative_binomial(
    mu: Symbol | None = None,
    alpha: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; `shape` of them for each element of the parameters."""

def sample_multinomial(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    get_prob: bool | int = False,
    dtype: DTypeLike = 'int32',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Draw categories from categorical distributions."""

def sample_negative_binomial(
    k: Symbol | None = None,
    p: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The number of successes, of probability ``1 - p``, before `k` failures; `shape` of them for each element of the parameters."""

def sample_normal(
    mu: Symbol | None = None,
    sigma: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; `shape` of them for each element of the parameters."""

def sample_poisson(
    lam: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Poisson distributed numbers of mean `lam`; `shape` of them for each element of the parameters."""

def sample_uniform(
    low: Symbol | None = None,
    high: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; `shape` of them for each element of the parameters."""

def scatter_nd(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    shape: int | Sequence[int] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Write elements, or slices, to given positions in an array of zeros."""

def sgd_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of gradient descent with momentum."""

def sgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""

def shape_array(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The shape of `data` as an int64 array."""

def shuffle(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input, with its rows (along the first axis) in random order."""

def sigmoid(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

def sign(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """1 for positive numbers, -1 for negative ones, else 0, of every element."""

def signsgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step along the signs of the gradient: ``(1 - lr * wd) * weight - lr * sign(grad)``."""

def signum_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step along the signs of a running mean of the gradient."""

def sin(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Sine, of every element."""

def sinh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Hyperbolic sine, of every element."""

def size_array(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The number of elements of `data` as an int64 array of shape (1,)."""

def slice(
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

def slice_axis(
    data: Symbol | None = None,
    axis: int = ...,
    begin: int = ...,
    end: int | None = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take the elements ``begin:end`` along one axis."""

def slice_like(
    data: Symbol | None = None,
    shape_like: Symbol | None = None,
    axes: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Slice an array to the lengths of another."""

def smooth_l1(
    data: Symbol | None = None,
    scalar: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The Huber loss of every element: quadratic near 0, linear elsewhere."""

def softmax(
    data: Symbol | None = None,
    length: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Exponentials of the numbers, scaled so that they sum to one along an axis."""

def softmax_cross_entropy(
    data: Symbol | None = None,
    label: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The cross entropy of softmax probabilities, summed over the batch."""

def softmin(
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | int | None = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The `softmax` of the negated numbers: the smallest number gets the largest share."""

def softsign(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``x / (1 + abs(x))``, of every element."""

def sort(
    data: Symbol | None = None,
    axis: int | None = -1,
    is_ascend: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Sort along an axis; equal elements keep their order."""

def space_to_depth(
    data: Symbol | None = None,
    block_size: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Move blocks of height and width into channels: the inverse of `depth_to_space`."""

def split(
    data: Symbol | None = None,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Split an array into equal parts."""

def sqrt(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Square root, of every element."""

def square(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``x * x``, of every element."""

def squeeze(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Drop axes of length one: all of them, or those in `axis`; at least one axis remains."""

def stack(
    *arg: Symbol,
    axis: int = 0,
    num_args: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join arrays of one shape along a new axis."""

def stop_gradient(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself; no gradient passes."""

def sum(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum over the given axes."""

def sum_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | int = False,
    exclude: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The sum over the given axes."""

def swapaxes(
    data: Symbol | None = None,
    dim1: int = 0,
    dim2: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Exchange two axes."""

def take(
    a: Symbol | None = None,
    indices: Symbol | None = None,
    axis: int = 0,
    mode: Literal['clip', 'wrap', 'raise'] | str = 'clip',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Take slices along an axis, in the order of `indices`."""

def tan(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Tangent, of every element."""

def tanh(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """Hyperbolic tangent, of every element."""

def tile(
    data: Symbol | None = None,
    reps: int | Sequence[int] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Put copies of the array side by side: ``reps[-1]`` along the last axis, and so on."""

def topk(
    data: Symbol | None = None,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['value', 'indices', 'mask', 'both'] | str = 'indices',
    is_ascend: bool | int = False,
    dtype: DTypeLike = 'float32',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the k largest elements along an axis, in order."""

def transpose(
    data: Symbol | None = None,
    axes: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Permute the axes: axis i of the result is axis ``axes[i]`` of `data`; the default reverses them."""

def trunc(data: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None) -> Symbol:
    """The integer without the fraction, of every element."""

def uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; float32 unless `dtype` says otherwise."""

def unravel_index(
    data: Symbol | None = None,
    shape: int | Sequence[int] | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Return the indices of elements from their flat indices; the inverse of `ravel_multi_index`."""

def where(
    condition: Symbol | None = None,
    x: Symbol | None = None,
    y: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Elements of `x` where `condition` is not 0, of `y` elsewhere."""

def zeros_like(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Zeros, as many as `data` has elements."""
