"""A graph made ready to run: compiled, or interpreted where the environment asks for it."""

import os
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.machine.declining import Declined
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.graph.checking import CHECKING
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import interpret
from gluonic.graph.memory import copied
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array, Run
from gluonic.graph.versions import mark_all_modified
from gluonic.support.cached_property import cached_property
from gluonic.support.gc_pause import paused

if TYPE_CHECKING:
    from gluonic.codegen.compiled import CompiledGraph

Observer: TypeAlias = Callable[[Node, list[Array], list[Array]], None]

EXECUTORS = ("compile", "interpret")


def interpreting() -> bool:
    """Whether the environment asks for the interpreter: ``GLUONIC_EXECUTOR=interpret``, or for its checks."""
    chosen = os.environ.get("GLUONIC_EXECUTOR", "interpret" if CHECKING else "compile")
    if chosen not in EXECUTORS:
        raise MXNetError(f"GLUONIC_EXECUTOR={chosen!r} must be one of {', '.join(EXECUTORS)}")
    return chosen == "interpret"


class Program:
    """A graph that can be called with arrays.

    Parameters
    ----------
    graph : what to compute
    inputs : the variables, in the order in which their arrays will be given
    parameters : those of them whose values seldom change: what follows from them alone is kept until a write
        is noted (:mod:`gluonic.graph.versions`)
    data : those whose first axes may be the batch; None if that is not known

    Attributes
    ----------
    observer : called for each operator with its node, inputs and outputs; while there is one, the graph is
        interpreted
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        data: Collection[Node] | None = None,
    ) -> None:
        self.graph, self.inputs = graph, tuple(inputs)
        self.parameters, self._data = frozenset(parameters), data
        self.observer: Observer | None = None
        self._interpreted = interpreting()

    @cached_property
    def compiled(self) -> "CompiledGraph":
        """The graph, compiled for what it is called with; the first one imports the compiler."""
        with paused():
            from gluonic.codegen.compiled import CompiledGraph

        return CompiledGraph(self.graph, self.inputs, self.parameters, self._data)

    @property
    def is_compiled(self) -> bool:
        """Whether a call runs `compiled`, and did already."""
        plain = self.observer is None and not self._interpreted
        return plain and "compiled" in self.__dict__

    @property
    def runs_in_python(self) -> bool:
        """Whether no call so far has run any machine code."""
        is_compiled = "compiled" in self.__dict__ and not self._interpreted
        return not is_compiled or self.compiled.runs_in_python

    def cache_info(self) -> CacheInfo:
        """How much has been compiled, and how often it was used."""
        return CacheInfo.total([self.compiled.cache_info()] if "compiled" in self.__dict__ else [])

    def __call__(
        self, arrays: Sequence[Array], run: Run, into: Sequence[Array | None] | None = None
    ) -> list[Array]:
        """Compute the outputs, in memory of their own; auxiliary states among the arrays are updated in place.

        Parameters
        ----------
        into : for each output contiguous memory that shares nothing with the arrays, where the output may be
            written (it need not), or None
        """
        if not self._interpreted and self.observer is None:
            try:
                return self.compiled(arrays, run, into)
            except NotCompiledError:
                self._interpreted = True
            except Declined:  # the interpreter says what is wrong
                pass
        return self._interpret(arrays, run)

    def _interpret(self, arrays: Sequence[Array], run: Run) -> list[Array]:
        inputs = dict(zip(self.inputs, arrays, strict=True))
        results = interpret(self.graph, inputs, run, self.observer)
        if self.graph.states:
            mark_all_modified(inputs[node] for node in self.graph.states)
        taken: set[Entry] = set()
        own = []
        for entry, array in zip(self.graph.outputs, results, strict=True):
            shared = entry.node.is_variable or array.base is not None or entry in taken
            own.append(copied(array, "an output") if shared else array)
            taken.add(entry)
        return own


def cut(outputs: Sequence[Entry], at: dict[Entry, Node]) -> Graph:
    """The graph of `outputs` in which the entries `at` are computed no more but given, as variables."""
    mapped: dict[Entry, Entry] = {entry: variable.entry() for entry, variable in at.items()}
    stack = [(entry.node, False) for entry in outputs if entry not in mapped]
    done: set[Node] = set()
    while stack:
        node, inputs_done = stack.pop()
        if node in done:
            continue
        if not inputs_done:
            stack.append((node, True))
            stack.extend((e.node, False) for e in node.inputs if e not in mapped)
            continue
        done.add(node)
        copy = node.with_inputs([mapped[entry] for entry in node.inputs])
        for index in range(node.output_count):
            mapped.setdefault(node.entry(index), copy.entry(index))
    return Graph(mapped[entry] for entry in outputs)
