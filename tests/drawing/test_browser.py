"""The page in Chromium with mouse, keys and downloads; test_in_chromium.py needs no playwright."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gluonic import nd
from gluonic import symbol as sym
from gluonic.drawing.drawing import Drawing
from gluonic.graph.errors import InferenceError
from tests.drawing import nets
from tests.drawing.chromium import PROGRAM

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install --group browser"
)
GEOMETRY = (Path(__file__).parent / "geometry.js").read_text()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")

Opener = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Opens drawings; the test fails if a page logs an error or asks for anything from outside."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)

    def open_drawing(drawing: Drawing, fragment: str = "") -> Any:
        path = tmp_path / "page.html"
        path.write_bytes(drawing.pipe("html"))
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on(
            "request",
            lambda r: complaints.append(r.url) if r.url[:5] not in ("file:", "blob:") else None,
        )
        page.goto(path.as_uri() + fragment)
        return page

    yield open_drawing
    context.close()
    assert complaints == []


def lenet() -> Drawing:
    return nets.lenet().plot(nd.zeros((1, 1, 28, 28)))


def centre(page: Any, name: str) -> tuple[float, float]:
    """Where a box is on the screen, by its node's name or the title of its block."""
    x, y = page.evaluate(
        """name => {
            const box = page.scene.boxes.find(b => page.titleOf(b.id) === name);
            return page.view.toClient(box.x + box.w / 2, box.y + Math.min(box.h / 2, 16));
        }""",
        name,
    )
    return x, y


def shown(page: Any) -> int:
    """How many boxes are shown."""
    return int(page.evaluate("page.scene.boxes.length"))


def test_nothing_overlaps_and_no_arrow_crosses_a_box(opened: Opener) -> None:
    for name, drawing in nets.drawings().items():
        page = opened(drawing)
        for state in ("as opened", "more", "unfold", "fold"):
            if state != "as opened":
                page.evaluate(f"page.actions.{state}()")
            assert page.evaluate(f"({GEOMETRY})(page.scene)") == [], f"{name}, {state}"
        page.close()


def test_a_click_selects_a_node_and_the_panel_shows_all_that_is_known(opened: Opener) -> None:
    page = opened(lenet())
    page.mouse.click(*centre(page, "lenet_conv0_fwd"))
    panel = page.inner_text("#facts")
    for text in (
        "Convolution",
        "1×20×24×24 float32",
        "lenet_conv0_weight",
        "num_filter",
        "Slide filters",
    ):
        assert text in panel
    assert Path(__file__).name in panel
    assert page.locator("#facts svg rect").count() > 10  # histograms
    page.locator("#facts button", has_text="lenet_conv0_weight").click()
    assert "deviation" in page.inner_text("#facts")
    chart = page.locator("#facts .chart text").all_text_contents()
    assert "value" in chart
    assert "0" in chart
    assert sum("0." in text for text in chart) >= 2  # ticks


def test_blocks_open_and_close_by_their_signs_double_clicks_and_keys(opened: Opener) -> None:
    page = opened(lenet())
    before = shown(page)
    x, y = page.evaluate(
        """() => {
            const box = page.scene.boxes.find(b => b.open);
            return page.view.toClient(box.x + box.w - 15, box.y + 13);
        }"""
    )
    page.mouse.click(x, y)
    assert shown(page) < before
    page.keyboard.press("u")
    assert shown(page) == before
    page.mouse.dblclick(*centre(page, "lenet_conv0_"))
    assert shown(page) < before
    page.focus("#picture")
    page.keyboard.press("Enter")
    assert shown(page) == before


def test_the_wheel_zooms_at_the_mouse_and_dragging_moves(opened: Opener) -> None:
    page = opened(lenet())
    x, y = centre(page, "lenet_conv0_fwd")
    scale = page.evaluate("page.view.scale")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    page.wait_for_function("before => page.view.scale > before * 1.2", arg=scale)
    assert centre(page, "lenet_conv0_fwd") == pytest.approx((x, y), abs=2)
    page.mouse.move(60, 500)
    page.mouse.down()
    page.mouse.move(110, 530, steps=4)
    page.mouse.up()
    assert centre(page, "lenet_conv0_fwd") == pytest.approx((x + 50, y + 30), abs=2)
    page.keyboard.press("f")
    assert page.evaluate("page.view.scale") == pytest.approx(scale, rel=0.6)


def test_two_fingers_zoom(opened: Opener) -> None:
    page = opened(lenet())
    before = page.evaluate("page.view.scale")
    page.evaluate(
        """() => {
            const canvas = document.getElementById("picture");
            canvas.setPointerCapture = () => {};
            const send = (type, pointerId, clientX) => canvas.dispatchEvent(
                new PointerEvent(type, { pointerId, clientX, clientY: 400, pointerType: "touch" }));
            send("pointerdown", 1, 400); send("pointerdown", 2, 500);
            send("pointermove", 2, 600); send("pointerup", 1, 400); send("pointerup", 2, 600);
        }"""
    )
    assert page.evaluate("page.view.scale") == pytest.approx(before * 2, rel=0.01)


def test_search_lists_what_it_finds_and_goes_there(opened: Opener) -> None:
    net = nets.encoder()
    page = opened(net.plot(nd.zeros((2, 16))))
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    options = page.locator("#results [role=option]")
    assert options.count() == 6
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#results").is_hidden()
    name = page.inner_text("#facts p.name code")
    assert "softmax" in name
    x, y = centre(page, name)
    assert 0 < x < 1030
    assert 40 < y < 900
    crumbs = page.locator("#crumbs li").all_inner_texts()
    assert crumbs[-2:] == ["encoder_encoderlayer1_attention0_", name]
    page.fill("#search", "no such thing")
    assert page.inner_text("#results") == "nothing found"


def test_search_puts_operators_first_counts_hits_and_marks_them(opened: Opener) -> None:
    page = opened(nets.encoder().plot(nd.zeros((2, 16))))
    page.fill("#search", "attention0_dense")
    assert page.inner_text("#results .count") == "72 hits"
    kinds = [text.split()[0] for text in page.locator("#results b").all_inner_texts()]
    assert kinds == sorted(kinds, key=["FullyConnected", "parameter"].index)
    assert page.evaluate("[...page.look().hits]") == [[page.evaluate("page.scene.boxes[2].id"), 72]]
    page.evaluate("page.actions.unfold()")
    marked = page.evaluate("[...page.look().hits.keys()].map(id => page.graph.nodes[id].op)")
    assert marked == ["FullyConnected"] * 24
    page.keyboard.press("Escape")
    assert page.input_value("#search") == ""
    assert page.evaluate("page.look().hits.size") == 0


def test_a_box_explains_its_short_texts(opened: Opener) -> None:
    page = opened(lenet())
    page.mouse.move(*centre(page, "lenet_conv0_fwd"))
    lines = page.get_attribute("#picture", "title").split("\n")
    assert lines[0] == "Convolution lenet_conv0_fwd"
    assert {"kernel=(5, 5)", "num_filter=20", "lenet_conv0_weight: 20×1×5×5"} <= set(lines)
    page.click("[popovertarget=help]")
    assert "34 outputs, each 8×16" in page.inner_text("#help")


def test_an_address_leads_to_a_selection(opened: Opener) -> None:
    page = opened(lenet())
    page.mouse.click(*centre(page, "lenet_dense1_fwd"))
    fragment = page.evaluate("location.hash")
    assert fragment.startswith("#node=")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#facts button", has_text="link").first.click()
    page.wait_for_function("() => document.querySelector('#facts').textContent.includes('copied')")
    assert page.evaluate("navigator.clipboard.readText()").endswith(fragment)
    again = opened(lenet(), fragment)
    assert again.inner_text("#facts p.name code") == "lenet_dense1_fwd"


def test_the_keyboard_alone_suffices(opened: Opener) -> None:
    page = opened(lenet())
    page.focus("#picture")
    visited = set()
    for _ in range(16):
        page.keyboard.press("ArrowDown")
        visited.add(page.evaluate("page.titleOf(page.selected)"))
    assert {"lenet_conv0_fwd", "lenet_flatten0_flatten0", "lenet_dense1_fwd"} <= visited
    assert page.inner_text("#said")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert "lenet" in page.inner_text("#facts h2")


def test_the_list_matches_the_picture(opened: Opener) -> None:
    page = opened(lenet())
    page.keyboard.press("l")
    assert page.locator("#list > li").count() == 9
    page.locator("#list summary").first.click()
    entry = page.locator("#list li li button", has_text="Convolution").first
    assert "Convolution lenet_conv0_fwd; reads data; gives 1×20×24×24" in entry.inner_text()
    entry.click()
    assert "Convolution" in page.inner_text("#facts h2")


def test_light_and_dark_follow_the_system_and_the_button(opened: Opener) -> None:
    page = opened(lenet())
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {colour} !== light", arg=light)
    page.keyboard.press("d")
    assert page.evaluate(colour) == light


def test_the_picture_is_saved_as_svg_and_png(opened: Opener, tmp_path: Path) -> None:
    page = opened(lenet())
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as download:
            page.click(f"[data-do={kind}]")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.name == f"lenet.{kind}"
        assert path.read_bytes().startswith(start)
    text = (tmp_path / "lenet.svg").read_text()
    assert text.count("<polygon") == page.evaluate("page.scene.arrows.filter(a => a.hasTip).length")


def test_ten_thousand_nodes_unfold_and_are_walked(opened: Opener) -> None:
    page = opened(nets.large().plot(shape={"data": (4, 8)}))
    assert shown(page) <= 160
    page.keyboard.press("u")
    assert shown(page) > 10_000
    assert page.evaluate(f"({GEOMETRY})(page.scene)") == []
    page.keyboard.press("/")
    page.keyboard.type("fc2499")
    page.keyboard.press("Enter")
    assert "fc2499" in page.inner_text("#facts p.name")


def test_the_compilers_view_shows_steps_code_memory_and_times(opened: Opener) -> None:
    net = nets.lenet()
    net.hybridize()
    page = opened(net.explain(nd.ones((2, 1, 28, 28))).plot(runs=2))
    overview = page.inner_text("#facts")
    assert "13 kernels in 1 native calls, 0 in Python" in overview
    assert page.locator("#facts .chart").count() == 2
    assert page.locator("#facts .chart").first.inner_html().count("µs</text>") == 1
    assert "KiB</text>" in page.locator("#facts .chart").last.inner_html()
    assert "step</text>" in page.locator("#facts .chart").last.inner_html()
    times = page.evaluate("page.graph.data.compiled.times")
    ranked = page.locator("#facts .ranked meter").evaluate_all("all => all.map(m => m.value)")
    assert ranked == sorted(times["steps"].values(), reverse=True)
    owned = page.evaluate(
        """() => {
            const { steps, times } = page.graph.data.compiled;
            const all = steps.map((step, n) => [step.owner, times.steps[n] ?? 0]);
            return all.reduce((sum, [owner, time]) => sum + (owner === undefined ? 0 : time), 0);
        }"""
    )
    title = page.locator("#facts .chart g title").first.text_content()
    assert title.startswith("lenet: ")
    assert 0 < owned <= sum(times["steps"].values()) + 1e-6
    page.evaluate("page.goto(page.graph.nodes.findIndex(n => n.name === 'lenet_conv0_relu_fwd'))")
    panel = page.inner_text("#facts")
    assert "One step does the work of 2 operators" in panel
    page.evaluate("page.goto(page.graph.nodes.findIndex(n => n.name === 'lenet_pool0_fwd'))")
    assert "Not one with step 6: Neither is a loop over elements" in page.inner_text("#facts")
    page.locator("#facts .apart button").first.click()
    assert "lenet_conv0" in page.inner_text("#facts p.name")
    page.locator("#facts .step summary", has_text="LLVM IR").click()
    page.wait_for_function(
        "() => document.querySelector('.step pre').textContent.includes('define')"
    )
    before = page.evaluate("page.look().colourOf(0).fill")
    colours = {}
    for way in ("steps", "time, compiled", "time, eager", "families"):
        page.select_option("#tools select", way)
        colours[way] = page.evaluate(
            "page.scene.boxes.filter(b => !b.open).map(b => page.look().colourOf(b.id).fill)"
        )
    assert len({tuple(found) for found in colours.values()}) == 4
    assert before == colours["families"][0]


def test_the_passes_are_walked_through(opened: Opener) -> None:
    net = nets.lenet()
    net.hybridize()
    page = opened(net.explain(nd.ones((2, 1, 28, 28))).plot())
    page.locator("#facts button", has_text="blocked layout").click()
    page.wait_for_function("() => page.graph.data.title === 'after blocked layout'")
    assert "added" in page.inner_text("#facts")
    assert page.evaluate("page.graph.nodes.some(n => n.op === '_convolve_blocks')")
    page.locator("#tools button", has_text="pass ›").click()
    page.wait_for_function("() => page.graph.data.title === 'after fuse activations'")
    page.locator("#tools button", has_text="traced graph").click()
    page.wait_for_function("() => page.graph.data.title === 'lenet'")
    assert "13 kernels" in page.inner_text("#facts")


def test_a_difference_is_marked_and_listed(opened: Opener) -> None:
    x = sym.var("x")
    old = sym.exp(sym.FullyConnected(x, num_hidden=4, name="fc"), name="gone")
    new = sym.tanh(sym.FullyConnected(x, num_hidden=8, name="fc"), name="fresh")
    page = opened(new.plot(against=old, shape={"x": (2, 3)}))
    assert "1 added, 1 removed, 1 changed" in page.inner_text("#facts")
    page.locator("#facts button", has_text="fc").first.click()
    assert "num_hidden: 4 → 8" in page.inner_text("#facts")
    assert set(page.locator("#legend li").all_inner_texts()) == {"removed", "added", "changed"}


def test_the_picture_of_an_error_opens_where_it_happened(opened: Opener) -> None:
    x = sym.var("x")
    bad = sym.elemwise_add(sym.tanh(x), sym.mean(x, axis=0), name="bad")
    with pytest.raises(InferenceError) as caught:
        bad.infer_shape(x=(3, 4))
    page = opened(caught.value.picture())
    assert page.inner_text("#facts p.name code") == "bad"
    assert "elemwise_add 'bad'" in page.inner_text("#facts pre")


def test_the_page_works_inside_of_a_notebook(opened: Opener, browser: Any) -> None:
    outer = browser.new_page()
    outer.set_content(f"<p>cell</p>{lenet()._repr_html_()}")
    frame = outer.frames[1]
    frame.wait_for_selector("#facts h2")
    frame.evaluate("page.goto(3)")
    assert frame.inner_text("#facts p.name code")
    outer.close()


def test_the_minimap_leads_to_any_position_in_a_long_picture(opened: Opener) -> None:
    page = opened(nets.large(2000).plot())
    page.keyboard.press("u")
    box = page.locator("#minimap").bounding_box()
    assert box["width"] >= 28
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    middle = page.evaluate("(page.view.height / 2 - page.view.y) / page.view.scale")
    assert middle == pytest.approx(page.evaluate("page.scene.height / 2"), rel=0.02)
