"""``gluonic modernize script.py``: programs for MXNet 1.x with the names of 2.0."""

import argparse
import importlib
from pathlib import Path
from typing import Any

from gluonic.graph.errors import FileFormatError
from gluonic.graph.files import read_text, write_atomically
from gluonic.tools.command import DONE, NO, Answer, CommandError
from gluonic.tools.program_uses import program_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the programs, and where the results go."""
    parser.add_argument("programs", nargs="+", help="scripts, or folders with them")
    add = parser.add_mutually_exclusive_group().add_argument
    add("--diff", action="store_true", help="show what would change")
    add("--output", metavar="FILE", help="write the result of one program")
    add("--in-place", action="store_true", help="write the results over the programs")


def run(options: argparse.Namespace) -> Answer:
    """Rewrite programs."""
    try:
        modernizing = importlib.import_module("gluonic.tools.modernizing")
    except ModuleNotFoundError as error:
        raise CommandError(
            f"modernize needs the package {error.name}", hint="pip install 'gluonic[modernize]'"
        ) from None
    files = [file for one in options.programs for file in program_files(Path(one))]
    if options.output and len(files) != 1:
        raise CommandError(f"--output takes one program, not {len(files)}", hint="--in-place")
    results = [(file, _rewritten(modernizing, file)) for file in files]
    for file, result in results:
        if options.output or (options.in_place and result.changes):
            write_atomically(options.output or str(file), result.after.encode())
    lines = [line for file, result in results for line in _lines(file, result, options)]
    left = any(result.marks for _, result in results)
    facts = [
        {
            "program": str(file),
            "changes": [{"line": line, "text": text} for line, text in result.changes],
            "marks": [{"line": line, "text": text} for line, text in result.marks],
        }
        for file, result in results
    ]
    return Answer(facts, lines, NO if left else DONE)


def _rewritten(modernizing: Any, file: Path) -> Any:
    try:
        return modernizing.modernized(read_text(file))
    except Exception as error:
        if type(error).__name__ != "ParserSyntaxError":
            raise
        raise FileFormatError(f"{file}: this is no program for Python 3: {error}") from error


def _lines(file: Path, result: Any, options: argparse.Namespace) -> list[str]:
    """What people see: the difference, the program, or counts; and what is left to decide."""
    if options.diff or not (options.output or options.in_place):
        shown: str = result.difference(str(file)) if options.diff else result.after
        return shown.splitlines()
    told = f"{file}: {len(result.changes)} names rewritten, {len(result.marks)} to decide"
    return [told, *(f"  line {line}: {text}" for line, text in result.marks)]
