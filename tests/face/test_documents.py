"""The code in the documents runs, word for word."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


def blocks(document: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)


def run(document: str, codes: list[str]) -> dict[str, Any]:
    """Run code of a document, one block after the other; returns its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in codes:
        exec(compile(code, document, "exec"), names)
    return names


def test_the_tour_runs_and_shows_what_was_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, tour, inspection = blocks("README.md")
    run("README.md", [tour, inspection])
    files = {"tour-symbol.json", "tour-0000.params", "trace.json"}
    assert files <= {path.name for path in tmp_path.iterdir()}


def test_programs_that_import_mxnet_run_as_the_readme_says() -> None:
    program = blocks("README.md")[0] + "\nassert mx is gluonic and Dense is gluonic.gluon.nn.Dense"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_operators_in_the_manner_of_minpy_run_as_their_page_says() -> None:
    names = run("docs/minpy.md", blocks("docs/minpy.md"))
    assert names["gradient"].shape == names["x"].shape
