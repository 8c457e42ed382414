"""Dropout."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "Dropout",
    decompose="rewriting.decompose:dropout",
    draws_apart="rewriting.draws_apart:dropout",
    python="where the mask is read but nothing is dropped, NumPy computes it",
)
