"""The page in a real browser, if there is one; `make browser` has more, with mouse and keys."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageColor

from gluonic import nd
from gluonic import symbol as sym
from gluonic.drawing.drawing import Drawing
from gluonic.drawing.families import FAMILIES
from tests.drawing import nets
from tests.drawing.chromium import PROGRAM, run_in_page

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")
GEOMETRY = (Path(__file__).parent / "geometry.js").read_text()
EVIL = '"><img src=x onerror="window.hit=1"></script><script>window.hit=1</script>'


def evil() -> Drawing:
    with sym.AttrScope(__note__=EVIL), sym.block_scope(EVIL, EVIL):
        x = sym.FullyConnected(sym.var(EVIL), num_hidden=2, name=EVIL)
        y = sym.Custom(sym.tanh(x, name=EVIL + "2"), op_type="drawn_identity", name=EVIL + "3")
    drawing: Drawing = y.plot(title=EVIL)
    return drawing


def test_a_model_full_of_scripts_runs_none(tmp_path: Path) -> None:
    script = """
        page.actions.unfold();
        for (let id = 0; id < page.graph.nodes.length; id++) page.goto(id);
        const field = document.getElementById("search");
        field.value = "img";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        page.actions.list();
        const saved = new DOMParser().parseFromString(page.svg(), "image/svg+xml");
        await new Promise(resolve => setTimeout(resolve, 0));
        return {
          nodes: page.graph.nodes.length,
          results: document.querySelectorAll("#results [role=option]").length,
          images: document.querySelectorAll("img").length,
          saved: saved.querySelector("parsererror, script, img") === null,
          hit: window.hit ?? null,
        };
    """
    found = run_in_page(evil(), script, tmp_path)
    assert found.pop("nodes") == 7
    assert found.pop("results") > 2
    assert found == {"images": 0, "saved": True, "hit": None}


@pytest.mark.parametrize("name", ["control-flow", "ssd"])
def test_nothing_overlaps_and_no_arrow_crosses_a_box(name: str, tmp_path: Path) -> None:
    if name == "ssd":
        drawing = nets.detector().plot(nd.zeros((1, 3, 64, 64)))
    else:
        net = nets.Loops(prefix="loops_")
        net.initialize()
        drawing = net.plot(nd.ones((5, 2, 3)), nd.ones((2, 3)))
    script = f"""
        const found = [];
        for (const way of ["more", "unfold", "fold"]) {{
          page.actions[way]();
          found.push(page.scene.boxes.length, ...({GEOMETRY})(page.scene));
        }}
        return found;
    """
    more, everything, folded = run_in_page(drawing, script, tmp_path)
    assert folded < more <= everything


def long_chain() -> Drawing:
    x = sym.var("x")
    for i in range(30):
        x = sym.FullyConnected(x, num_hidden=8, name=f"fc{i}") if i % 2 else sym.tanh(x)
    drawing: Drawing = x.plot()
    return drawing


def wide_fan() -> Drawing:
    x = sym.var("x")
    drawing: Drawing = sym.add_n(*[sym.exp(sym.sin(x), name=f"e{i}") * i for i in range(9)]).plot()
    return drawing


@pytest.mark.parametrize("make", [long_chain, wide_fan])
def test_a_page_opens_at_a_readable_scale_where_the_graph_begins(
    make: Callable[[], Drawing], tmp_path: Path
) -> None:
    script = """
        const { scene, view } = page;
        const states = [];
        for (const way of ["as opened", "unfold", "fit"]) {
          page.actions[way]?.();
          const first = scene.boxes.reduce((top, box) => (box.y < top.y ? box : top));
          const x = view.x + (first.x + first.w / 2) * view.scale;
          const y = view.y + first.y * view.scale;
          states.push({ scale: view.scale, x: x / view.width, y: y / view.height });
        }
        return { states, fits: scene.height * 0.85 < view.height && scene.width * 0.85 < view.width };
    """
    found = run_in_page(make(), script, tmp_path)
    assert not found["fits"]
    *begins, whole = found["states"]
    for state in begins:
        assert state["scale"] == pytest.approx(0.85)
        assert 0 < state["x"] < 1
        assert 0 <= state["y"] < 0.5
    assert whole["scale"] < 0.85


def test_a_page_is_searched_folded_zoomed_and_clicked(tmp_path: Path) -> None:
    script = """
        const canvas = document.getElementById("picture");
        const sent = (type, x, y, more = {}) => canvas.dispatchEvent(
          new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y, ...more }));
        canvas.setPointerCapture = () => {};
        const field = document.getElementById("search");
        field.value = "softmax";
        field.dispatchEvent(new Event("input", { bubbles: true }));
        const results = document.querySelectorAll("#results [role=option]").length;
        const before = page.scene.boxes.length;
        page.goto(page.graph.nodes.findIndex(n => n.title === "softmax"));
        const opened = page.scene.boxes.length;
        const scale = page.view.scale;
        const wheel = { deltaY: -300, clientX: 500, clientY: 400, cancelable: true };
        canvas.dispatchEvent(new WheelEvent("wheel", wheel));
        const zoomed = page.view.scale / scale;
        const box = page.scene.boxes.find(b => page.graph.nodes[b.id]?.title === "batch_dot");
        page.view.reveal(box.id);
        const [x, y] = page.view.toClient(box.x + box.w / 2, box.y + box.h / 2);
        sent("pointerdown", x, y);
        sent("pointerup", x, y);
        return { results, opens: opened > before, zooms: zoomed > 1.2,
                 panel: document.getElementById("facts").textContent };
    """
    found = run_in_page(nets.encoder().plot(nd.zeros((2, 16))), script, tmp_path)
    panel = found.pop("panel")
    assert found == {"results": 6, "opens": True, "zooms": True}
    assert panel.startswith("batch_dot")
    assert "8×16×16 float32" in panel
    assert "nets.py" in panel


def test_pictures_are_written_as_png(tmp_path: Path) -> None:
    drawing = nets.lenet().plot(nd.zeros((1, 1, 28, 28)), save_format="png")
    path = Path(drawing.render("net", str(tmp_path), cleanup=True))
    assert path.name == "net.png"
    image = Image.open(path)
    scene = drawing.page.scene()
    assert image.size == pytest.approx((2 * scene.width, 2 * scene.height), abs=2)
    colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 20) or ()}
    assert ImageColor.getrgb(FAMILIES["linear"].fill) in colours
