"""Dropout."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "Dropout",
    decompose="rewriting.decompose:dropout",
    layout=LayoutRules("moves", blocked="rewriting.layout.following:dropout", in_training=False),
    follows_input=True,
    draws_apart="rewriting.draws_apart:dropout",
    python="NumPy computes the mask where it is read but nothing is dropped",
)
