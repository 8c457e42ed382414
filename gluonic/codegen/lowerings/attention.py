"""Attention of transformers."""

from gluonic.codegen.lowerings.entry import lower

lower("_contrib_div_sqrt_dim", loop="loops.semantics:div_sqrt_dim")
for _name in ("selfatt_qk", "selfatt_valatt", "encdec_qk", "encdec_valatt"):
    lower(
        f"_contrib_interleaved_matmul_{_name}",
        decompose=f"rewriting.interleaved:{_name}",
        float16="upcast",
    )
