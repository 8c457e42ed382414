"""Copies side by side, ends of sequences, evenly spaced numbers, and gradients of all, as machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.graph.node import Node, make_node
from tests.codegen.native_operators import check, check_with_gradients

DTYPES = st.sampled_from(["float32", "float64"])
SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=3)


@settings(max_examples=8, deadline=None)
@given(SHAPES, st.lists(st.integers(1, 4), min_size=1, max_size=4), DTYPES)
def test_tiles_are_machine_code(shape: list[int], reps: list[int], dtype: str) -> None:
    data = Node(None, "data")
    node = make_node("tile", [data.entry()], {"reps": tuple(reps)})
    check_with_gradients(node, {data: tuple(shape)}, dtype)


@settings(max_examples=8, deadline=None)
@given(SHAPES, st.integers(1, 4), DTYPES, st.data())
def test_repeated_elements_are_machine_code(
    shape: list[int], repeats: int, dtype: str, draw: Any
) -> None:
    data = Node(None, "data")
    axis = draw.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    node = make_node("repeat", [data.entry()], {"repeats": repeats, "axis": axis})
    check_with_gradients(node, {data: tuple(shape)}, dtype)


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=4),
    st.integers(0, 1),
    st.sampled_from([0.0, -1.5, np.inf]),
    st.sampled_from(["float32", "float64", "int32"]),
    DTYPES,
)
def test_ends_of_sequences_are_overwritten_by_machine_code(
    shape: list[int], axis: int, value: float, kind: str, dtype: str
) -> None:
    data, lengths = Node(None, "data"), Node(None, "lengths")
    attributes = {"use_sequence_length": True, "axis": axis, "value": value}
    node = make_node("SequenceMask", [data.entry(), lengths.entry()], attributes)
    random = np.random.default_rng(0).uniform(-1, shape[axis] + 2, shape[1 - axis])
    check_with_gradients(node, {data: tuple(shape)}, dtype, given={"lengths": random.astype(kind)})


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=3),
    st.sampled_from([None, 2.5]),
    st.sampled_from(["int32", "int64"]),
    DTYPES,
    st.data(),
)
def test_softmax_up_to_a_length_is_machine_code(
    shape: list[int], temperature: float | None, kind: str, dtype: str, draw: Any
) -> None:
    data, lengths = Node(None, "data"), Node(None, "lengths")
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    attributes = {"use_length": True, "axis": axis, "temperature": temperature}
    node = make_node("softmax", [data.entry(), lengths.entry()], attributes)
    rows = [n for i, n in enumerate(shape) if i != axis % len(shape)]
    random = np.random.default_rng(0).integers(-1, shape[axis] + 3, rows)
    check_with_gradients(node, {data: tuple(shape)}, dtype, given={"lengths": random.astype(kind)})


@pytest.mark.parametrize(
    "attributes",
    [
        {"start": 5},
        {"start": 2.5, "stop": 7, "step": 0.3},
        {"start": 7, "stop": -3, "step": -2, "repeat": 3},
        {"start": 1.7, "stop": 9.5, "step": 2.5, "repeat": 2, "dtype": "int32"},
    ],
    ids=str,
)
def test_evenly_spaced_numbers_are_machine_code(attributes: dict[str, Any]) -> None:
    check([make_node("_arange", [], attributes).entry()], [], [])
