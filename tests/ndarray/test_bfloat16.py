"""Arrays of bfloat16: stored in two bytes, computed in float32."""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.contrib.amp import switching
from gluonic.graph.errors import NotThereError
from tests.measured import bfloats
from tests.measured.measure import agrees, numbers, read

ml_dtypes = pytest.importorskip("ml_dtypes")
MEASURED = read("bfloats")


@pytest.fixture(autouse=True)
def _plain_precision() -> Iterator[None]:
    yield
    switching.end()


@pytest.mark.parametrize("case", bfloats.CASES)
def test_bfloat16_computes_what_mxnet_does(case: str) -> None:
    assert agrees(numbers(bfloats.run(mx, case)), MEASURED[case], 0.01), case


@pytest.mark.parametrize(
    "kind", ["bfloat16", 12, bfloats.KIND, ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)]
)
def test_it_has_all_its_names(kind: Any) -> None:
    array = nd.array([1, 2.5, -3.14159], dtype=kind)
    assert array.dtype == mx.contrib.amp.bfloat16
    assert array.asnumpy().itemsize == 2
    assert nd.zeros((2,), dtype=kind).dtype == array.dtype
    assert array.astype("float32").asnumpy().tolist() == [1, 2.5, -3.140625]


def test_numpy_reads_it() -> None:
    array = nd.array([1, 2.5], dtype="bfloat16")
    assert np.array(array).astype(float).tolist() == [1, 2.5]
    array[:] = 3.3
    array[0] = nd.array([0.1])
    assert np.asarray(array, np.float32).tolist() == [0.10009765625, 3.296875]


def test_files_are_those_of_mxnet(tmp_path: Path) -> None:
    path = tmp_path / "a.params"
    nd.save(str(path), [nd.array([[1, 2.5]], dtype="bfloat16")])
    elements = struct.pack("<HH", 0x3F80, 0x4020)
    assert struct.pack("<i", 12) + elements in path.read_bytes()
    (again,) = nd.load(str(path))
    assert again.dtype == ml_dtypes.bfloat16
    assert again.astype("float32").asnumpy().tolist() == [[1, 2.5]]


def test_a_graph_of_bfloat16_is_interpreted_and_gives_the_same() -> None:
    def made(kind: str) -> Any:
        mx.random.seed(1)
        net = gluon.nn.HybridSequential()
        net.add(gluon.nn.Conv2D(4, 3), gluon.nn.BatchNorm(), gluon.nn.Dense(3))
        net.initialize(mx.init.Xavier())
        net(data)
        net.cast(kind)
        return net

    data = nd.random.uniform(shape=(2, 3, 8, 8))
    plain, net = made("float32"), made("bfloat16")
    results = {}
    for name, each, kind in (
        ("plain", plain, "float32"),
        ("eager", net, "bfloat16"),
        ("hybrid", net, "bfloat16"),
    ):
        if name == "hybrid":
            each.hybridize()
        settings = {"learning_rate": 0.0, "multi_precision": True}
        trainer = gluon.Trainer(each.collect_params(), "sgd", settings)
        with autograd.record():
            output = each(data.astype(kind))
        output.backward()
        trainer.step(1)
        assert output.dtype == each[0].weight.grad().dtype
        results[name] = [output.astype("float32"), each[0].weight.grad().astype("float32")]
    for ours, theirs in zip(results["eager"], results["hybrid"], strict=True):
        assert np.array_equal(ours.asnumpy(), theirs.asnumpy())
    for ours, theirs in zip(results["eager"], results["plain"], strict=True):
        scale = np.abs(theirs.asnumpy()).max()
        assert np.abs(ours.asnumpy() - theirs.asnumpy()).max() < 0.05 * scale


@pytest.mark.filterwarnings("ignore:Summing up updates in bfloat16")
def test_steps_are_computed_in_float32_and_copies_keep_small_ones() -> None:
    for name, settings, steps, expected in (
        ("sgd", {"learning_rate": 1e-3, "multi_precision": True}, 100, 0.9),
        ("sgd", {"learning_rate": 1e-3}, 100, 1.0),  # 1 - 0.001 is rounded to 1
        ("adam", {"learning_rate": 0.5, "epsilon": 1e-8}, 1, 0.5),
    ):
        update = mx.optimizer.get_updater(mx.optimizer.create(name, **settings))
        weight, grad = nd.ones((3,), dtype="bfloat16"), nd.ones((3,), dtype="bfloat16")
        for _ in range(steps):
            update(0, grad, weight)
        np.testing.assert_allclose(weight.astype("float32").asnumpy(), expected, rtol=4e-3)


def test_symbols_know_it() -> None:
    net = sym.FullyConnected(sym.var("data", dtype="bfloat16"), num_hidden=2, name="fc")
    assert net.infer_type()[1] == [ml_dtypes.bfloat16]
    assert sym.load_json(net.tojson()).infer_type()[1] == [ml_dtypes.bfloat16]


def test_a_model_is_converted_to_it() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    weights = {"fc_weight": nd.ones((3, 4)), "fc_bias": nd.zeros(3)}
    converted, args, _ = mx.contrib.amp.convert_model(
        net, weights, {}, target_dtype="bfloat16", cast_optional_params=True
    )
    assert {value.dtype for value in args.values()} == {ml_dtypes.bfloat16}
    assert converted.eval(data=nd.ones((2, 4)), **args)[0].asnumpy().tolist() == [[4] * 3] * 2


def test_without_ml_dtypes_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from gluonic.graph import dtypes

    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    monkeypatch.setattr(dtypes, "CODES", {**dtypes.CODES})
    dtypes.CODES.pop(12, None)
    with pytest.raises(NotThereError, match="pip install ml_dtypes"):
        dtypes.bfloat16()
