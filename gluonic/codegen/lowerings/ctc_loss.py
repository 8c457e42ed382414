"""Connectionist temporal classification."""

from gluonic.codegen.lowerings.entry import lower

lower("CTCLoss", "_ctc_losses", step="ctc.steps:CtcStep.of")
