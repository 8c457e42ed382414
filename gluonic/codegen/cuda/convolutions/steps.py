"""Steps of convolutions, of their transposes, and of the gradients of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from gluonic.codegen.cuda.convolutions.direct import DirectProduct
from gluonic.codegen.cuda.convolutions.direct_launches import (
    DirectResults,
    FilterGradients,
    direct_way,
)
from gluonic.codegen.cuda.convolutions.geometry import Convolution
from gluonic.codegen.cuda.convolutions.zeros import clearing
from gluonic.codegen.cuda.products.form import TiledForm
from gluonic.codegen.cuda.products.layout import ProductLayout
from gluonic.codegen.cuda.products.plan import cycles_of
from gluonic.codegen.cuda.products.steps import TiledStep, are_small
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.cuda.tails.form import Tail
from gluonic.codegen.maths.values import Dtype, arithmetic
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Entry, Node
from gluonic.graph.dtypes import is_floating
from gluonic.support.record import record

_LAYOUTS: dict[DirectProduct, Callable[[Convolution], Sequence[ProductLayout]]] = {
    "forward": lambda convolution: [convolution.forward()],
    "data": Convolution.data_gradients,
    "weight": lambda convolution: [convolution.weight_gradient()],
}


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
    product: DirectProduct
    transposed: bool = False


FORWARD = ConvolutionKind(0, 1, (1, 0), "forward")
DATA_GRADIENT = ConvolutionKind(1, 2, (2, 0), "data")
WEIGHT_GRADIENT = ConvolutionKind(1, 2, (0, 1), "weight")
TRANSPOSED = ConvolutionKind(0, 1, (1, 0), "data", True)
TRANSPOSED_DATA_GRADIENT = ConvolutionKind(1, 2, (2, 0), "forward", True)
TRANSPOSED_WEIGHT_GRADIENT = ConvolutionKind(1, 2, (1, 0), "weight", True)


class DeviceConvolutionStep(TiledStep):
    """One of a convolution's products: a tiled product, or a kernel without tiles if that is faster."""

    def __init__(self, node: Node, kind: ConvolutionKind, facts: Facts) -> None:
        self.node, self.kind = node, kind
        factors, result = [node.inputs[i] for i in kind.factors], node.entry()
        is_layer = kind.data == 0
        bias = node.inputs[2:] if is_layer else []
        super().__init__(factors, bias, result, facts.dtypes[result], "row")

    @classmethod
    def of(
        cls, node: Node, facts: Facts, processor: Processor, *, kind: ConvolutionKind
    ) -> DeviceConvolutionStep | None:
        """The step of a node; None where an array is too large for 32-bit indices."""
        step = cls(node, kind, facts)
        entries: Sequence[Entry] = step.operands
        same = all(facts.dtypes[entry] == step.dtype for entry in entries)
        return step if same and is_floating(step.dtype) and are_small(facts, entries) else None

    def _convolution(self, facts: Facts) -> Convolution:
        data, weight = (
            facts.shapes[self.node.inputs[i]] for i in (self.kind.data, self.kind.weight)
        )
        find = Convolution.transposed if self.kind.transposed else Convolution.of
        return find(self.node.applied.settings, data, weight)

    def layouts(self, facts: Facts) -> Sequence[ProductLayout]:
        """The products for these shapes."""
        return _LAYOUTS[self.kind.product](self._convolution(facts))

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """The launches of whichever way is faster."""
        direct = self._direct(facts, processor)
        if direct is not None:
            return direct.launches(range(len(self.operands) + 1))
        if not self._leaves_zeros(facts):
            return super().launches(facts, processor)
        count = prod(facts.shapes[self.operands[-1]])
        zeros = clearing(len(self.operands) - 1, count, self.dtype)
        return [zeros, *super().launches(facts, processor)]

    def _products(self, facts: Facts) -> list[tuple[ProductLayout, TiledForm]]:
        """The products but those of nothing, if zeros are written to the whole result before."""
        products, leaves_zeros = super()._products(facts), self._leaves_zeros(facts)
        return [each for each in products if each[0].inner or not leaves_zeros]

    def _leaves_zeros(self, facts: Facts) -> bool:
        """Whether parts of the result are zero, as where windows are smaller than their distance."""
        is_plain = self.tail == Tail.plain(arithmetic(self.dtype), self.dtype)
        return is_plain and any(not layout.inner for layout in self.layouts(facts))

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The sums of parts."""
        direct = self._direct(facts, processor)
        return super().workspace(facts, processor) if direct is None else direct.workspace

    def _direct(self, facts: Facts, processor: Processor) -> DirectResults | FilterGradients | None:
        convolution, product = self._convolution(facts), self.kind.product
        return fastest_way(convolution, product, self.dtype, processor, self.tail)


def fastest_way(
    convolution: Convolution,
    product: DirectProduct,
    dtype: Dtype,
    processor: Processor,
    tail: Tail,
) -> DirectResults | FilterGradients | None:
    """The way without tiles, if it is faster by the models of both; None for a tiled product."""
    way = direct_way(convolution, product, dtype, processor, tail)
    if way is None:
        return None
    layouts = _LAYOUTS[product](convolution)
    tiled = sum(cycles_of(layout, layout.form(dtype), processor) for layout in layouts)
    return way if way.cycles < tiled else None
