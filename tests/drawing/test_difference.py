import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import gluon, nd
from gluonic import symbol as sym
from gluonic.drawing.difference import difference
from gluonic.drawing.drawing import Drawing
from gluonic.graph.errors import CallError, InferenceError, MXNetError
from gluonic.graph.node import Graph
from gluonic.symbol import NameManager, Symbol


def marks_of(drawing: Drawing) -> dict[str, str]:
    assert drawing.page.marks is not None
    return {node.name: kind for node, kind in drawing.page.marks.kinds.items()}


def chain(*operators: str, prefix: str = "") -> Symbol:
    x = sym.var(f"{prefix}x")
    for number, name in enumerate(operators):
        x = getattr(sym, name)(x, name=f"{prefix}{name}{number}")
    return x


def unknown(graph: Graph) -> Any:
    return {node: [None] * node.output_count for node in graph.nodes}


def test_different_names_are_not_a_difference() -> None:
    old, new = chain("tanh", "exp"), chain("tanh", "exp", prefix="renamed_")
    assert marks_of(new.plot(against=old)) == {}


def test_added_removed_and_changed_operators_are_marked() -> None:
    x = sym.var("x")
    old = sym.exp(sym.FullyConnected(sym.tanh(x, name="t"), num_hidden=4, name="fc"), name="e")
    new = sym.FullyConnected(sym.tanh(x, name="t2"), num_hidden=8, name="fc2")
    new = sym.sqrt(sym.sigmoid(new, name="s"), name="q")
    drawing = new.plot(against=old, shape={"x": (2, 3)})
    assert marks_of(drawing) == {"fc2": "changed", "s": "added", "q": "added", "e": "removed"}
    assert drawing.page.marks is not None
    assert drawing.page.marks.summary == "2 added, 1 removed, 1 changed"
    (notes,) = drawing.page.marks.notes.values()
    assert notes == ["num_hidden: 4 → 8", "output: (2, 4) → (2, 8)"]


def test_rewired_operators_have_changed() -> None:
    x, y = sym.var("x"), sym.var("y")
    a, b = sym.tanh(x, name="a"), sym.exp(y, name="b")
    old, new = sym.elemwise_sub(a, b, name="s"), sym.elemwise_sub(b, a, name="s")
    found = difference(old.graph(), new.graph(), (unknown(old.graph()), unknown(new.graph())))
    assert ["reads other results"] in found.marks.notes.values()


OPERATORS = st.lists(st.sampled_from(["tanh", "exp", "sqrt", "sigmoid", "relu"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(OPERATORS, OPERATORS)
def test_the_old_graph_is_the_new_one_without_what_was_added_and_with_what_was_removed(
    first: list[str], second: list[str]
) -> None:
    old, new = chain(*first).graph(), chain(*second).graph()
    found = difference(old, new, (unknown(old), unknown(new)))
    kinds = found.marks.kinds
    shown = [node for node in found.graph.nodes if not node.is_variable]
    assert sorted(n.operator_name for n in shown if kinds.get(n) != "added") == sorted(first)
    assert sorted(n.operator_name for n in shown if kinds.get(n) != "removed") == sorted(second)
    if first == second:
        assert kinds == {}


def test_the_page_of_a_difference_names_what_changed() -> None:
    page = chain("tanh", "exp").plot(against=chain("tanh", "sqrt")).pipe("html").decode()
    found = re.search(r'id="graph">(.*?)</script>', page)
    assert found is not None
    marks = json.loads(found[1])["marks"]
    assert sorted(marks["kinds"].values()) == ["added", "removed"]


# ------------------------------------------------------------------------------ errors


class Bad(gluon.HybridBlock):
    """Adds what does not fit."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        middle = F.tanh(F.mean(x, axis=1))
        return F.exp(x - middle)


def failure() -> InferenceError:
    with NameManager():
        net = Bad(prefix="bad_")
    net.hybridize()
    with pytest.raises(InferenceError) as caught:
        net(nd.ones((3, 4)))
    return caught.value


def test_an_error_offers_the_picture_up_to_where_it_happened() -> None:
    drawing = failure().picture()
    marks = drawing.page.marks
    ((node, kind),) = marks.kinds.items()
    assert kind == "failed"
    assert node.operator_name == "elemwise_sub"
    names = {n.operator_name for n in drawing.page.graph.nodes}
    assert names == {"null", "mean", "tanh", "elemwise_sub"}
    page = drawing.pipe("html").decode()
    assert "[[3,4]]" in page
    assert "do not broadcast" in page


def test_the_environment_has_the_picture_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GLUONIC_PICTURES", str(tmp_path / "pictures"))
    message = str(failure())
    (path,) = (tmp_path / "pictures").iterdir()
    assert f"a picture: {path}" in message
    assert path.read_text().startswith("<!DOCTYPE html>")


def traced(forward: Any) -> MXNetError:
    """The error of a hybridized net that computes so."""

    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return forward(F, F.tanh(x, name="before"))

    net = Net()
    net.hybridize()
    with pytest.raises(MXNetError) as caught:
        net(nd.ones((4, 3)))
    return caught.value


@pytest.mark.parametrize(
    ("forward", "failed", "message"),
    [
        (lambda F, y: F.FullyConnected(y, num_hiden=3), "FullyConnected", "num_hiden"),
        (lambda F, y: y.shape[0], "shape", "a Symbol has no 'shape'"),
        (lambda F, y: y.asnumpy(), "asnumpy()", "a Symbol has no asnumpy()"),
        (lambda F, y: F.dot(y, nd.ones((3, 3))), "dot", "rhs must be a Symbol"),
    ],
)
def test_an_error_while_tracing_offers_the_picture_of_what_was_traced(
    forward: Any, failed: str, message: str
) -> None:
    drawing = traced(forward).picture()
    ((node, _),) = drawing.page.marks.kinds.items()
    assert node.operator_name == failed
    assert node.location.file == __file__
    nodes = drawing.page.graph.nodes
    assert [n.operator_name for n in nodes] == ["null", "tanh", failed]
    assert [drawing.page.facts.shapes[n][0] for n in nodes] == [(4, 3), (4, 3), None]
    assert message in drawing.pipe("html").decode()


def test_what_was_traced_before_an_error_may_not_fit_either() -> None:
    drawing = traced(lambda F, y: F.elemwise_add(y, F.mean(y, axis=0)).shape).picture()
    (data,) = (n for n in drawing.page.graph.nodes if n.is_variable)
    assert drawing.page.facts.shapes[data] == [(4, 3)]


@pytest.mark.parametrize("calls_before", [0, 2])
def test_an_error_while_running_offers_the_picture_with_shapes(calls_before: int) -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, i: Any) -> Any:
            return F.take(F.mean(F.tanh(x), axis=0), i, mode="raise")

    net = Net()
    net.hybridize()
    for _ in range(calls_before):
        net(nd.ones((4, 3)), nd.array([2]))
    with pytest.raises(MXNetError) as caught:
        net(nd.ones((4, 3)), nd.array([5]))
    page = caught.value.picture().page
    assert [n.operator_name for n in page.marks.kinds] == ["take"]
    shapes = {node.operator_name: page.facts.shapes[node][0] for node in page.graph.nodes}
    assert shapes["tanh"] == (4, 3)
    assert shapes["mean"] == (3,)


def test_looking_for_an_attribute_writes_no_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GLUONIC_PICTURES", str(tmp_path))
    assert not hasattr(sym.var("x"), "shape")
    assert not list(tmp_path.iterdir())
    with pytest.raises(MXNetError, match="a picture: "):
        sym.var("x").asnumpy()  # type: ignore[attr-defined]
    assert len(list(tmp_path.iterdir())) == 1


def test_an_eager_error_has_no_graph() -> None:
    with pytest.raises(InferenceError) as caught:
        nd.elemwise_sub(nd.ones((2, 3)), nd.ones((3,)))
    with pytest.raises(CallError, match="no graph to draw"):
        caught.value.picture()


def test_errors_travel_to_other_processes_without_their_graph() -> None:
    error = failure()
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.failed is None
