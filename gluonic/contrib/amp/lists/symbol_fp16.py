"""Operators and float16."""

from gluonic.contrib.amp.lists.registered import (
    CONDITIONAL,
    LOSSES,
    SEVERAL_INPUTS,
    all_but,
    registered,
)

FP16_FUNCS = registered("Convolution Deconvolution FullyConnected RNN")
"""Products of matrices: computed in float16."""

FP32_FUNCS = registered("""
    exp expm1 log log2 log10 log1p _power broadcast_power _power_scalar _rpower_scalar square reciprocal
    _rdiv_scalar rsqrt rcbrt _hypot broadcast_hypot _hypot_scalar smooth_l1
    tan arcsin arccos arctanh sinh cosh erfinv gamma gammaln
    sum mean prod nansum nanprod norm moments _square_sum _linalg_* khatri_rao argsort topk
    softmax log_softmax softmin SoftmaxActivation
    LayerNorm InstanceNorm GroupNorm L2Normalization LRN _contrib_SyncBatchNorm
    SoftmaxOutput LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput SVMOutput
    softmax_cross_entropy CTCLoss make_loss MakeLoss IdentityAttachKLSparseReg
    _contrib_hawkesll _contrib_DeformablePSROIPooling
    _contrib_MultiBox* _contrib_DeformableConvolution _contrib_fft _contrib_count_sketch Custom
""")
"""Operators that may overflow, and sums: computed in float32."""

WIDEST_TYPE_CASTS = registered(f"{SEVERAL_INPUTS} Concat _contrib_interleaved_matmul_*")
"""Computed in the widest dtype of the inputs."""

CONDITIONAL_FP32_FUNCS = CONDITIONAL
"""Computed in float32 for these values of an attribute: (operator, attribute, values)."""

FP16_FP32_FUNCS = all_but(FP16_FUNCS, FP32_FUNCS, WIDEST_TYPE_CASTS)
"""Computed in the dtypes of their inputs."""

LOSS_OUTPUT_FUNCTIONS = LOSSES
"""Operators whose gradients are multiplied by the scale of the loss."""
