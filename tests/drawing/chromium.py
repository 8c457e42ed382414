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
    assert PROGRAM is not None
    path = folder / "page.html"
    path.write_text(drawing.pipe("html").decode() + _TAIL % script)
    command = [
        PROGRAM,
        *("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"),
        *(f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=60000", "--dump-dom"),
        path.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    found = re.search(r"FOUND(.*?)END</pre>", done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    answer = json.loads(html.unescape(found[1]))
    assert answer["complaints"] == []
    return answer.get("found")
