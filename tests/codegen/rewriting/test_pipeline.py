"""The pipeline: each pass does what its docstring shows, and reports it."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic import gluon, nd
from gluonic.codegen.rewriting import passes, preparation
from gluonic.codegen.rewriting.passes import Pass
from gluonic.codegen.rewriting.pipeline import PIPELINE
from gluonic.codegen.rewriting.preparation import nodes_without_origin
from gluonic.codegen.shapes.facts import find_facts
from gluonic.gluon import nn
from gluonic.graph.errors import Location
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node, make_node
from gluonic.symbol.plotting import drawing_of
from tests.codegen.agreement import new_run


@pytest.mark.parametrize("each", PIPELINE, ids=lambda each: each.name)
def test_a_pass_states_its_contract_and_shows_an_example(each: Pass) -> None:
    assert each.contract
    assert f">>> print({type(each).__name__}().shown(" in (type(each).__doc__ or "")


def test_passes_have_names_of_their_own() -> None:
    assert len({each.name for each in PIPELINE}) == len(PIPELINE)


def image_net() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, in_channels=16), nn.BatchNorm(), nn.Activation("relu"))
    net.add(nn.MaxPool2D(), nn.Dropout(0.5), nn.Dense(300, activation="relu"), nn.LayerNorm())
    return net


def row_net() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(300, activation="tanh"), nn.Dense(300), nn.LayerNorm(), nn.Swish())
    return net


NETS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "images": (image_net, (2, 16, 9, 9)),
    "rows": (row_net, (4, 300)),
    "volumes": (lambda: nn.Conv3D(8, 3), (1, 8, 5, 6, 6)),
    "recurrent": (lambda: gluon.rnn.LSTM(5), (3, 2, 4)),
}


@pytest.mark.parametrize("name", NETS)
def test_explain_shows_the_graph_after_each_pass(name: str) -> None:
    make, shape = NETS[name]
    net, x = make(), nd.random.normal(shape=shape)
    net.initialize()
    expected = net(x)
    net.hybridize()
    reports = net.explain(x).passes
    assert [report.name for report in reports] == [each.name for each in PIPELINE]
    assert any(report.has_changed for report in reports)
    for before, after in pairwise(reports):
        assert after.has_changed == (after.graph is not before.graph)
        assert after.seconds >= 0
    assert str(reports[-1]).startswith(PIPELINE[-1].name)
    assert reports[-1].text.splitlines()[-1].startswith("return ")
    first = expected[0] if isinstance(expected, (list, tuple)) else expected
    np.testing.assert_allclose(net(x).asnumpy(), first.asnumpy(), rtol=1e-4, atol=1e-5)


def test_a_pass_is_not_charged_for_inferring_the_shapes_of_its_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inferred: list[Graph] = []

    def counted(graph: Graph, inputs: Any, arrays: Any) -> Any:
        inferred.append(graph)
        return find_facts(graph, inputs, arrays)

    make, shape = NETS["images"]
    net, x = make(), nd.random.normal(shape=shape)
    net.initialize()
    net(x)
    net.hybridize()
    explanation = net.explain(x)
    monkeypatch.setattr(passes, "find_facts", counted)
    monkeypatch.setattr(preparation, "perf_counter", lambda: float(len(inferred)))
    reports = explanation.passes
    assert len({*inferred} & {report.graph for report in reports}) > 2
    assert {report.seconds for report in reports if not report.has_changed} == {0}


def values(graph: Graph, given: dict[str, np.ndarray[Any, Any]], count: int) -> Sequence[Any]:
    run = new_run(train=False)
    return interpret(graph, {v: given[v.name] for v in graph.variables}, run)[:count]


@pytest.mark.parametrize("name", ["images", "rows"])
def test_every_pass_leaves_values_as_they_are(name: str) -> None:
    make, shape = NETS[name]
    net = make()
    net.initialize()
    x = nd.random.normal(shape=shape)
    net(x)
    net.hybridize()
    reports = net.explain(x).passes
    known = {key: p.data().asnumpy() for key, p in net.collect_params().items()}
    traced = [v.name for v in reports[0].graph.variables if v.name not in known]
    given = {**known, **dict.fromkeys(traced, x.asnumpy())}
    expected = values(reports[0].graph, given, 1)
    for report in reports[1:-1]:  # the last packs weights for machine code alone
        np.testing.assert_allclose(
            values(report.graph, given, 1)[0],
            expected[0],
            rtol=1e-4,
            atol=1e-5,
            err_msg=report.name,
        )


def test_a_picture_of_every_graph_on_the_way_can_be_drawn() -> None:
    net = row_net()
    net.initialize()
    net.hybridize()
    for report in net.explain(nd.ones((2, 3))).passes:
        drawn = drawing_of(report.graph, report.name, save_format="svg")
        assert drawn.pipe().startswith(b"<svg")


def test_every_graph_on_the_way_is_written_down_if_the_environment_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_DUMP", str(tmp_path))
    net = row_net()
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 3)))
    (file,) = tmp_path.glob("*.passes.txt")
    text = file.read_text()
    assert all(f"-- {each.name}" in text for each in PIPELINE)
    assert "return " in text


def test_a_node_without_origin_is_detected() -> None:
    x = Node(None, "x")
    old = make_node("exp", [x.entry()])
    old.location = Location("net.py", 3, "forward")
    new = make_node("log", [old.entry()])
    assert nodes_without_origin(Graph([old.entry()]), Graph([new.entry()])) == [new]
    new.location = old.location
    assert not nodes_without_origin(Graph([old.entry()]), Graph([new.entry()]))
