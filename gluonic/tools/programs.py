"""The arguments that name a program to run: a script, ``-m module`` or ``-c code``, with options before it."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from gluonic import running
from gluonic.alias import served_version
from gluonic.commands.table import COMMANDS
from gluonic.graph.errors import nearest
from gluonic.served import serve
from gluonic.tools.file_kinds import why_no_program

USAGE = "%(prog)s [options] (script | -m module | -c code) arguments"


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add what names a program, and the options before it."""
    parser.usage = USAGE
    add, rest = parser.add_argument, argparse.REMAINDER
    add("--cpu", action="store_true", help="let the CPU serve contexts of GPUs: mx.gpu(i)")
    add(
        "--no-numpy-aliases",
        action="store_true",
        help="do not restore names that NumPy and Python dropped",
    )
    add(
        "--mxnet",
        metavar="VERSION",
        help="the MXNet whose names and defaults the program gets: 1 (the default) or 2",
    )
    add("-m", dest="module", nargs=rest, metavar="...", help="run a module: its name and arguments")
    add("-c", dest="code", nargs=rest, metavar="...", help="run code: its text and arguments")
    add("script", nargs=rest, help="the script (- is what is piped in) and its arguments")


def find_program(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[running.MainProgram, list[str]]:
    """The program to run, and its arguments; gluonic is served as mxnet from then on."""
    if not options.code and not options.module:
        _check_script(parser, options.script)
    if options.cpu:
        os.environ["GLUONIC_GPU"] = "cpu"
    if options.no_numpy_aliases:
        os.environ["GLUONIC_NUMPY_ALIASES"] = "0"
    if options.mxnet:
        _choose_version(parser, options.mxnet)
    serve()
    try:
        return _read_program(options)
    except running.NotRunnableError as error:
        parser.exit(1, f"{sys.executable}: {error}\n")
    except SyntaxError as error:  # without the lines of gluonic that read the program
        parser.exit(1, "".join(traceback.format_exception(type(error), error, None)))


def _choose_version(parser: argparse.ArgumentParser, asked: str) -> None:
    """Serve a version of MXNet to the program, and to the processes that it starts."""
    try:
        os.environ["GLUONIC_MXNET"] = served_version(asked)
    except ValueError as error:
        parser.error(str(error))


def _check_script(parser: argparse.ArgumentParser, script: Sequence[str]) -> None:
    """Refuse what cannot be run, and say what would work."""
    if not script:
        parser.error("name a script, or a command, or -m module, or -c code")
    if script[0] == "-":
        return
    if not os.path.exists(script[0]):
        parser.error(f"there is no file {script[0]}{nearest(script[0], COMMANDS)}")
    refused = why_no_program(Path(script[0]))
    if refused:
        parser.exit(2, f"{parser.prog}: {refused}\n")


def _read_program(options: argparse.Namespace) -> tuple[running.MainProgram, list[str]]:
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
