"""Output layers with a loss."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_per_instance",
    "SVMOutput",
    "_away_from_label",
    "softmax_cross_entropy",
    python="an output layer is small compared to its net; it has no lowering yet",
)
