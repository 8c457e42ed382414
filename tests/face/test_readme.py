"""The README's code runs."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent.parent / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


def test_the_tour_runs_word_for_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tour = next(block for block in BLOCKS if "nn.HybridSequential" in block)
    exec(compile(tour, str(README), "exec"), {"__name__": "__main__"})
    assert {"tour-symbol.json", "tour-0000.params"} <= {path.name for path in tmp_path.iterdir()}
