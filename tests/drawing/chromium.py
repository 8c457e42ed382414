"""Runs a page in Chromium without a window, and a script in the page; needs nothing but Chromium."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from gluonic.drawing.drawing import Drawing
from gluonic.drawing.static.png import browser

PROGRAM = browser()
_TAIL = """
<script>
window.complaints = [];
window.addEventListener("error", event => complaints.push(event.message));
</script>
<pre id="found"></pre>
<script>
(async () => {
  let found;
  try {
    found = await (async () => { %s })();
  } catch (error) {
    complaints.push(String(error.stack));
  }
  document.getElementById("found").textContent = "FOUND" + JSON.stringify({ found, complaints }) + "END";
})();
</script>
"""


def run_in_page(drawing: Drawing, script: str, folder: Path) -> Any:
    """Open a drawing's page and return what a script, the body of an async function, returns there.

    Raises
    ------
    AssertionError
        if the page, or the script, failed
    """
    path = folder / "page.html"
    path.write_text(with_script(drawing.pipe("html").decode(), script))
    return answer(path.as_uri(), folder)


def with_script(page: str, script: str) -> str:
    """A page that runs a script, the body of an async function, at its end."""
    return page + _TAIL % script


def answer(url: str, folder: Path) -> Any:
    """What the script of a page returns, in Chromium with a profile in a folder; see `run_in_page`."""
    assert PROGRAM is not None
    command = [
        PROGRAM,
        *("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"),
        *(f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=60000", "--dump-dom"),
        url,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    found = re.search(r"FOUND(.*?)END</pre>", done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    told = json.loads(html.unescape(found[1]))
    assert told["complaints"] == []
    return told.get("found")
