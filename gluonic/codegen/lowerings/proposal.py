"""Proposals of regions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_Proposal",
    "_contrib_MultiProposal",
    python="the data decide which boxes there are: loops over arrays of NumPy find them",
)
