"""Images sampled at places between pixels."""

from gluonic.codegen.lowerings.entry import lower

lower("BilinearSampler", "_bilinear_sample", step="data_movement.sampling_steps:SampleStep.of")
lower("_backward_bilinear_sample", step="data_movement.sampling_steps:SampleGradientStep.of")
