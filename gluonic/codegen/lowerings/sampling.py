"""Images sampled at places between pixels."""

from gluonic.codegen.lowerings.entry import lower

lower("BilinearSampler", "_bilinear_sample", step="data_movement.sampling_steps:SampleStep.of")
lower("_backward_bilinear_sample", step="data_movement.sampling_steps:SampleGradientStep.of")
lower(
    "GridGenerator",
    python="warping adds a grid that NumPy has",
)
lower(
    "_scale_flow",
    python="only gradients of warping read it, and NumPy scales it",
)
