"""Steps of convolutions, of their transposes, and of the gradients of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gluonic.codegen.cuda.convolutions.geometry import Convolution
from gluonic.codegen.cuda.products.layout import ProductLayout
from gluonic.codegen.cuda.products.steps import TiledStep, are_small
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Entry, Node
from gluonic.support.record import record


@record
class ConvolutionKind:
    """An operator that is one of a convolution's products.

    Attributes
    ----------
    data, weight : the indices of the inputs with the shapes of the layer's data and filters
    factors : the indices of the inputs that are multiplied: what is on the left, and the images
    product : which of the convolution's products it is
    transposed : whether the layer is a transposed convolution
    """

    data: int
    weight: int
    factors: tuple[int, int]
    product: Callable[[Convolution], ProductLayout]
    transposed: bool = False


FORWARD = ConvolutionKind(0, 1, (1, 0), Convolution.forward)
DATA_GRADIENT = ConvolutionKind(1, 2, (2, 0), Convolution.data_gradient)
WEIGHT_GRADIENT = ConvolutionKind(1, 2, (0, 1), Convolution.weight_gradient)
TRANSPOSED = ConvolutionKind(0, 1, (1, 0), Convolution.data_gradient, True)
TRANSPOSED_DATA_GRADIENT = ConvolutionKind(1, 2, (2, 0), Convolution.forward, True)
TRANSPOSED_WEIGHT_GRADIENT = ConvolutionKind(1, 2, (1, 0), Convolution.weight_gradient, True)


class TiledConvolutionStep(TiledStep):
    """An operator that is one of a convolution's products."""

    def __init__(self, node: Node, kind: ConvolutionKind, facts: Facts) -> None:
        self.node, self.kind = node, kind
        given: list[Entry] = [node.inputs[i] for i in kind.factors]
        is_layer = kind.data == 0
        if is_layer and len(node.inputs) > 2:
            given.append(node.inputs[2])
            self.bias = "rows"
        super().__init__([*given, node.entry()], facts.dtypes[node.entry()])

    @classmethod
    def of(
        cls, node: Node, facts: Facts, processor: Processor, *, kind: ConvolutionKind
    ) -> TiledConvolutionStep | None:
        """The step of a node; None where an array is too large for 32-bit indices."""
        step = cls(node, kind, facts)
        entries: Sequence[Entry] = step.operands
        same = all(facts.dtypes[entry] == step.dtype for entry in entries)
        return step if same and step.dtype.kind == "f" and are_small(facts, entries) else None

    def layout(self, facts: Facts) -> ProductLayout:
        """The product for these shapes."""
        data, weight = (
            facts.shapes[self.node.inputs[i]] for i in (self.kind.data, self.kind.weight)
        )
        find = Convolution.transposed if self.kind.transposed else Convolution.of
        return self.kind.product(find(self.node.applied.settings, data, weight))
