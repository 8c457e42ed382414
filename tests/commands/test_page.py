"""docs/command_line.md: its table is that of the commands, and its examples print what it says."""

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

from gluonic.commands.table import COMMANDS
from gluonic.tools.command import STATUSES
from tests.commands.conftest import Line
from tests.face.commands import gluonic_command

PAGE = (Path(__file__).parent.parent.parent / "docs" / "command_line.md").read_text()
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_tables_are_those_of_the_program() -> None:
    commands = [f"| `{name}` | {command.summary} |" for name, command in COMMANDS.items()]
    statuses = [f"| {status} | {meaning} |" for status, meaning in STATUSES.items()]
    for rows in (commands, statuses):
        assert "\n".join(rows) + "\n\n" in PAGE


def files() -> dict[str, str]:
    """The files that the page shows, by name."""
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    named = re.findall(r"with `(\S+)`:\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    return {"export.py": program, **dict(named)}


def examples() -> list[tuple[str, str]]:
    """The command lines of the page, with what it says that they print."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for example in block.removeprefix("$ ").split("\n$ "):
            command, _, output = example.partition("\n")
            found.append((command, output))
    return found


def test_the_examples_print_what_the_page_says(
    tmp_path: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["gluonic"])
    for name, contents in files().items():
        (tmp_path / name).write_text(contents)
    assert len(examples()) > 10
    for command, output in examples():
        program, *arguments = shlex.split(command)
        assert program == "gluonic"
        is_ordinary = arguments[0] in COMMANDS and not COMMANDS[arguments[0]].runs_program
        ran = line(*arguments) if is_ordinary else gluonic_command(*arguments, folder=tmp_path)
        assert ran.returncode in (0, 3), ran.stderr
        if not doctest.OutputChecker().check_output(output, ran.stdout, _FLAGS):
            raise AssertionError(f"{command}\nprints\n{ran.stdout}\nthe page says\n{output}")
