"""The points at which operators are split into parts, and the scratch between them."""

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.loops.parts import parts_of
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.agreement import new_run


def _parts(graph: dict[str, str], costly: str, sizes: dict[str, int] | None = None) -> list[str]:
    """Cut operators called by letters, each with the letters of those it reads."""
    nodes = {letter: Node(None, letter) for letter in graph}
    sources = {nodes[name]: [nodes[letter] for letter in read] for name, read in graph.items()}
    parts = parts_of(
        [*nodes.values()],
        sources,
        lambda node: node.name in costly,
        lambda node: (sizes or {}).get(node.name, 4),
    )
    return ["".join(node.name for node in part) for part in parts]


def test_each_part_but_the_first_begins_where_another_operator_takes_long() -> None:
    assert _parts({"a": "", "T": "a", "b": "T", "E": "b"}, "") == ["aTbE"]
    assert _parts({"a": "", "T": "a", "E": "T", "L": "E"}, "TEL") == ["aT", "E", "L"]


def test_cheap_operators_move_to_their_reader_if_that_stores_no_more() -> None:
    assert _parts({"T": "", "b": "T", "E": "b"}, "TE") == ["T", "bE"]
    both_read_later = {"T": "", "b": "T", "c": "b", "E": "c", "d": "TE"}
    assert _parts(both_read_later, "TE") == ["T", "bcEd"]


def test_operators_are_not_moved_if_that_would_store_more() -> None:
    assert _parts({"T": "", "p": "", "b": "Tp", "E": "b"}, "TE") == ["Tpb", "E"]
    assert _parts({"T": "", "b": "T", "E": "b"}, "TE", {"b": 1}) == ["Tb", "E"]


def test_readers_of_moved_operators_are_moved_after_them() -> None:
    # n = -z; p = n * z; q = z * y: only z is left for the last part, with y that is there anyway
    graph = {"y": "", "z": "y", "n": "z", "p": "nz", "q": "zy", "E": "p", "s": "qE"}
    assert _parts(graph, "yzE") == ["y", "z", "npqEs"]


@pytest.mark.parametrize("length", [1, 37, 5000])
def test_moved_operators_compute_the_same(length: int) -> None:
    x = Node(None, "x")
    y = make_node("tanh", [x.entry()])
    z = make_node("sigmoid", [make_node("elemwise_mul", [y.entry(), x.entry()]).entry()])
    square = make_node("elemwise_mul", [make_node("negative", [z.entry()]).entry(), z.entry()])
    power = make_node("exp", [square.entry()])
    outputs = [
        make_node("elemwise_add", [make_node("elemwise_mul", [z.entry(), y.entry()]).entry(), e])
        for e in (power.entry(), x.entry())
    ]
    graph = Graph([node.entry() for node in outputs])
    arrays = [np.random.default_rng(0).normal(size=length).astype(np.float32)]
    wide = arrays[0].astype(np.float64)
    t = np.tanh(wide)
    s = 1 / (1 + np.exp(-t * wide))
    got = CompiledGraph(graph, [x])(arrays, new_run())
    np.testing.assert_allclose(got[0], s * t + np.exp(-s * s), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[1], s * t + wide, rtol=1e-5, atol=1e-6)
