"""Gradients of recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower("_backward_RNN", step="recurrent.steps:RecurrentGradientStep.of", eager=1, float16="upcast")
