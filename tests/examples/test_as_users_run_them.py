"""The README's code and the examples as users run them: by default, on one and two threads, cold and warm."""

import os
import re
from pathlib import Path

import pytest

from tests.face.commands import command

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.relative_to(ROOT) for path in ROOT.glob("examples/*/*.py"))
LEARNED = {
    "examples/bucketing/language_model.py": (r"perplexity ([\d.]+)", 2, 4),
    "examples/detection/ssd.py": (r"(\d+)% of the objects are found", 75, 100),
    "examples/files/exported.py": (r"a new head: loss [\d.]+, then ([\d.]+)", 0, 0.65),
    "examples/generative/autoencoder.py": (r"squared error ([\d.]+) of", 0.3, 0.7),
    "examples/generative/gan.py": (r"([\d.]+) of the points are on the ring", 0.8, 1),
    "examples/gpu/digits.py": (r"new images: ([\d.]+) right", 0.9, 1),
    "examples/graphs/communities.py": (r"([\d.]+) of the others", 0.75, 1),
    "examples/images/fine_tuning.py": (
        r"digits 0 to 4: ([\d.]+) right\n"
        r"digits 5 to 9, features frozen: ([\d.]+) right\n"
        r"digits 5 to 9, all of it tuned: ([\d.]+) right\n",
        0.8,
        1,
    ),
    "examples/images/segmentation.py": (
        r"disc: intersection over union ([\d.]+)\nsquare: intersection over union ([\d.]+)",
        0.6,
        1,
    ),
    "examples/mixed_precision/stripes.py": (
        r"float32: ([\d.]+) right, answers in float32\n"
        r"converted: ([\d.]+) right, answers in float32\n"
        r"mixed precision: ([\d.]+) right, answers in float16\n",
        0.95,
        1,
    ),
    "examples/numpy/boundary.py": (r"([\d.]+) of new points are right", 0.95, 1),
    "examples/operators/focal.py": (r"([\d.]+) of new points are right", 0.95, 1),
    "examples/sequences/forecasting.py": (r"error ([\d.]+) of that of yesterday's", 0.6, 0.98),
    "examples/sequences/translation.py": (r"([\d.]+) of the numbers that were held back", 0.9, 1),
    "examples/processes/digits.py": (r"rank 0 of 1: ([\d.]+) right", 0.85, 1),
    "examples/sparse/factorization_machine.py": (r"right: ([\d.]+)%", 80, 100),
    "examples/web/digits.py": (r"new images: ([\d.]+) right", 0.85, 1),
    "examples/sparse/word_vectors.py": (r"of the same topic: ([\d.]+)%", 80, 100),
}
"""What programs print of what they have learned, and between which numbers it has to be."""
WRITTEN_FOR_MXNET = [str(path) for path in EXAMPLES if "import mxnet" in (ROOT / path).read_text()]
NOT_ALONE = {
    "examples/digits/layers.py": "the demo imports it",
    "examples/extensions/compare_with_mxnet.py": "it needs the real MXNet",
}


@pytest.fixture(autouse=True)
def default_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GLUONIC_", "MXNET_"))]:
        monkeypatch.delenv(name)


def _printed(*program: str, folder: Path, threads: int, warm: bool = True) -> list[str]:
    """What a program prints in a folder, if `warm` twice with one code cache; it fails and warns of nothing."""
    settings = {"GLUONIC_CACHE_DIR": str(folder / "cache"), "GLUONIC_NUM_THREADS": str(threads)}
    printed = []
    for _ in range(1 + warm):
        ran = command(*program, folder=folder, **settings)
        assert not ran.returncode, ran.stderr
        assert "Warning" not in ran.stderr
        printed.append(ran.stdout)
    return printed


@pytest.mark.parametrize("threads", [1, 2])
def test_the_tour_of_the_readme_runs_as_one_program(threads: int, tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    program = tmp_path / "tour.py"
    program.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    _printed(str(program), folder=tmp_path, threads=threads)
    assert (tmp_path / "tour.html").exists()


@pytest.mark.parametrize(
    ("number", "example"), [(n, x) for n, x in enumerate(EXAMPLES) if str(x) not in NOT_ALONE]
)
def test_examples_run_and_learn(number: int, example: Path, tmp_path: Path, thorough: bool) -> None:
    pattern, low, high = LEARNED.get(str(example), ("", 0, 0))
    by = ["-m", "gluonic"] if str(example) in WRITTEN_FOR_MXNET else []
    warm = thorough or number % 3 == 0
    command_line = *by, str(ROOT / example)
    for printed in _printed(*command_line, folder=tmp_path, threads=1 + number % 2, warm=warm):
        learned = re.search(pattern, printed)
        assert learned, printed
        assert all(low < float(text) <= high for text in learned.groups()), printed


def test_the_page_about_examples_names_each() -> None:
    page = (ROOT / "docs/examples.md").read_text()
    not_shown = {"digits/layers.py", "extensions/compare_with_mxnet.py"}
    shown = set(re.findall(r"^\| `([\w/]+\.py)`", page, re.MULTILINE))
    assert {str(path.relative_to("examples")) for path in EXAMPLES} == shown | not_shown


def test_what_does_not_run_alone_and_what_learns_is_there() -> None:
    assert {*NOT_ALONE, *LEARNED, *WRITTEN_FOR_MXNET} <= {str(path) for path in EXAMPLES}
