"""Compiled graphs round every result of float16 as the operators do that run one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.graph.builder import F
from gluonic.graph.half_precision import rounded_attributes
from gluonic.graph.interpret import interpret
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.operator import REGISTRY
from tests.codegen.agreement import check_backward, check_forward, new_run
from tests.codegen.growing import RandomGraph
from tests.codegen.random_graphs import random_graphs
from tests.graph.registry_samples import (
    CASES,
    SAMPLES,
    application_of,
    cast,
    over_samples,
    run_of,
)

Array = np.ndarray[Any, Any]


def computed(function: Callable[..., Sequence[Entry]], *arrays: Array) -> tuple[Any, Any, Any]:
    """What the interpreter and machine code make of arrays, and the compiled graph's steps."""
    variables = [Node(None, f"x{i}") for i in range(len(arrays))]
    graph = Graph(function(*(v.entry() for v in variables)))
    expected = interpret(graph, dict(zip(variables, arrays, strict=True)), new_run())
    compiled = CompiledGraph(graph, variables)
    found = compiled([a.copy() for a in arrays], new_run())
    return found, expected, explain(compiled.binding(list(arrays))).steps


def check_bits(function: Callable[..., Sequence[Entry]], *arrays: Array) -> Any:
    """Compare bit by bit; all must be machine code."""
    found, expected, steps = computed(function, *arrays)
    assert [step for step in steps if step.kind == "python"] == []
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
    return found


def halves(*numbers: float) -> Array:
    return np.array(numbers, np.float16)


def random_halves(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0, 3, shape).astype(np.float16)


def test_casts_round_between_fused_operators() -> None:
    x = np.array([0.1, 1 / 3, 2049.0, -5e-8], np.float32)
    (found,) = check_bits(lambda x: [F.Cast(F.Cast(x, dtype="float16"), dtype="float32")], x)
    assert found[2] == 2048


def test_casts_overflow_to_infinity_between_fused_operators() -> None:
    def there_and_back(x: Entry) -> list[Entry]:
        return [F.Cast(F.Cast(x, dtype="float16"), dtype="float32") * 0.5]

    (found,) = check_bits(there_and_back, np.array([7e4, -7e4, 65504, 65519.9], np.float32))
    assert found.tolist() == [np.inf, -np.inf, 32752, 32752]


def test_intermediate_results_overflow_as_eagerly() -> None:
    (found,) = check_bits(lambda x: [(x * x) / 1000.0], halves(300, 200, -256))
    assert found[0] == np.inf


CHAINS: dict[str, Callable[..., Any]] = {
    "products and sums": lambda x, y: [(x * y + x) * y - x * 0.1 + 0.3],
    "numbers that float16 does not have": lambda x, y: [x * 0.1, 0.3 - y, 1.1 / (x * x + 0.7)],
    "comparisons with such numbers": lambda x, y: [F._greater_scalar(x * 1.0, scalar=0.1) + y],
    "clipped": lambda x, y: [F.clip(x * y, a_min=-0.7, a_max=0.3) * y],
    "rectified": lambda x, y: [F.relu(x + y) * 0.7 - F.abs(y * 0.3)],
    "chosen": lambda x, y: [F.where(x > 0.1, x * 0.3, y * y) + 1.0],
    "sums of several": lambda x, y: [F.add_n(x, y, x * 0.1, y * 0.3, x * y)],
    "sums over an axis": lambda x, y: [F.sum(x * y, axis=1) * 0.1],
    "means subtracted": lambda x, y: [F.broadcast_sub(x, F.mean(x * 0.3, axis=1, keepdims=True))],
    "leaking": lambda x, y: [F.LeakyReLU(x * y, act_type="leaky", slope=0.3) * 0.7],
    "functions": lambda x, y: [F.tanh(x) * F.sigmoid(y) + F.exp(x * 0.1)],
    "of several steps": lambda x, y: [F.softsign(x) * F.rsqrt(y * y + 0.1)],
    "exponential": lambda x, y: [F.LeakyReLU(x, act_type="elu", slope=0.3) + y],
    "rounded to whole numbers": lambda x, y: [F.round(x + 0.3) + F.rint(y) * 0.7],
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_operators_give_the_same_bits_but_for_rare_neighbours(name: str) -> None:
    """A function that is off by an ulp of float32 now and then rounds to the other neighbour."""
    arrays = random_halves(40, 60), random_halves(40, 60, seed=1)
    found, expected, _ = computed(CHAINS[name], *arrays)
    for got, wanted in zip(found, expected, strict=True):
        assert got.dtype == np.float16
        assert (got == wanted).mean() > 0.99
        np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=1e-3)


def test_softmax_and_normalization_are_computed_in_float32_and_rounded_once() -> None:
    def layers(x: Entry, scale: Entry) -> list[Entry]:
        normalized = make_node("LayerNorm", [x, scale, scale]).entry()
        return [F.softmax(x * 0.1, axis=-1), F.log_softmax(normalized, axis=0)]

    arrays = random_halves(30, 50), random_halves(50, seed=1)
    found, expected, _ = computed(layers, *arrays)
    for got, wanted in zip(found, expected, strict=True):
        assert (got == wanted).mean() > 0.95
        np.testing.assert_allclose(got, wanted, rtol=2e-3, atol=2e-3)


FUNCTIONS = [
    (name, i)
    for name, i in CASES
    if REGISTRY[name].scalar is not None
    and all(a.dtype.kind == "f" for a in SAMPLES[name][i].inputs)
]


def ordinals(array: Array) -> Array:
    """Where numbers stand in the order of all that float16 has."""
    bits = array.view(np.int16).astype(np.int64)
    return np.where(bits < 0, -32768 - bits, bits)


@over_samples(FUNCTIONS)
def test_a_function_of_halves_is_that_of_float32_rounded(name: str, number: int) -> None:
    """Steps between are not rounded, as in MXNet; but numbers that are attributes are."""
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables = [Node(None, n) for n in application.inputs]
    graph = Graph([Node(application, "node", [v.entry() for v in variables]).entry()])
    arrays = cast(sample, "float16")
    (expected,) = interpret(graph, dict(zip(variables, arrays, strict=True)), run_of(sample))
    (found,) = CompiledGraph(graph, variables)([a.copy() for a in arrays], run_of(sample))
    assert found.dtype == expected.dtype
    if expected.dtype != np.float16:
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        return
    assert np.abs(ordinals(found) - ordinals(expected)).max(initial=0) <= 1
    numbers = {k: v for k, v in application.settings.items() if type(v) is float}
    rounded = application.op.apply({**application.settings, **rounded_attributes(numbers)})
    (wide,) = run_node(rounded, [a.astype(np.float32) for a in arrays], run_of(sample))
    assert np.abs(ordinals(wide.astype(np.float16)) - ordinals(expected)).max(initial=0) <= 1


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    random_graphs(dtypes=("float16",), most=12, families=("elements", "layers")),
    st.lists(st.booleans(), min_size=1, max_size=5),
)
def test_random_graphs_of_halves_agree(random: RandomGraph, wanted: list[bool]) -> None:
    check_forward(random)
    if any(wanted):
        check_backward(random, wanted)
