"""What commands share: their parsers, what they answer, and how they fail."""

import argparse
import json
import math
import os
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic.commands.table import Command
from gluonic.graph.errors import MXNetError
from gluonic.support.record import record

DONE, FAILED, MISUSED, NO = range(4)
STATUSES = {
    DONE: "done",
    FAILED: "failed: a file cannot be read, a model does not fit its inputs, …",
    MISUSED: "something else must be asked for",
    NO: "the answer is no: models differ, a proof does not hold, a program uses what is missing",
}
"""The exit statuses of commands; a program that is run has its own."""


class CommandError(Exception):
    """A command was asked for what it cannot do.

    Parameters
    ----------
    problem : what is wrong
    hint : what would work
    """

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem if hint is None else f"{problem}\n  Try: {hint}")


@record
class Answer:
    """What a command has to say.

    Attributes
    ----------
    facts : for programs, who ask by ``--json``: numbers, texts, lists and dictionaries
    lines : for people
    status : the exit status, `DONE` or `NO`
    """

    facts: Any
    lines: Iterable[str]
    status: int = DONE


def program_name() -> str:
    """How the user starts gluonic: ``gluonic``, or ``python -m gluonic``."""
    return "gluonic" if Path(sys.argv[0]).stem == "gluonic" else "python -m gluonic"


def command_parser(command: Command) -> argparse.ArgumentParser:
    """The parser of a command's arguments."""
    parser = argparse.ArgumentParser(
        prog=f"{program_name()} {command.name}",
        description=command.description,
        epilog=_epilog(command),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.implementation().add_arguments(parser)
    if not command.runs_program:
        add = parser.add_argument_group("for every command").add_argument
        add("--json", action="store_true", help="answer in JSON")
        add("--traceback", action="store_true", help="show where in gluonic an error was raised")
    return parser


def _epilog(command: Command) -> str:
    """The examples, and what exit statuses mean."""
    lines = [
        f"{program_name()} {command.name} {arguments}".rstrip() for arguments, _ in command.examples
    ]
    width = max(map(len, lines))
    told = (does for _, does in command.examples)
    rows = [f"  {line:<{width}}  # {does}" for line, does in zip(lines, told, strict=True)]
    meanings = {DONE: "done", FAILED: "failed", MISUSED: "misused", NO: command.no}
    if command.runs_program:
        statuses = "the program's own"
    else:
        statuses = ", ".join(f"{status} {text}" for status, text in meanings.items() if text)
    return "\n".join(["examples:", *rows, "", f"exit status: {statuses}"])


def perform(command: Command, arguments: Sequence[str]) -> int:
    """Run a command that runs no program: print its answer, or what fails, the latter without a traceback.

    Returns
    -------
    int
        the exit status, one of `STATUSES`
    """
    parser = command_parser(command)
    options = parser.parse_args(arguments)
    try:
        answer: Answer = command.implementation().run(options)
        _print(answer, as_json=options.json)
    except BrokenPipeError:  # such as `gluonic summary net.json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (CommandError, MXNetError, NotImplementedError, OSError) as error:
        if options.traceback:
            traceback.print_exc()
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return MISUSED if isinstance(error, CommandError) else FAILED
    return answer.status


def _strict(facts: Any) -> Any:
    """Facts as JSON has them: null for what is no number, which readers of JSON refuse."""
    if isinstance(facts, Mapping):
        return {key: _strict(value) for key, value in facts.items()}
    if isinstance(facts, (list, tuple)):
        return [_strict(value) for value in facts]
    return None if isinstance(facts, float) and not math.isfinite(facts) else facts


def _print(answer: Answer, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_strict(answer.facts), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        for line in answer.lines:
            print(line)
    sys.stdout.flush()
