"""What an eager call asks of an operator's gradient rule."""

from typing import NamedTuple


class GradientUse(NamedTuple):
    """What is asked of an operator's gradient rule.

    Attributes
    ----------
    wanted : of which inputs the gradients are asked for
    flowing : into which outputs gradients flow
    train : whether the operator ran in training mode
    """

    wanted: tuple[bool, ...]
    flowing: tuple[bool, ...]
    train: bool
