"""Recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "RNN",
    step="recurrent.steps:RecurrentStep.of",
    decompose="rewriting.decompose:recurrent",
    eager=True,
    draws_apart="rewriting.draws_apart:network",
    float16="upcast",
    python="where the mask is read but nothing is dropped, NumPy computes it",
)
lower("_masked_RNN", step="recurrent.steps:RecurrentStep.of", eager=True, float16="upcast")
