"""Every name that MXNet 1.9.1's modules have is there, or refused by an error that names it."""

import importlib
import importlib.util
import inspect
from types import ModuleType
from typing import Any

import pytest

import gluonic
from gluonic.graph.errors import MissingModuleError, MissingNameError, NotThereError
from gluonic.mxnet_names.imported import imports_of
from gluonic.mxnet_names.lookup import public_names
from gluonic.mxnet_names.missing import MISSING
from gluonic.mxnet_names.modules import PARTS, SAME
from tests.face.missing_page import PAGE, page
from tests.measured.measure import read

SURFACE = read("surface")
MODULES = [name for name in SURFACE if name]
NOT_INSTALLED = {"requests", "h5py"}
# Members of classes that gluonic has under another name.
LACKING = {
    "BaseModule": "data_names data_shapes get_input_grads get_states label_shapes output_names output_shapes "
    "set_states",
    "DataParallelExecutorGroup": "backward bind_exec decide_slices forward get_input_grads get_output_shapes "
    "get_outputs get_states install_monitor reshape set_states update_metric",
    "CustomOpProp": "infer_storage_type_backward",
    "Optimizer": "set_lr_scale",
    "PearsonCorrelation": "reset_micro update_cov update_variance",
    "PrefetchingIter": "provide_data provide_label",
    "SequentialRNNCell": "hybrid_forward",
    "SymbolBlock": "reset_ctx",
}


def module_of(name: str) -> ModuleType | None:
    """A module, None if it is refused."""
    try:
        return importlib.import_module(f"gluonic.{name}" if name else "gluonic")
    except MissingModuleError:
        return None


def refused(module: ModuleType, name: str) -> bool:
    """Whether a module reports that it lacks a name; a plain AttributeError is a failure."""
    try:
        getattr(module, name)
    except MissingNameError:
        return True
    return False


@pytest.mark.filterwarnings("ignore:.*current is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", SURFACE)
def test_every_name_of_a_module_is_there_or_refused(name: str) -> None:
    module, offered = module_of(name), SURFACE[name]
    if module is None:
        pytest.skip("the module is refused by name")
    names = {*offered["classes"], *offered["others"].split(), *offered["taken"]}
    installed = {n for n in names if n not in NOT_INSTALLED or importlib.util.find_spec(n)}
    there = {n for n in installed if not refused(module, n)}
    for kind in there & offered["classes"].keys():
        found = getattr(module, kind)
        assert inspect.isclass(found), kind
        members = set(offered["classes"][kind].split()) - set(LACKING.get(kind, "").split())
        assert not {member for member in members if not hasattr(found, member)}, kind


@pytest.mark.parametrize("name", [n for n in MODULES if SURFACE[n]["star"] is None])
def test_star_imports_give_what_a_module_imports_where_mxnet_has_no_all(name: str) -> None:
    module = module_of(name)
    if module is None:
        pytest.skip("the module is refused by name")
    if hasattr(importlib.import_module("gluonic"), name) and not imports_of(name):
        pytest.skip("the module imports nothing")
    given: dict[str, Any] = {}
    exec(f"from gluonic.{name} import *", given)
    taken = {n for n in SURFACE[name]["taken"] if n in imports_of(name) and n not in NOT_INSTALLED}
    assert {n for n in taken if not refused(module, n)} <= given.keys()


def test_star_imports_from_test_utils_give_what_programs_use() -> None:
    given: dict[str, Any] = {}
    exec("from gluonic.test_utils import *", given)
    assert given["mx"] is gluonic
    assert {
        "np",
        "os",
        "time",
        "json",
        "logging",
        "assert_almost_equal",
        "rand_ndarray",
    } <= given.keys()


@pytest.mark.parametrize("name", PARTS)
def test_a_module_offers_what_its_parts_define(name: str) -> None:
    module = importlib.import_module(f"gluonic.{name}")
    for part in PARTS[name]:
        if part.endswith(".*"):
            continue
        for public in public_names(importlib.import_module(f"gluonic.{part}")):
            assert hasattr(module, public), public
            assert public in dir(module)


@pytest.mark.parametrize("name", SAME)
def test_further_names_of_a_module_give_the_same_object(name: str) -> None:
    package, _, last = name.rpartition(".")
    found = importlib.import_module(f"gluonic.{name}")
    assert found is importlib.import_module(f"gluonic.{SAME[name]}")
    assert getattr(importlib.import_module(f"gluonic.{package}".rstrip(".")), last) is found


ROWS = [
    (module, name)
    for row in MISSING
    for module in row.modules.split()
    for name in row.names.split()
]
# another name of ndarray.contrib
ROWS += [("contrib.ndarray", name) for module, name in ROWS if module == "ndarray.contrib"]


@pytest.mark.parametrize(("module", "name"), ROWS)
def test_a_missing_name_raises_an_error_however_it_is_looked_up(module: str, name: str) -> None:
    dotted = f"{module}.{name.replace('*', 'anything')}"
    parent, _, last = dotted.rpartition(".")
    with pytest.raises(NotThereError, match=rf"mx\.{parent}.*is not there") as caught:
        importlib.import_module(f"gluonic.{dotted}")
    assert isinstance(caught.value, NotImplementedError)
    assert isinstance(caught.value, ImportError)
    with pytest.raises(NotThereError):
        exec(f"from gluonic.{parent} import {last}")
    holder = module_of(parent)
    if holder is None:
        package, _, leaf = parent.rpartition(".")
        holder, last = module_of(package), leaf
    while holder is None:
        package, _, last = package.rpartition(".")
        holder = module_of(package)
    assert not hasattr(holder, last)
    with pytest.raises(NotThereError, match="is not there"):
        getattr(holder, last)


def test_programs_that_probe_for_a_module_go_on() -> None:
    try:
        from gluonic import rtc as found  # type: ignore[attr-defined]
    except ImportError:
        found = None
    assert found is None
    assert getattr(gluonic, "rtc", None) is None
    assert not hasattr(gluonic.np, "fft")
    with pytest.raises(MissingNameError) as caught:
        _ = gluonic.rtc  # type: ignore[attr-defined]
    assert caught.value.obj is None  # so that Python does not look for names like it


def test_a_name_that_neither_library_has_raises_an_ordinary_error() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = gluonic.nothing  # type: ignore[attr-defined]
    assert not isinstance(caught.value, NotThereError)
    with pytest.raises(ModuleNotFoundError) as failed:
        importlib.import_module("gluonic.gluon.nothing")
    assert not isinstance(failed.value, NotThereError)


def test_the_page_of_missing_names_matches_the_table() -> None:
    assert PAGE.read_text() == page(), "python -m tests.face.missing_page"


# There for programs that import them and may never use them.
EMPTY = {"contrib.amp"}


@pytest.mark.parametrize("name", sorted({m for m, n in ROWS if n == "*"} - EMPTY))
def test_the_table_of_missing_modules_lists_no_module_that_exists(name: str) -> None:
    assert module_of(name) is None
