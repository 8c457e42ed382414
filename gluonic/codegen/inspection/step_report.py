"""The description of a step of a compiled graph."""

from typing import TYPE_CHECKING

from gluonic.graph.view import written
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.inspection.sharing import Sharing
    from gluonic.codegen.loops.kernel import Kernel


@record
class StepReport:
    """One step of a compiled graph.

    Attributes
    ----------
    number : its index in execution order
    kind : ``"kernel"`` (machine code), ``"draw"`` (random numbers, drawn by a separate function)
        or ``"python"`` (an operator's NumPy kernel)
    operators : the operators that run in it: operator and node name
    shape : the shape of the loop, or of the result
    reason : why Python runs it, or why machine code does not run it in every call
    location : the user's line of its last operator
    computes : the operators of the user's graph that it computes: operator and node name; a step may do the
        work of several, or a part of one's
    is_loop : whether it is a loop over elements, into which neighbours can be fused
    function : the name of its function in the module; equal steps share one
    kernel : for a loop, its operands and the program of each of its stages
    apart : for each step that it reads from, its number, and a sentence on why the two were not fused
    sharing : for a kernel, how threads share it
    """

    number: int
    kind: str
    operators: tuple[str, ...]
    shape: tuple[int, ...]
    reason: str
    location: str
    computes: tuple[str, ...] = ()
    function: str = ""
    kernel: "Kernel | None" = None
    is_loop: bool = False
    apart: tuple[tuple[int, str], ...] = ()
    sharing: "Sharing | None" = None

    @property
    def why(self) -> str:
        """A sentence on why it is a step of its own."""
        if self.reason.startswith("only"):
            return "Runs only when a parameter has changed; its results are kept."
        if self.reason:
            return f"{self.reason[0].upper()}{self.reason[1:]}."
        if self.kind == "draw":
            return "Draws random numbers, in the order in which MXNet draws them."
        if self.is_loop and len(self.operators) > 1:
            return (
                f"{len(self.operators)} operators share one loop over {written(self.shape)}: "
                "values between them stay in registers."
            )
        if self.is_loop:
            return f"A loop of its own over {written(self.shape)}."
        if len(self.computes) > 1:
            return (
                f"One step does the work of {len(self.computes)} operators: "
                "element-wise ones run while results are in registers."
            )
        return "A separate step: it is not a loop over elements, so nothing was fused with it."

    def answers_to(self, name: str) -> bool:
        """Whether its function, or one of its operators or nodes, has that name."""
        return name == self.function or any(
            name in o.split(" ", 1) for o in (*self.operators, *self.computes)
        )

    def __str__(self) -> str:
        names = " → ".join(self.computes or self.operators)
        if self.computes and self.computes != self.operators:
            names += f"  as {' → '.join(o.split(' ', 1)[0] for o in self.operators)}"
        why = f"  ({self.reason})" if self.reason else ""
        where = f"\n               {self.location}" if self.location else ""
        is_shared = self.sharing is not None and self.sharing.is_shared
        shared = f"\n               {self.sharing}" if is_shared else ""
        return (
            f"{self.number:3}  {self.kind:8}  {written(self.shape):18} {names}{why}{where}{shared}"
        )
