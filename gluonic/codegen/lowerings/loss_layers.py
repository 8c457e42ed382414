"""Output layers with a loss."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_per_instance",
    "SVMOutput",
    "_away_from_label",
    "softmax_cross_entropy",
    python="an output layer is small beside its net; no rule for machine code has been written",
)
