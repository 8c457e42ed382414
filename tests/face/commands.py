"""Starting Python, and ``python -m gluonic``, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import gluonic

HOME = str(Path(gluonic.__file__).parent.parent)


def command(
    *arguments: str, folder: Path | None = None, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What Python does with arguments, what is piped in, and variables besides those that there are."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        input=given,
        env={**os.environ, "PYTHONPATH": HOME, **environment},
        check=False,
    )


def gluonic_command(
    *arguments: str, folder: Path | None = None, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The same for ``python -m gluonic``."""
    return command("-m", "gluonic", *arguments, folder=folder, given=given, **environment)
