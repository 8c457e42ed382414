"""Operators that gluonic does not have: listed, drawn, edited and saved, but never run."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from gluonic.graph.application import Application
from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.view import NodeView, Unknown


class Placeholder(Operator):
    """An operator known only by name, with the numbers of inputs and outputs of one node.

    Parameters
    ----------
    name : its name in the file
    inputs : number of inputs of the node
    outputs : number of outputs of the node
    states : the positions of inputs that the operator updates
    """

    def __init__(self, name: str, inputs: int, outputs: int, states: Sequence[int] = ()) -> None:
        def kernel(*data: Any, **settings: Any) -> NoReturn:
            raise MXNetError(missing(name, settings))

        kernel.__doc__ = f"An operator {name} that gluonic does not have."
        names = tuple(f"input{i}" for i in range(inputs))
        super().__init__(
            name,
            kernel,
            arguments=lambda n: names,
            outputs=("output",) if outputs == 1 else tuple(f"output{i}" for i in range(outputs)),
            shape=_wait,
            dtype=_wait,
        )
        self.states = tuple(names[i] for i in states)


def _wait(n: NodeView) -> None:
    raise Unknown


def missing(name: str, settings: Mapping[str, str]) -> str:
    """The message for an operator that does not exist."""
    if name in REGISTRY:
        kind = ", ".join(f"{key}={value!r}" for key, value in settings.items())
        return describe(
            f"there was no operator {name}({kind}) when the graph was made",
            hint="import the module that registers it, then load the graph again; "
            "without it, the graph can be drawn and saved",
        )
    return describe(
        f"gluonic has no operator {name!r}{nearest(name, REGISTRY)}",
        hint="register it, or replace the node in the graph; it can be drawn and saved as it is",
    )


def placeholder(
    name: str, inputs: int, outputs: int, states: Sequence[int], attributes: Mapping[str, str]
) -> Application:
    """Make an application of an operator that gluonic does not have."""
    return Application(Placeholder(name, inputs, outputs, states), dict(attributes))


def unknown_operators(graph: Graph) -> list[Node]:
    """List the nodes whose operators gluonic does not have."""
    return [
        node
        for node in graph.nodes
        if node.application is not None and isinstance(node.application.op, Placeholder)
    ]
