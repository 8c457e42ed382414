"""Guards record what passes read of shapes: where they hold, passes produce the same graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import DynamicShapeError, Facts
from gluonic.codegen.shapes.guards import ShapeGuards
from gluonic.graph.builder import F
from gluonic.graph.errors import MXNetError
from gluonic.graph.gradient import gradients
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.text import graph_text
from gluonic.support.pieces import finish
from tests.codegen.growing import RandomGraph, Shape
from tests.codegen.other_shapes import CHANGES, Change, changed
from tests.codegen.random_graphs import random_graphs

FLOAT32 = np.dtype(np.float32)


def abstract_arrays(shapes: Sequence[Shape]) -> list[AbstractArray]:
    return [AbstractArray(shape, FLOAT32) for shape in shapes]


class Prepared:
    """A graph that was prepared for some shapes, to be asked about others."""

    def __init__(self, outputs: Sequence[Entry], shapes: dict[str, Shape]) -> None:
        self.graph = Graph(outputs)
        self.names = list(shapes)
        by_name = {node.name: node for node in self.graph.variables}
        self.variables = [by_name[name] for name in self.names]
        self.preparation = Preparation(self.graph, self.variables)
        self.made, _ = finish(self.preparation.of(abstract_arrays([*shapes.values()]), train=False))

    def serves(self, **shapes: Shape) -> bool:
        arrays = abstract_arrays([shapes[name] for name in self.names])
        found = self.preparation.facts_of(self.made, arrays, train=False)
        return found is not None


def x_and(*names: str) -> list[Entry]:
    return [Node(None, name).entry() for name in ("x", *names)]


def test_images_are_prepared_once_for_all_batches_and_again_for_other_channels() -> None:
    x, w = x_and("w")
    y = F.relu(F.Convolution(x, w, kernel=(3, 3), num_filter=32, no_bias=True))
    prepared = Prepared([y], {"x": (2, 32, 9, 9), "w": (32, 32, 3, 3)})
    assert all(prepared.serves(x=(n, 32, 9, 9), w=(32, 32, 3, 3)) for n in (1, 3, 500))
    assert not prepared.serves(x=(2, 48, 9, 9), w=(32, 48, 3, 3))


def test_sequences_are_prepared_once_for_all_lengths() -> None:
    x, w = x_and("w")
    y = F.Convolution(x, w, kernel=(5,), num_filter=40, stride=(2,), no_bias=True)
    y = F.Pooling(F.relu(y), kernel=(3,), pool_type="max", pooling_convention="full", stride=(2,))
    prepared = Prepared([y], {"x": (2, 32, 99), "w": (40, 32, 5)})
    assert all(prepared.serves(x=(1, 32, n), w=(40, 32, 5)) for n in (17, 100, 4000))


def test_a_transposed_convolution_of_any_batch_is_prepared_once() -> None:
    x, w = x_and("w")
    y = F.Deconvolution(x, w, kernel=(3, 3), num_filter=8, no_bias=True)
    prepared = Prepared([y], {"x": (2, 4, 5, 5), "w": (4, 8, 3, 3)})
    assert all(prepared.serves(x=(n, 4, 5, 5), w=(4, 8, 3, 3)) for n in (1, 3, 7))
    assert not prepared.serves(x=(2, 4, 1, 1), w=(4, 8, 3, 3))


def test_volumes_of_any_batch_are_prepared_once() -> None:
    x, w = x_and("w")
    y = F.Convolution(x, w, kernel=(3, 3, 3), num_filter=8, no_bias=True)
    found = gradients([F.square(y)], [F.ones_like(y)], [x, w], train=True)
    slopes = [entry for entry in found if entry is not None]
    assert len(slopes) == 2
    prepared = Prepared([y, *slopes], {"x": (2, 4, 5, 6, 6), "w": (8, 4, 3, 3, 3)})
    assert all(prepared.serves(x=(n, 4, 5, 6, 6), w=(8, 4, 3, 3, 3)) for n in (1, 3, 7))
    assert not prepared.serves(x=(2, 4, 7, 6, 6), w=(8, 4, 3, 3, 3))


def test_rows_of_any_number_and_length_are_prepared_once() -> None:
    (x,) = x_and()
    prepared = Prepared(
        [F.softmax(F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True)))], {"x": (4, 3)}
    )
    assert all(prepared.serves(x=shape) for shape in ((1, 3), (9, 7), (1, 1)))


def test_omitting_a_node_because_shapes_are_equal_records_a_guard() -> None:
    x, y = x_and("y")
    prepared = Prepared([F.broadcast_mul(F.broadcast_like(x, y), y)], {"x": (4, 3), "y": (4, 3)})
    assert prepared.serves(x=(7, 5), y=(7, 5))
    assert not prepared.serves(x=(1, 3), y=(4, 3))


def test_a_weight_is_packed_for_its_size() -> None:
    x, w = x_and("w")
    first = F.FullyConnected(x, w, num_hidden=300, no_bias=True)
    prepared = Prepared(
        [F.FullyConnected(first, w, num_hidden=300, no_bias=True)], {"x": (2, 300), "w": (300, 300)}
    )
    assert "_packed" in graph_text(prepared.made.graph)
    assert prepared.serves(x=(5, 300), w=(300, 300))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(random_graphs(most=12), st.lists(CHANGES, min_size=2, max_size=2))
def test_where_guards_hold_passes_make_the_same_graph_again(
    random: RandomGraph, changes: list[list[Change]]
) -> None:
    preparation = Preparation(random.graph, random.variables)
    given_ = [AbstractArray(array.shape, array.dtype) for array in random.arrays]
    try:
        made, _ = finish(preparation.of(given_, random.train))
    except DynamicShapeError:
        reject()  # nothing is prepared where shapes depend on data
    for change in (c for each in changes for c in each):
        shapes = changed([array.shape for array in given_], change)
        arrays = [AbstractArray(shape, a.dtype) for shape, a in zip(shapes, given_, strict=True)]
        afresh = Preparation(random.graph, random.variables)
        try:
            again, _ = finish(preparation.of(arrays, random.train))
        except MXNetError:  # shapes that do not go together
            with pytest.raises(MXNetError):
                finish(afresh.of(arrays, random.train))
            continue
        anew, _ = finish(afresh.of(arrays, random.train))
        if again is made:
            assert graph_text(made.graph) == graph_text(anew.graph), shapes


QUESTIONS: dict[str, Any] = {
    "an extent": lambda a, b: a[1] < 4,
    "a comparison with numbers": lambda a, b: a == (2, 3),
    "a part of numbers": lambda a, b: a[1:] == (3,),
    "two shapes": lambda a, b: a == b,
    "parts of two": lambda a, b: a[:1] == b[:1],
    "emptiness": lambda a, b: 0 in a,
    "another number": lambda a, b: 3 in a,
    "a look-up": lambda a, b: {(2, 3): True}.get(a, False),
    "a product": lambda a, b: a.asked(lambda one, other: one[0] * one[1] == sum(other), b),
    "all of it": lambda a, b: sum((*a, *b)) > 9,
}


@pytest.mark.parametrize("question", QUESTIONS)
@given(
    st.tuples(*[st.tuples(st.integers(0, 4), st.integers(0, 4))] * 2),
    st.tuples(*[st.tuples(st.integers(0, 4), st.integers(0, 4))] * 2),
)
def test_where_guards_hold_the_answer_is_the_same(
    question: str, first: tuple[Shape, Shape], second: tuple[Shape, Shape]
) -> None:
    entries = x_and("y")
    answers = []
    for shapes in (first, second):
        facts = Facts(dict(zip(entries, shapes, strict=True)), {})
        guards = ShapeGuards(facts)
        observed = guards.observed.shapes
        answers.append(bool(QUESTIONS[question](*[observed[e] for e in entries])))
        assert guards
        assert guards.hold(facts)
        if shapes is first:
            kept = guards
    if kept.hold(facts):
        assert answers[0] == answers[1]


def test_asking_for_the_rank_records_no_guard() -> None:
    (x,) = x_and()
    guards = ShapeGuards(Facts({x: (2, 3)}, {}))
    assert len(guards.observed.shapes[x]) == 2
    assert len(guards.observed.shapes[x][1:]) == 1
    assert not guards
