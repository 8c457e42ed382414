"""A step of a compiled graph, in words."""

from gluonic.graph.view import written
from gluonic.support.record import record


@record
class StepReport:
    """One step of a compiled graph.

    Attributes
    ----------
    number : its place in the order in which steps run
    kind : ``"kernel"`` (machine code), ``"draw"`` (random numbers, which a function of their own draws)
        or ``"python"`` (an operator's NumPy kernel)
    operators : the operators that run in it: operator and node name
    shape : of the loop, or of the result
    reason : why Python runs it, or why machine code does not at every call
    location : the user's line of its last operator
    computes : the operators of the user's graph that it computes: operator and node name; a step may do the
        work of several, or a part of one's
    is_loop : whether it is a loop over elements, in which neighbours can share
    function : the name of its machine code in the module; steps that do the same share one
    apart : for each step that it reads from the number, and why the two are not one, as a sentence
    """

    number: int
    kind: str
    operators: tuple[str, ...]
    shape: tuple[int, ...]
    reason: str
    location: str
    computes: tuple[str, ...] = ()
    function: str = ""
    is_loop: bool = False
    apart: tuple[tuple[int, str], ...] = ()

    @property
    def why(self) -> str:
        """Why it is a step, as a sentence."""
        if self.reason.startswith("only"):
            return "Runs only when a parameter has changed; what it computes is kept."
        if self.reason:
            return f"{self.reason[0].upper()}{self.reason[1:]}."
        if self.kind == "draw":
            return "Draws random numbers, in the order in which MXNet draws them."
        if self.is_loop and len(self.operators) > 1:
            return (
                f"{len(self.operators)} operators share one loop over {written(self.shape)}: "
                "what they pass to each other stays in registers."
            )
        if self.is_loop:
            return f"A loop of its own over {written(self.shape)}."
        if len(self.computes) > 1:
            return (
                f"One step does the work of {len(self.computes)} operators: "
                "what follows element by element is done while results are in registers."
            )
        return "A step of its own: no loop over elements, so nothing else shares it."

    def answers_to(self, name: str) -> bool:
        """Whether it is the step of that function, or one of an operator or node of that name."""
        return name == self.function or any(
            name in o.split(" ", 1) for o in (*self.operators, *self.computes)
        )

    def __str__(self) -> str:
        names = " → ".join(self.computes or self.operators)
        if self.computes and self.computes != self.operators:
            names += f"  as {' → '.join(o.split(' ', 1)[0] for o in self.operators)}"
        why = f"  ({self.reason})" if self.reason else ""
        where = f"\n               {self.location}" if self.location else ""
        return f"{self.number:3}  {self.kind:8}  {written(self.shape):18} {names}{why}{where}"
