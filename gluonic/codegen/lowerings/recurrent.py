"""Recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower("RNN", "_masked_RNN", step="recurrent.steps:RecurrentStep.of")
