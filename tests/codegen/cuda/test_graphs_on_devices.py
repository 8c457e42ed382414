"""Random graphs, and the gradients of all operators, give the same results on a GPU as in the interpreter."""

import pytest
from hypothesis import HealthCheck, assume, given, settings

from gluonic.codegen import DeviceGraph
from gluonic.graph import Entry, Graph
from gluonic.graph.draws import draws
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from tests.codegen.agreement import assert_alike, interpreter_of, new_run, slack_around
from tests.codegen.cuda.devices import emulated, moved
from tests.codegen.growing import RandomGraph
from tests.codegen.random_graphs import random_graphs
from tests.graph.registry_samples import (
    SAMPLES,
    application_of,
    differentiation_of,
    over_samples,
    run_of,
)


def _draws(graph: Graph, train: bool) -> bool:
    """Whether a graph draws random numbers, which are not those of the host."""
    return any(draws(node, train) for node in graph.nodes if node.application is not None)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(random_graphs(most=12))
def test_random_graphs_compute_what_the_interpreter_computes(random: RandomGraph) -> None:
    assume(not _draws(random.graph, random.train))
    compute = interpreter_of(random.graph, random.variables, random.train)
    slack = slack_around(compute, random.arrays)
    expected = [array.copy() for array in compute([array.copy() for array in random.arrays])]
    program = DeviceGraph(random.graph, random.variables)
    for turn in range(2):
        arrays = moved(random.arrays)
        found = program(arrays, new_run(random.train), emulated())
        results = [array.to_host() for array in found]
        assert_alike(results, expected, f"turn {turn}", random.arrays, slack)


@over_samples(
    [
        (name, i)
        for name, found in SAMPLES.items()
        for i, sample in enumerate(found)
        if sample.differentiable != () and sample.orders > 0
    ]
)
def test_every_gradient_is_what_the_interpreter_computes(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    if not application.op.differentiable:
        pytest.skip("has no gradient")
    variables, weights, values, outputs, wanted = differentiation_of(application, sample)
    rule: list[Entry | None] = gradients(
        outputs,
        [w.entry() for w in weights],
        [variables[i].entry() for i in wanted],
        train=sample.train,
    )
    graph = Graph([entry for entry in rule if entry is not None])
    if _draws(graph, sample.train):
        pytest.skip("the numbers differ")
    expected = interpret(graph, {n: a.copy() for n, a in values.items()}, run_of(sample))
    program = DeviceGraph(graph, list(values))
    found = program(moved([a.copy() for a in values.values()]), run_of(sample), emulated())
    assert_alike([array.to_host() for array in found], expected, name)
