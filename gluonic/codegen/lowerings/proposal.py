"""Proposals of regions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_Proposal",
    "_contrib_MultiProposal",
    python="NumPy sorts the boxes and compares one with all others at a time",
)
