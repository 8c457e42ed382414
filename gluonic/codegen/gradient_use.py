"""The gradients that an eager call requests from an operator's rule."""

from collections.abc import Sequence
from typing import NamedTuple

from gluonic.graph import Application, Entry, Node
from gluonic.graph.builder import F
from gluonic.graph.gradient import input_gradients


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


def rule_as_graph(
    application: Application, use: GradientUse
) -> tuple[Sequence[Entry | None], Sequence[Node]]:
    """The gradients of an operator's inputs, and the variables that they are computed from.

    Returns
    -------
    gradients : None where there is none
    variables : the inputs, the outputs, and the gradients of the outputs that have one
    """
    inputs = [Node(None, name) for name in application.inputs]
    outputs = [Node(None, f"{name}_value") for name in application.outputs]
    names = zip(application.outputs, use.flowing, strict=True)
    heads = [Node(None, f"{name}_gradient") if flows else None for name, flows in names]
    gradients = input_gradients(
        F,
        application,
        [node.entry() for node in (*inputs, *outputs)],
        [None if head is None else head.entry() for head in heads],
        train=use.train,
        wanted=use.wanted,
    )
    return gradients, [*inputs, *outputs, *(head for head in heads if head is not None)]
