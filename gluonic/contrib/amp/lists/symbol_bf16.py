"""Operators and bfloat16."""

from gluonic.contrib.amp.lists.registered import (
    CONDITIONAL,
    LOSSES,
    SEVERAL_INPUTS,
    all_but,
    registered,
)

BF16_FUNCS = registered("Convolution FullyConnected")
"""Products of matrices: computed in bfloat16."""

BF16_FP32_FUNCS = registered("""
    BatchNorm Concat Pooling LRN _shuffle abs square sqrt tanh relu clip amp_cast amp_multicast
    _contrib_interleaved_matmul_*
""")
"""Computed in the dtypes of their inputs."""

WIDEST_TYPE_CASTS = [
    name
    for name in registered(f"{SEVERAL_INPUTS} _contrib_MultiBox*")
    if name != "broadcast_mul"  # float32 in MXNet
]
"""Computed in the widest dtype of the inputs."""

CONDITIONAL_FP32_FUNCS = CONDITIONAL
"""Computed in float32 for these values of an attribute: (operator, attribute, values)."""

FP32_FUNCS = all_but(BF16_FUNCS, BF16_FP32_FUNCS, WIDEST_TYPE_CASTS)
"""Computed in float32."""

LOSS_OUTPUT_FUNCTIONS = LOSSES
"""Operators whose gradients are multiplied by the scale of the loss."""

_STATISTICS = ["", "gamma", "beta", "moving_mean", "moving_var"]
BF16_USE_FP32_PARAMS = {"BatchNorm": _STATISTICS, "BatchNormWithReLU": _STATISTICS}
"""The inputs that remain float32, by operator, in order."""
