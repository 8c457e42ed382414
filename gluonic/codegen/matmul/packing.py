"""Weights packed once for all products that read them."""

from collections.abc import Sequence

from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.machine.target import Target, host
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.matmul.choices import LONG, MOST_KEPT, SMALL
from gluonic.codegen.matmul.panel_packers import transposing_packer
from gluonic.codegen.matmul.product_kernel import ProductTiling
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Node
from gluonic.graph.attributes import Shape


def packed_bytes(weight: Shape, target: Target) -> int:
    """The size, in bytes, of a packed float32 weight of shape (columns, inner)."""
    columns, inner = weight
    tiling = ProductTiling.of(FLOAT32, target)
    return -(-columns // tiling.columns) * tiling.panel_bytes(inner, FLOAT32.itemsize)


def is_packed_in_panels(weight: Shape) -> bool:
    """Whether packing pays off for a weight of shape (columns, inner)."""
    columns, inner = weight
    return SMALL < columns * inner <= MOST_KEPT and inner < LONG


class PackStep(Step):
    """A weight packed for several products."""

    def __init__(self, node: Node, facts: Facts) -> None:
        self.operands = (node.inputs[0], node.entry())
        self.tiling = ProductTiling.of(FLOAT32, host())
        self.widths = facts.decide(self._widths)

    def _widths(self, facts: Facts) -> tuple[int, ...]:
        """The widths of the panels, in registers."""
        return self.tiling.needed(facts.shapes[self.operands[0]][0])

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "PackStep | None":
        """The step of a node that packs a weight."""
        return cls(node, facts) if node.operator_name == "_packed" else None

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The extents of the weight."""
        return facts.shapes[self.operands[0]]

    def units(self, facts: Facts) -> int:
        """One unit per panel."""
        return -(-facts.shapes[self.operands[0]][0] // self.tiling.columns)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the loop over panels; the last may be narrower."""
        lanes, widest = self.tiling.lanes, self.tiling.columns
        widths = [vectors * lanes for vectors in self.widths]
        packers = [transposing_packer(module, FLOAT32, lanes, width) for width in widths]
        f = StepFunction(module, name)
        weight, goal = f.operand(0), f.operand(1)
        columns, inner = f.number(0), f.number(1)
        up = f.add(inner, lanes - 1)
        padded = f.bits(up, -lanes)
        with f.loop("%begin", "%end") as unit:
            first = f.mul(unit, widest)
            left = f.sub(columns, first)
            count = f.least(left, widest)
            source = f.offset(weight, f.mul(first, inner), "float")
            address = f.offset(goal, f.mul(first, padded), "float")
            for packer, width, below in zip(packers, widths, [*widths[1:], 0], strict=True):
                fits = f.compare("sle", count, width)
                is_needed = f.compare("sgt", count, below)
                with f.when(f.both(fits, is_needed)):
                    sizes = [("i64", extent) for extent in (inner, count, inner)]
                    f.run(f"@{packer}", ("ptr", source), *sizes, ("ptr", address))
        f.finish()
