"""Gradients of operators on windows of images."""

from gluonic.codegen.lowerings.convolution import windowed_work
from gluonic.codegen.lowerings.entry import LayoutRules, lower

_STRETCHED = "NumPy multiplies where one factor's matrices are broadcast to the other's batch axes"
_WHOLE = "NumPy computes the gradient where a factor has no other axes, or no axes are summed over"

lower(
    "_backward_Convolution_data",
    step="convolution.as_matmul:DataGradientStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:data_gradient",
        blocked="rewriting.layout.gradients:data_gradient",
    ),
    eager=windowed_work,
    float16="upcast",
)
lower(
    "_backward_Convolution_weight",
    step="convolution.as_matmul:WeightGradientStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:weight_gradient",
        blocked="rewriting.layout.gradients:weight_gradient",
    ),
    eager=windowed_work,
    float16="upcast",
)
lower(
    "_backward_Pooling_sum",
    step="pooling.steps:SpreadStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:pooling",
        blocked="rewriting.layout.pooling:spreading",
    ),
    eager=1,
    float16="upcast",
)
lower(
    "_backward_Pooling_max",
    step="pooling.steps:ScatterStep.of",
    layout=LayoutRules(
        "decides",
        plain="rewriting.layout.windows:pooling",
        blocked="rewriting.layout.pooling:scattering",
    ),
    eager=1,
    float16="upcast",
)
lower("_take_maxima", python="only second derivatives of max pooling read it")
lower(
    "_backward_Pooling_v1",
    python="NumPy pools as MXNet's first version did; Pooling has machine code",
)
lower(
    "_backward_contrib_BilinearResize2D",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:bilinear_back"),
    python="NumPy resizes images on their own; machine code needs blocks of channels",
)
lower(
    "_backward_contrib_AdaptiveAvgPooling2D",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:average_back"),
    python="NumPy resizes images on their own; machine code needs blocks of channels",
)
lower(
    "_backward_Deconvolution_data",
    layout=LayoutRules("decides", plain="rewriting.layout.transposed:data_gradient"),
    eager=windowed_work,
    float16="upcast",
)
lower(
    "_backward_Deconvolution_weight",
    layout=LayoutRules("decides", plain="rewriting.layout.transposed:weight_gradient"),
    eager=windowed_work,
    float16="upcast",
)
lower(
    "_backward_np_dot_a",
    decompose="rewriting.decompose_products:dot_back_to_first",
    float16="upcast",
)
lower(
    "_backward_np_dot_b",
    decompose="rewriting.decompose_products:dot_back_to_second",
    float16="upcast",
)
lower(
    "_backward_npi_matmul_a",
    on_devices="rewriting.device_decompositions:matrix_product_back_to_first",
    decompose="rewriting.decompose_products:matmul_back_to_first",
    float16="upcast",
    python=_STRETCHED,
)
lower(
    "_backward_npi_matmul_b",
    on_devices="rewriting.device_decompositions:matrix_product_back_to_second",
    decompose="rewriting.decompose_products:matmul_back_to_second",
    float16="upcast",
    python=_STRETCHED,
)
lower(
    "_backward_npi_tensordot_a",
    decompose="rewriting.decompose_products:tensordot_back_to_first",
    float16="upcast",
    python=_WHOLE,
)
lower(
    "_backward_npi_tensordot_b",
    decompose="rewriting.decompose_products:tensordot_back_to_second",
    float16="upcast",
    python=_WHOLE,
)
lower(
    "_backward_npi_tensordot_int_axes_a",
    decompose="rewriting.decompose_products:inner_axes_back_to_first",
    float16="upcast",
    python=_WHOLE,
)
lower(
    "_backward_npi_tensordot_int_axes_b",
    decompose="rewriting.decompose_products:inner_axes_back_to_second",
    float16="upcast",
    python=_WHOLE,
)
