"""Libraries that would end the process are found out in another one first, once for each content of a file."""

import hashlib
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

from gluonic.codegen.machine import cache as disk
from gluonic.extension import trial
from gluonic.extension.signatures import VERSIONS, functions
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.json.writer import VERSION as MXNET_VERSION

_SECONDS = 60
_LAST_LINES = 3
_passed: set[str] = set()


def probe(path: str) -> None:
    """Load a library in another process, unless a file of the same content has been before.

    That is remembered in the disk cache, too, so that later processes only read the file. A library that
    cannot be opened at all passes: opening it here is then safe, and says why.

    Raises
    ------
    MXNetError
        if that ends the other process, or takes too long
    """
    if not sys.executable:
        return
    with open(path, "rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    entry = disk.digest("extension library", content, _of_the_trial())
    if entry in _passed or disk.read(entry) is not None:
        return
    if _try(path):
        _passed.add(entry)
        disk.store(entry, b"")


@cache
def _of_the_trial() -> str:
    return Path(trial.__file__).read_text(encoding="utf-8")


def _try(path: str) -> bool:
    """Whether a library passes all steps; False for one that loading here will refuse."""
    tables = json.dumps({version: functions(version) for version in range(7, max(VERSIONS) + 1)})
    command = [sys.executable, "-I", "-S", trial.__file__, path, tables, str(MXNET_VERSION)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise _refused(path, error.stdout, f"does not come back in {_SECONDS} s", b"") from None
    end = done.stdout.rpartition(b"\n")[2].decode(errors="replace")
    if end not in (trial.DONE, trial.REFUSED):
        status = done.returncode
        how = f"with signal {-status}" if status < 0 else f"with status {status}"
        raise _refused(path, done.stdout, f"ends the process {how}", done.stderr)
    return end == trial.DONE


def _refused(path: str, steps: bytes | None, how: str, said: bytes) -> MXNetError:
    """The error for a library whose trial did not come to its end.

    Parameters
    ----------
    steps : what the trial has written
    how : what became of it
    said : what the library has written
    """
    *_, step = (steps or b"").decode(errors="replace").split("\n")[:-1] or ["starting a process"]
    lines = said.decode(errors="replace").strip().splitlines()
    return MXNetError(
        describe(
            f"Error loading library: '{path}'",
            facts=[f"{step} {how}", *lines[-_LAST_LINES:]],
            hint="look at what its REGISTER_… statements and static objects do, and compile it with the header "
            "in libinfo.find_include_path()",
        )
    )
