"""Updates of optimizers in mixed precision."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "mp_sgd_update",
    "mp_sgd_mom_update",
    "mp_nag_mom_update",
    "_mp_adamw_update",
    "mp_lamb_update_phase1",
    "mp_lamb_update_phase2",
    decompose="rewriting.decompose_updates:updated",
)
