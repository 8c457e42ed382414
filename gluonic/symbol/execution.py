"""Running a bound graph forward and backward: the connection of symbols with the compiler."""

from collections.abc import Callable, Sequence
from copy import copy

from gluonic.codegen import DifferentiableProgram, Program, Saved
from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.symbol.output_gradients import heads_read


class Execution:
    """A graph that can be run forward and, for some of its variables, backward.

    Parameters
    ----------
    graph : the graph to compute
    wanted : for each of ``graph.variables``, whether its gradient will be requested
    watched : entries whose values the forward run returns as well; if given, the backward run also returns
        each operator's contributions to the gradients of its inputs
    """

    def __init__(
        self, graph: Graph, wanted: Sequence[bool], watched: Sequence[Entry] | None = None
    ) -> None:
        self.count = len(graph.outputs)
        self.variables = graph.variables
        self.graph = Graph([*graph.outputs, *watched]) if watched else graph
        self.wanted, self._is_watched = tuple(wanted), watched is not None
        self._inference: list[Program] = []
        self._differentiable: dict[bool, DifferentiableProgram] = {}
        self._saved: tuple[bool, Saved] | None = None

    def for_other_arrays(self) -> "Execution":
        """Return an execution with the same programs: both share compiled code."""
        other = copy(self)
        other._saved = None
        return other

    def program(self, train: bool) -> DifferentiableProgram:
        """Return the forward and backward programs."""
        if train not in self._differentiable:
            heads = [i < self.count for i in range(len(self.graph.outputs))]
            self._differentiable[train] = DifferentiableProgram(
                self.graph,
                self.variables,
                wanted=self.wanted,
                heads=heads,
                train=train,
                with_parts=self._is_watched,
            )
        return self._differentiable[train]

    def forward(self, arrays: Sequence[Array], run: Run, *, keep: bool) -> list[Array]:
        """Compute the outputs, then the watched entries.

        Parameters
        ----------
        arrays : one for each variable; auxiliary states are updated in place
        keep : whether to keep what `backward` needs
        """
        if keep and any(self.wanted):
            results, saved = self.program(run.train).forward(arrays, run)
            self._saved = run.train, saved
            return results
        self._saved = None
        if not self._inference:
            self._inference.append(Program(self.graph, self.variables))
        return self._inference[0](arrays, run)

    @property
    def kept(self) -> bool:
        """Whether the latest forward run has kept what `backward` needs."""
        return self._saved is not None

    def heads_read(self, train: bool) -> list[bool]:
        """For each output, whether the gradients depend on the gradient that flows into it."""
        program = self.program(train)
        return heads_read(program.gradient_outputs, program.head_variables)

    def backward(
        self,
        heads: Sequence[Array],
        run: Run,
        into: Sequence[Array | None] | None = None,
        finished: Callable[[int], None] | None = None,
    ) -> list[Array | None]:
        """Compute the gradients of the variables, None where there is none; then those of `parts`.

        Parameters
        ----------
        heads : the gradients that flow into the outputs
        into, finished : see `DifferentiableProgram.backward`
        """
        assert self._saved is not None
        train, saved = self._saved
        return self.program(train).backward(saved, heads, run, into, finished)

    @property
    def kept_for_training(self) -> bool:
        """Whether a forward run in training mode has kept what a backward run needs."""
        return self._saved is not None and self._saved[0]

    @property
    def parts(self) -> list[tuple[Node, int]]:
        """The operators and inputs to whose gradients contributions are watched."""
        assert self._saved is not None
        return self.program(self._saved[0]).parts

    def entries_kept(self, train: bool) -> list[Entry]:
        """List the values that a forward run computes and keeps for the backward run."""
        return list(self.program(train).forward_program.graph.outputs[len(self.graph.outputs) :])
