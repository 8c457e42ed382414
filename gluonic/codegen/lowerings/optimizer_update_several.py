"""Updates of several weights at once."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "multi_sgd_update",
    "multi_mp_sgd_update",
    "multi_sgd_mom_update",
    "multi_mp_sgd_mom_update",
    "preloaded_multi_sgd_update",
    "preloaded_multi_mp_sgd_update",
    "preloaded_multi_sgd_mom_update",
    "preloaded_multi_mp_sgd_mom_update",
    "_multi_adamw_update",
    "_multi_mp_adamw_update",
    decompose="rewriting.decompose_updates:updated",
)
lower(
    "_multi_lamb_update",
    "_multi_mp_lamb_update",
    on_devices="rewriting.decompose_updates:both_phases",
)
