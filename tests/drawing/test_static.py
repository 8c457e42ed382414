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
from gluonic.drawing.families import FAMILIES
from gluonic.drawing.static.box_texts import BoxTexts
from gluonic.drawing.static.folding import everything, opening
from gluonic.drawing.static.laid import PlacedArrow
from gluonic.drawing.static.rows import apart, backward, order, ranks
from gluonic.drawing.static.scene import Scene
from gluonic.drawing.static.shown_graph import ShownGraph
from gluonic.drawing.static.svg import svg
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


# ------------------------------------------------------------------------------ bundles, quiet boxes


def scene_of(drawing: Drawing, *opened: str) -> Scene:
    """The picture with the outermost block open, and those with such titles."""
    graph = ShownGraph(data_of(drawing))
    things = [t for t in graph.below() if t < 0 and (t == -1 or graph.title(t) in opened)]
    return Scene(graph, set(things), BoxTexts(graph))


def arrows_between(scene: Scene, first: str, second: str) -> list[PlacedArrow]:
    titles = {
        box.thing: scene.texts.head_texts(box.thing)[0]
        if box.thing < 0
        else scene.graph.nodes[box.thing].get("title", "")
        for box in scene.boxes
    }
    ends = [(titles.get(a.start), titles.get(a.stop)) for a in scene.arrows]  # type: ignore[arg-type]
    return [a for a, pair in zip(scene.arrows, ends, strict=True) if pair == (first, second)]


@pytest.mark.parametrize("opened", [(), ("LSTMCell ×34",)])
def test_lines_between_an_operator_and_steps_are_one_with_a_count(opened: tuple[str, ...]) -> None:
    scene = scene_of(nets.unrolled(34).plot(shape={"data": (4, 34, 8)}), *opened)
    for ends, text in (
        (("SliceChannel", "LSTMCell ×34"), "34 outputs, each 4×8"),
        (("LSTMCell ×34", "stack"), "34 arrays, each 4×16"),
    ):
        (arrow,) = arrows_between(scene, *ends)
        assert len(arrow.flows) == 34
        assert scene.heft(arrow) > 1 + scene.heft(arrow._replace(flows=arrow.flows[:1]))
        if opened or ends[0] == "SliceChannel":
            assert text in [label.text for label in scene.labels]


def test_steps_that_lead_to_one_end_share_a_lane() -> None:
    scene = scene_of(nets.unrolled(34).plot(shape={"data": (4, 34, 8)}), "LSTMCell ×34")
    lanes: dict[float, set[float]] = {}
    for arrow in scene.arrows:
        if arrow.start is not None and arrow.is_entering and len(arrow.points) > 4:
            for point in arrow.points[2:-1]:
                lanes.setdefault(round(point.y), set()).add(round(point.x))
    assert len(lanes) > 30
    assert max(map(len, lanes.values())) == 1


def test_three_lines_stay_three() -> None:
    x = sym.var("x")
    with sym.block_scope("first"):
        parts = sym.split(sym.tanh(x), num_outputs=3, axis=1, name="parts")
    with sym.block_scope("second"):
        found = sym.add_n(*[sym.exp(parts[i]) for i in range(3)])
    scene = scene_of(found.plot(shape={"x": (2, 3)}), "first", "second")
    assert len(arrows_between(scene, "first", "second")) == 3


def test_labels_say_which_output_a_line_is_in_words() -> None:
    parts = sym.split(sym.var("x"), num_outputs=2, axis=1, name="parts")
    drawing = sym.Group([sym.exp(parts[0]), sym.tanh(parts[1])]).plot(shape={"x": (2, 4)})
    texts = [label.text for label in drawing.page.scene().labels]
    assert {"2 outputs, each 2×2", "output 0", "output 1"} <= set(texts)
    only = sym.exp(parts[1]).plot(shape={"x": (2, 4)}).page.scene()
    assert "output 1: 2×2" in [label.text for label in only.labels]
    assert "[" not in "".join(texts)


def test_outputs_have_the_names_of_list_outputs() -> None:
    parts = sym.split(sym.var("x"), num_outputs=2, axis=1, name="parts")
    assert [o["name"] for o in data_of(parts.plot())["outputs"]] == parts.list_outputs()


def test_shape_operators_are_small_and_pale() -> None:
    x = sym.var("x")
    scene = sym.exp(sym.reshape(x, (-1, 2), name="r"), name="e").plot().page.scene()
    heights = {scene.graph.nodes[box.thing]["name"]: box.height for box in scene.boxes}
    assert heights["r"] < 0.75 * heights["e"]
    text = svg(scene, "")
    assert 'font-weight="bold">Reshape' not in text
    assert FAMILIES["shape"].fill not in text


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
