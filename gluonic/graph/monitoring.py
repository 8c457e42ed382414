"""The names of operators' inputs for monitors: numbers, where MXNet has no names."""

from gluonic.graph.application import Application

_ALONE = ("data", "src")
_NAMED = frozenset(
    {
        *("Dropout", "GridGenerator", "L2Normalization", "LRN", "MakeLoss", "Pad", "Pooling"),
        *("SliceChannel", "SwapAxis", "_contrib_MultiBoxPrior", "_contrib_index_array"),
        *("_contrib_quadratic", "_image_normalize", "_image_to_tensor", "_ravel_multi_index"),
        *("_split_v2", "_unravel_index", "all_finite", "col2im", "depth_to_space", "diag"),
        *("im2col", "log_softmax", "moments", "repeat", "reverse", "space_to_depth", "squeeze"),
        "tile",
    }
)
"""Operators of one input that has a name in MXNet."""


def input_names(application: Application) -> tuple[str, ...]:
    """The names of an operator's inputs for monitors.

    >>> from gluonic.graph import ops
    >>> from gluonic.graph.operator import REGISTRY
    >>> input_names(REGISTRY["relu"].apply({})), input_names(REGISTRY["dot"].apply({}))
    (('input0',), ('lhs', 'rhs'))
    """
    op = application.op
    if len(op.inputs) == 1 and op.inputs[0] in _ALONE and op.name not in _NAMED:
        return ("input0",)
    return application.inputs
