"""Products of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "khatri_rao",
    on_devices="rewriting.device_decompositions:khatri_rao",
)
lower("dot", product="matmul.product:dot", float16="upcast")
lower("_backward_dot_lhs", product="matmul.product:dot_lhs", float16="upcast")
lower("_backward_dot_rhs", product="matmul.product:dot_rhs", float16="upcast")
lower("batch_dot", product="matmul.product:batch_dot", holds_heads=True, float16="upcast")
