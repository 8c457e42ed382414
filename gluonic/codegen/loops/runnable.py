"""Which dtypes machine code computes, and which operators in them."""

import numpy as np

from gluonic.codegen.loops.costs import why_no_code
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Node
from gluonic.graph.dtypes import is_bfloat16

_NATIVE_DTYPES = frozenset(
    np.dtype(name)
    for name in ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")
)


def is_native(dtype: Dtype) -> bool:
    """Whether machine code reads and writes such elements; bfloat16 only on GPUs (see `Preparation`)."""
    return dtype in _NATIVE_DTYPES or is_bfloat16(dtype)


def why_not(node: Node, facts: Facts) -> str:
    """Why the operator has no machine code for these dtypes; an empty string if it has."""
    key = "why not", facts.kind_of(node)
    if key not in facts.known:
        facts.known[key] = _why_not(node, facts)
    reason: str = facts.known[key]
    return reason


def _why_not(node: Node, facts: Facts) -> str:
    entries = [*node.inputs, *(node.entry(i) for i in range(node.output_count))]
    for entry in entries:
        dtype = facts.dtypes[entry]
        if not is_native(dtype):
            return f"{dtype.name} has no machine code"
    loop = loop_for(node, facts)
    if loop is None:
        return ""  # the caller reports it
    dtypes = [
        facts.dtypes[e] for e, read in zip(node.inputs, loop.reads, strict=True) if read is not None
    ]
    return why_no_code(loop, dtypes)
