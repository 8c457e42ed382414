"""A graph made ready to run: compiled, or interpreted where the environment asks for it."""

import os
from collections.abc import Sequence

from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Array, Run


def interpreting() -> bool:
    """Whether the environment asks for the interpreter: ``GLUONIC_EXECUTOR=interpret``."""
    return os.environ.get("GLUONIC_EXECUTOR", "compile") == "interpret"


class Program:
    """A graph that can be called with arrays.

    Parameters
    ----------
    graph : what to compute
    inputs : the variables, in the order in which their arrays will be given
    """

    def __init__(self, graph: Graph, inputs: Sequence[Node]) -> None:
        self.graph, self.inputs = graph, tuple(inputs)

    def __call__(self, arrays: Sequence[Array], run: Run) -> list[Array]:
        """Compute the outputs, in memory of their own; auxiliary states among the arrays are updated in place."""
        results = interpret(self.graph, dict(zip(self.inputs, arrays, strict=True)), run)
        return [
            array.copy() if entry.node.is_variable or array.base is not None else array
            for entry, array in zip(self.graph.outputs, results, strict=True)
        ]


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
        inputs = [mapped[entry] for entry in node.inputs]
        kept = all(a == b for a, b in zip(inputs, node.inputs, strict=True))
        copy = node if kept else node.with_inputs(inputs)
        for index in range(node.output_count):
            mapped.setdefault(node.entry(index), copy.entry(index))
    return Graph(mapped[entry] for entry in outputs)
