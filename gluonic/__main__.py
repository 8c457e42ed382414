"""``python -m gluonic script.py args…``: run an unmodified MXNet script on gluonic."""

import argparse
import runpy
import sys
from pathlib import Path

from gluonic import install_as_mxnet
from gluonic._version import __version__


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m gluonic", description="Run an MXNet script on gluonic, unmodified."
    )
    parser.add_argument("--version", action="version", version=f"gluonic {__version__}")
    parser.add_argument(
        "-m", dest="module", action="store_true", help="the script is a module's name"
    )
    parser.add_argument("script", help="the script")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    given = parser.parse_args(arguments)
    install_as_mxnet()
    sys.argv = [given.script, *given.args]
    if given.module:
        runpy.run_module(given.script, run_name="__main__", alter_sys=True)
        return 0
    if not Path(given.script).exists():
        parser.error(f"there is no file {given.script}")
    sys.path[0] = str(Path(given.script).resolve().parent)
    runpy.run_path(given.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
