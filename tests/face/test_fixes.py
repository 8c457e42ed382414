"""The fix that a message suggests works: each wrong program runs once it is applied."""

import re
import sys
import threading
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from gluonic.graph.tracebacks import shorten_uncaught
from tests.face import fixable_arrays as arrays
from tests.face import fixable_nets as nets
from tests.face import fixable_training as training

PROGRAMS = {
    **nets.LAYERS,
    **nets.HYBRID,
    **training.TRAINING,
    **training.FILES,
    **training.DATA,
    **arrays.ARRAYS,
    **arrays.SYMBOLS,
    **arrays.CUSTOM,
}


@pytest.fixture(autouse=True)
def as_in_a_script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give programs a folder of their own, the default executor and the hooks that Python has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GLUONIC_EXECUTOR", raising=False)
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    shorten_uncaught()


def run(text: str, file: Path) -> None:
    file.write_text(text)
    exec(compile(text, str(file), "exec"), {"__name__": "__main__"})


def warned(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning on one line."""
    sys.stderr.write(f"{message}\n")


def printed(text: str, file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What Python prints when a program fails, warnings included."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = warned
        with pytest.raises(Exception, match=r"\S") as caught:
            run(text, file)
    error = caught.value
    steps = error.__traceback__
    while steps is not None and steps.tb_frame.f_code.co_filename != str(file):
        steps = steps.tb_next
    error.__traceback__ = steps
    sys.excepthook(type(error), error, steps)
    return capsys.readouterr().err


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_message_names_the_line_and_the_fix(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case, file = PROGRAMS[name], tmp_path / "program.py"
    shown = printed(case.wrong, file, capsys)
    for expected in case.told:
        assert expected in shown
    (line,) = [
        number
        for number, text in enumerate(case.wrong.splitlines(), 1)
        if text.endswith("  # here")
    ]
    assert line in map(int, re.findall(rf'File "{re.escape(str(file))}", line (\d+)', shown))
    assert "/gluonic/" not in shown.replace(str(file), "")
    assert len(shown.splitlines()) <= 16


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_error_is_not_a_consequence_of_one_within_gluonic(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GLUONIC_FULL_TRACEBACK", "1")
    shown = printed(PROGRAMS[name].wrong, tmp_path / "program.py", capsys)
    assert "During handling of the above exception" not in shown


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_once_the_suggested_fix_is_applied(name: str, tmp_path: Path) -> None:
    run(PROGRAMS[name].fixed, tmp_path / "program.py")


def test_most_messages_are_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = [
        len(printed(case.wrong, tmp_path / "program.py", capsys).splitlines())
        for case in PROGRAMS.values()
    ]
    assert len(counts) >= 60
    assert median(counts) <= 10
