"""Gradients of what goes over images in windows."""

from gluonic.codegen.lowerings.entry import lower

lower("_backward_Convolution_data", step="convolution.as_matmul:DataGradientStep.of")
lower("_backward_Convolution_weight", step="convolution.as_matmul:WeightGradientStep.of")
lower("_backward_Pooling_sum", step="pooling.steps:SpreadStep.of")
lower("_backward_Pooling_max", step="pooling.steps:ScatterStep.of")
lower(
    "_take_maxima",
    python="only the second gradient of max pooling reads it",
)
