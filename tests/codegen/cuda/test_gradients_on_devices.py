"""Operators of gradients alone give the same results on a GPU as on the host, if they have rules for it."""

from collections import Counter

from gluonic.codegen import operator_on_device
from gluonic.codegen.cuda.operator_steps import STEPS
from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.graph import Graph, Node
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from tests.codegen.cuda.devices import assert_near, emulated, moved
from tests.graph.registry_samples import (
    DIFFERENTIABLE,
    SAMPLES,
    application_of,
    differentiation_of,
    over_samples,
    run_of,
)

_MOST = 3
"""The samples of which an operator's use is compared: gradients of many samples have the same operators."""
_compared: Counter[str] = Counter()


def _is_of_gradients(node: Node) -> bool:
    if node.application is None or node.operator_name in SAMPLES:
        return False
    return node.operator_name in STEPS or lowering_at(node).on_devices is not None


@over_samples(DIFFERENTIABLE)
def test_operators_of_gradients_compute_on_a_device_what_they_compute_on_the_host(
    name: str, number: int
) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables, weights, values, outputs, wanted = differentiation_of(application, sample)
    derivatives = gradients(
        outputs,
        [weight.entry() for weight in weights],
        [variables[i].entry() for i in wanted],
        train=sample.train,
    )
    graph = Graph([entry for entry in derivatives if entry is not None])
    for node in filter(_is_of_gradients, graph.nodes):
        _compared[node.operator_name] += 1
        if _compared[node.operator_name] > _MOST:
            continue
        results = [node.entry(i) for i in range(node.output_count)]
        given = {each: array.copy() for each, array in values.items()}
        read = Graph([*node.inputs, *results])
        found = interpret(read, given, run_of(sample))
        arrays, expected = found[: len(node.inputs)], found[len(node.inputs) :]
        ours = operator_on_device(node.applied)(moved(arrays), run_of(sample), emulated())
        for one, other in zip(ours, expected, strict=True):
            assert_near(one.to_host(), other, arrays)
