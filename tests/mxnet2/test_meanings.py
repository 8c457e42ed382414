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


MAKING: dict[str, Callable[[Any], Any]] = {
    "array": lambda np: np.array([1, 2]),
    "zeros": lambda np: np.zeros(2),
    "arange of integers": lambda np: np.arange(3),
    "arange": lambda np: np.arange(3.0),
    "mean of integers": lambda np: np.mean(np.array([1, 2], dtype="int64")),
    "quotient of integers": lambda np: np.true_divide(np.array([1, 2], dtype="int64"), 2),
    "uniform": lambda np: np.random.uniform(size=2),
    "chisquare": lambda np: np.random.chisquare(2, 4),
    "of a dtype": lambda np: np.ones(2, "float16"),
    "by keyword": lambda np: np.ones(2, dtype="float16"),
}
OTHERS = {"arange of integers": "int64", "of a dtype": "float16", "by keyword": "float16"}


@pytest.mark.parametrize("name", MAKING)
def test_new_arrays_are_float64_where_numpys_types_are_the_default(name: str) -> None:
    own = {**OTHERS, "arange of integers": "float32"}
    assert MAKING[name](two.np).dtype == own.get(name, "float32")
    with two.util.np_default_dtype():
        assert two.util.is_np_default_dtype()
        assert MAKING[name](two.np).dtype == OTHERS.get(name, "float64")
    assert not two.util.is_np_default_dtype()


def test_the_default_type_is_chosen_by_decorators_and_for_the_thread() -> None:
    ask = two.util.use_np_default_dtype(two.np.ones)
    assert ask(1).dtype == "float64"
    two.npx.set_np(dtype=True)
    try:
        assert two.np.eye(2).dtype == "float64"
    finally:
        two.util.set_np_default_dtype(False)


@pytest.mark.parametrize("dtype", ["int16", "uint16", "uint32", "uint64"])
def test_arrays_have_the_integers_that_only_mxnet_2_has(dtype: str, tmp_path: Path) -> None:
    values = numpy.array([[1, 2, 40_000], [0, 5, 7]]).astype(dtype)
    x = two.np.array(values, dtype=dtype)

    class Doubled(two.gluon.HybridBlock):
        def forward(self, x: Any) -> Any:
            return (x + x).sum(axis=0)

    net = Doubled()
    net.hybridize()
    for _ in range(3):
        assert net(x).asnumpy().tolist() == (values + values).sum(axis=0, dtype=dtype).tolist()
    two.nd.save(str(tmp_path / "x.params"), {"x": x.as_nd_ndarray()})
    assert two.nd.load(str(tmp_path / "x.params"))["x"].asnumpy().tolist() == values.tolist()
    code = two.nd.dtype_np_to_mx(dtype)
    assert two.nd.dtype_mx_to_np(code) is values.dtype.type


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


SERVED = """
import importlib, pickle
import mxnet as mx
import numpy
import mxnet.ndarray.numpy._internal
from mxnet.test_utils import *
from mxnet import gluon, np
x = np.ones((2, 2))
kinds = [gluon.nn.Dense, gluon.nn.Conv2D, gluon.nn.GELU, gluon.Parameter, gluon.HybridBlock, gluon.rnn.LSTM,
         gluon.rnn.GRUCell, gluon.Trainer, gluon.metric.F1, gluon.metric.Accuracy, gluon.loss.TripletLoss,
         gluon.probability.HalfCauchy, mx.optimizer.AdamW, mx.optimizer.Optimizer, mx.init.Xavier, np.ndarray]
for kind in kinds:
    print(f"{kind.__module__}.{kind.__qualname__}")
    assert getattr(importlib.import_module(kind.__module__), kind.__name__) is kind
for value in (gluon.nn.Dense(2), mx.optimizer.AdamW(), gluon.metric.F1(), x, gluon.Parameter("w", shape=(2,))):
    assert type(pickle.loads(pickle.dumps(value))) is type(value)
assert (x + numpy.array([1.0, 2.0])).tolist() == [[2, 3], [2, 3]]
sums = numpy.zeros((2, 2))
sums += x
assert sums.tolist() == [[1, 1], [1, 1]]
assert (x == np.array([1, 2], dtype="int64")).tolist() == [[True, False], [True, False]]
assert default_device() == mx.cpu()
assert mx.npx.cond(True, lambda x: x + 1, lambda x: x, [x]).tolist() == [[2, 2], [2, 2]]
"""
NAMES = """
mxnet.gluon.nn.basic_layers.Dense mxnet.gluon.nn.conv_layers.Conv2D mxnet.gluon.nn.activations.GELU
mxnet.gluon.parameter.Parameter mxnet.gluon.block.HybridBlock mxnet.gluon.rnn.rnn_layer.LSTM
mxnet.gluon.rnn.rnn_cell.GRUCell mxnet.gluon.trainer.Trainer mxnet.gluon.metric.F1 mxnet.gluon.metric.Accuracy
mxnet.gluon.loss.TripletLoss mxnet.gluon.probability.distributions.half_cauchy.HalfCauchy
mxnet.optimizer.adamW.AdamW mxnet.optimizer.optimizer.Optimizer mxnet.initializer.Xavier mxnet.numpy.ndarray
"""


def test_served_classes_report_names_of_mxnet_2_and_operands_mix(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SERVED)
    command = [sys.executable, "-m", "gluonic", "--mxnet", "2", str(script)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == NAMES.split(), ran.stderr
