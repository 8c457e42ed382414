"""Row-wise updates of optimizers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sparse_adagrad_update",
    "_contrib_group_adagrad_update",
    decompose="rewriting.decompose_updates:updated",
)
