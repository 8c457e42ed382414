"""Row-wise updates of optimizers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sparse_adagrad_update",
    "_contrib_group_adagrad_update",
    python="Trainer does not call it: it compiles its updates, from the same formulas",
)
