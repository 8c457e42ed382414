"""Static pictures show the same as the page, at the same positions."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import nd
from gluonic import symbol as sym
from gluonic.drawing.drawing import Drawing
from gluonic.drawing.static.box_texts import BoxTexts
from gluonic.drawing.static.folding import everything, opening
from gluonic.drawing.static.rows import apart, backward, order, ranks
from gluonic.drawing.static.scene import Scene
from gluonic.drawing.static.shown_graph import ShownGraph
from gluonic.symbol import Symbol
from tests.drawing import nets
from tests.drawing.test_page import data_of

NODE = shutil.which("node")
POSITIONS = Path(__file__).parent / "script" / "positions.js"
NAMESPACE = "{http://www.w3.org/2000/svg}"


def measure(text: str, size: float, bold: bool) -> float:
    return len(text) * size * (0.6 if bold else 0.5)


def positions(data: Any) -> list[dict[str, Any]]:
    graph = ShownGraph(data)
    texts = BoxTexts(graph, measure)
    found = []
    for opened in (opening(graph), everything(graph)):
        scene = Scene(graph, opened, texts)
        found.append(
            {
                "size": [scene.width, scene.height],
                "boxes": [[b.thing, b.x, b.y, b.width, b.height] for b in scene.boxes],
                "texts": [
                    list((texts.head_texts if b.inner is not None else texts.lines)(b.thing))
                    for b in scene.boxes
                ],
                "arrows": [[[p.x, p.y] for p in arrow.points] for arrow in scene.arrows],
                "totals": [list(graph.total(b.thing)[:6]) for b in scene.boxes],
                "hefts": [scene.heft(arrow) for arrow in scene.arrows],
                "labels": [[label.text, label.x, label.y] for label in scene.labels],
            }
        )
    return found


def residual(depth: int = 3) -> Symbol:
    x = sym.var("data")
    for i in range(depth):
        y = sym.FullyConnected(x, num_hidden=8, name=f"net0_stage{i}_fc")
        y = sym.Activation(y, act_type="relu", name=f"net0_stage{i}_relu")
        x = x + y
    return sym.Group([sym.sum(x, axis=1), x])


def loops() -> Drawing:
    net = nets.Loops(prefix="loops_")
    net.initialize()
    return net.plot(nd.ones((5, 2, 3)), nd.ones((2, 3)))


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "lenet": lambda: nets.lenet().plot(nd.zeros((1, 1, 28, 28))),
    "transformer": lambda: nets.encoder().plot(nd.zeros((2, 16))),
    "lstm": lambda: nets.unrolled().plot(shape={"data": (4, 20, 8)}),
    "ssd": lambda: nets.detector().plot(nd.zeros((1, 3, 64, 64))),
    "control-flow": loops,
    "no shapes": lambda: residual().plot(),
    "thousands": lambda: nets.large(2000).plot(shape={"data": (4, 8)}),
}


def close(found: Any, wanted: Any) -> bool:
    """Whether nested lists agree, numbers to nine digits."""
    if isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    if isinstance(wanted, float):
        return bool(found == pytest.approx(wanted, rel=1e-9, abs=1e-6))
    return bool(found == wanted)


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
@pytest.mark.parametrize("name", DRAWINGS)
def test_everything_stands_where_the_page_puts_it(name: str) -> None:
    assert NODE is not None
    data = data_of(DRAWINGS[name]())
    done = subprocess.run(
        [NODE, str(POSITIONS)], input=json.dumps(data), capture_output=True, text=True, check=True
    )
    for found, wanted in zip(positions(data), json.loads(done.stdout), strict=True):
        for kind, expected in wanted.items():
            assert close(found[kind], expected), kind


# ------------------------------------------------------------------------------ rows

GRAPHS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1]),
            max_size=60,
        ),
    )
)


@settings(max_examples=60, deadline=None)
@given(GRAPHS)
def test_inputs_stand_above_what_reads_them(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, arrows = graph
    back = backward(count, arrows)
    found = ranks(count, arrows, back, (), set())
    assert all(found[a] < found[b] for i, (a, b) in enumerate(arrows) if i not in back)
    forwards = [(min(pair), max(pair)) for pair in arrows]
    assert backward(count, forwards) == set()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.5, 4), st.floats(1, 20)), min_size=1))
def test_separate_items_keep_their_order_and_distances(
    rows: list[tuple[float, float, float]],
) -> None:
    wanted, weights, widths = (list(column) for column in zip(*rows, strict=True))
    offsets = [sum(widths[:i]) for i in range(len(widths))]
    found = apart(wanted, weights, offsets)
    for i in range(1, len(found)):
        assert found[i] - found[i - 1] >= offsets[i] - offsets[i - 1] - 1e-6
    assert apart(found, weights, offsets) == pytest.approx(found, abs=1e-6)


def test_parallel_chains_do_not_cross() -> None:
    pairs = [(0, 3), (1, 2), (2, 5), (3, 4)]
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for a, b in pairs:
        above.setdefault(b, []).append(a)
        below.setdefault(a, []).append(b)
    rows = order([[0, 1], [2, 3], [4, 5]], above, below)
    for chain in ([0, 3, 4], [1, 2, 5]):
        assert len({row.index(chain[i]) for i, row in enumerate(rows)}) == 1


def test_boxes_do_not_overlap_and_lie_inside_of_what_holds_them() -> None:
    scene = loops().page.scene()
    parents = ShownGraph(data_of(loops())).parents
    by_thing = {box.thing: box for box in scene.boxes}
    closed = [box for box in scene.boxes if box.inner is None]
    for i, a in enumerate(closed):
        outer = by_thing.get(parents[a.thing])
        if outer is not None:
            assert outer.x <= a.x
            assert a.x + a.width <= outer.x + outer.width
            assert outer.y < a.y
            assert a.y + a.height <= outer.y + outer.height
        for b in closed[:i]:
            assert (
                a.x + a.width <= b.x
                or b.x + b.width <= a.x
                or a.y + a.height <= b.y
                or b.y + b.height <= a.y
            )


# ------------------------------------------------------------------------------ formats


def test_svg_shows_every_box_and_arrow() -> None:
    drawing = residual().plot()
    root = ElementTree.fromstring(drawing.pipe("svg"))
    scene = drawing.page.scene()
    operators = [box for box in scene.boxes if box.thing >= 0]
    assert len(operators) == 3 * 3 + 1 + 3  # operators, input and outputs
    assert len(root.findall(f"{NAMESPACE}path")) == len(scene.arrows)
    assert len(root.findall(f"{NAMESPACE}rect")) == 1 + len(scene.boxes)
    texts = {element.text for element in root.iter(f"{NAMESPACE}text")}
    assert {"FullyConnected 8", "Activation relu", "sum axis=1", "data"} <= texts


def test_folded_pictures_leave_blocks_closed() -> None:
    drawing = nets.encoder().plot(nd.zeros((2, 16)))
    folded = drawing.pipe("svg", folded=True).decode()
    assert "EncoderLayer ×6" in folded
    assert "softmax" not in folded
    assert drawing.pipe("svg").decode().count("softmax") == 6
    assert len(drawing.pipe("pdf", folded=True)) < len(drawing.pipe("pdf"))


def test_pdf_has_a_table_of_objects_that_is_right() -> None:
    document = residual().plot().pipe("pdf")
    start = int(document.rsplit(b"startxref\n", 1)[1].split()[0])
    assert document[start : start + 4] == b"xref"
    rows = document[start:].split(b"\n")[3:10]
    for number, row in enumerate(rows, 1):
        offset = int(row.split()[0])
        assert document[offset:].startswith(f"{number} 0 obj".encode())


NASTY = [
    'a"b',
    "<script>alert(1)</script>",
    "x\n\t\\y",
    "\x01\x00",
    "é🙂",
    "]]>",
    "&amp;",
    "",
    "$(x)",
    "a" * 5000,
]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_escaped_in_every_format(name: str) -> None:
    net = sym.FullyConnected(
        sym.var(name, attr={"__note__": name}), num_hidden=2, name=name or None
    )
    drawing = net.plot(title=name)
    root = ElementTree.fromstring(drawing.pipe("svg"))
    assert not list(root.iter(f"{NAMESPACE}script"))
    assert drawing.pipe("pdf").startswith(b"%PDF")
    for line in drawing.body:
        assert re.fullmatch(r'\t"([^"\\]|\\.)*"( -> "([^"\\]|\\.)*")?( \[.*\])?\n', line), line


def test_unknown_operators_are_drawn() -> None:
    document = json.loads(sym.tanh(sym.var("x"), name="t").tojson())
    document["nodes"][1]["op"] = "FancyLayer"
    text = sym.load_json(json.dumps(document)).plot().pipe("svg").decode()
    assert "FancyLayer" in text
    assert "stroke-dasharray" in text


def test_deep_and_wide_graphs_need_no_recursion() -> None:
    x = net = sym.var("x")
    for _ in range(3000):
        net = net + 1
    drawing = sym.add_n(*[x * 2 for _ in range(300)], net).plot()
    ElementTree.fromstring(drawing.pipe("svg"))
    drawing.pipe("pdf")
