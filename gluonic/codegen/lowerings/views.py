"""Reshapes of several arrays at once."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_np_atleast_1d",
    "_np_atleast_2d",
    "_np_atleast_3d",
    decompose="rewriting.decompose_numpy:at_least",
)
