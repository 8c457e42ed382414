"""Type checkers know the functions and methods that are made at run time, and refuse misspelt ones."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gluonic.graph.attributes import annotation

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def test_stubs_are_those_of_the_operators() -> None:
    command = [
        sys.executable,
        "-m",
        "gluonic.tools.stubs",
        "--check",
    ]  # no test has registered others
    stale = subprocess.check_output(command, text=True, cwd=ROOT)
    assert not stale, f"python -m gluonic.tools.stubs writes {stale}"


def test_every_function_of_an_operator_has_a_stub() -> None:
    import gluonic as mx

    for namespace, folder in ((mx.nd, "ndarray"), (mx.sym, "symbol")):
        text = (ROOT / "gluonic" / folder / "typed" / "op.pyi").read_text(encoding="utf-8")
        written = set(re.findall(r"^def (\w+)\(", text, re.MULTILINE))
        assert {"Convolution", "relu", "concat"} <= written
        assert written <= set(dir(namespace))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (int, "int"),
        (bool, "bool | int"),
        (float | None, "float | None"),
        (tuple[int, ...], "int | Sequence[int]"),
    ],
)
def test_an_attribute_accepts_what_its_parser_does(kind: object, expected: str) -> None:
    assert annotation(kind) == expected


def _by_mypy(folder: Path) -> str:
    """What mypy says of the programs in a folder."""
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={folder / 'cache'}"]
    command += ["--config-file=", "--follow-imports=silent", *PROGRAMS]
    path = os.pathsep.join([str(ROOT), str(folder / "typings")])
    variables = {**os.environ, "MYPYPATH": path}
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=variables, check=False
    )
    return ran.stdout + ran.stderr


def _by_pyright(folder: Path) -> str:
    """What pyright says, with its own settings."""
    settings = {"include": PROGRAMS, "extraPaths": [str(ROOT)], "stubPath": "typings"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    return ran.stdout + ran.stderr


PROGRAMS = ["right.py", "wrong.py", "old.py"]
CHECKERS: dict[str, tuple[Callable[[Path], str], re.Pattern[str]]] = {
    "mypy": (_by_mypy, re.compile(r"^()(\w+)\.py:(\d+): error: .*?\[([\w-]+)\]$", re.M)),
    "pyright": (_by_pyright, re.compile(r"^  (.*/)(\w+)\.py:(\d+):\d+ - (error)", re.M)),
}
"""How each is called, and what it prints about an error: a folder, the file, the line, a code."""


@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_accept_right_uses_and_refuse_wrong_ones(
    checker: str, tmp_path: Path
) -> None:
    if checker == "pyright":
        pytest.importorskip("pyright")
        if not shutil.which("node"):
            pytest.skip("pyright needs node")
    expected = set()
    for program in PROGRAMS:
        source = next(HERE.glob(f"{program.removesuffix('.py')}.*"))
        text = source.read_text(encoding="utf-8")
        (tmp_path / program).write_text(text, encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if source.suffix == ".txt" and "  # " in line:
                code = line.rpartition("# ")[2] if checker == "mypy" else "error"
                expected.add((source.stem, number, code))
    (tmp_path / "typings").mkdir()
    (tmp_path / "typings" / "mxnet").symlink_to(ROOT / "mxnet-stubs")  # installed under that name
    check, pattern = CHECKERS[checker]
    printed = check(tmp_path)
    reported = {(m[2], int(m[3]), m[4]) for m in pattern.finditer(printed)}
    assert reported == expected, printed
