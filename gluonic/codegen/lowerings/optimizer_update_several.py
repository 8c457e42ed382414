"""Updates of several weights at once."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "multi_sgd_update",
    "multi_mp_sgd_update",
    "multi_sgd_mom_update",
    "multi_mp_sgd_mom_update",
    "_multi_lamb_update",
    "_multi_mp_lamb_update",
    "preloaded_multi_sgd_update",
    "preloaded_multi_mp_sgd_update",
    "preloaded_multi_sgd_mom_update",
    "preloaded_multi_mp_sgd_mom_update",
    "_multi_adamw_update",
    "_multi_mp_adamw_update",
    python="Trainer does not call it: it compiles its updates, from the same formulas",
)
