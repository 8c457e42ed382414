"""What Python prints about an uncaught error: the user's lines, unless gluonic itself is at fault."""

import re
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.graph.errors import PACKAGE
from gluonic.graph.tracebacks import shorten_uncaught, shortened
from tests.face.commands import command, gluonic_command

PROGRAM = """import gluonic as mx

def sizes(x):
    return mx.nd.concat(x, mx.nd.ones((3, 3)), dim=1)

sizes(mx.nd.ones((2, 3)))
"""
OURS = "/gluonic/"


@pytest.fixture(autouse=True)
def as_after_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give Python the hooks that it has in a program; pytest sets its own."""
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    shorten_uncaught()


def ours(source: str) -> dict[str, Any]:
    """The names of a module that counts as one of gluonic's."""
    names: dict[str, Any] = {"nd": nd}
    exec(compile(source, f"{PACKAGE}made_up.py", "exec"), names)
    return names


def raised(call: Callable[..., Any], *arguments: Any) -> BaseException:
    try:
        call(*arguments)
    except BaseException as error:
        return error
    raise AssertionError("no error was raised")


def printed(error: BaseException, capsys: pytest.CaptureFixture[str]) -> str:
    sys.excepthook(type(error), error, error.__traceback__)
    return capsys.readouterr().err


@pytest.mark.parametrize("run", [command, gluonic_command])
def test_an_uncaught_error_shows_the_lines_of_the_program_alone(run: Any, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    shown = run("program.py", folder=tmp_path).stderr
    lines = [int(n) for n in re.findall(r'program.py", line (\d+)', shown.partition("Error: ")[0])]
    assert lines == [6, 4]
    assert OURS not in shown
    assert "runpy" not in shown
    first = shown.partition("InferenceError: ")[2].splitlines()[0]
    assert first.startswith("Concat: ")
    assert shown.splitlines()[-1] == first


@pytest.mark.parametrize("run", [command, gluonic_command])
def test_a_variable_of_the_environment_shows_the_lines_of_gluonic(run: Any, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    shown = run("program.py", folder=tmp_path, GLUONIC_FULL_TRACEBACK="1").stderr
    assert f"{OURS}graph/infer.py" in shown
    assert OURS not in run("program.py", folder=tmp_path, GLUONIC_FULL_TRACEBACK="0").stderr


def test_an_error_of_the_program_within_a_call_shows_both_of_its_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x / (1 // 0)

    def program() -> None:
        Net()(nd.ones((2,)))

    shown = printed(raised(program), capsys)
    assert [name for name in ("in program", "in hybrid_forward") if name in shown] == [
        "in program",
        "in hybrid_forward",
    ]
    assert OURS not in shown


def test_a_mistake_within_gluonic_is_shown_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    mistaken = ours("def look(): return {}['key']")["look"]
    assert f'{PACKAGE}made_up.py", line 1, in look' in printed(raised(mistaken), capsys)
    for call in ("concatenate([])", "linalg.inv([[0]])"):  # without and with lines of NumPy's
        with_numpy = ours(f"import numpy\ndef add(): return numpy.{call}")["add"]
        assert f'{PACKAGE}made_up.py", line 2, in add' in printed(raised(with_numpy), capsys)


@pytest.mark.parametrize("kind", ["ValueError", "NotImplementedError", "KeyError"])
def test_any_error_that_gluonic_raises_on_purpose_is_short(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(raised(ours(f"def check(): raise {kind}('no')")["check"]), capsys)
    assert OURS not in shown
    assert "in raised" in shown


def test_a_cause_within_gluonic_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    source = """
def check():
    try:
        {}['key']
    except KeyError as error:
        raise ValueError('what is wrong') from error
def handle():
    try:
        {}['key']
    except KeyError:
        raise ValueError('what is wrong')
"""
    for name in ("check", "handle"):
        shown = printed(raised(ours(source)[name]), capsys)
        assert "KeyError" not in shown
        assert shown.count("Traceback") == 1
        assert shown.endswith("ValueError: what is wrong\n")


def test_a_cause_within_the_program_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def program() -> None:
        try:
            nd.concat(nd.ones((2, 3)), nd.ones((3, 3)), dim=1)
        except mx.MXNetError as error:
            raise LookupError("no such batch") from error

    shown = printed(raised(program), capsys)
    assert "Concat" in shown
    assert "direct cause" in shown
    assert OURS not in shown


def test_an_error_keeps_its_traceback_and_its_causes(capsys: pytest.CaptureFixture[str]) -> None:
    cause = ours("""
def check():
    try:
        {}['key']
    except KeyError as error:
        raise ValueError('what is wrong') from error
""")["check"]
    error = raised(cause)
    before = error.__traceback__, error.__cause__, error.__context__, error.__suppress_context__
    full = traceback.format_exception(error)
    printed(error, capsys)
    assert before == (
        error.__traceback__,
        error.__cause__,
        error.__context__,
        error.__suppress_context__,
    )
    assert traceback.format_exception(error) == full
    assert "made_up.py" in "".join(full)


def test_an_error_without_lines_of_the_program_is_shown_in_full() -> None:
    error = raised(ours("def check(): raise ValueError('no')")["check"])
    assert error.__traceback__ is not None
    error.__traceback__ = error.__traceback__.tb_next
    assert shortened(error) is error.__traceback__


def test_an_error_in_a_thread_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    error = raised(nd.concat, nd.ones((2, 3)), nd.ones((3, 3)))
    given = type(error), error, error.__traceback__, threading.current_thread()
    threading.excepthook(threading.ExceptHookArgs(given))
    shown = capsys.readouterr().err
    assert "Exception in thread MainThread" in shown
    assert "in raised" in shown
    assert OURS not in shown


def test_the_hook_that_was_there_prints_the_short_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []

    def earlier(kind: Any, error: BaseException, trace: Any) -> None:
        seen.append((trace, error.__traceback__))

    monkeypatch.setattr(sys, "excepthook", earlier)
    shorten_uncaught()
    error = raised(nd.concat, nd.ones((2, 3)), nd.ones((3, 3)))
    sys.excepthook(type(error), error, error.__traceback__)
    ((trace, known),) = seen
    assert trace is known
    assert [step.name for step in traceback.extract_tb(trace)] == ["raised"]
