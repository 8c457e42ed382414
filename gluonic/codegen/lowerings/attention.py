"""Attention of transformers."""

from gluonic.codegen.lowerings.entry import lower

lower("_contrib_div_sqrt_dim", loop="loops.semantics:div_sqrt_dim")
lower(
    "_contrib_interleaved_matmul_selfatt_qk",
    decompose="rewriting.interleaved:selfatt_qk",
    float16="upcast",
)
lower(
    "_contrib_interleaved_matmul_selfatt_valatt",
    decompose="rewriting.interleaved:selfatt_valatt",
    float16="upcast",
)
lower(
    "_contrib_interleaved_matmul_encdec_qk",
    decompose="rewriting.interleaved:encdec_qk",
    float16="upcast",
)
lower(
    "_contrib_interleaved_matmul_encdec_valatt",
    decompose="rewriting.interleaved:encdec_valatt",
    float16="upcast",
)
