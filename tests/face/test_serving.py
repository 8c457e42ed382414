"""Where gluonic is served as mxnet, modules and classes answer as MXNet's; pickles go to and fro."""

from pathlib import Path

import pytest

from tests.face.served import run


def test_modules_and_classes_report_mxnet_as_their_module() -> None:
    run(
        """
        import inspect, sys
        from mxnet import autograd, gluon, nd
        assert (mx.__name__, nd.__name__, mx.sym.__name__) == ("mxnet", "mxnet.ndarray", "mxnet.symbol")
        seen = []
        class Asking(gluon.HybridBlock):
            def hybrid_forward(self, F, x):
                seen.append(F.__name__)
                return F.relu(x)
        net = Asking()
        net(nd.ones(1)); net.hybridize(); net(nd.ones(1))
        assert seen == ["mxnet.ndarray", "mxnet.symbol"], seen
        assert repr(nd.NDArray) == "<class 'mxnet.ndarray.ndarray.NDArray'>"
        assert type(mx.init.Xavier()).__module__ == "mxnet.initializer"
        assert mx.MXNetError.__module__ == "mxnet.base"
        assert sys.modules[gluon.nn.Dense.__module__].Dense is gluon.nn.Dense
        assert inspect.getmodule(gluon.nn.Dense) is gluon.nn.basic_layers
        assert inspect.getsource(gluon.nn.Dense).startswith("class Dense(")
        assert inspect.getsource(nd.NDArray.asnumpy).strip().startswith("def asnumpy")
        """
    )


def test_classes_report_the_module_in_which_mxnet_defines_them() -> None:
    run(
        """
        import importlib, warnings
        from tests.measured.measure import read
        warnings.simplefilter("ignore")
        surface = read("surface")
        seen = 0
        for name, offered in surface.items():
            if not name or any(other.startswith(name + ".") for other in surface):
                continue  # packages have classes from the modules below them
            try:
                module = importlib.import_module(f"mxnet.{name}")
            except NotImplementedError:
                continue
            for kind in offered["classes"]:
                found = getattr(module, kind, None)
                if found is not None and kind != "mx_float_p":
                    assert found.__module__ == f"mxnet.{name}", (name, kind, found)
                    seen += 1
        assert seen > 200, seen
        """
    )


def test_every_class_can_be_imported_by_its_reported_name() -> None:
    run(
        """
        import importlib, pickle, pkgutil, warnings
        from gluonic.mxnet_names.serving import MADE_IN
        warnings.simplefilter("ignore")
        for info in pkgutil.walk_packages(gluonic.__path__, "gluonic."):
            if "__main__" not in info.name:
                importlib.import_module(info.name)
        assert len(MADE_IN) > 300
        for kind in MADE_IN:
            assert pickle.loads(pickle.dumps(kind)) is kind
        """
    )


def test_pickles_of_mxnet_load_and_go_on() -> None:
    run(
        """
        import warnings
        from tests.measured import pickles
        from tests.measured.measure import agrees, numbers, read
        warnings.simplefilter("ignore")
        for name, (pickled, expected) in read("pickles").items():
            found = numbers(pickles.answers(mx, name, pickled))
            assert agrees(found, expected, 1e-4), (name, found, expected)
        """
    )


PICKLED = """
    import pickle, sys, warnings
    from tests.measured import pickles
    warnings.simplefilter("ignore")
    mx.random.seed(0)
    objects = {n: make(mx) for n, (make, _) in pickles.OBJECTS.items() if n != "classes"}
    objects["error"] = mx.MXNetError("a message")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        written = pickle.dumps(objects, protocol)
        assert b"mxnet." not in written.replace(b"mxnet.mxnet_names", b""), written
    open(sys.argv[1], "wb").write(written)
"""
LOADED = """
    import pickle, sys, warnings
    from tests.measured import pickles
    from tests.measured.measure import agrees, numbers
    warnings.simplefilter("ignore")
    objects = pickle.load(open(sys.argv[1], "rb"))
    assert objects.pop("error").args == ("a message",)
    for name, found in objects.items():
        mx.random.seed(0)
        make, answer = pickles.OBJECTS[name]
        assert agrees(numbers(answer(mx, found)), numbers(answer(mx, make(mx)))), name
"""


@pytest.mark.parametrize("writer", [True, False], ids=["written served", "written unserved"])
@pytest.mark.parametrize("reader", [True, False], ids=["read served", "read unserved"])
def test_pickles_can_be_read_wherever_gluonic_is_installed(
    tmp_path: Path, writer: bool, reader: bool
) -> None:
    file = str(tmp_path / "objects")
    run(PICKLED, file, served=writer)
    run(LOADED, file, served=reader)


SAVED_STATES = """
    import sys
    from pathlib import Path
    for name in sorted(mx.optimizer.Optimizer.opt_registry):
        updater = mx.optimizer.get_updater(mx.optimizer.create(name))
        updater.optimizer.lr_scheduler = mx.lr_scheduler.PolyScheduler(10)
        updater(0, mx.nd.ones((2, 1)), mx.nd.ones((2, 1)))
        Path(sys.argv[1], name).write_bytes(updater.get_states(dump_optimizer=True))
"""
LOADED_STATES = """
    import sys
    from pathlib import Path
    files = sorted(Path(sys.argv[1]).iterdir())
    assert len(files) > 15
    for file in files:
        updater = mx.optimizer.get_updater(mx.optimizer.create("test"))
        updater.set_states(file.read_bytes())
        assert type(updater.optimizer).__name__.lower() == file.name
        assert updater.optimizer.num_update == 1
        assert type(updater.optimizer.lr_scheduler) is mx.lr_scheduler.PolyScheduler
        updater(0, mx.nd.ones((2, 1)), mx.nd.ones((2, 1)))
"""


@pytest.mark.parametrize("writer", [True, False], ids=["written served", "written unserved"])
@pytest.mark.parametrize("reader", [True, False], ids=["read served", "read unserved"])
def test_states_of_every_optimizer_can_be_read_wherever_gluonic_is_installed(
    tmp_path: Path, writer: bool, reader: bool
) -> None:
    run(SAVED_STATES, str(tmp_path), served=writer)
    run(LOADED_STATES, str(tmp_path), served=reader)


def test_copies_of_what_is_served_are_of_the_same_class() -> None:
    run(
        """
        import copy
        for make in (mx.optimizer.Adam, mx.init.Xavier, mx.metric.F1, mx.cpu, mx.gluon.data.SimpleDataset):
            value = make([1]) if make is mx.gluon.data.SimpleDataset else make()
            for made in (copy.copy(value), copy.deepcopy(value)):
                assert type(made) is type(value)
        """
    )


def test_importing_leaves_modules_imported_that_programs_use_without_importing_them() -> None:
    run("import multiprocessing, urllib\nmultiprocessing.pool.ThreadPool\nurllib.request.urlopen")


def test_a_module_is_executed_once() -> None:
    run(
        """
        import gluonic.callback as ours
        import mxnet.callback as theirs
        import mxnet.monitor as first
        import gluonic.monitor as second
        assert ours is theirs and first is second
        """
    )
