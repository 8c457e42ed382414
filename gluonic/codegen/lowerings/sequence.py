"""Sequences of different lengths."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "SequenceMask",
    on_devices="rewriting.device_decompositions:whole_sequences",
    loop="loops.loop_choices:sequence_mask",
)
lower("_backward_SequenceLast", python="NumPy writes a step into zeros")
