"""The gradients that an eager call requests from an operator's rule."""

from typing import NamedTuple


class GradientUse(NamedTuple):
    """The gradients requested from an operator's rule.

    Attributes
    ----------
    wanted : for each input, whether its gradient is requested
    flowing : for each output, whether a gradient flows into it
    train : whether the operator ran in training mode
    """

    wanted: tuple[bool, ...]
    flowing: tuple[bool, ...]
    train: bool
