"""Lists of operators' names and aliases, from patterns and from the registry."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from gluonic.graph import REGISTRY

CONDITIONAL = [
    ("Activation", "act_type", ["softrelu"]),
    ("LeakyReLU", "act_type", ["elu", "selu"]),
]
"""Computed in float32 for these values of an attribute: they compute exponentials."""

LOSSES = [
    "SoftmaxOutput",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
]
"""Operators whose gradients can be multiplied by a number."""

SEVERAL_INPUTS = """
    elemwise_* broadcast_add broadcast_sub broadcast_mul broadcast_div broadcast_mod broadcast_m??imum
    broadcast_equal broadcast_not_equal broadcast_greater* broadcast_lesser* broadcast_logical_*
    _mod _maximum _minimum _scatter_elemwise_div _equal _not_equal _greater _greater_equal _lesser _lesser_equal
    _logical_and _logical_or _logical_xor add_n where stack dot
    batch_dot Correlation _random_pdf_* _contrib_box_iou _contrib_box_nms _contrib_Proposal
    _contrib_MultiProposal _contrib_ROIAlign _contrib_PSROIPooling _contrib_edge_id
"""
"""Operators with several inputs of one dtype, equally accurate in any dtype."""


def registered(patterns: str) -> list[str]:
    """Return all names of the operators whose first name matches a pattern."""
    fitting = (
        op
        for op in REGISTRY.operators()
        if any(fnmatchcase(op.name, pattern) for pattern in patterns.split())
    )
    return [name for op in fitting for name in (op.name, *op.aliases) if _is_dense(name)]


def all_but(*lists: Iterable[str]) -> list[str]:
    """Return the names of all operators that are in none of the given lists."""
    taken = {name for one in (*lists, [row[0] for row in CONDITIONAL]) for name in one}
    return [name for name in REGISTRY if name not in taken and _is_dense(name)]


def _is_dense(name: str) -> bool:
    return not name.startswith(("_sparse_", "_backward_", "_npx_"))
