"""The programs in examples/ run, and do what they say."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def run(program: str, *arguments: str, folder: Path) -> str:
    command = [sys.executable, str(ROOT / "examples" / program), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_spirals_are_told_apart_and_training_goes_on(tmp_path: Path) -> None:
    first = run("estimator/spirals.py", folder=tmp_path)
    assert "Train for 30 epochs." in first
    files = {path.name for path in (tmp_path / "spirals-output").iterdir()}
    assert {"spirals-best.params", "spirals-symbol.json"} <= files
    more = run("estimator/spirals.py", "--resume", "--epochs", "60", folder=tmp_path)
    assert "Train for 60 epochs." not in more
    assert float(more.split()[-1]) > 0.95


def test_stripes_are_told_apart_in_mixed_precision(tmp_path: Path) -> None:
    found = run("mixed_precision/stripes.py", folder=tmp_path)
    rows = re.findall(r"(.*): ([\d.]+) right, answers in (\w+)", found)
    assert [(title, dtype) for title, _, dtype in rows] == [
        ("float32", "float32"),
        ("converted", "float32"),
        ("mixed precision", "float16"),
    ]
    assert all(float(right) > 0.95 for _, right, _ in rows)
