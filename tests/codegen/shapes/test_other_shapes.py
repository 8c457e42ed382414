"""Machine code serves other shapes than those it was compiled for, with the interpreter's results."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gluonic.codegen import bound_graph as compiling
from gluonic.codegen import specializer
from gluonic.codegen.compiled import CompiledGraph
from gluonic.graph.errors import MXNetError
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node, make_node
from tests.codegen.agreement import assert_alike, interpreter_of, new_run, slack_around
from tests.codegen.other_shapes import TEN_CHANGES, Change, check_other_shapes
from tests.codegen.random_graphs import RandomGraph, random_graphs
from tests.codegen.random_nets import Made, RandomNet, random_nets

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def arrays_of(shapes: Sequence[Shape], dtype: str = "float32") -> list[Array]:
    random = np.random.default_rng(sum(map(sum, shapes)))
    return [np.asarray(random.uniform(-1, 1, shape), dtype) for shape in shapes]


def run_both(compiled: CompiledGraph, arrays: Sequence[Array]) -> None:
    """Compare with the interpreter, which is asked first: it refuses what does not fit."""
    compute = interpreter_of(compiled.graph, compiled.inputs, train=False)
    expected = compute(arrays)
    assert_alike(compiled(list(arrays), new_run()), expected, slack=slack_around(compute, arrays))


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(random_graphs(most=12), st.data())
def test_random_graphs_of_other_extents(random: RandomGraph, data: st.DataObject) -> None:
    compiled = CompiledGraph(random.graph, random.variables)
    run_both(compiled, random.arrays)
    extents = sorted({n for a in random.arrays for n in a.shape} | {1})
    for _ in range(3):
        old, new = data.draw(st.sampled_from(extents)), data.draw(st.integers(1, 5))
        chosen = data.draw(st.sets(st.integers(0, len(random.arrays) - 1), min_size=1))
        shapes = [
            tuple(new if n == old and i in chosen else n for n in a.shape)
            for i, a in enumerate(random.arrays)
        ]
        arrays = arrays_of(shapes, random.arrays[0].dtype.name)
        try:
            interpret(compiled.graph, dict(zip(compiled.inputs, arrays, strict=True)), new_run())
        except (MXNetError, ValueError):
            assume(False)
        run_both(compiled, arrays)


_TEN = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[*HealthCheck],
)


@_TEN
@given(random_graphs(most=10), TEN_CHANGES)
def test_guards_decide_which_code_runs_a_graph_of_ten_other_sizes(
    random: RandomGraph, changes: list[Change]
) -> None:
    check_other_shapes(random, changes)


@_TEN
@given(random_nets(), TEN_CHANGES)
def test_guards_decide_which_code_runs_a_net_of_ten_other_sizes(
    made: Made, changes: list[Change]
) -> None:
    try:
        random, data = RandomNet(*made).graph()
    except MXNetError:  # layers that do not fit together
        assume(False)
    check_other_shapes(random, changes, [data])


def mlp(hidden: int = 8, out: int = 4) -> tuple[list[Node], list[Entry], list[Shape]]:
    """Two layers and the gradients of the sum of squares with respect to input and weights."""
    variables = [Node(None, name) for name in ("x", "w", "b", "v")]
    x, w, b, v = (node.entry() for node in variables)
    first = make_node("FullyConnected", [x, w, b], {"num_hidden": hidden}).entry()
    active = make_node("relu", [first]).entry()
    second = make_node("FullyConnected", [active, v], {"num_hidden": out, "no_bias": True}).entry()
    shares = make_node("log_softmax", [second]).entry()
    loss = make_node("mean", [make_node("square", [shares]).entry()], {"axis": 0, "exclude": True})
    slopes = gradients(
        [loss.entry()],
        [make_node("ones_like", [loss.entry()]).entry()],
        [x, w, b],
        train=False,
    )
    dense = [(5,), (hidden, 5), (hidden,), (out, hidden)]
    return variables, [shares, *(entry for entry in slopes if entry)], dense


@pytest.mark.parametrize("first", [1, 7])
@pytest.mark.parametrize("out", [1, 4])
def test_every_batch_size_runs_the_same_code(first: int, out: int) -> None:
    variables, outputs, shapes = mlp(out=out)
    compiled = CompiledGraph(Graph(outputs), variables)
    for batch in (first, 1, 2, 3, 12, 13, 14, 40):
        run_both(compiled, arrays_of([(batch, *shapes[0]), *shapes[1:]]))
    assert len(compiled.specializations) == 1


def test_a_pattern_of_broadcasting_has_code_of_its_own() -> None:
    x, y = Node(None, "x"), Node(None, "y")
    both = make_node("broadcast_add", [x.entry(), y.entry()]).entry()
    compiled = CompiledGraph(Graph([make_node("tanh", [both]).entry()]), [x, y])
    for shapes in [(1, 5), (1, 5)], [(3, 5), (3, 5)], [(1, 5), (1, 5)]:
        run_both(compiled, arrays_of(shapes))
    assert len(compiled.specializations) == 1
    for shapes in [(3, 5), (1, 5)], [(1, 5), (3, 5)]:
        run_both(compiled, arrays_of(shapes))
    assert len(compiled.specializations) == 3
    for shapes in [(1, 5), (1, 5)], [(9, 5), (1, 5)], [(1, 5), (4, 5)], [(4, 5), (4, 5)]:
        run_both(compiled, arrays_of(shapes))
    assert len(compiled.specializations) == 3


def test_reshaped_rows_of_a_batch_of_one() -> None:
    x = Node(None, "x")
    flat = make_node("Reshape", [make_node("tanh", [x.entry()]).entry()], {"shape": (-1, 0, 1)})
    turned = make_node("transpose", [flat.entry()], {"axes": (1, 0, 2)}).entry()
    outputs = [make_node("softmax", [turned], {"axis": 0}).entry(), turned]
    compiled = CompiledGraph(Graph(outputs), [x])
    for batch in (1, 3, 2, 1):
        run_both(compiled, arrays_of([(batch, 6)]))


@pytest.mark.parametrize("wanted", ["float32", "float64"])
def test_a_cast_that_changes_nothing_changes_other_dtypes(wanted: str) -> None:
    x = Node(None, "x")
    cast = make_node("Cast", [make_node("abs", [x.entry()]).entry()], {"dtype": wanted})
    compiled = CompiledGraph(Graph([cast.entry()]), [x])
    for dtype in (wanted, "float32", "float64", wanted):
        run_both(compiled, arrays_of([(3, 4)], dtype))


def test_the_most_recently_used_entries_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specializer, "MOST_SPECIALIZATIONS", 2)
    monkeypatch.setattr(compiling, "MOST_BINDINGS", 1)
    x = Node(None, "x")
    compiled = CompiledGraph(Graph([make_node("tanh", [x.entry()]).entry()]), [x])

    def code_for(dtype: str) -> Any:
        run_both(compiled, arrays_of([(3,)], dtype))
        return compiled.specializations[-1]

    single, double = code_for("float32"), code_for("float64")
    assert code_for("float32") is single
    code_for("float16")
    assert len(compiled.specializations) == 2
    assert code_for("float32") is single
    assert code_for("float64") is not double


def test_graphs_rewritten_for_shapes_that_never_come_again_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiling, "MOST_BINDINGS", 4)
    x = Node(None, "x")
    total = make_node("sum", [make_node("tanh", [x.entry()]).entry()], {"axis": 0})
    compiled = CompiledGraph(Graph([total.entry()]), [x])
    made: list[weakref.ref[Any]] = []
    for rank in range(2, 3 * specializer.MOST_SPECIALIZATIONS):
        run_both(compiled, arrays_of([(2, 3) + (1,) * rank]))
        made.append(weakref.ref(compiled.specializations[-1].prepared))
    assert len({*map(id, made)}) == len(made)
    gc.collect()
    kept = [prepared() for prepared in made if prepared() is not None]
    assert len(kept) == specializer.MOST_SPECIALIZATIONS
    specializations = [*compiled.specializations]
    run_both(compiled, arrays_of([(2, 3) + (1,) * rank]))
    assert compiled.specializations == specializations
