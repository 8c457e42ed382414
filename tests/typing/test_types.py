"""Type checkers know the functions and methods that are made at run time, and refuse misspelt ones."""

import os
import re
import subprocess
import sys
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


def test_a_type_checker_accepts_right_uses_and_refuses_wrong_ones(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}"]
    wrong = (HERE / "wrong.txt").read_text(encoding="utf-8")
    (tmp_path / "wrong.py").write_text(wrong, encoding="utf-8")
    (tmp_path / "right.py").write_bytes((HERE / "right.py").read_bytes())
    command += ["--config-file=", "--follow-imports=silent", "right.py", "wrong.py"]
    variables = {**os.environ, "MYPYPATH": str(ROOT)}
    checked = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=variables, check=False
    )
    pattern = re.compile(r"(right|wrong)\.py:(\d+): error: .*\[([\w-]+)\]")
    reported = {(m[1], int(m[2]), m[3]) for m in pattern.finditer(checked.stdout)}
    expected = {
        ("wrong", number, line.rpartition("# ")[2])
        for number, line in enumerate(wrong.splitlines(), 1)
        if "  # " in line
    }
    assert reported == expected, checked.stdout + checked.stderr
