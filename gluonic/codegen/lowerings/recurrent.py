"""Recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "RNN",
    step="recurrent.steps:RecurrentStep.of",
    decompose="rewriting.decompose:recurrent",
    on_devices="rewriting.device_networks:recurrent",
    eager=1,
    draws_apart="rewriting.draws_apart:network",
    float16="upcast",
    python="NumPy computes the mask where it is read but nothing is dropped",
)
lower(
    "_masked_RNN",
    step="recurrent.steps:RecurrentStep.of",
    on_devices="rewriting.device_networks:recurrent",
    eager=1,
    float16="upcast",
)
