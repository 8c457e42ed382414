"""Programs in a Python where gluonic is served as mxnet, or is not."""

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SERVED = "import gluonic\ngluonic.install_as_mxnet()\nimport mxnet as mx\n"
UNSERVED = "import gluonic as mx\n"


def run(program: str, *arguments: str, served: bool = True) -> str:
    """What a program prints."""
    found = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-c",
            (SERVED if served else UNSERVED) + textwrap.dedent(program),
            *arguments,
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout
