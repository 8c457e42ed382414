"""Gradients as graphs: written, read back and run, they are what they were."""

import numpy as np

from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.json.reader import read_json
from gluonic.graph.json.writer import write_json
from gluonic.graph.node import Graph
from tests.graph.registry_samples import (
    DIFFERENTIABLE,
    SAMPLES,
    application_of,
    differentiation_of,
    over_samples,
    run_of,
)


@over_samples(DIFFERENTIABLE)
def test_a_gradient_that_is_read_back_computes_the_same(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    at = differentiation_of(application_of(name, sample), sample)
    entries = gradients(
        at.outputs,
        [w.entry() for w in at.weights],
        [at.variables[i].entry() for i in at.wanted],
        train=sample.train,
    )
    present = [entry for entry in entries if entry is not None]
    graph = Graph([*at.outputs, *present])
    # some samples have neither floating results nor gradients, and JSON no empty graphs
    again = read_json(write_json(graph, remove_amp_cast=False)) if graph.outputs else graph
    values = {node.name: array for node, array in at.values.items()}
    expected, results = (
        interpret(g, {n: values[n.name].copy() for n in g.variables}, run_of(sample))
        for g in (graph, again)
    )
    for one, other in zip(expected, results, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
