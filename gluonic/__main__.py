"""``python -m gluonic script.py args…``: run an unmodified MXNet program on gluonic, or a command."""

import argparse
import sys
from collections.abc import Sequence

from gluonic import running
from gluonic._version import __version__
from gluonic.commands.table import COMMANDS
from gluonic.tools.command import STATUSES, perform, program_name
from gluonic.tools.programs import USAGE, add_program, find_program

_DESCRIPTION = """Run an MXNet program on gluonic, unmodified, as Python itself would run it. The program,
and the processes that it starts, import gluonic as mxnet. It gets names back that NumPy and Python have
dropped since MXNet's last release, such as np.float and collections.Iterable."""


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    parser = _parser()
    options = parser.parse_args(given)
    name = "" if options.module or options.code else "".join(options.script[:1])
    if name not in COMMANDS:
        running.run(*find_program(parser, options))
        return 0
    command, arguments = COMMANDS[name], options.script[1:]
    if command.runs_program:
        status: int = command.implementation().main(arguments, before=options)
        return status
    return perform(command, arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program_name(),
        description=_DESCRIPTION,
        epilog=_list_of_commands(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_program(parser)
    parser.usage = f"{USAGE}\n       %(prog)s COMMAND arguments"
    parser.add_argument("--version", action="version", version=f"gluonic {__version__}")
    return parser


def _list_of_commands() -> str:
    width = max(map(len, COMMANDS))
    rows = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    more = f"{program_name()} COMMAND --help describes a command; a script of such a name is run as ./view"
    statuses = [f"  {status}  {meaning}" for status, meaning in STATUSES.items()]
    return "\n".join(
        [
            "commands, instead of a script:",
            *rows,
            "",
            more,
            "",
            "exit statuses of commands:",
            *statuses,
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
