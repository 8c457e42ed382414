"""Graphs of one operator, from the registry's samples."""

from dataclasses import dataclass

from gluonic.graph import Array, Graph, Node, Run
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from gluonic.onnx.inputs import Input
from tests.graph.registry_samples import SAMPLES, application_of, cast


@dataclass
class SampledGraph:
    """A graph with its inputs.

    Attributes
    ----------
    inputs, feed : what a model of the graph reads, and the values
    parameters : the values of its other variables
    expected : the outputs
    """

    graph: Graph
    inputs: list[Input]
    feed: dict[str, Array]
    parameters: dict[str, Array]
    expected: list[Array]


def sampled_graph(name: str, number: int) -> SampledGraph:
    """The graph of an operator's sample; parameters of recurrent layers are constant."""
    sample = SAMPLES[name][number]
    application, arrays = application_of(name, sample), cast(sample, "float32")
    variables = [Node(None, f"x{i}") for i in range(len(arrays))]
    node = Node(application, "y", [each.entry() for each in variables])
    graph = Graph([node.entry(i) for i in range(node.visible_count)])
    given = {each: array.copy() for each, array in zip(variables, arrays, strict=True)}
    expected = interpret(graph, given, Run(False, RandomSource()))
    constant = {"x1"} if name == "RNN" else set()
    named = {v.name: a for v, a in zip(variables, arrays, strict=True)}
    feed = {n: a for n, a in named.items() if n not in constant}
    inputs = [Input(n, a.shape, a.dtype, a.shape) for n, a in feed.items()]
    return SampledGraph(graph, inputs, feed, {n: named[n] for n in constant}, expected)
