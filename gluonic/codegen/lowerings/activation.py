"""Activation functions."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "Activation",
    selects=lambda settings: bool(settings["act_type"] == "relu"),
    follows_input=True,
)
lower(
    "LeakyReLU",
    loop="loops.semantics:leaky",
    is_function=True,
    follows_input=True,
    decompose="rewriting.decompose:leaky",
    layout=LayoutRules(blocked="rewriting.layout.following:rectifier"),
    draws_apart="rewriting.draws_apart:rectifier",
    eager=lambda settings, shapes: float(settings["act_type"] != "leaky"),
    python="NumPy computes random slopes that are also read as an output",
)
lower("_gelu_slope", eager=1)
lower("_prelu_view_like", is_view=True)
