"""What holds for all tests, and for the examples in docstrings."""

import gc
import itertools
import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

import tests  # noqa: F401 (sets what holds for the examples in docstrings too)
from gluonic.codegen.machine import workers as workers_module
from gluonic.codegen.machine.workers_code import MOST_THREADS
from gluonic.ndarray import Context
from gluonic.support.cpu_count import available_processors
from gluonic.symbol import AttrScope, NameManager

collect_ignore = [] if find_spec("libcst") else ["gluonic/tools/modernizing"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let one of the cases that a test runs be chosen."""
    parser.addoption("--case", help="run only the cases of this name; see tests/cases.py")
    parser.addoption(
        "--thorough", action="store_true", help="try every sample of an operator in all its dtypes"
    )
    parser.addoption("--context", default="cpu", help="the default context: cpu, or gpu for gpu(0)")


def pytest_collection_finish() -> None:
    """Let the garbage collector not go through millions of objects that stay, again and again."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logfinish() -> None:
    """Nor through what hundreds of tests leave in caches: tests that collect would take seconds."""
    if next(_finished_tests) % _TESTS_BETWEEN_COLLECTIONS == 0:
        gc.collect()
        gc.freeze()


_finished_tests = itertools.count(1)
_TESTS_BETWEEN_COLLECTIONS = 200


@pytest.fixture(autouse=True)
def fresh_names_and_attributes() -> Iterator[None]:
    """Let names such as ``tanh0``, and attributes, not depend on what ran before in the process."""
    with NameManager(), AttrScope():
        yield


@pytest.fixture(autouse=True)
def examples_leave_no_files(request: pytest.FixtureRequest) -> None:
    """Let the examples in docstrings write their files into a folder that goes."""
    if isinstance(request.node, pytest.DoctestItem):
        folder = request.getfixturevalue("tmp_path_factory").mktemp("example")
        request.getfixturevalue("monkeypatch").chdir(folder)


@pytest.fixture(autouse=True)
def default_context(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a test run on another context than the CPU, if `--context` says so."""
    if request.config.getoption("--context") == "gpu":
        request.getfixturevalue("gpu")
    with Context(request.config.getoption("--context"), 0):
        yield


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether every case is to be tried, where tests try some in turn otherwise."""
    return bool(pytestconfig.getoption("--thorough"))


@pytest.fixture
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first call of a graph compile it, in a test about compiled code; users' first calls do not."""
    monkeypatch.setenv("GLUONIC_EXECUTOR", "compile")


@pytest.fixture
def many_processors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let as many threads share steps as a test says, even if they have to take turns here."""
    monkeypatch.setattr(workers_module, "available_processors", lambda: MOST_THREADS)
    if os.name == "posix":
        workers_module.workers().allow(MOST_THREADS)
    yield
    if os.name == "posix":
        workers_module.workers().allow(available_processors())


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Context:
    """A GPU, which is emulated."""
    monkeypatch.setenv("GLUONIC_GPU", "emulated")
    return Context("gpu", 0)
