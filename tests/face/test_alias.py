"""``import mxnet`` after `install_as_mxnet`: one module object, whichever name it is reached by."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import gluonic

ROOT = Path(gluonic.__file__).parent.parent


def run(program: str, *arguments: str, path: Path | None = None, fails: bool = False) -> str:
    """What a program prints, in a separate Python process; or its error message."""
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        env=None if path is None else {**os.environ, "PYTHONPATH": f"{path}:{ROOT}"},
        check=False,
    )
    assert (found.returncode != 0) == fails, found.stderr
    return found.stderr if fails else found.stdout


FORMS = [
    "import mxnet as m; g = gluonic",
    "import mxnet.ndarray as m; g = gluonic.nd",
    "from mxnet import nd as m; g = gluonic.ndarray",
    "from mxnet import gluon as m; g = gluonic.gluon",
    "from mxnet.gluon import nn as m; g = gluonic.gluon.nn",
    "from mxnet.gluon.nn import Dense as m; g = gluonic.gluon.nn.Dense",
    "import mxnet.gluon.nn as m; g = gluonic.gluon.nn",
    "import mxnet; m = mxnet.gluon.nn; g = gluonic.gluon.nn",
    "from mxnet import autograd as m; g = gluonic.autograd",
    "import mxnet.symbol as m; g = gluonic.sym",
    "from mxnet.base import MXNetError as m; g = gluonic.MXNetError",
    "import mxnet.optimizer as m; g = gluonic.optimizer",
    "from mxnet import lr_scheduler as m; g = gluonic.lr_scheduler",
    "import mxnet.gluon.data.vision.transforms as m; g = gluonic.gluon.data.vision.transforms",
    "import importlib; m = importlib.import_module('mxnet.metric'); g = gluonic.metric",
    "from mxnet.gluon.model_zoo import vision as m; g = gluonic.gluon.model_zoo.vision",
    "import mxnet.optimizer.optimizer as m; g = gluonic.optimizer.optimizer",
    "from mxnet.optimizer import optimizer as m; import gluonic.optimizer.optimizer as g",
    "import importlib; m = importlib.import_module('mxnet.io.io'); g = gluonic.io.io",
    "from mxnet.kvstore import base as m; g = importlib.import_module('gluonic.kvstore.base')",
    "import mxnet.ndarray.ndarray as m; g = gluonic.nd.ndarray",
    "import mxnet.executor as m; g = gluonic.executor",
    "import mxnet.contrib.ndarray as m; g = gluonic.contrib.nd",
    "from mxnet.contrib.amp import amp as m; g = gluonic.contrib.amp",
]


@pytest.mark.parametrize("order", ["alias first", "gluonic first"])
def test_every_form_of_import_gives_the_module_of_gluonic(order: str) -> None:
    lines = ["import sys, gluonic", "gluonic.install_as_mxnet()"]
    for form in FORMS:
        theirs, ours = form.rsplit("; ", 1)
        lines += [theirs, ours] if order == "alias first" else [ours, theirs]
        lines += [f"assert m is g, {form!r}"]
    lines += [
        "alias = {n: m for n, m in sys.modules.items() if n.split('.')[0] == 'mxnet'}",
        "assert len(alias) > 10",
        "for name, module in alias.items():",
        "    real = 'gluonic' + name[5:]",
        "    assert module is sys.modules[real], name",
        "    assert sys.modules[module.__name__] is module, name",
        "    assert module.__name__.startswith('mxnet'), name",
    ]
    run("\n".join(lines))


def test_pickles_name_classes_of_gluonic_and_instances_are_instances() -> None:
    run(
        """
        import pickle, gluonic
        gluonic.install_as_mxnet()
        import mxnet as mx, mxnet.ndarray.ndarray
        x = mx.nd.array([1, 2])
        assert isinstance(x, gluonic.nd.NDArray) and isinstance(x, mx.ndarray.ndarray.NDArray)
        assert type(x).__module__ == "mxnet.ndarray.ndarray"
        assert b"mxnet" not in pickle.dumps(x)
        assert pickle.loads(pickle.dumps(x)).asnumpy().tolist() == [1, 2]
        """
    )


def test_installing_again_is_harmless_and_reloading_works() -> None:
    run(
        """
        import gluonic, importlib
        gluonic.install_as_mxnet(); gluonic.install_as_mxnet()
        import mxnet.gluon.utils as utils
        assert importlib.reload(utils) is utils
        import mxnet
        assert mxnet is gluonic
        """
    )


def test_the_version_that_libraries_ask_for_is_that_of_mxnet() -> None:
    run(
        """
        import gluonic, gluonic.libinfo as before
        gluonic.install_as_mxnet()
        import mxnet, mxnet.base, mxnet.libinfo
        versions = {m.__version__ for m in (mxnet, mxnet.base, mxnet.libinfo, before)}
        assert versions == {"1.9.1"}, versions
        """
    )


def test_a_missing_module_is_named() -> None:
    found = run(
        "import gluonic; gluonic.install_as_mxnet(); import mxnet.gluon.nothing.at_all", fails=True
    )
    assert "ModuleNotFoundError: gluonic has no module 'gluon.nothing" in found
    assert "asked for as 'mxnet.gluon.nothing" in found
    found = run("import gluonic; gluonic.install_as_mxnet(); from mxnet import nothing", fails=True)
    assert "ImportError: cannot import name 'nothing' from 'mxnet'" in found


def test_an_error_within_a_module_is_not_mistaken_for_its_absence(tmp_path: Path) -> None:
    found = run(
        """
        import sys, types, gluonic
        from importlib.abc import MetaPathFinder
        gluonic.install_as_mxnet()
        class Missing(MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name == "gluonic.metric":
                    import a_library_that_nobody_has
        sys.meta_path.insert(0, Missing())
        import mxnet.metric
        """,
        fails=True,
    )
    assert "No module named 'a_library_that_nobody_has'" in found


@pytest.fixture
def real_mxnet(tmp_path: Path) -> Path:
    (tmp_path / "mxnet").mkdir()
    (tmp_path / "mxnet" / "__init__.py").write_text("from mxnet import ndarray\nreal = True\n")
    (tmp_path / "mxnet" / "ndarray.py").write_text("")
    return tmp_path


def test_the_real_mxnet_is_not_replaced_once_it_is_imported(real_mxnet: Path) -> None:
    found = run(
        "import mxnet, gluonic\nassert mxnet.real\ngluonic.install_as_mxnet()",
        path=real_mxnet,
        fails=True,
    )
    assert "ImportError: the real mxnet is imported already, from" in found
    assert str(real_mxnet / "mxnet" / "__init__.py") in found
    assert "before anything imports it" in found


def test_the_real_mxnet_may_be_installed_as_long_as_it_is_not_imported(real_mxnet: Path) -> None:
    run(
        """
        import gluonic
        gluonic.install_as_mxnet()
        import mxnet.ndarray, mxnet
        assert mxnet is gluonic and not hasattr(mxnet, "real")
        assert mxnet.ndarray is gluonic.nd
        """,
        path=real_mxnet,
    )


def test_gluonic_alone_leaves_the_name_to_the_real_mxnet(real_mxnet: Path) -> None:
    run("import gluonic, mxnet; assert mxnet.real", path=real_mxnet)
