"""Sequences of different lengths."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "SequenceMask",
    on_devices="rewriting.device_decompositions:whole_sequences",
    loop="loops.loop_choices:sequence_mask",
    python="without lengths NumPy returns its input",
)
lower(
    "SequenceLast",
    "SequenceReverse",
    "_backward_SequenceLast",
    python="NumPy gathers by several indices in one call; it has no lowering yet",
)
