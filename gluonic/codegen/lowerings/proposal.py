"""Proposals of regions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_Proposal",
    "_contrib_MultiProposal",
    python="the data determine the boxes: NumPy finds them",
)
