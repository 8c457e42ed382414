"""``python -m gluonic script.py args…``: run an unmodified MXNet program on gluonic."""

import argparse
import os
import sys
from collections.abc import Sequence

from gluonic import running
from gluonic._version import __version__
from gluonic.served import serve
from gluonic.tools import view
from gluonic.tools.warm import warm

_DESCRIPTION = """Run an MXNet program on gluonic, unmodified, as Python itself would run it. The program,
and the processes that it starts, import gluonic as mxnet. It gets names back that NumPy and Python have
dropped since MXNet's last release, such as np.float and collections.Iterable.
`view net-symbol.json` instead of a script shows a model as a page; `warm script.py args` runs a program
whose first calls compile, so that later runs find all machine code on disk; `info` shows what gluonic
has found on this machine: versions, the processor, the code cache, MPI."""


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    arguments = list(sys.argv[1:] if given is None else given)
    if arguments[:1] == ["view"] and not os.path.exists("view"):
        return view.main(arguments[1:])
    if arguments[:1] == ["info"] and not os.path.exists("info"):
        from gluonic.tools import info  # it imports the compiler

        return info.main(arguments[1:])
    is_warming = arguments[:1] == ["warm"] and not os.path.exists("warm")
    parser = _parser()
    options = parser.parse_args(arguments[is_warming:])
    if options.cpu:
        os.environ["GLUONIC_GPU"] = "cpu"
    if options.no_numpy_aliases:
        os.environ["GLUONIC_NUMPY_ALIASES"] = "0"
    serve()
    program, arguments = _program(parser, options)
    if is_warming:
        warm(lambda: running.run(program, arguments))
    else:
        running.run(program, arguments)
    return 0


def _program(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[running.MainProgram, list[str]]:
    """The program to run, and its arguments."""
    try:
        if options.code:
            source, *arguments = options.code + options.script
            return running.of_code(source), arguments
        if options.module:
            name, *arguments = options.module + options.script
            return running.of_module(name), arguments
        if not options.script:
            parser.error("the following arguments are required: script, or -m module, or -c code")
        path, *arguments = options.script
        if path == "-":
            return running.of_input(sys.stdin.read()), arguments
        if not os.path.exists(path):
            parser.error(f"there is no file {path}")
        return running.of_script(path), arguments
    except running.NotRunnableError as error:
        parser.exit(1, f"{sys.executable}: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gluonic", description=_DESCRIPTION, allow_abbrev=False
    )
    add, rest = parser.add_argument, argparse.REMAINDER
    add("--version", action="version", version=f"gluonic {__version__}")
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


if __name__ == "__main__":
    sys.exit(main())
