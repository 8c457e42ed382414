import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic import symbol as sym
from gluonic.drawing.drawing import Drawing
from gluonic.drawing.page.arrays import facts_of_array
from gluonic.drawing.static.shown_graph import ShownGraph
from tests.drawing import nets


def text_of(drawing: Drawing) -> str:
    return drawing.pipe("html").decode()


def data_of(drawing: Drawing) -> Any:
    found = re.search(
        r'<script type="application/json" id="graph">(.*?)</script>', text_of(drawing)
    )
    assert found is not None
    return json.loads(found[1])


class _Checker(HTMLParser):
    """Checks that tags nest, and lists the scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.scripts += tag == "script"
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_html(text: str) -> None:
    checker = _Checker()
    checker.feed(text)
    assert checker.open == []
    assert checker.scripts == 2


def test_a_page_is_one_file_that_asks_for_nothing() -> None:
    page = text_of(nets.lenet().plot(nd.zeros((1, 1, 28, 28))))
    check_html(page)
    assert "default-src 'none'" in page
    assert not re.search(r'(src|href)="(?!#)', page)
    assert not re.search(r"^(import|export)\b", page, re.MULTILINE)


def test_the_data_contain_all_that_is_known_of_a_node() -> None:
    net = nets.lenet()
    data = data_of(net.plot(nd.zeros((2, 1, 28, 28))))
    conv = next(node for node in data["nodes"] if node.get("op") == "Convolution")
    assert conv["shapes"] == [[2, 20, 24, 24]]
    assert conv["dtypes"] == ["float32"]
    assert data["slots"][conv["slots"]] == ["data", "weight", "bias"]
    assert data["attributes"][conv["attributes"]]["kernel"] == "(5, 5)"
    assert "Slide filters" in data["operators"]["Convolution"]["documentation"]
    assert conv["cost"][0] == 2 * 20 * 24 * 24 * 2 * 25
    file, line, _ = data["locations"][conv["location"]]
    assert file == __file__
    assert "plot" in data["sources"][file][str(line)]
    weight = data["parameters"][str(conv["inputs"][1][0])]
    values = net[0].weight.data().asnumpy()
    assert weight["mean"] == pytest.approx(float(values.mean()), abs=1e-6)
    assert sum(weight["histogram"]) == values.size


def test_parameters_are_lines_unless_boxes_are_asked_for() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=4, name="fc")
    folded = data_of(mx.viz.plot_network(net))
    assert [n["name"] for n in folded["nodes"] if "folded" in n] == ["fc_weight", "fc_bias"]
    boxes = data_of(mx.viz.plot_network(net, hide_weights=False))
    assert not any("folded" in node for node in boxes["nodes"])


def test_bodies_of_control_flow_are_blocks() -> None:
    net = nets.Loops(prefix="loops_")
    net.initialize()
    data = data_of(net.plot(nd.ones((5, 2, 3)), nd.ones((2, 3))))
    bodies = [block for block in data["blocks"] if block["role"] == "body"]
    names = {(data["nodes"][body["holder"]]["op"], body["name"]) for body in bodies}
    assert ("_foreach", "each step") in names
    assert {name for op, name in names if op == "_cond"} == {"condition", "then", "else"}
    assert all(body["members"] for body in bodies)


def test_a_page_is_headed_by_what_it_shows() -> None:
    net = sym.tanh(sym.var("x"), name="last")
    assert data_of(mx.viz.plot_network(net))["title"] == "last"
    assert data_of(mx.viz.plot_network(net, title="mine"))["title"] == "mine"
    assert data_of(nets.lenet().plot())["title"] == "lenet"


@pytest.mark.parametrize(
    "name",
    [
        'a"b',
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "x\n\t\\y",
        "\x01\x00",
        "é🙂\u2028",
        "]]>",
        "&amp;",
        "a" * 5000,
    ],
)
def test_text_in_names_is_escaped(name: str) -> None:
    net = sym.FullyConnected(sym.var(name, attr={"__note__": name}), num_hidden=2, name=name)
    drawing = net.plot(title=name)
    check_html(text_of(drawing))
    assert data_of(drawing)["title"] == name
    assert any(node["name"] == name for node in data_of(drawing)["nodes"])
    frame = drawing._repr_html_()
    assert frame.count("<") == 2
    assert "alert(1)</" not in frame


def test_ten_thousand_nodes_take_less_than_five_megabytes() -> None:
    page = text_of(nets.large().plot(shape={"data": (4, 8)}))
    assert len(page.encode()) < 5_000_000


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3), np.float32),
        np.array(2.5),
        np.array([np.nan, np.inf, 1], np.float32),
        np.array([True, False]),
        np.array([-1e308, 1e308]),
        np.arange(10, dtype=np.int8),
    ],
)
def test_any_array_can_be_described(array: np.ndarray[Any, Any]) -> None:
    facts = facts_of_array(array)
    json.dumps(facts, allow_nan=False)
    assert facts["shape"] == list(array.shape)
    assert facts.get("not_finite", 0) == (2 if array.dtype == np.float32 and array.size else 0)


def test_loops_and_branches_cost_what_their_bodies_do_at_all_steps() -> None:
    net = nets.Loops(prefix="loops_")
    net.initialize()
    data = data_of(net.plot(nd.ones((5, 2, 3)), nd.ones((2, 3))))
    costs = {node["op"]: node["cost"] for node in data["nodes"] if "cost" in node}
    assert costs["_foreach"][0] == 5 * 4 * 6
    assert costs["_while_loop"][0] == 6 * ((1 + 1) + (1 + 6))  # a copy costs none
    assert costs["_cond"][0] == 6
    total = ShownGraph(data).total(-1)
    outside = sum(costs[op][0] for op in ("_foreach", "_while_loop", "_cond", "_zeros", "Custom"))
    outside += 2 * 16 * 6 + 2 * 4 * 32 + 30 + 6 + 1  # dense layers, mean, sum, comparison
    assert total.operations == outside


def test_bodies_show_the_shapes_of_a_step() -> None:
    x, h = sym.var("x"), sym.var("h")
    out, _ = sym.contrib.foreach(lambda a, s: (sym.exp(a + s[0], name="inner"), s), x, [h])
    nested = data_of(out.plot(shape={"x": (7, 2, 3), "h": (2, 3)}))
    shapes = {node["name"]: node["shapes"] for node in nested["nodes"] if "shapes" in node}
    assert shapes["inner"] == [[2, 3]]
    unknown = data_of(out.plot())
    assert not any("shapes" in node for node in unknown["nodes"])
