"""What the commands ``gluonic view``, ``gluonic summary``, … share: their names, and how they fail."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from gluonic.graph.errors import MXNetError


class CommandError(Exception):
    """A command was asked for what it cannot do.

    Parameters
    ----------
    problem : what is wrong
    hint : what would work
    """

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem if hint is None else f"{problem}\n  Try: {hint}")


def program_name() -> str:
    """How the user starts gluonic: ``gluonic``, or ``python -m gluonic``."""
    return "gluonic" if Path(sys.argv[0]).stem == "gluonic" else "python -m gluonic"


def command_parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser of a command's arguments."""
    return argparse.ArgumentParser(
        prog=f"{program_name()} {name}", description=description, allow_abbrev=False
    )


def reporting(parser: argparse.ArgumentParser, run: Callable[[], None]) -> int:
    """Run a command; print what fails, without a traceback.

    Returns
    -------
    int
        the exit status: 2 if something else must be asked for, 1 for other failures
    """
    try:
        run()
        sys.stdout.flush()
    except BrokenPipeError:  # such as `gluonic summary net.json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (CommandError, MXNetError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2 if isinstance(error, CommandError) else 1
    return 0
