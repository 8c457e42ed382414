"""``python -m gluonic script.py args…``: run an unmodified MXNet program on gluonic, or a command."""

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from gluonic import running
from gluonic._version import __version__
from gluonic.graph.errors import nearest
from gluonic.served import serve
from gluonic.tools.command import CommandError, program_name
from gluonic.tools.file_kinds import why_no_program

_DESCRIPTION = """Run an MXNet program on gluonic, unmodified, as Python itself would run it. The program,
and the processes that it starts, import gluonic as mxnet. It gets names back that NumPy and Python have
dropped since MXNet's last release, such as np.float and collections.Iterable."""
_COMMANDS = {
    "summary": "list the layers of net-symbol.json, or the arrays in net-0000.params",
    "view": "show net-symbol.json as a page in a browser, or write a page or a picture",
    "warm": "run a program whose first calls compile: later runs find the machine code on disk",
    "info": "show what was found on this machine, or with --for which packages a program needs",
}
_INSTEAD = "\n       %(prog)s COMMAND arguments"
_WARMING = """Run a program whose first calls compile, and report the machine code that is new on disk:
later runs of the program find it there."""


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    parser = _parser(program_name(), _DESCRIPTION, _INSTEAD, _list_of_commands())
    parser.add_argument("--version", action="version", version=f"gluonic {__version__}")
    options = parser.parse_args(given)
    command = "" if options.module or options.code else "".join(options.script[:1])
    if command in _COMMANDS and command != "warm":
        tool = importlib.import_module(f"gluonic.tools.{command}")
        status: int = tool.main(options.script[1:])
        return status
    if command == "warm":
        _warm(options.script[1:], before=options)
    else:
        running.run(*_program(parser, options))
    return 0


def _warm(given: Sequence[str], before: argparse.Namespace) -> None:
    """Run the program that the rest of the line names; options may stand before the command, too."""
    from gluonic.tools.warm import warm  # it imports the compiler

    parser = _parser(f"{program_name()} warm", _WARMING)
    options = parser.parse_args(given, before)
    program, arguments = _program(parser, options)
    try:
        warm(lambda: running.run(program, arguments))
    except CommandError as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


def _program(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[running.MainProgram, list[str]]:
    """The program to run, and its arguments; gluonic is served as mxnet from then on."""
    if not options.code and not options.module:
        _check_script(parser, options.script)
    if options.cpu:
        os.environ["GLUONIC_GPU"] = "cpu"
    if options.no_numpy_aliases:
        os.environ["GLUONIC_NUMPY_ALIASES"] = "0"
    serve()
    try:
        return _find_program(options)
    except running.NotRunnableError as error:
        parser.exit(1, f"{sys.executable}: {error}\n")
    except SyntaxError as error:  # without the lines of gluonic that read the program
        parser.exit(1, "".join(traceback.format_exception(type(error), error, None)))


def _check_script(parser: argparse.ArgumentParser, script: Sequence[str]) -> None:
    """Refuse what cannot be run, and say what would work."""
    if not script:
        parser.error("name a script, or a command, or -m module, or -c code")
    if script[0] == "-":
        return
    if not os.path.exists(script[0]):
        parser.error(f"there is no file {script[0]}{nearest(script[0], _COMMANDS)}")
    refused = why_no_program(Path(script[0]))
    if refused:
        parser.exit(2, f"{parser.prog}: {refused}\n")


def _find_program(options: argparse.Namespace) -> tuple[running.MainProgram, list[str]]:
    """Read the program; a module's packages are imported."""
    if options.code:
        source, *arguments = options.code + options.script
        return running.of_code(source), arguments
    if options.module:
        name, *arguments = options.module + options.script
        return running.of_module(name), arguments
    path, *arguments = options.script
    if path == "-":
        return running.of_input(sys.stdin.read()), arguments
    return running.of_script(path), arguments


def _parser(
    name: str, description: str, instead: str = "", more: str = ""
) -> argparse.ArgumentParser:
    """A parser of what names a program, and of the options before it."""
    parser = argparse.ArgumentParser(
        prog=name,
        usage="%(prog)s [options] (script | -m module | -c code) arguments" + instead,
        description=description,
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add, rest = parser.add_argument, argparse.REMAINDER
    add("--cpu", action="store_true", help="let the CPU serve contexts of GPUs: mx.gpu(i)")
    add(
        "--no-numpy-aliases",
        action="store_true",
        help="do not restore names that NumPy and Python dropped",
    )
    add("-m", dest="module", nargs=rest, metavar="...", help="run a module: its name and arguments")
    add("-c", dest="code", nargs=rest, metavar="...", help="run code: its text and arguments")
    add("script", nargs=rest, help="the script (- is what is piped in) and its arguments")
    return parser


def _list_of_commands() -> str:
    width = max(map(len, _COMMANDS))
    rows = [f"  {name:<{width}}  {told}" for name, told in _COMMANDS.items()]
    more = f"{program_name()} COMMAND --help describes a command; a script of such a name is run as ./view"
    return "\n".join(["commands, instead of a script:", *rows, "", more])


if __name__ == "__main__":
    sys.exit(main())
