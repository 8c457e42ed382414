"""The rules, in a file for each subject."""

from gluonic.pytorch.operators import elementwise, indexing, layers, reductions, shapes

__all__ = ["elementwise", "indexing", "layers", "reductions", "shapes"]
