"""The programs in examples/ run as described."""

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


def test_two_spirals_are_classified_and_training_can_be_resumed(tmp_path: Path) -> None:
    first = run("estimator/spirals.py", folder=tmp_path)
    assert "Train for 30 epochs." in first
    files = {path.name for path in (tmp_path / "spirals-output").iterdir()}
    assert {"spirals-best.params", "spirals-symbol.json"} <= files
    more = run("estimator/spirals.py", "--resume", "--epochs", "60", folder=tmp_path)
    assert "Train for 60 epochs." not in more
    assert float(more.split()[-1]) > 0.95


NOTEBOOK = ROOT / "examples" / "pictures" / "pictures.ipynb"
RUNNER = """
import ast, json, sys
names = {"__name__": "__main__"}
for number, cell in enumerate(json.load(open(sys.argv[1]))["cells"]):
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {number}", "exec"), names)
    if shown is not None:
        value = eval(compile(ast.Expression(shown.value), f"cell {number}", "eval"), names)
        page = value._repr_html_() if hasattr(value, "_repr_html_") else ""
        print(f"SHOWN {number} {type(value).__name__} {page[:7]}")
"""


def test_the_notebook_of_pictures_runs_and_every_cell_shows_a_page(tmp_path: Path) -> None:
    """Cells are run as Jupyter runs them, and the last value of each is shown."""
    command = [sys.executable, "-c", RUNNER, str(NOTEBOOK)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"SHOWN \d+ (\w+) (.*)", done.stdout)
    assert [kind for kind, _ in shown] == [
        *(
            "Drawing",
            "Explanation",
            "Drawing",
            "NoneType",
            "Drawing",
            "Drawing",
            "Drawing",
            "Drawing",
        ),
        *("NDArray", "Report", "NoneType"),
    ]
    pages = [start for kind, start in shown if kind in ("Drawing", "Explanation")]
    assert pages == ["<iframe"] * 7
    assert "elemwise_sub" in done.stdout
    assert "Total FLOPs" in done.stdout
