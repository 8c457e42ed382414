"""Names that both MXNet 1.x and 2.0 have, with other meanings: a test for each."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import gluonic as one
import gluonic.mxnet2 as two
from gluonic.graph.array_semantics import Semantics
from gluonic.graph.errors import MissingModuleError, MissingNameError

ROWS: dict[str, Callable[[Any], Any]] = {
    "collect_params names parameters by place": lambda mx: next(iter(_dense(mx).collect_params()))[
        :2
    ],
    "a Parameter needs no name": lambda mx: len(_required(mx.gluon.Parameter.__init__)),
    "a Constant needs no name": lambda mx: len(_required(mx.gluon.Constant.__init__)),
    "F1 counts all updates together": lambda mx: _metrics(mx).F1().average,
    "float32 is a dtype": lambda mx: isinstance(mx.np.float32, numpy.dtype),
    "NumPy's defaults can be asked for": lambda mx: hasattr(mx.util, "np_default_dtype"),
    "the version": lambda mx: getattr(mx, "__version__", "")[:2],
}


def _dense(mx: Any) -> Any:
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(2, in_units=3))
    return net


def _required(function: Any) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [
        p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ][1:]


def _metrics(mx: Any) -> Any:
    return mx.gluon.metric if mx is two else mx.metric


@pytest.mark.parametrize("meaning", ROWS)
def test_a_name_means_something_else_in_each_version(meaning: str) -> None:
    with Semantics(array=False, shape=False):
        of_one = ROWS[meaning](one)
    assert of_one != ROWS[meaning](two)


def test_float64_as_the_default_is_refused_by_name() -> None:
    for switch in (
        lambda: two.npx.set_np(dtype=True),
        lambda: two.util.np_default_dtype().__enter__(),
        lambda: two.util.use_np_default_dtype(len),
    ):
        with pytest.raises(NotImplementedError, match="float64 by default"):
            switch()


@pytest.mark.parametrize("name", ["metric", "mod", "module", "rnn", "monitor"])
def test_names_that_mxnet_2_lacks_say_what_replaces_them(name: str) -> None:
    assert not hasattr(two, name)
    with pytest.raises(MissingNameError, match=f"mx.{name} is not in MXNet 2.0: use "):
        getattr(two, name)
    with pytest.raises(MissingModuleError, match=r"is not in MXNet 2\.0"):
        __import__(f"gluonic.mxnet2.{name}")


def test_a_program_is_served_the_version_that_is_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import mxnet as mx\n"
        "from mxnet.gluon.nn import Dense\n"
        "import mxnet.io\n"
        "device = mx.np.ones(2, device=mx.cpu()).device\n"
        "print(mx.__version__, device, mx.util.is_np_array(), hasattr(mx, 'mod'))\n"
    )
    command = [sys.executable, "-m", "gluonic", "--mxnet", "2", str(script)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["2.0.0", "cpu(0)", "True", "False"], ran.stderr
