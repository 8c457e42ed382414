"""Sequences of several lengths."""

from gluonic.codegen.lowerings.entry import lower

lower("SequenceMask", loop="loops.loop_choices:sequence_mask")
