"""Concatenation, and its inverse."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "_split_v2",
    on_devices="rewriting.device_decompositions:unequal_parts",
)
lower(
    "Concat",
    step="data_movement.copies:JoinStep.of",
    layout=LayoutRules(
        "moves",
        plain="rewriting.layout.plain_layout:PlainRewriting.join",
        blocked="rewriting.layout.joining:join",
    ),
)
lower("stack", "_rnn_param_concat", step="data_movement.copies:JoinStep.of")
lower(
    "SliceChannel",
    decompose="rewriting.decompose:split",
    layout=LayoutRules("moves", blocked="rewriting.layout.joining:split"),
)
lower(
    "_backward_Concat",
    decompose="rewriting.decompose:concat_back",
    layout=LayoutRules("moves", blocked="rewriting.layout.joining:join_gradient"),
)
