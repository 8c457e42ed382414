"""Arrays joined, and taken apart."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_split_v2",
    python="pieces are views of NumPy, which take no time; SliceChannel has machine code",
)
lower("SliceChannel", decompose="rewriting.decompose:split")
lower("_backward_Concat", decompose="rewriting.decompose:concat_back")
