"""Connectionist temporal classification."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "CTCLoss",
    step="ctc.steps:CtcStep.of",
    decompose="rewriting.decompose:ctc_loss",
    float16="upcast",
)
lower("_ctc_losses", step="ctc.steps:CtcStep.of")
