"""NumPy's reductions; some have no axes, or an initial value."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_np_sum",
    loop="loops.semantics:sum_over",
    decompose="rewriting.decompose_numpy:from_initial_sum",
)
lower(
    "_np_prod",
    loop="loops.semantics:prod",
    decompose="rewriting.decompose_numpy:from_initial_product",
)
lower("_npi_mean", loop="loops.semantics:mean", decompose="rewriting.decompose_numpy:mean")
lower(
    "_np_max",
    loop="loops.semantics:largest",
    selects=True,
    decompose="rewriting.decompose_numpy:from_initial_largest",
)
lower(
    "_np_min",
    loop="loops.semantics:smallest",
    selects=True,
    decompose="rewriting.decompose_numpy:from_initial_smallest",
)
