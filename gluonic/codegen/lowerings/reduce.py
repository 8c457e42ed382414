"""Sums, products, extremes and norms over axes."""

from gluonic.codegen.lowerings.entry import lower

lower("sum", loop="loops.semantics:sum_over")
lower("mean", loop="loops.semantics:mean", decompose="rewriting.decompose_numpy:mean_of_integers")
lower("prod", loop="loops.semantics:prod")
lower("max", loop="loops.semantics:largest", selects=True)
lower("min", loop="loops.semantics:smallest", selects=True)
lower("nansum", loop="loops.semantics:nansum")
lower("nanprod", loop="loops.semantics:nanprod")
lower("norm", loop="loops.semantics:norm", float16="upcast")
lower("_backward_sum", loop="loops.semantics:spread")
lower("_backward_mean", loop="loops.semantics:spread_mean")
lower(
    "_backward_prod",
    decompose="rewriting.decompose_numpy:other_factors",
    float16="upcast",
    python="NumPy computes derivatives of products of higher orders, which nothing can divide",
)
