"""Modules that ``import gluonic`` leaves for later are imported on first use."""

import subprocess
import sys
from pathlib import Path

import pytest

import gluonic
from gluonic import gluon
from gluonic.graph.operator import REGISTRY

LATER = [
    "networkx", "scipy", "llvmlite", "tqdm", "multiprocessing", "gluonic.codegen.compiled",
    "gluonic.extension", "gluonic.optimizer", "gluonic.kvstore", "gluonic.test_utils",
    "gluonic.gluon.data", "gluonic.gluon.model_zoo", "gluonic.gluon.contrib", "gluonic.gluon.rnn",
    "gluonic.gluon.trainer", "gluonic.drawing.picture",
]  # fmt: skip


def test_importing_gluonic_does_not_import_what_many_programs_do_not_need() -> None:
    program = f"import gluonic, sys; print(*sorted(sys.modules.keys() & set({LATER!r})))"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == []


def test_importing_starts_no_thread() -> None:
    program = "import gluonic, threading; print(threading.active_count())"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "1"


@pytest.mark.parametrize("name", gluon.__all__)
def test_everything_that_gluon_offers_is_there(name: str) -> None:
    assert getattr(gluon, name) is not None
    assert name in dir(gluon)


@pytest.mark.parametrize("name", sorted({*gluonic.__all__, "metric", "io", "mod", "kv", "npx"}))
def test_everything_that_the_package_offers_is_there(name: str) -> None:
    assert getattr(gluonic, name) is not None
    assert name in dir(gluonic)


def test_a_missing_name_raises_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"gluonic\.gluon has no 'nothing'"):
        gluon.nothing  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.parametrize("room", ["ndarray", "symbol"])
def test_no_module_takes_the_name_of_an_operator(room: str) -> None:
    """Importing it would put the module where the operator was."""
    modules = {file.stem for file in (Path(gluonic.__file__).parent / room).glob("*.py")}
    assert not modules & set(REGISTRY)


def test_everything_of_nd_that_is_imported_at_once_has_only_mxnets_modules() -> None:
    program = """if True:
        import gluonic.ndarray.device, gluonic.ndarray.utils  # they would hide what is called so
        from gluonic.ndarray import *
        import types
        print(*sorted(n for n, v in vars().items() if isinstance(v, types.ModuleType) and n[0] != "_"))
    """
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    mxnets = ["contrib", "image", "linalg", "numpy", "numpy_extension", "random", "sparse"]
    assert found.stdout.split() == sorted([*mxnets, "gluonic", "types"])
