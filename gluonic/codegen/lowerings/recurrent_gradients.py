"""Gradients of recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_backward_RNN",
    step="recurrent.steps:RecurrentGradientStep.of",
    on_devices="rewriting.device_networks:recurrent_back",
    eager=1,
    float16="upcast",
)
