"""``gluonic report script.py``: one page about a run of a program, to send on."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from gluonic import running
from gluonic.commands.table import COMMANDS
from gluonic.graph.files import write_atomically
from gluonic.tools.command import command_parser
from gluonic.tools.programs import add_program, find_program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the page, and what names the program."""
    parser.add_argument(
        "--output", metavar="FILE", default="report.html", help="the page, by default report.html"
    )
    add_program(parser)


def main(given: Sequence[str], before: argparse.Namespace) -> int:
    """Run the program that the rest of the line names, and write the page when it ends, also by an error."""
    from gluonic.tools.run_report import RunReport  # it imports the compiler

    parser = command_parser(COMMANDS["report"])
    options = parser.parse_args(given, before)
    target = Path(options.output).resolve()
    if not target.parent.is_dir():
        parser.error(f"there is no folder {target.parent}")
    program, arguments = find_program(parser, options)
    report = RunReport([program.argument, *arguments])
    try:
        with report.watching():
            running.run(program, arguments)
    finally:
        write_atomically(target, report.page().encode())
        print(f"gluonic: {target} tells of the run", file=sys.stderr)
    return 0
