"""Native steps that move elements and compute nothing."""

from collections.abc import Sequence
from math import prod

from gluonic.codegen.loops.semantics import is_view
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Node

_PIECE = 1 << 16
"""The bytes of a piece that is copied at a time."""


class CopyStep(Step):
    """A reshaped result that needs memory of its own."""

    def __init__(self, node: Node) -> None:
        self.operands = (node.inputs[0], node.entry())

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "CopyStep | None":
        """The step of a node that reshapes its input."""
        kept = facts.dtypes[node.inputs[0]] == facts.dtypes[node.entry()] if node.inputs else False
        if not kept or not is_view(node.applied) or facts.dtypes[node.entry()].hasobject:
            return None
        return cls(node)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The number of bytes."""
        return (facts.bytes_of(self.operands[1]),)

    def units(self, facts: Facts) -> int:
        """One unit per piece."""
        return -(-facts.bytes_of(self.operands[1]) // _PIECE)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the copy of contiguous pieces."""
        f = StepFunction(module, name)
        source, target, all_bytes = f.operand(0), f.operand(1), f.number(0)
        first, behind = (f.mul(edge, _PIECE) for edge in ("%begin", "%end"))
        last = f.least(behind, all_bytes)
        size = f.sub(last, first)
        source, target = (f.offset(p, first) for p in (source, target))
        f.copy(target, source, size)
        f.finish()


class JoinStep(Step):
    """Arrays concatenated along an axis, or stacked along a new one: the rows of each are copied in turn.

    An array that was computed in place is not copied; see :mod:`gluonic.codegen.launch.buffer_assignment`.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.operands = (*node.inputs, node.entry())

    @classmethod
    def of(cls, node: Node, facts: Facts) -> "JoinStep | None":
        """The step of a node that concatenates or stacks arrays of one dtype."""
        dtypes = {facts.dtypes[e] for e in (*node.inputs, node.entry())}
        return None if len(dtypes) > 1 or dtypes.pop().hasobject else cls(node)

    def _axis(self, facts: Facts) -> int:
        settings = self.node.applied.settings
        axis: int = settings["dim"] if "dim" in settings else settings["axis"]
        return axis % len(facts.shapes[self.node.entry()])

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The number of turns, and the number of bytes of each array that are copied in each turn."""
        axis, size = self._axis(facts), facts.dtypes[self.node.entry()].itemsize
        parts = [prod(facts.shapes[entry][axis:]) * size for entry in self.node.inputs]
        return (self.units(facts), *parts)

    def units(self, facts: Facts) -> int:
        """One unit per turn."""
        return prod(facts.shapes[self.node.entry()][: self._axis(facts)])

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the loop over turns."""
        f = StepFunction(module, name)
        count = len(self.node.inputs)
        sizes = [f.number(1 + i) for i in range(count)]
        addresses = [f.operand(i) for i in range(count + 1)]
        whole = sizes[0]
        for size in sizes[1:]:
            whole = f.add(whole, size)
        with f.loop("%begin", "%end") as turn:
            offset = f.mul(turn, whole)
            target = f.offset(addresses[-1], offset)
            for size, address in zip(sizes, addresses, strict=False):
                start = f.mul(turn, size)
                source = f.offset(address, start)
                with f.when(f.compare("ne", source, target, "ptr")):
                    f.copy(target, source, size)
                target = f.offset(target, size)
        f.finish()
