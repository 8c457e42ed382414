"""The explanation of a compiled graph: what is fused, what is not and why; and the code itself."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gluonic.codegen.inspection.arena import ArenaSpan, arena_of
from gluonic.codegen.inspection.origins import origins
from gluonic.codegen.inspection.sharing import sharings_of
from gluonic.codegen.inspection.step_report import StepReport
from gluonic.codegen.machine.module_text import part_of
from gluonic.graph import Graph, Node
from gluonic.graph.draws import only_draws
from gluonic.graph.errors import CallError, describe, nearest
from gluonic.graph.subgraphs import held_graphs
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.inspection.gradient_sums import GradientSums
    from gluonic.codegen.loops.fusion import Group
    from gluonic.codegen.loops.kernel import Kernel
    from gluonic.codegen.native.shared_kernels import CodeOrigin
    from gluonic.codegen.rewriting.preparation import PassReport
    from gluonic.codegen.runtime.binding import Binding


@record
class Explanation:
    """How a graph was compiled; printing it shows the table, `llvm` and `assembly` return the code.

    Attributes
    ----------
    steps : the steps, in execution order
    native_calls : number of calls of machine code from Python
    saved_bytes : bytes of intermediate results that never reach memory
    arena_bytes : the size of the memory for the others
    code : the LLVM module
    origins : for each step, the nodes of the user's graph that it computes
    memory : the contents of the arena
    drawn : creates the page that shows all this; see `plot`
    make_passes : runs the passes again
    code_origin : the parts of the code that were compiled, or found on disk or in memory, and the time for
        that;
        None if Python runs all steps
    gradient_sums : for a net that several processes train, which sums over them began during backward: one item
        per trainer or store that sums
    """

    steps: tuple[StepReport, ...]
    native_calls: int
    saved_bytes: int
    arena_bytes: int
    code: str
    origins: tuple[tuple[Node, ...], ...] = ()
    memory: tuple[ArenaSpan, ...] = ()
    make_passes: "Callable[[], Sequence[PassReport]]" = tuple
    drawn: "Callable[[Explanation, int], Any] | None" = None
    code_origin: "CodeOrigin | None" = None
    gradient_sums: tuple["GradientSums", ...] = ()

    def plot(self, runs: int = 0) -> Any:
        """The graph as a page that shows how it was compiled.

        The steps are coloured. Each states why it is a step of its own, and has its LLVM IR and its memory.

        Parameters
        ----------
        runs : how often to run the graph, compiled and eagerly, for the times of steps and operators; the
            shortest of each is shown

        Returns
        -------
        Drawing
            with ``view()`` and ``render("file")``; a notebook shows it

        Raises
        ------
        CallError
            if the graph was compiled without a net
        """
        if self.drawn is None:
            raise CallError(
                describe("there is no net to draw", where="plot", hint="net.explain(x).plot()")
            )
        return self.drawn(self, runs)

    def _repr_html_(self) -> str | None:
        return None if self.drawn is None else str(self.plot()._repr_html_())

    @property
    def passes(self) -> tuple["PassReport", ...]:
        """The result of each pass, in order: the `graph` after it, its `text`, and the `seconds` it took."""
        return tuple(self.make_passes())

    @property
    def kernels(self) -> tuple[StepReport, ...]:
        """The steps that are machine code."""
        return tuple(step for step in self.steps if step.kind == "kernel")

    def programs(self, which: int | str | None = None) -> str:
        """The kernels of loops, or those of some of the steps, as text.

        It shows the operands, and for each stage (a sweep over the elements, or a point between two sweeps) the
        operations on one element. It depends on no size.

        Parameters
        ----------
        which : as for `llvm`

        Raises
        ------
        CallError
            if no step is `which`
        """
        from gluonic.codegen.loops.kernel_text import text_of

        numbers: dict[Kernel, list[str]] = {}
        for step in self.steps if which is None else self._steps(which):
            if step.kernel is not None:
                numbers.setdefault(step.kernel, []).append(str(step.number))
        return "\n\n".join(f"step {', '.join(of)}\n{text_of(k)}" for k, of in numbers.items())

    def llvm(self, which: int | str | None = None, *, optimised: bool = False) -> str:
        """The LLVM module, or the part of it for some of the steps.

        Parameters
        ----------
        which : a step's number, or the name of an operator, node or function, for all steps with it; None for
            the whole module
        optimised : after LLVM's optimiser, not before

        Raises
        ------
        CallError
            if there is no machine code for it
        """
        text = self._selected(which)
        if not optimised:
            return text
        from gluonic.codegen.machine.jit import optimised as optimiser

        return optimiser(text)

    def assembly(self, which: int | str | None = None) -> str:
        """The assembly of the whole module, or of some of the steps, as for `llvm`."""
        from gluonic.codegen.machine.jit import assembly

        return assembly(self._selected(which))

    def _selected(self, which: int | str | None) -> str:
        """The module, or the part of it for some of the steps."""
        if which is None:
            return self.code
        steps = self._steps(which)
        functions = [step.function for step in steps if step.function]
        if not functions:
            reason = f"step {steps[0].number} runs in Python: {steps[0].reason}"
            raise CallError(describe(reason, where=f"the code of {which!r}"))
        return part_of(self.code, functions)

    def _steps(self, which: int | str) -> list[StepReport]:
        """The steps with a number, or a name."""
        if isinstance(which, int):
            steps = [step for step in self.steps if step.number == which]
        else:
            steps = [step for step in self.steps if step.answers_to(which)]
        if not steps:
            raise CallError(self._without_step(which))
        return steps

    def _without_step(self, which: int | str) -> str:
        names = [name for step in self.steps for o in step.operators for name in o.split(" ", 1)]
        guess = nearest(which, dict.fromkeys(names)) if isinstance(which, str) else ""
        return describe(
            f"no step is {which!r}{guess}",
            where="the code of a compiled graph",
            facts=[f"the steps are 0 to {len(self.steps) - 1}"],
            hint="print(net.explain(x)) shows the steps with their operators and names",
        )

    def __str__(self) -> str:
        operators = sum(len(step.operators) for step in self.steps)
        drawing = sum(step.kind == "draw" for step in self.steps)
        others = f"{len(self.steps) - len(self.kernels) - drawing} in Python"
        if drawing:
            others += f", {drawing} that draw random numbers"
        head = (
            f"{operators} operators in {len(self.steps)} steps: {len(self.kernels)} kernels in "
            f"{self.native_calls} native calls, {others}; "
            f"{self.saved_bytes:,} bytes kept out of memory, {self.arena_bytes:,} in the arena"
        )
        code = [] if self.code_origin is None else [f"machine code: {self.code_origin}"]
        return "\n".join([head, *code, *map(str, (*self.gradient_sums, *self.steps))])


Explanation.__repr__ = Explanation.__str__  # type: ignore[assignment, method-assign]  # not a megabyte of code


def _title(node: Node) -> str:
    return f"{node.operator_name} {node.name}"


def _named(group: "Group", computes: Sequence[Node]) -> str:
    """The name of a step: the operator of the user's that has weights, otherwise the last that it computes."""
    known = computes or group.nodes
    node = next((n for n in known if "weight" in n.applied.inputs), known[-1])
    return f"{node.operator_name} {node.name!r}"


def _location(nodes: Sequence[Node]) -> str:
    located = [node for node in nodes if node.location is not None]
    if not located:
        return ""
    block = f" in {located[-1].block}" if located[-1].block else ""
    return f"{located[-1].location}{block}"


def _kind(group: "Group") -> str:
    if group.is_native:
        return "kernel"
    return "draw" if only_draws(group.nodes[0]) else "python"


def why_in_python(group: "Group") -> str:
    """A sentence on why Python runs an operator."""
    (node,) = group.nodes
    op = node.applied.op
    if op.calls_back:
        return "runs in Python: a custom operator calls your code"
    if held_graphs(node) and not group.reason:
        return "runs in Python, which calls its bodies, each a compiled graph of its own"
    if op.dynamic:
        return "runs in Python: the shape of its result depends on the data"
    return f"runs in Python: {group.reason or 'there is no machine code for it'}"


def explain(binding: "Binding", graph: Graph | None = None) -> Explanation:
    """Describe how a graph was compiled for one set of shapes.

    Parameters
    ----------
    binding : the binding for the shapes
    graph : the user's graph, to find which of its operators a step computes
    """
    # it imports the writers of loops, which a program that compiles nothing does not need
    from gluonic.codegen.inspection.neighbours import Neighbours, space_of
    from gluonic.codegen.loops.steps import LoopStep

    specialization, facts = binding.specialization, binding.facts

    def reason(group: "Group") -> str:
        if group in specialization.prepacked:
            return "only when a parameter has changed"
        return "" if group.is_native else why_in_python(group)

    groups = specialization.groups
    found = (
        [()] * len(groups) if graph is None else origins(graph, groups, specialization.prepacked)
    )
    native = [group for run in specialization.runs for group in run]
    library = binding.executable.library
    names = dict(zip(map(id, native), specialization.code.names, strict=True))
    sharings = dict(zip(map(id, native), sharings_of(binding), strict=True))
    neighbours = Neighbours(binding, list(map(_named, groups, found)))
    steps = []
    for number, group in enumerate(groups):
        last = group.nodes[-1]
        space = space_of(group, binding)
        steps.append(
            StepReport(
                number,
                _kind(group),
                tuple(_title(node) for node in group.nodes),
                facts.shapes[last.entry()] if space is None else space,
                reason(group),
                _location(group.nodes),
                tuple(map(_title, found[number])),
                names.get(id(group), ""),
                group.step.kernel if isinstance(group.step, LoopStep) else None,
                space is not None,
                neighbours.apart(number),
                sharings.get(id(group)),
            )
        )
    return Explanation(
        tuple(steps),
        sum(segment.native for segment in specialization.segments),
        specialization.fusion.saved_bytes,
        binding.persistent.size + binding.transient.size,
        specialization.code.text,
        tuple(found),
        arena_of(binding),
        specialization.prepared.passes,
        code_origin=library.origin if library else None,
    )
