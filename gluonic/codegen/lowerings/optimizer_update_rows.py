"""Updates of optimizers by rows."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sparse_adagrad_update",
    "_contrib_group_adagrad_update",
    python="Trainer computes updates in machine code of its own, from the same formulas, and does not call it",
)
