"""Recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "RNN",
    step="recurrent.steps:RecurrentStep.of",
    python="where the mask is read but nothing is dropped, NumPy computes it",
)
lower("_masked_RNN", step="recurrent.steps:RecurrentStep.of")
