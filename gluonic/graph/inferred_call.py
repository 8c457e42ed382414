"""What follows for a call of a graph from the shapes and dtypes of its inputs."""

from collections.abc import Callable
from itertools import chain
from math import prod
from typing import Any

from gluonic.graph.application import Signature
from gluonic.graph.operator import Signatures


class InferredCall:
    """What follows for a call from the shapes and dtypes of its inputs.

    Attributes
    ----------
    inputs : these shapes and dtypes
    outputs : the output signatures of all operators, in run order
    calls : the functions that run the operators, see `Interpretation`; None if not chosen yet
    """

    __slots__ = ("calls", "inputs", "outputs")

    def __init__(self, inputs: Signatures, outputs: list[Signature]) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.calls: list[Callable[..., Any] | None] | None = None

    def elements(self) -> list[int]:
        """The numbers of elements of the inputs and of all results."""
        made = {
            identity: [0 if shape is None else prod(shape) for shape in expected.shapes]
            for identity, expected in {id(expected): expected for expected in self.outputs}.items()
        }
        read = [prod(shape) for shape, _ in self.inputs]
        return [*read, *chain.from_iterable([made[id(expected)] for expected in self.outputs])]
