"""Quantized recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower("_contrib_quantized_rnn", decompose="tracing.quantized:recurrent")
