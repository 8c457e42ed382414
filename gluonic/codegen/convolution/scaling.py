"""Images in blocks, scaled and shifted by a number per channel, with an activation.

As a loop over elements this would have rows of one block each; here a factor stays in a register for a
whole plane.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.convolution.operators import activation_of, attributes_of
from gluonic.codegen.convolution.steps import ImageStep
from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT32, Value
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.graph import Application, Array, Entry, Node
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, complete

_AT_ONCE = 4
"""The number of positions in an iteration; their computations overlap."""


@inner_operator("_scale_blocks", absent=lambda n: () if n.has_shift else ("shift",))
def scale_blocks(
    data: Array,
    scale: Array,
    shift: Array | None = None,
    *,
    has_shift: bool,
    of_each_image: bool = False,
    activation: str = "",
    activation_attributes: str = "{}",
) -> Any:
    """activation(data * scale + shift) for images in blocks; both have a number per channel.

    With `of_each_image` the scale has numbers per image and channel.
    """
    result = data * scale
    if shift is not None:
        result = result + shift
    return activation_of(activation, activation_attributes)(M, result)


@scale_blocks.infer_shape
def _(n: NodeView) -> None:
    n.output = complete(n.data)


def with_activation(scaled: Entry, activation: Application) -> Entry | None:
    """A `scale_blocks` with an activation added; None for other operators, or if it has one."""
    node = scaled.node
    if node.application is None or node.application.op is not scale_blocks:
        return None
    if node.application.settings["activation"]:
        return None
    made = scale_blocks.apply({**node.application.settings, **attributes_of(activation)})
    return Node(made, node.name, node.inputs).entry()


class ScaleStep(ImageStep):
    """Images scaled and shifted by a number per channel."""

    def __init__(self, node: Node, facts: Facts) -> None:
        super().__init__(node, facts)
        self.activation = activation_of(self.n.activation, self.n.activation_attributes)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The number of blocks in an image, and the number of positions in a block."""
        _, blocks, rows, columns, _ = self.shape(facts, 0)
        return blocks, rows * columns

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the loops over blocks and positions."""
        w = ElementWriter(module, name, FLOAT32)
        blocks, positions = w.number(0), w.number(1)
        data, scale, *shift, goal = (w.operand(i) for i in range(len(self.operands)))
        with w.f.loop("%begin", "%end") as unit:
            _, block = w.divided(unit, blocks)
            own = unit if self.n.of_each_image else block
            factor = w.whole(w.moved(scale, own, w.step), w.lanes)
            summands = [w.whole(w.moved(c, block, w.step), w.lanes) for c in shift]
            begin = w.times(w.times(unit, positions), w.step)
            here, there = w.moved(data, begin), w.moved(goal, begin)

            def write(position: str, count: int) -> None:
                offsets = [w.times(w.plus(position, i), w.step) for i in range(count)]
                read = [w.whole(w.moved(here, offset), w.lanes) for offset in offsets]
                for offset, value in zip(offsets, read, strict=True):
                    scaled = w.m.mad(value, factor, *summands) if summands else value * factor
                    made: Value = self.activation(w.m, scaled)
                    w.put_whole(made, w.moved(there, offset), w.lanes)

            _over(w, positions, write)
        w.f.finish()


def _over(w: ElementWriter, positions: str, write: Callable[[str, int], None]) -> None:
    """Loop over positions, several at a time, the remainder one by one."""
    whole = w.f.bits(positions, -_AT_ONCE)
    with w.f.loop("0", whole, _AT_ONCE) as position:
        write(position, _AT_ONCE)
    with w.f.loop(whole, positions) as position:
        write(position, 1)


lower(scale_blocks, step=ScaleStep)
