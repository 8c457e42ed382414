"""``gluonic warm``: fill the code cache for a program, or for a model and shapes."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gluonic import running
from gluonic.commands.table import COMMANDS
from gluonic.graph.errors import MXNetError
from gluonic.tools import model_files
from gluonic.tools.command import FAILED, MISUSED, CommandError, command_parser
from gluonic.tools.file_kinds import Held, held_in
from gluonic.tools.programs import add_program, find_program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names the program."""
    add_program(parser)


def main(given: Sequence[str], before: argparse.Namespace) -> int:
    """Run the program that the rest of the line names, or compile the model; options may stand before, too."""
    parser = command_parser(COMMANDS["warm"])
    options = parser.parse_args(given, before)
    try:
        if _names_network(options):
            return _warm_model(parser, options.script)
        program, arguments = find_program(parser, options)
        return _warm(lambda: running.run(program, arguments))
    except CommandError as error:
        parser.exit(MISUSED, f"{parser.prog}: {error}\n")


def _names_network(options: argparse.Namespace) -> bool:
    if options.module or options.code or not options.script:
        return False
    file = Path(options.script[0])
    return file.is_file() and held_in(file) is Held.NETWORK


def _warm_model(parser: argparse.ArgumentParser, given: Sequence[str]) -> int:
    try:
        return _warm(lambda: _compile_model(given))
    except (MXNetError, OSError) as error:
        parser.exit(FAILED, f"{parser.prog}: {error}\n")


def _compile_model(given: Sequence[str]) -> None:
    """Compile a model's prediction for the shapes that the line names."""
    from gluonic.tools.models import add_model, model_of  # it imports the compiler

    parser = argparse.ArgumentParser(prog="warm NETWORK", allow_abbrev=False)
    add_model(parser)
    model_files.add_options(parser)
    model = model_of(parser.parse_args(given), drawn=True)
    for output in model(model.sample()):
        output.wait_to_read()


def _warm(run: Callable[[], None]) -> int:
    """Run something whose first calls compile, and report the new machine code on disk.

    Raises
    ------
    CommandError
        if nothing can be stored: ``GLUONIC_CACHE=0``, or the folder is not private
    """
    from gluonic.codegen.machine import cache

    before = cache.sizes()
    if before is None:
        raise CommandError(
            "nothing can be kept: GLUONIC_CACHE=0, or GLUONIC_CACHE_DIR is not a folder of your own"
        )
    os.environ["GLUONIC_EXECUTOR"] = "compile"
    try:
        run()
    finally:
        after = cache.sizes() or {}
        new = [size for name, size in after.items() if name not in before]
        told = f"gluonic: {len(new)} new pieces of machine code, {sum(new) / 1024:,.0f} KiB,"
        print(told, f"of {len(after)} in {cache.folder()}", file=sys.stderr)
    return 0
