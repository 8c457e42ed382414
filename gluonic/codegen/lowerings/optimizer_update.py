"""Updates of optimizers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "sgd_update",
    "sgd_mom_update",
    "nag_mom_update",
    "adam_update",
    "rmsprop_update",
    "rmspropalex_update",
    "ftrl_update",
    "signsgd_update",
    "signum_update",
    "ftml_update",
    "lamb_update_phase1",
    "lamb_update_phase2",
    "_adamw_update",
    decompose="rewriting.decompose_updates:updated",
)
