"""Random numbers in compiled loops: those that NumPy draws with the same key, wherever a loop begins."""

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import autograd, nd
from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.explain import explain
from gluonic.codegen.machine.values import INT64
from gluonic.codegen.maths.random_words import Place
from gluonic.gluon import nn
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node, make_node
from gluonic.graph.normal_numbers import exponential, normal
from gluonic.graph.operator import REGISTRY
from gluonic.graph.random_words import STEP, uniform, words_of
from tests.codegen.agreement import assert_alike, check_backward, check_forward, new_run
from tests.codegen.growing import RandomGraph
from tests.codegen.harness import LEVELS, Compiled, Kernel, Operand, Stage, Store, target_named

KEY = np.array([-123456789012345678], np.int64)


@cache
def drawing(name: str, dtype: str, level: str) -> Compiled:
    """A loop that draws, from an element on whose number it is given."""
    kind = np.dtype(dtype)

    def body(m: Any, x: Any, r: Any) -> list[Any]:
        first, lanes = x.first(0)
        place = Place(x[1] + first, lanes)
        if name == "words":
            return [m.random_words(x[0], place)]
        return [getattr(m, f"random_{name}")(x[0], place, kind)]

    number = Operand(INT64, ("repeat",))
    operands = number, number, Operand(kind, ("unit",))
    return Compiled(Kernel(1, operands, (Stage(body, (Store(2),)),)), target_named(level))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("begin", [0, 1, 7, 2**33 - 1])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_loops_draw_what_numpy_draws(dtype: str, begin: int, level: str) -> None:
    kernel = drawing("words" if dtype == "int32" else "uniform", dtype, level)
    key = int(KEY[0]) + (begin - begin % 2) // (1 if dtype == "float64" else 2) * STEP
    if dtype == "float64":
        key += begin % 2 * STEP
    skipped = 0 if dtype == "float64" else begin % 2
    for count, grain in itertools.product([1, 2, 15, 67, 600], [256, 33]):
        shape = (skipped + count,)
        drawn = words_of(key, shape) if dtype == "int32" else uniform(key, shape, np.dtype(dtype))
        output = np.zeros(count, dtype)
        arrays = [KEY, np.array([begin]), output]
        strides = [[0], [0], [output.itemsize]]
        kernel((count,), arrays, strides=strides, grain=grain, pieces=2)
        np.testing.assert_array_equal(output, drawn[skipped:])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_loops_draw_no_zero_where_all_bits_are_zero(dtype: str, level: str) -> None:
    kernel, output = drawing("uniform", dtype, level), np.zeros(3, dtype)
    key = np.array([-STEP % 2**64], np.uint64).view(np.int64)  # SplitMix64 makes 0 of it
    kernel((3,), [key, np.array([0]), output], strides=[[0], [0], [output.itemsize]])
    assert words_of(int(key[0]), (2,)).tolist() == [0, 0]
    assert output[0] > 0
    np.testing.assert_array_equal(output, uniform(int(key[0]), (3,), np.dtype(dtype)))


INVERSES = {"normal": normal, "exponential": exponential}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("begin", [0, 1, 2**33 - 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", INVERSES)
def test_loops_draw_normal_numbers_as_numpy_does(
    name: str, dtype: str, begin: int, level: str
) -> None:
    kernel, each = drawing(name, dtype, level), 1 if dtype == "float64" else 2
    key, skipped = int(KEY[0]) + begin // each * STEP, begin % each
    for count, grain in [(1, 256), (15, 33), (3000, 256), (3000, 33)]:
        drawn = INVERSES[name](key, (skipped + count,), np.dtype(dtype))[skipped:]
        output = np.zeros(count, dtype)
        arrays, strides = [KEY, np.array([begin]), output], [[0], [0], [output.itemsize]]
        kernel((count,), arrays, strides=strides, grain=grain, pieces=2)
        error = 4 * float(np.finfo(dtype).eps)
        np.testing.assert_allclose(output, drawn, rtol=error, atol=error)


def random_graph(outputs: list[Entry], variables: list[Node], shapes: Any, dtype: str) -> Any:
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(dtype) for shape in shapes]
    graph = Graph(outputs)
    return RandomGraph(graph, tuple(variables), tuple(arrays), frozenset(), True)


SHAPES = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple) | st.tuples(
    st.integers(1, 5), st.integers(1, 300)
)


@settings(max_examples=10, deadline=None)
@given(
    shape=SHAPES,
    p=st.sampled_from([0.1, 0.5, 0.999]),
    data=st.data(),
    dtype=st.sampled_from(["float32", "float64", "float16"]),
)
def test_compiled_dropout_drops_what_the_interpreter_drops(
    shape: tuple[int, ...], p: float, data: Any, dtype: str
) -> None:
    """Beside rows and sums, which make loops of many forms, forward and with gradients."""
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1), max_size=len(shape)))
    x, row = Node(None, "x"), Node(None, "row")
    moved = make_node("broadcast_add", [x.entry(), row.entry()]).entry()
    first = make_node("Dropout", [moved], {"p": p, "axes": tuple(axes)}).entry()
    second = make_node("Dropout", [first * 2], {"p": 0.25}).entry()
    total = make_node("sum", [second], {"axis": len(shape) - 1, "keepdims": True}).entry()
    last = make_node("Dropout", [total]).entry()
    exact = dtype != "float16"  # sums of which cancel out
    outputs = [second, last] if exact else [second]
    graph = random_graph(outputs, [x, row], [shape, shape[-1:]], dtype)
    check_forward(graph)
    if exact:
        check_backward(graph)


@pytest.mark.parametrize("p", [0.0, 1e-12, 1 - 1e-12, 1.0])
def test_probabilities_at_the_ends_are_compiled_too(p: float) -> None:
    x = Node(None, "x")
    dropped = make_node("Dropout", [x.entry()], {"p": p}).entry()
    check_forward(random_graph([dropped], [x], [(5, 7)], "float32"))


def test_one_kernel_serves_batches_of_any_size() -> None:
    x = Node(None, "x")
    graph = Graph([make_node("Dropout", [x.entry()], {"mode": "always"}).entry()])
    compiled = CompiledGraph(graph, [x])
    for batch in (1, 3, 4, 50):
        arrays = [np.ones((batch, 5, 7), np.float32)]
        expected = interpret(graph, {x: arrays[0]}, new_run())
        assert_alike(compiled(arrays, new_run()), expected)
    assert compiled.cache_info().specializations == 1


PARAMETERS = {
    "uniform": {"low": -1.0, "high": 2.0},
    "normal": {"loc": -1.0, "scale": 2.0},
    "exponential": {"lam": 2.0},
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", PARAMETERS)
def test_distributions_are_drawn_in_loops(name: str, dtype: str) -> None:
    x, shape = Node(None, "x"), (3, 150)
    settings = {**PARAMETERS[name], "shape": shape, "dtype": dtype}
    noise, other = (make_node(f"_random_{name}", [], settings).entry() for _ in range(2))
    alike = make_node(f"_random_{name}_like", [x.entry()], PARAMETERS[name]).entry()
    graph = random_graph([x.entry() * noise + other * alike], [x], [shape], dtype)
    check_forward(graph)
    check_backward(graph)
    binding = CompiledGraph(graph.graph, [x]).binding(graph.arrays)
    assert [step.kind for step in explain(binding).steps] == ["kernel"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("inner", [(), (7,), (2, 150)])
@pytest.mark.parametrize("name", PARAMETERS)
def test_distributions_of_arrays_are_drawn_in_loops(
    name: str, inner: tuple[int, ...], dtype: str
) -> None:
    names = REGISTRY[f"_sample_{name}"].inputs
    parameters = [Node(None, n) for n in names]
    positive = [
        make_node("abs", [p.entry()]).entry() + 0.5 * i for i, p in enumerate(parameters, 1)
    ]
    settings = {"shape": inner, "dtype": dtype}
    drawn = make_node(f"_sample_{name}", positive, settings).entry()
    graph = random_graph([drawn * 2], parameters, [(3, 4)] * len(names), dtype)
    check_forward(graph)
    binding = CompiledGraph(graph.graph, parameters).binding(graph.arrays)
    assert {step.kind for step in explain(binding).steps} == {"kernel"}


def test_training_with_dropout_runs_no_python() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=6), nn.Dropout(0.5), nn.Dense(3, in_units=8))
    net.initialize()
    net.hybridize()
    x = nd.ones((4, 6))
    with autograd.record():
        y = net(x)
        found = net.explain(x)
    y.backward()
    assert {step.kind for step in found.steps} == {"kernel"}
    dropout = [o for step in found.steps for o in step.operators if "dropout" in o]
    assert len(dropout) == 1


def test_gradients_of_gradients_know_what_was_dropped() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dropout(0.5), nn.Activation("tanh"))
    net.hybridize()
    x = nd.array(np.linspace(-1, 1, 64))
    x.attach_grad()
    with autograd.record():
        y = net(x)
        (slope,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
        slope.sum().backward()
    z, mask = y.asnumpy(), np.where(y.asnumpy() == 0, 0.0, 2.0)
    np.testing.assert_allclose(slope.asnumpy(), (1 - z**2) * mask, rtol=1e-5)
    expected = -2 * z * (1 - z**2) * mask**2
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-4, atol=1e-6)


def test_calls_without_recording_drop_differently_each_time() -> None:
    net = nn.Dropout(0.5)
    net.hybridize()
    x = nd.ones((64,))
    with autograd.train_mode():
        masks = [net(x).asnumpy().tobytes() for _ in range(6)]
    assert len(set(masks)) == 6
    assert all((net(x).asnumpy() == 1).all() for _ in range(3))
