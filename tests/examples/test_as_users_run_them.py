"""The README's code and the examples as users run them: by default, on one and two threads, cold and warm."""

import os
import re
from pathlib import Path

import pytest

from tests.face.commands import command

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.relative_to(ROOT) for path in ROOT.glob("examples/*/*.py"))
NOT_ALONE = {
    "examples/digits/layers.py": "the demo imports it",
    "examples/extensions/compare_with_mxnet.py": "it needs the real MXNet",
}


@pytest.fixture(autouse=True)
def default_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GLUONIC_", "MXNET_"))]:
        monkeypatch.delenv(name)


def _runs(program: str, folder: Path, threads: int) -> None:
    """Run a program in a folder, twice with one code cache: nothing goes wrong, and nothing is warned of."""
    settings = {"GLUONIC_CACHE_DIR": str(folder / "cache"), "GLUONIC_NUM_THREADS": str(threads)}
    for _ in ("cold", "warm"):
        ran = command(program, folder=folder, **settings)
        assert not ran.returncode, ran.stderr
        assert "Warning" not in ran.stderr


@pytest.mark.parametrize("threads", [1, 2])
def test_the_tour_of_the_readme_runs_as_one_program(threads: int, tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    program = tmp_path / "tour.py"
    program.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    _runs(str(program), tmp_path, threads)
    assert {"mine.html", "net.html", "steps.html"} <= {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("number", "example"), [(n, x) for n, x in enumerate(EXAMPLES) if str(x) not in NOT_ALONE]
)
def test_examples_run(number: int, example: Path, tmp_path: Path) -> None:
    _runs(str(ROOT / example), tmp_path, threads=1 + number % 2)


def test_what_does_not_run_alone_is_there() -> None:
    assert NOT_ALONE.keys() <= {str(path) for path in EXAMPLES}
