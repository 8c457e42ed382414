"""What the compiler made of a graph, in words: what is fused, what is not and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gluonic.graph.node import Node
from gluonic.graph.view import written

if TYPE_CHECKING:
    from gluonic.codegen.binding import Binding


@dataclass(frozen=True)
class Step:
    """One step of a compiled graph.

    Attributes
    ----------
    kind : ``"kernel"`` (machine code) or ``"python"`` (an operator's NumPy kernel)
    operators : the operators that run in it
    shape : of the loop, or of the result
    reason : why Python runs it
    location : the user's line of its last operator
    """

    kind: str
    operators: tuple[str, ...]
    shape: tuple[int, ...]
    reason: str
    location: str

    def __str__(self) -> str:
        names = " → ".join(self.operators)
        why = f"  ({self.reason})" if self.reason else ""
        where = f"\n          {self.location}" if self.location else ""
        return f"{self.kind:8}  {written(self.shape):18} {names}{why}{where}"


@dataclass(frozen=True)
class Explanation:
    """What became of a graph; printing it shows the table.

    Attributes
    ----------
    steps : what runs, in order
    native_calls : how many times Python enters machine code
    saved_bytes : bytes of intermediate results that never reach memory
    arena_bytes : bytes of those that do
    code : the LLVM module
    """

    steps: tuple[Step, ...]
    native_calls: int
    saved_bytes: int
    arena_bytes: int
    code: str

    @property
    def kernels(self) -> tuple[Step, ...]:
        """The steps that are machine code."""
        return tuple(step for step in self.steps if step.kind == "kernel")

    def __str__(self) -> str:
        operators = sum(len(step.operators) for step in self.steps)
        head = (
            f"{operators} operators in {len(self.steps)} steps: {len(self.kernels)} kernels in "
            f"{self.native_calls} native calls, {len(self.steps) - len(self.kernels)} in Python; "
            f"{self.saved_bytes:,} bytes kept out of memory, {self.arena_bytes:,} in the arena"
        )
        return "\n".join([head, *map(str, self.steps)])


def _title(node: Node) -> str:
    return f"{node.operator_name} {node.name}"


def _location(nodes: Sequence[Node]) -> str:
    located = [node for node in nodes if node.location is not None]
    if not located:
        return ""
    block = f" in {located[-1].block}" if located[-1].block else ""
    return f"{located[-1].location}{block}"


def explain(binding: "Binding") -> Explanation:
    """Describe what a graph was compiled to for one set of shapes."""
    specialization, facts = binding.specialization, binding.facts
    steps = []
    for group in specialization.groups:
        last = group.nodes[-1]
        steps.append(
            Step(
                "kernel" if group.is_native else "python",
                tuple(_title(node) for node in group.nodes),
                facts.shapes[last.entry()] if group.space is None else group.space,
                "" if group.is_native else group.reason,
                _location(group.nodes),
            )
        )
    return Explanation(
        tuple(steps),
        sum(segment.native for segment in specialization.segments),
        specialization.fusion.saved_bytes,
        binding.memory.size,
        specialization.code.text,
    )
