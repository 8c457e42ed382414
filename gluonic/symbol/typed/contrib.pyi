"""The functions of symbol.contrib that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol

__all__: list[str] = [
    "AdaptiveAvgPooling2D",
    "BatchNormWithReLU",
    "BilinearResize2D",
    "CTCLoss",
    "DeformableConvolution",
    "DeformablePSROIPooling",
    "ModulatedDeformableConvolution",
    "MultiBoxDetection",
    "MultiBoxPrior",
    "MultiBoxTarget",
    "MultiProposal",
    "PSROIPooling",
    "Proposal",
    "ROIAlign",
    "RROIAlign",
    "SparseEmbedding",
    "SyncBatchNorm",
    "allclose",
    "arange_like",
    "backward_gradientmultiplier",
    "bipartite_matching",
    "boolean_mask",
    "box_decode",
    "box_encode",
    "box_iou",
    "box_nms",
    "box_non_maximum_suppression",
    "calibrate_entropy",
    "count_sketch",
    "ctc_loss",
    "dequantize",
    "div_sqrt_dim",
    "edge_id",
    "fft",
    "getnnz",
    "gradientmultiplier",
    "group_adagrad_update",
    "hawkesll",
    "ifft",
    "index_array",
    "index_copy",
    "interleaved_matmul_encdec_qk",
    "interleaved_matmul_encdec_valatt",
    "interleaved_matmul_selfatt_qk",
    "interleaved_matmul_selfatt_valatt",
    "quadratic",
    "quantize",
    "quantize_asym",
    "quantize_v2",
    "quantized_act",
    "quantized_batch_norm",
    "quantized_concat",
    "quantized_conv",
    "quantized_elemwise_add",
    "quantized_elemwise_mul",
    "quantized_embedding",
    "quantized_flatten",
    "quantized_fully_connected",
    "quantized_pooling",
    "quantized_rnn",
    "requantize",
    "round_ste",
    "sign_ste",
]

def AdaptiveAvgPooling2D(
    data: Symbol | None = None,
    output_size: int | Sequence[int] = (),
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Divide images into parts, and return their means."""

def BatchNormWithReLU(
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
    """Standardize every channel over the batch as BatchNorm does, and set negative results to zero."""

def BilinearResize2D(
    data: Symbol | None = None,
    like: Symbol | None = None,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: Literal['size', 'odd_scale', 'like', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] | str = 'size',
    align_corners: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Resize images, interpolating linearly between pixels of the input."""

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

def DeformableConvolution(
    data: Symbol | None = None,
    offset: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool | int = False,
    layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Convolution of images that samples at positions displaced by an offset (arXiv:1703.06211)."""

def DeformablePSROIPooling(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    trans: Symbol | None = None,
    spatial_scale: float = ...,
    output_dim: int = ...,
    group_size: int = ...,
    pooled_size: int = ...,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
    no_trans: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Average over points in the parts of regions, each part moved, and taken from channels of its own."""

def ModulatedDeformableConvolution(
    data: Symbol | None = None,
    offset: Symbol | None = None,
    mask: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool | int = False,
    im2col_step: int = 64,
    layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Deformable convolution that also weights its samples (arXiv:1811.11168)."""

def MultiBoxDetection(
    cls_prob: Symbol | None = None,
    loc_pred: Symbol | None = None,
    anchor: Symbol | None = None,
    clip: bool | int = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool | int = False,
    variances: float | Sequence[float] = ...,
    nms_topk: int = -1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the objects that default boxes predict."""

def MultiBoxPrior(
    data: Symbol | None = None,
    sizes: float | Sequence[float] = ...,
    ratios: float | Sequence[float] = ...,
    clip: bool | int = False,
    steps: float | Sequence[float] = ...,
    offsets: float | Sequence[float] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Lay default boxes over an image, some around each pixel of a feature map."""

def MultiBoxTarget(
    anchor: Symbol | None = None,
    label: Symbol | None = None,
    cls_pred: Symbol | None = None,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: float | Sequence[float] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the training targets of default boxes, given the objects in the images."""

def MultiProposal(
    cls_prob: Symbol | None = None,
    bbox_pred: Symbol | None = None,
    im_info: Symbol | None = None,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: float | Sequence[float] = ...,
    ratios: float | Sequence[float] = ...,
    feature_stride: int = 16,
    output_score: bool | int = False,
    iou_loss: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Propose regions that may hold an object."""

def PSROIPooling(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    spatial_scale: float = ...,
    output_dim: int = ...,
    pooled_size: int = ...,
    group_size: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Average over the parts of regions, each part in channels of its own."""

def Proposal(
    cls_prob: Symbol | None = None,
    bbox_pred: Symbol | None = None,
    im_info: Symbol | None = None,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: float | Sequence[float] = ...,
    ratios: float | Sequence[float] = ...,
    feature_stride: int = 16,
    output_score: bool | int = False,
    iou_loss: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Propose regions that may hold an object."""

def ROIAlign(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    sample_ratio: int = -1,
    position_sensitive: bool | int = False,
    aligned: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Average over the parts of regions of interest, interpolating between pixels."""

def RROIAlign(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    sampling_ratio: int = -1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Average over the parts of rotated regions, interpolating between pixels."""

def SparseEmbedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    deterministic: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Look up a vector for each number; the table's gradient is row_sparse."""

def SyncBatchNorm(
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
    ndev: int = 1,
    key: str = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Standardize every channel over the batch, as BatchNorm does, but over the batches of all ranks."""

def allclose(
    a: Symbol | None = None,
    b: Symbol | None = None,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """1 if ``abs(a - b) <= atol + rtol * abs(b)`` everywhere, else 0, as a uint8 array without axes."""

def arange_like(
    data: Symbol | None = None,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = '',
    axis: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Evenly spaced numbers, as many as `data` has elements, or as the length of one of its axes."""

def backward_gradientmultiplier(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`data` as `lhs` and the number `scalar` as `rhs`: ``lhs * rhs``."""

def bipartite_matching(
    data: Symbol | None = None,
    is_ascend: bool | int = False,
    threshold: float = ...,
    topk: int = -1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Match rows and columns greedily: the best pair first, then the best of the rest."""

def boolean_mask(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int = 0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Keep the slices along an axis for which `index` is not zero."""

def box_decode(
    data: Symbol | None = None,
    anchors: Symbol | None = None,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Literal['corner', 'center'] | str = 'center',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Decode boxes from their offsets from anchors."""

def box_encode(
    samples: Symbol | None = None,
    matches: Symbol | None = None,
    anchors: Symbol | None = None,
    refs: Symbol | None = None,
    means: Symbol | None = None,
    stds: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Encode boxes by their offsets from anchors, as targets for training."""

def box_iou(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    format: Literal['corner', 'center'] | str = 'corner',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Compute the overlap of every box with every other: intersection over union."""

def box_nms(
    data: Symbol | None = None,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool | int = False,
    in_format: Literal['corner', 'center'] | str = 'corner',
    out_format: Literal['corner', 'center'] | str = 'corner',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Drop boxes that overlap with better ones: non-maximum suppression."""

def box_non_maximum_suppression(
    data: Symbol | None = None,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool | int = False,
    in_format: Literal['corner', 'center'] | str = 'corner',
    out_format: Literal['corner', 'center'] | str = 'corner',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Drop boxes that overlap with better ones: non-maximum suppression."""

def calibrate_entropy(
    hist: Symbol | None = None,
    hist_edges: Symbol | None = None,
    num_quantized_bins: int = 255,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the range, from a histogram around zero, whose quantization changes the distribution least."""

def count_sketch(
    data: Symbol | None = None,
    h: Symbol | None = None,
    s: Symbol | None = None,
    out_dim: int = ...,
    processing_batch_size: int = 32,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Hash columns to fewer ones: ``output[..., h[i]] += s[i] * data[..., i]``."""

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

def dequantize(
    data: Symbol | None = None,
    min_range: Symbol | None = None,
    max_range: Symbol | None = None,
    out_type: Literal['float32'] | str = 'float32',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Return the numbers that small integers represent."""

def div_sqrt_dim(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Divide by the square root of the length of the last axis."""

def edge_id(
    data: Symbol | None = None,
    u: Symbol | None = None,
    v: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Look up elements stored in a csr matrix: the ids of edges, in a graph's adjacency matrix."""

def fft(
    data: Symbol | None = None,
    compute_size: int = 128,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the discrete Fourier transform of real numbers along the last axis."""

def getnnz(
    data: Symbol | None = None,
    axis: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Count the stored elements of a csr array, or the non-zero elements of a dense one."""

def gradientmultiplier(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The input itself; the gradient is multiplied by `scalar` (negative: gradient reversal)."""

def group_adagrad_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    history: Symbol | None = None,
    lr: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-05,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A step of AdaGrad with one step size for each row."""

def hawkesll(
    lda: Symbol | None = None,
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    state: Symbol | None = None,
    lags: Symbol | None = None,
    marks: Symbol | None = None,
    valid_length: Symbol | None = None,
    max_time: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The log likelihood of sequences of events under self-exciting processes with exponential decay."""

def ifft(
    data: Symbol | None = None,
    compute_size: int = 128,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Find the real parts of the inverse Fourier transform, not divided by its length."""

def index_array(
    data: Symbol | None = None,
    axes: int | Sequence[int] | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Return each element's index: it is in the last axis of the result."""

def index_copy(
    old_tensor: Symbol | None = None,
    index_vector: Symbol | None = None,
    new_tensor: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Copy `old_tensor` with some of its slices along the first axis replaced."""

def interleaved_matmul_encdec_qk(
    queries: Symbol | None = None,
    keys_values: Symbol | None = None,
    heads: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply queries and keys of another sequence: ``queries · keysᵀ / sqrt(size)``, for each head."""

def interleaved_matmul_encdec_valatt(
    keys_values: Symbol | None = None,
    attention: Symbol | None = None,
    heads: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply attention and values of another sequence, for each head."""

def interleaved_matmul_selfatt_qk(
    queries_keys_values: Symbol | None = None,
    heads: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply queries and keys: ``queries · keysᵀ / sqrt(size)``, for each head."""

def interleaved_matmul_selfatt_valatt(
    queries_keys_values: Symbol | None = None,
    attention: Symbol | None = None,
    heads: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply attention and values, for each head."""

def quadratic(
    data: Symbol | None = None,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """``a * x**2 + b * x + c`` of every element."""

def quantize(
    data: Symbol | None = None,
    min_range: Symbol | None = None,
    max_range: Symbol | None = None,
    out_type: Literal['int8', 'uint8'] | str = 'uint8',
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Quantize numbers of a given range to small integers."""

def quantize_asym(
    data: Symbol | None = None,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Quantize numbers to uint8 so that the minimum of their range is 0 and the maximum 255."""

def quantize_v2(
    data: Symbol | None = None,
    out_type: Literal['auto', 'int8', 'uint8'] | str = 'int8',
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Quantize numbers to small integers; their range is given or computed."""

def quantized_act(
    data: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] | str = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The rectifier."""

def quantized_batch_norm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
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
    """Standardize every channel by its running mean and variance."""

def quantized_concat(
    *data: Symbol,
    num_args: int = ...,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join arrays of small integers along an axis, with a range that contains all of theirs."""

def quantized_conv(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    min_weight: Symbol | None = None,
    max_weight: Symbol | None = None,
    min_bias: Symbol | None = None,
    max_bias: Symbol | None = None,
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
    """Convolution with small integers, summed in int32."""

def quantized_elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_min: Symbol | None = None,
    lhs_max: Symbol | None = None,
    rhs_min: Symbol | None = None,
    rhs_max: Symbol | None = None,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add arrays of small integers."""

def quantized_elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_min: Symbol | None = None,
    lhs_max: Symbol | None = None,
    rhs_min: Symbol | None = None,
    rhs_max: Symbol | None = None,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    enable_float_output: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply arrays of int8 element by element."""

def quantized_embedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    min_weight: Symbol | None = None,
    max_weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool | int = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Look up a vector of int8 for each number."""

def quantized_flatten(
    data: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Join all axes but the first."""

def quantized_fully_connected(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    min_weight: Symbol | None = None,
    max_weight: Symbol | None = None,
    min_bias: Symbol | None = None,
    max_bias: Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool | int = False,
    flatten: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """A fully connected layer with small integers, summed in int32."""

def quantized_pooling(
    data: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
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
    """Pooling by maxima or means."""

def quantized_rnn(
    data: Symbol | None = None,
    parameters: Symbol | None = None,
    state: Symbol | None = None,
    state_cell: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    state_size: int = ...,
    num_layers: int = ...,
    bidirectional: bool | int = False,
    mode: Literal['lstm'] | str = ...,
    p: float = 0.0,
    state_outputs: bool | int = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool | int = False,
    use_sequence_length: bool | int = False,
    quantized: bool | int = True,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Run an LSTM over inputs of uint8, with weights rounded to 8 bits."""

def requantize(
    data: Symbol | None = None,
    min_range: Symbol | None = None,
    max_range: Symbol | None = None,
    out_type: Literal['auto', 'int8', 'uint8'] | str = 'int8',
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Quantize 32-bit integers to small ones, for a range that is given or computed."""

def round_ste(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`round`, with the gradient of the identity, of every element."""

def sign_ste(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """`sign`, with the gradient of the identity, of every element."""
