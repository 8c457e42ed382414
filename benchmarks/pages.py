"""Measure pages of graphs in Chromium, beside Netron, and take the pictures of docs/pictures.md.

    python -m benchmarks.pages [--netron PYTHON] [--pictures docs/pictures] [--nodes 10000]

It needs Chromium and playwright (`pip install --group browser`); PYTHON is one that has netron. A page is
written and opened from a file; opening ends when the first picture has been drawn. Netron serves the same
symbol JSON; its time begins when its notice about cookies is accepted and ends when the graph is there. Frames
are those of a zoom through all scales, everything unfolded.
"""

import argparse
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Error, sync_playwright

from gluonic.drawing.drawing import Drawing
from gluonic.symbol import Symbol
from tests.drawing import nets

ZOOM = """async () => {
    page.actions.unfold(); page.view.fit(); page.view.drawNow();
    const frames = 60, begin = performance.now(); let worst = 0;
    for (let i = 0; i < frames; i++) {
        const start = performance.now();
        page.view.zoom(i < frames / 2 ? 1.25 : 0.8); page.view.drawNow();
        page.view.canvas.getContext("2d").getImageData(0, 0, 1, 1);
        worst = Math.max(worst, performance.now() - start);
    }
    return [1000 * frames / (performance.now() - begin), worst];
}"""
COLOURS, SIZE = 56, {"width": 1120, "height": 720}
NETRONS_LIMIT = 60_000


def main() -> None:
    """Measure, and take pictures if asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--netron", help="a Python that has netron")
    parser.add_argument("--pictures", type=Path, help="where pictures go")
    parser.add_argument("--nodes", type=int, default=10_000)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        drawings = nets.drawings()
        drawings[f"{options.nodes:,} nodes"] = nets.large(options.nodes).plot(
            shape={"data": (4, 8)}
        )
        print("                 write s     MB  open s  frames/s  slowest ms  Netron opens s")
        for name, drawing in drawings.items():
            print(_row(browser, name, drawing, Path(folder), options), flush=True)
        browser.close()


def _row(
    browser: Any, name: str, drawing: Drawing, folder: Path, options: argparse.Namespace
) -> str:
    begin = time.perf_counter()
    text = drawing.pipe("html")
    written = time.perf_counter() - begin
    path = folder / "page.html"
    path.write_bytes(text)
    page = browser.new_page(viewport=SIZE)
    begin = time.perf_counter()
    page.goto(path.as_uri())
    page.evaluate("new Promise(done => requestAnimationFrame(() => page.view.drawNow() || done()))")
    opened = time.perf_counter() - begin
    file = name.split()[0].replace(",", "")
    if options.pictures:
        _picture(page, options.pictures / f"{file}.png")
    rate, slowest = page.evaluate(ZOOM)
    if options.pictures:
        page.evaluate("page.view.place(0.5)")
        page.keyboard.press("d")
        _picture(page, options.pictures / f"{file}-unfolded-dark.png")
    page.close()
    netrons = ""
    if options.netron:
        netrons = _netron(browser, options, drawing, folder, file)
    return f"{name:16}{written:8.2f}{len(text) / 1e6:7.2f}{opened:8.2f}{rate:10.0f}{slowest:12.0f}{netrons:>16}"


def _picture(page: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    page.wait_for_timeout(200)
    image = Image.open(BytesIO(page.screenshot()))
    image.convert("RGB").quantize(COLOURS).save(path, optimize=True)


def _netron(browser: Any, options: Any, drawing: Drawing, folder: Path, name: str) -> str:
    """Open the same graph in Netron; return the seconds that it takes."""
    path = folder / f"{name}-symbol.json"
    Symbol(drawing.page.graph.outputs).save(str(path))
    with _serving(options.netron, path) as address:
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.get_by_text("Accept").click()
        begin = time.perf_counter()
        try:
            page.wait_for_selector("body.default", timeout=NETRONS_LIMIT)
        except Error:
            page.close()
            return f"> {NETRONS_LIMIT // 1000}"
        taken = time.perf_counter() - begin
        if options.pictures:
            _picture(page, options.pictures / f"{name}-netron.png")
        page.close()
    return f"{taken:.2f}"


@contextmanager
def _serving(python: str, path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = f"import netron; netron.start({str(path)!r}, ('127.0.0.1', {port}), browse=False); netron.wait()"
    with subprocess.Popen([python, "-c", code], stdout=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def _wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("Netron does not answer")


if __name__ == "__main__":
    main()
