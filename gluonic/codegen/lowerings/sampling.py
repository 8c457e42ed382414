"""Images sampled at fractional positions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "BilinearSampler",
    "_bilinear_sample",
    step="data_movement.sampling_steps:SampleStep.of",
    eager=1,
)
lower(
    "_backward_bilinear_sample",
    step="data_movement.sampling_steps:SampleGradientStep.of",
    eager=1,
)
lower(
    "GridGenerator",
    decompose="rewriting.grids:grid_generator",
    float16="upcast",
)
lower("_affine_grid", decompose="rewriting.grids:affine_grid", float16="upcast")
lower("_backward_affine_grid", decompose="rewriting.grids:affine_grid_back", float16="upcast")
lower(
    "SpatialTransformer",
    decompose="rewriting.grids:spatial_transformer",
    float16="upcast",
)
