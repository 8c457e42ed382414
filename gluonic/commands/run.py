"""``gluonic run script.py``, or ``gluonic script.py``: run an unmodified MXNet program."""

import argparse
from collections.abc import Sequence

from gluonic import running
from gluonic.commands.table import COMMANDS
from gluonic.tools.command import command_parser
from gluonic.tools.programs import add_program, find_program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names the program."""
    add_program(parser)


def main(given: Sequence[str], before: argparse.Namespace) -> int:
    """Run the program that the line names; options may stand before the command, too."""
    parser = command_parser(COMMANDS["run"])
    running.run(*find_program(parser, parser.parse_args(given, before)))
    return 0
