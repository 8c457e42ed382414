"""Graphs of a thousand nodes with joins, hubs and dense layers compute what the interpreter computes."""

from tests.codegen.large_graphs import LargeGraph, check


def test_a_graph_of_a_thousand_nodes_computes_what_the_interpreter_computes() -> None:
    large = LargeGraph(1000, 0)
    reads = max(large.graph.reads.values())
    joined = max(len(node.inputs) for node in large.graph.nodes)
    assert reads > 20, "there is no hub"
    assert joined > 20, "there is no join of many"
    check(large, large.graph)


def test_gradients_of_a_large_graph_are_those_of_the_interpreter() -> None:
    large = LargeGraph(300, 2)
    check(large, large.with_gradients())
