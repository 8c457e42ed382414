"""A picture as PNG, which Chromium, if installed, renders from the SVG document."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from gluonic.drawing.static.scene import Scene
from gluonic.drawing.static.svg import svg
from gluonic.graph.errors import MXNetError

_PROGRAMS = "chromium", "chromium-browser", "google-chrome", "chrome"
_MOST_PIXELS = 8000  # a side; Chromium's own limit is twice that
_SECONDS = 120


def browser() -> str | None:
    """The path of Chromium; None if it is not installed."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), None)


def png(scene: Scene, title: str, program: str) -> bytes:
    """Write a picture as PNG, with two pixels per unit unless that is too large.

    Parameters
    ----------
    scene : the scene to draw
    title : its title
    program : the path of Chromium
    """
    scale = min(1.0, _MOST_PIXELS / 2 / max(scene.width, scene.height))
    with tempfile.TemporaryDirectory(prefix="gluonic-") as folder:
        drawn, made = Path(folder, "picture.svg"), Path(folder, "picture.png")
        drawn.write_text(svg(scene, title, scale), encoding="utf-8")
        width, height = round(scene.width * scale), round(scene.height * scale)
        command = [
            program,
            *("--headless", "--disable-gpu", "--hide-scrollbars"),
            *(
                ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
            ),  # it refuses to run as root otherwise
            *(f"--user-data-dir={folder}/profile", "--force-device-scale-factor=2"),
            *(f"--window-size={width},{height}", f"--screenshot={made}", drawn.as_uri()),
        ]
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        if not made.exists():
            raise MXNetError(f"{program}: {done.stderr.decode(errors='replace')[-500:]}")
        return made.read_bytes()
