"""Products of matrices by machine code: every way of computing, every transposition, every processor level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.machine.target import cross
from gluonic.codegen.matmul import choices, steps
from gluonic.codegen.matmul.product import Product
from gluonic.codegen.matmul.product_kernel import ProductTiling
from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import Run
from gluonic.graph.random_source import RandomSource
from gluonic.graph.versions import mark_modified
from tests.codegen.harness import LEVELS, target_named

Array = np.ndarray[Any, Any]
RUN = Run(False, RandomSource(0))
WAYS = {"loops": choices.LOOPS, "panels": choices.PANELS, "blas": choices.BLAS}
TOLERANCE = {"float32": 2e-6, "float64": 1e-14}


def random(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


def check(op: str, arrays: list[Array], expected: Array, **attributes: Any) -> CompiledGraph:
    variables = [Node(None, f"x{i}") for i in range(len(arrays))]
    node = make_node(op, [v.entry() for v in variables], attributes)
    compiled = CompiledGraph(Graph([node.entry()]), variables)
    (found,) = compiled(arrays, RUN)
    assert compiled.binding(arrays).executable.call.is_plain, "one native call"
    scale = max(1, arrays[0].shape[-1]) ** 0.5
    tolerance = TOLERANCE[expected.dtype.name] * scale
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    return compiled


def use(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute in one way whatever the shapes; sums of nothing excepted, which only loops do."""

    def method(product: Product, find: Callable[[int], int]) -> int:
        return find(WAYS[way] if product.inner else choices.LOOPS)

    monkeypatch.setattr(steps.ProductStep, "for_method", staticmethod(method))


EXTENTS = [
    (1, 1, 1),
    (6, 64, 16),
    (1, 300, 40),
    (1, 5, 0),
    (13, 70, 33),
    (7, 5, 300),
    (20, 129, 0),
    (64, 10, 17),
    (8, 40, 515),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("turned", ["nn", "nt", "tn", "tt"])
def test_every_method_and_transposition(
    level: str, way: str, dtype: str, turned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target_named(level)
    monkeypatch.setenv("GLUONIC_CPU", level or "native")
    use(way, monkeypatch)
    ta, tb = (letter == "t" for letter in turned)
    x, y = Node(None, "x"), Node(None, "y")
    attributes = {"transpose_a": ta, "transpose_b": tb}
    graph = Graph([make_node("dot", [x.entry(), y.entry()], attributes).entry()])
    compiled = CompiledGraph(graph, [x, y])
    for rows, columns, inner in EXTENTS:
        a = random((inner, rows) if ta else (rows, inner), dtype, 1)
        b = random((columns, inner) if tb else (inner, columns), dtype, 2)
        expected = (a.T if ta else a) @ (b.T if tb else b)
        (found,) = compiled([a, b], RUN)
        tolerance = TOLERANCE[dtype] * max(1, inner) ** 0.5
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("block_bytes", [1 << 11, 1 << 18])
def test_a_parameter_is_packed_once_until_a_write_is_noted(
    block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "BLOCK_BYTES", block_bytes)
    variables = [Node(None, name) for name in ("x", "w", "b")]
    layer = make_node(
        "FullyConnected", [v.entry() for v in variables], {"num_hidden": 70, "flatten": False}
    )
    compiled = CompiledGraph(Graph([layer.entry()]), variables, variables[1:])
    weight, bias = random((70, 33), "float32", 0), random((70,), "float32", 1)
    for batch in (1, 5, 64, 500):
        data = random((batch, 33), "float32", batch)
        for _ in range(2):
            (found,) = compiled([data, weight, bias], RUN)
            np.testing.assert_allclose(found, data @ weight.T + bias, rtol=2e-5, atol=2e-5)
        weight *= -1
        mark_modified()
    (specialization,) = compiled.specializations
    assert [type(group.step).__name__ for group in specialization.prepacked] == ["PackStep"]


@pytest.mark.parametrize("activation", [None, "relu", "gelu"])
def test_a_sum_is_the_same_to_the_last_bit_if_it_is_computed_part_by_part(
    activation: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = [Node(None, name) for name in ("x", "w", "b")]
    result = make_node(
        "FullyConnected", [v.entry() for v in variables], {"num_hidden": 70, "flatten": False}
    ).entry()
    if activation == "relu":
        result = make_node("relu", [result]).entry()
    if activation == "gelu":
        result = make_node("LeakyReLU", [result * 0.5], {"act_type": "gelu"}).entry()
    for length in (15, 16, 17, 100, 131):
        found = []
        for part in (16, 48, 1000):
            monkeypatch.setattr(steps, "PACKED_PART", part)
            compiled = CompiledGraph(Graph([result]), variables, variables[1:])
            for rows in (1, 5, 64, 500):
                shapes = [(rows, length), (70, length), (70,)]
                arrays = [random(s, "float32", i) for i, s in enumerate(shapes)]
                found.append(compiled(arrays, RUN)[0])
                values = dict(zip(variables, arrays, strict=True))
                (expected,) = interpret(Graph([result]), values, RUN)
                np.testing.assert_allclose(found[-1], expected, rtol=2e-5, atol=2e-5)
        for some, more, whole in zip(found[:4], found[4:8], found[8:], strict=True):
            assert some.tobytes() == more.tobytes() == whole.tobytes()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("flatten", [True, False])
def test_dense_layers_with_bias(way: str, flatten: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    use(way, monkeypatch)
    for batch, hidden in ((1, 3), (7, 65), (13, 200)):
        data = random((batch, 3, 4), "float32", 0)
        rows = data.reshape(batch, 12) if flatten else data
        weight = random((hidden, rows.shape[-1]), "float32", 1)
        bias = random((hidden,), "float32", 2)
        expected = rows @ weight.T + bias
        attributes = {"num_hidden": hidden, "flatten": flatten}
        check("FullyConnected", [data, weight, bias], expected, **attributes)


@pytest.mark.parametrize("way", WAYS)
def test_activations_are_applied_in_registers(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(way, monkeypatch)
    variables = [Node(None, name) for name in ("x", "w", "b")]
    inputs = [v.entry() for v in variables]
    dense = make_node("FullyConnected", inputs, {"num_hidden": 70}).entry()
    gelu = make_node("LeakyReLU", [dense * 0.5], {"act_type": "gelu"}).entry()
    graph = Graph([make_node("tanh", [gelu]).entry()])
    for batch in (3, 25):
        arrays = [random(s, "float32", i) for i, s in enumerate([(batch, 40), (70, 40), (70,)])]
        compiled = CompiledGraph(graph, variables)
        (found,) = compiled(arrays, RUN)
        (expected,) = interpret(graph, dict(zip(variables, arrays, strict=True)), RUN)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
        (group,) = compiled.binding(arrays).specialization.groups
        assert isinstance(group.step, steps.ProductStep)


def test_axes_that_are_swapped_after_a_dense_layer_are_swapped_at_every_rank() -> None:
    variables = [Node(None, name) for name in ("x", "w")]
    attributes = {"num_hidden": 5, "no_bias": True, "flatten": False}
    dense = make_node("FullyConnected", [v.entry() for v in variables], attributes).entry()
    graph = Graph([make_node("SwapAxis", [dense], {"dim1": 1, "dim2": -1}).entry()])
    arrays = [random((2, 3, 4, 6), "float32", 0), random((5, 6), "float32", 1)]
    (found,) = CompiledGraph(graph, variables)(arrays, RUN)
    expected = (arrays[0] @ arrays[1].T).swapaxes(1, -1)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_a_weight_that_several_layers_read_is_packed_once() -> None:
    variables = [Node(None, name) for name in ("x", "w")]
    result, weight = (v.entry() for v in variables)
    attributes = {"num_hidden": 83, "no_bias": True}
    for _ in range(4):
        result = make_node("FullyConnected", [result, weight], attributes).entry()
        result = make_node("tanh", [result]).entry()
    graph = Graph([result])
    compiled = CompiledGraph(graph, variables)
    for batch, width in ((7, 83), (33, 83)):
        arrays = [random(s, "float32", i) for i, s in enumerate([(batch, width), (83, width)])]
        (found,) = compiled(arrays, RUN)
        (expected,) = interpret(graph, dict(zip(variables, arrays, strict=True)), RUN)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    steps = [type(g.step).__name__ for g in compiled.specializations[0].groups]
    assert steps == ["PackStep", *["ProductStep"] * 4]


@pytest.mark.parametrize("way", WAYS)
def test_pairs_of_matrices(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(way, monkeypatch)
    a, b = random((2, 3, 7, 20), "float32", 0), random((2, 3, 9, 20), "float32", 1)
    check("batch_dot", [a, b], a @ b.swapaxes(-1, -2), transpose_b=True)


def test_nan_and_infinity_propagate() -> None:
    a = np.ones((20, 30), np.float32)
    a[3, 4], a[5, 6], a[7, 8] = np.nan, np.inf, -np.inf
    b = np.ones((30, 70), np.float32)
    with np.errstate(invalid="ignore"):
        expected = a @ b
    check("dot", [a, b], expected)


@settings(max_examples=30, deadline=None)
@given(
    st.tuples(*[st.integers(0, 90)] * 3),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
)
def test_any_shape(extents: tuple[int, int, int], ta: bool, tb: bool, dtype: str) -> None:
    rows, columns, inner = extents
    a = random((inner, rows) if ta else (rows, inner), dtype, 1)
    b = random((columns, inner) if tb else (inner, columns), dtype, 2)
    expected = (a.T if ta else a) @ (b.T if tb else b)
    check("dot", [a, b], expected, transpose_a=ta, transpose_b=tb)


def test_a_new_batch_size_needs_no_new_code() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    layer = make_node("FullyConnected", [x.entry(), w.entry()], {"num_hidden": 70, "no_bias": True})
    compiled = CompiledGraph(Graph([layer.entry()]), [x, w])
    weight = random((70, 33), "float32", 0)
    for batch in (2, 5, 64, 300):
        data = random((batch, 33), "float32", batch)
        (found,) = compiled([data, weight], RUN)
        np.testing.assert_allclose(found, data @ weight.T, rtol=2e-5, atol=2e-5)
    assert len(compiled.specializations) == 1


@pytest.mark.parametrize(
    ("columns", "widths"),
    [(10, (2,)), (8, (1,)), (24, (2, 1)), (32, (2,)), (512, (2,)), (520, (2,)), (1000, (2,))],
)
def test_a_narrow_panel_is_compiled_only_where_a_wide_one_would_waste_much(
    columns: int, widths: tuple[int, ...]
) -> None:
    tiling = ProductTiling.of(np.dtype(np.float32), cross("x86_64-unknown-linux-gnu", "x86-64-v3"))
    assert tiling.needed(columns) == widths
