import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import symbol as sym
from gluonic.drawing.blocks import block_paths
from gluonic.drawing.details import detail
from gluonic.drawing.dot import dot_lines
from gluonic.drawing.families import FAMILIES, family_of
from gluonic.drawing.layout import layers, layout
from gluonic.drawing.pdf import pdf
from gluonic.drawing.picture import Picture, picture
from gluonic.drawing.svg import svg
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Node
from gluonic.graph.operator import REGISTRY
from gluonic.symbol import Symbol


def residual(depth: int = 3) -> Symbol:
    x = sym.var("data")
    for i in range(depth):
        y = sym.FullyConnected(x, num_hidden=8, name=f"net0_stage{i}_fc")
        y = sym.Activation(y, act_type="relu", name=f"net0_stage{i}_relu")
        x = x + y
    return sym.Group([sym.sum(x, axis=1), x])


def drawn(symbol: Symbol, *, hide_parameters: bool = True) -> Picture:
    return picture(symbol._graph(), hide_parameters=hide_parameters)


def svg_root(shown: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(svg(shown))


NAMESPACE = "{http://www.w3.org/2000/svg}"


# ------------------------------------------------------------------------------ what is shown


def test_parameters_are_hidden_unless_asked_for() -> None:
    assert not any("weight" in box.title for box in drawn(residual()).boxes)
    assert any("weight" in box.title for box in drawn(residual(), hide_parameters=False).boxes)


def test_every_operator_has_a_family_with_colours() -> None:
    for op in REGISTRY.operators():
        try:
            application = op.apply({})
        except MXNetError:  # it needs attributes, which the family does not depend on
            continue
        assert family_of(Node(application, "n")) in FAMILIES


@pytest.mark.parametrize(
    ("operator", "attributes", "text"),
    [
        ("Convolution", {"kernel": "(3, 3)", "stride": "(2, 2)", "num_filter": "8"}, "3×3/2×2, 8"),
        ("Convolution", {}, ", ?"),
        ("Pooling", {"global_pool": "True", "pool_type": "avg"}, "avg, global"),
        ("FullyConnected", {"num_hidden": "4"}, "4"),
        ("_plus_scalar", {"scalar": "1.5"}, "1.5"),
        ("sum", {"axis": "1"}, "axis=1"),
        ("Nothing", {"a": "x" * 500}, None),
    ],
)
def test_details_say_what_matters(
    operator: str, attributes: dict[str, str], text: str | None
) -> None:
    found = detail(operator, attributes)
    assert len(found) <= 34
    assert text is None or found == text


def test_blocks_come_from_the_trace() -> None:
    with sym.block_scope("net"), sym.block_scope("dense"):
        x = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
    graph = sym.tanh(x)._graph()
    by_name = dict(zip((n.name for n in graph.nodes), block_paths(graph.nodes), strict=True))
    assert by_name["fc"] == by_name["fc_weight"] == ("net", "dense")
    assert by_name["tanh0"] == by_name["x"] == ()


def test_blocks_of_a_file_come_from_the_names() -> None:
    graph = residual()._graph()
    by_name = dict(zip((n.name for n in graph.nodes), block_paths(graph.nodes), strict=True))
    assert by_name["net0_stage1_fc"] == ("net0", "net0_stage1")
    assert by_name["_plus1"] == ()


# ------------------------------------------------------------------------------ layout

ARROWS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).map(
                lambda pair: (min(pair), max(pair))
            ),
            max_size=60,
        ).map(lambda pairs: [(a, b) for a, b in pairs if a != b]),
    )
)


@settings(max_examples=60, deadline=None)
@given(ARROWS)
def test_inputs_stand_above_what_reads_them(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, arrows = graph
    found = layout([(60.0, 30.0)] * count, arrows)
    for source, target in arrows:
        assert found.points[source].y < found.points[target].y


@settings(max_examples=60, deadline=None)
@given(ARROWS, st.data())
def test_boxes_do_not_overlap_and_lie_on_the_page(
    graph: tuple[int, list[tuple[int, int]]], data: st.DataObject
) -> None:
    count, arrows = graph
    sizes = [(float(data.draw(st.integers(40, 200))), 30.0) for _ in range(count)]
    found = layout(sizes, arrows)
    boxes = list(zip(found.points, sizes, strict=True))
    for i, (p, (w, h)) in enumerate(boxes):
        assert p.x - w / 2 >= 0
        assert p.x + w / 2 <= found.width
        assert p.y - h / 2 >= 0
        assert p.y + h / 2 <= found.height
        for q, (w2, _) in boxes[:i]:
            assert p.y != q.y or abs(p.x - q.x) >= (w + w2) / 2


def test_a_chain_is_a_straight_line() -> None:
    found = layout([(60.0, 30.0), (90.0, 30.0), (50.0, 30.0)], [(0, 1), (1, 2)])
    assert len({round(p.x, 6) for p in found.points}) == 1


def test_rows_are_ordered_so_that_parallel_chains_do_not_cross() -> None:
    rows = layers(6, [(0, 3), (1, 2), (2, 5), (3, 4)]).rows
    order = [[item.number for item in row] for row in rows]
    chains = [[0, 3, 4], [1, 2, 5]]
    sides = [[row.index(chain[i]) for i, row in enumerate(order)] for chain in chains]
    assert all(len(set(side)) == 1 for side in sides)


# ------------------------------------------------------------------------------ formats


def test_svg_shows_every_box_and_arrow() -> None:
    shown = drawn(residual())
    root = svg_root(shown)
    assert len(root.findall(f"{NAMESPACE}g/{NAMESPACE}rect")) == len(shown.boxes)
    assert len(root.findall(f"{NAMESPACE}g/{NAMESPACE}path")) == len(shown.arrows)


def test_pdf_has_a_table_of_objects_that_is_right() -> None:
    document = pdf(drawn(residual()))
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
    shown = picture(net._graph(), title=name)
    svg_root(shown)
    assert pdf(shown).startswith(b"%PDF")
    for line in dot_lines(shown, {}):
        assert re.fullmatch(r'\t"([^"\\]|\\.)*"( -> "([^"\\]|\\.)*")?( \[.*\])?\n', line), line


def test_nodes_of_one_name_are_drawn_apart() -> None:
    x = sym.var("u")
    shown = drawn(sym.tanh(sym.tanh(x, name="u"), name="u"))
    text = "".join(dot_lines(shown, {}))
    assert len(shown.boxes) == 3
    assert '"u (2)" -> "u"' in text
    assert '"u (3)" -> "u (2)"' in text


def test_unknown_operators_are_drawn() -> None:
    document = json.loads(sym.tanh(sym.var("x"), name="t").tojson())
    document["nodes"][1]["op"] = "FancyLayer"
    shown = drawn(sym.load_json(json.dumps(document)))
    assert shown.boxes[1].family == "unknown"
    assert "FancyLayer" in svg(shown)
    assert "stroke-dasharray" in svg(shown)


def test_an_empty_picture_is_a_picture() -> None:
    empty = Picture("nothing", [], [], [])
    svg_root(empty)
    assert pdf(empty).startswith(b"%PDF")


def test_deep_and_wide_graphs_are_no_recursion() -> None:
    x = net = sym.var("x")
    for _ in range(3000):
        net = net + 1
    shown = drawn(sym.add_n(*[x * 2 for _ in range(300)], net))
    svg_root(shown)
    pdf(shown)
