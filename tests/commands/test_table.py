"""The table of commands: each describes itself, answers in JSON, and is completed by shells."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from gluonic.commands.table import COMMANDS
from gluonic.tools.command import STATUSES
from tests.commands.conftest import Line
from tests.face.commands import gluonic_command

ORDINARY = [name for name, command in COMMANDS.items() if not command.runs_program]


def test_help_lists_all_commands_and_statuses(line: Line) -> None:
    listed = line("--help").stdout
    for command in COMMANDS.values():
        assert f"  {command.name} " in listed
        assert command.summary in listed
    assert all(meaning in listed for meaning in STATUSES.values())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_describes_itself_with_examples(name: str, line: Line) -> None:
    command = COMMANDS[name]
    shown = line(name, "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert command.description in shown.stdout
    assert command.examples
    for arguments, does in command.examples:
        assert f"gluonic {name} {arguments}".rstrip() in shown.stdout
        assert does in shown.stdout
    assert "exit status: " in shown.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_refused(name: str, line: Line) -> None:
    refused = line(name, "--no-such-option")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--no-such-option" in refused.stderr or "usage: " in refused.stderr


@pytest.mark.parametrize("name", ["convert", "diff", "summary", "upgrade", "view"])
def test_a_file_that_is_not_there_is_named_without_a_traceback_unless_asked(
    name: str, line: Line
) -> None:
    files = ["none.json", "new.json"] if name in ("convert", "diff") else ["none.json"]
    failed = line(name, *files)
    assert failed.returncode in (1, 2)
    assert "none.json" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert "Traceback" in line(name, *files, "--traceback").stderr


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["summary", "net-symbol.json"], "layers"),
        (["summary", "net-0000.params"], "arrays"),
        (["view", "net-symbol.json", "--no-open", "--output", "net.svg"], "written"),
        (["upgrade", "net-symbol.json"], "changes"),
        (["info"], "gluonic"),
        (["completion", "bash"], "script"),
    ],
)
def test_answers_come_as_json_on_request(
    arguments: list[str], field: str, folder: Path, line: Line
) -> None:
    answered = line(*arguments, "--json")
    assert (answered.returncode, answered.stderr) == (0, "")
    assert field in json.loads(answered.stdout)


def test_a_program_can_be_run_by_name(tmp_path: Path) -> None:
    (tmp_path / "view").write_text("import sys, mxnet; print(mxnet.__name__, sys.argv[1:])\n")
    ran = gluonic_command("run", "view", "--json", folder=tmp_path)
    assert (ran.stdout, ran.stderr) == ("mxnet ['--json']\n", "")
    ran = gluonic_command("--cpu", "run", "-c", "import os; print(os.environ['GLUONIC_GPU'])")
    assert (ran.stdout, ran.stderr) == ("cpu\n", "")
    assert gluonic_command("run", "none.py").returncode == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_scripts_know_commands_and_options(shell: str, line: Line) -> None:
    script = line("completion", shell).stdout
    assert all(name in script for name in COMMANDS)
    assert "against" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [(["gluonic", "su"], ["summary"]), (["gluonic", "view", "--ag"], ["--against"])],
)
def test_bash_completes(words: list[str], found: list[str], tmp_path: Path) -> None:
    script = tmp_path / "completion.sh"
    script.write_text(gluonic_command("completion", "bash").stdout)
    line = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _gluonic; echo ${{COMPREPLY[@]}}"
    ran = subprocess.run(
        ["bash", "-c", f"source {script}; {line}"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == found
