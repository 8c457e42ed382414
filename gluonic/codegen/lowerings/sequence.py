"""Sequences of several lengths."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "SequenceMask",
    loop="loops.loop_choices:sequence_mask",
    python="without lengths NumPy hands it on",
)
lower(
    "SequenceLast",
    "SequenceReverse",
    "_backward_SequenceLast",
    python="NumPy finds elements by several indices in one call; no rule for machine code has been written",
)
