"""`mx.base`, `mx.context`, `mx.engine`, `mx.libinfo`, `mx.util` and the steps of ``nd.contrib``."""

import platform
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic import base, engine, libinfo, nd, util
from gluonic.codegen.machine import target


def test_contexts_compare_and_print() -> None:
    assert mx.cpu() == mx.Context("cpu", 0) == mx.Context(mx.cpu())
    assert mx.cpu(1) != mx.cpu()
    assert len({mx.cpu(), mx.cpu(0), mx.gpu()}) == 2
    assert repr(mx.gpu(3)) == "gpu(3)"
    assert mx.context.num_gpus() == 0
    with pytest.raises(mx.MXNetError, match="abacus"):
        mx.Context("abacus")
    with pytest.raises(mx.MXNetError, match="there is no such GPU"):
        mx.context.gpu_memory_info()


def test_the_default_context_is_a_threads_own() -> None:
    seen = []
    mx.Context.default_ctx = mx.cpu(5)
    try:
        thread = threading.Thread(target=lambda: seen.append(mx.Context.default_ctx))
        thread.start()
        thread.join()
        assert mx.current_context() == mx.cpu(5)
        assert nd.zeros((1,)).context == mx.cpu(5)
    finally:
        mx.Context.default_ctx = mx.cpu()
    assert seen == [mx.cpu()]


def test_bulk_sizes_nest() -> None:
    before = engine.set_bulk_size(3)
    with engine.bulk(10):
        assert engine.set_bulk_size(10) == 10
    assert engine.set_bulk_size(before) == 3


def test_numpy_shapes_are_switched() -> None:
    with util.np_shape():
        assert util.is_np_shape()
    assert not util.is_np_shape()
    assert util.set_np_shape(True) is False
    util.reset_np()
    assert not util.is_np_shape()
    assert not util.is_np_array()


def test_scopes_without_mx_np_change_nothing() -> None:
    with util.np_array(False):
        assert not util.is_np_array()
    util.set_np(shape=True, array=False)
    assert util.is_np_shape()
    util.set_np(shape=False, array=False)
    assert not util.is_np_shape()


def test_environment_variables_are_set_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLUONIC_TEST", "1")
    util.setenv("GLUONIC_TEST", "2")
    assert util.getenv("GLUONIC_TEST") == "2"
    util.setenv("GLUONIC_TEST", None)
    assert util.getenv("GLUONIC_TEST") is None


def test_the_folder_for_data_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MXNET_HOME", raising=False)
    assert base.data_dir() == str(Path.home() / ".mxnet")
    monkeypatch.setenv("MXNET_HOME", "/elsewhere")
    assert base.data_dir() == "/elsewhere"


def test_groups_of_types() -> None:
    assert isinstance(np.float64(1), base.numeric_types)
    assert isinstance(np.int64(1), base.integer_types)
    assert base.py_str(b"\xc3\xa9") == "é"
    assert issubclass(base.NotImplementedForSymbol, mx.MXNetError)
    assert not base._Null


def test_there_is_no_native_library() -> None:
    assert libinfo.__version__ == mx.__version__
    with pytest.raises(NotImplementedError):
        libinfo.find_lib_path()


def test_steps_of_many_tensors_are_the_steps_of_each() -> None:
    def tensors(value: float) -> list[nd.NDArray]:
        return [nd.full((2,), value), nd.full((3,), 2 * value)]

    single = tensors(1.0), tensors(0.5), tensors(0.0), tensors(0.0)
    for w, g, m, v in zip(*single, strict=True):
        nd.contrib.adamw_update(w, g, m, v, 1.0, lr=0.1, eta=0.5, wd=0.01, out=w)
    many = tensors(1.0), tensors(0.5), tensors(0.0), tensors(0.0)
    rates = [0.1, 0.1], [0.01, 0.01], [0.5, 0.5]
    nd.contrib.multi_adamw_update(*many, 1.0, *rates, out=many[0])
    for one, other in zip(single, many, strict=True):
        for x, y in zip(one, other, strict=True):
            np.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=1e-6)
    assert many[0][0].asnumpy()[0] < 1
    with pytest.raises(ValueError, match="zip"):
        nd.contrib.multi_lamb_update(*many[:3], [], [1, 1], [0.1] * 2, [0.0] * 2, out=many[0])


def test_features_are_those_of_this_machine() -> None:
    features = mx.runtime.Features()
    assert features is mx.runtime.Features() is mx.runtime.Features.instance
    for name in ("PROFILER", "LAPACK", "INT64_TENSOR_SIZE"):
        assert features.is_enabled(name.lower())
    for name in ("CUDA", "TVM_OP", "MKLDNN"):
        assert not features.is_enabled(name)
    assert features.is_enabled("DIST_KVSTORE") == (find_spec("mpi4py") is not None)
    assert features.is_enabled("F16C") == target.host().has_half or platform.machine() != "x86_64"
    assert features.is_enabled("CPU_AVX2") == ("avx2" in target.host().simd)
    assert [repr(f) for f in mx.runtime.feature_list()] == [repr(f) for f in features.values()]
    with pytest.raises(RuntimeError, match="no feature"):
        features.is_enabled("warp drive")
