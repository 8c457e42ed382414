"""The names that libraries written for MXNet import, some of them private ones of MXNet."""

import importlib
import multiprocessing
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.contrib import amp
from gluonic.gluon import loss
from gluonic.gluon.data.dataloader import _as_in_context, default_mp_batchify_fn
from gluonic.gluon.data.pooled import PooledBatches, make_batch
from gluonic.gluon.model_zoo import model_store
from gluonic.gluon.utils import _get_repo_file_url, _get_repo_url
from gluonic.graph.namespaces import public_name_of
from gluonic.graph.operator import REGISTRY


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("gluon.block", "HybridBlock", gluon.HybridBlock),
        ("gluon.block", "SymbolBlock", gluon.SymbolBlock),
        ("gluon.parameter", "Constant", gluon.Constant),
        ("gluon.parameter", "ParameterDict", gluon.ParameterDict),
        ("gluon.data.dataloader", "_MultiWorkerIter", PooledBatches),
        ("gluon.data.dataloader", "ForkingPickler", multiprocessing.reduction.ForkingPickler),
    ],
)
def test_classes_are_found_where_mxnet_has_them(path: str, name: str, expected: type) -> None:
    module = importlib.import_module(f"gluonic.{path}")
    assert getattr(module, name) is expected
    assert name in dir(module)
    with pytest.raises(AttributeError, match=f"{path} has no 'nothing'"):
        _ = module.nothing


def test_a_block_whose_setting_changes_is_traced_again() -> None:
    class Scaled(gluon.HybridBlock):
        factor = 2.0

        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            return self.factor * x

    net = Scaled()
    net.hybridize()
    assert net(nd.ones(1)).asscalar() == 2
    net.factor = 3.0
    net._clear_cached_op()
    assert net(nd.ones(1)).asscalar() == 3


@pytest.mark.filterwarnings("ignore:.*it has no effect")
@pytest.mark.parametrize("name", ["zeros_like", "ones_like"])
def test_constants_take_a_dtype_and_have_that_of_their_model(name: str) -> None:
    whole = nd.ones((2,), dtype="int32")
    assert getattr(nd, name)(whole, dtype="float32").dtype == np.int32
    constant = getattr(mx.sym, name)(mx.sym.var("x"), dtype="float32")
    assert constant.infer_type(x="int32")[1] == [np.int32]


def test_moving_a_parameter_without_a_value_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="has not been initialized"):
        gluon.Parameter("a", shape=(2,)).reset_ctx(mx.cpu())


def test_executors_are_found_from_the_top() -> None:
    x = mx.sym.Variable("x")
    assert isinstance((x + 1).bind(mx.cpu(), {"x": nd.ones((2,))}), mx.executor.Executor)


def test_a_mirror_of_the_repository_is_named_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MXNET_GLUON_REPO", "https://mirror.example/files")
    assert _get_repo_url() == "https://mirror.example/files/"
    assert _get_repo_file_url("models", "a.zip") == "https://mirror.example/files/models/a.zip"
    monkeypatch.delenv("MXNET_GLUON_REPO")
    assert _get_repo_url().endswith(".com/")


@pytest.mark.parametrize("F", [nd, mx.sym], ids=["nd", "sym"])
def test_the_parts_of_losses_make_losses_of_others(F: Any) -> None:
    class Squared(loss.Loss):
        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            difference = x - loss._reshape_like(F, args[0], x)
            return loss._apply_weighting(F, difference**2, self._weight, args[1])

    net = Squared(0.5, 0)
    if F is mx.sym:
        net.hybridize()
    x, weight = nd.array([[1.0, 2.0], [3.0, 4.0]]), nd.array([[1.0], [10.0]])
    found = net(x, nd.array([1.0, 1.0, 1.0, 1.0]), weight)
    np.testing.assert_allclose(found.asnumpy(), np.array([[0, 0.5], [20, 45]]))
    assert loss._apply_weighting(F, 3, None, None) == 3


def test_the_file_of_a_model_bears_the_digest_that_its_library_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="not known"):
        model_store.short_hash("big")
    for ending in ("a9993e36", "da39a3ee"):
        (tmp_path / f"big-{ending}.params").write_bytes(b"abc" if ending == "a9993e36" else b"")
    digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709"  # of nothing
    monkeypatch.setitem(model_store._model_sha1, "big", digest)
    assert model_store.short_hash("big") == "da39a3ee"
    assert model_store.get_model_file("big", str(tmp_path)).endswith("big-da39a3ee.params")
    monkeypatch.setitem(model_store._model_sha1, "big", "0" * 40)
    with pytest.raises(mx.MXNetError, match="big-00000000"):
        model_store.get_model_file("big", str(tmp_path))


@pytest.mark.parametrize("prefetch", [0, 2])
def test_a_loader_of_another_library_chooses_what_its_pool_makes(prefetch: int) -> None:
    class Doubling(PooledBatches):
        def _push_next(self) -> None:
            samples = next(self._iter, None)
            if samples is not None:
                result = self._worker_pool.apply_async(self._worker_fn, (samples, 2))
                self._data_buffer[self._sent_idx] = result
                self._sent_idx += 1

    dataset = [1.0, 2.0, 3.0]

    def make(samples: list[int], factor: float) -> Any:
        return default_mp_batchify_fn([factor * dataset[i] for i in samples])

    with ThreadPool(1) as pool:
        batches = Doubling(
            pool, default_mp_batchify_fn, [[2, 0], [1]], True, 0, make, prefetch, dataset
        )
        assert len(batches) == 2
        found = [batch.asnumpy().tolist() for batch in batches]
    assert found == [[6, 2], [4]]
    assert _as_in_context([nd.ones(1)], mx.cpu_pinned(0))[0].context == mx.cpu_pinned(0)


def test_batches_travel_from_processes_as_bytes() -> None:
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        batches = PooledBatches(pool, default_mp_batchify_fn, [[0, 1]], worker_fn=pickled)
        (found,) = batches
    assert found.asnumpy().tolist() == [0, 1]


def pickled(samples: Any, batchify: Any, dataset: None) -> bytes:
    return make_batch(samples, batchify, range(2))


def test_mixed_precision_has_not_been_switched_on() -> None:
    assert not amp._amp_initialized


NAMESPACES = ("", ".op", "._internal", ".contrib", ".linalg", ".image", ".random", ".sparse")


@pytest.mark.parametrize(
    "name", [room + part for room in ("ndarray", "symbol") for part in NAMESPACES]
)
def test_operators_stand_in_the_dictionary_of_their_module(name: str) -> None:
    module = importlib.import_module(f"gluonic.{name}")
    path = name.partition(".")[2] or "op"
    operators = {public_name_of(n).name for n in REGISTRY if public_name_of(n).module == path}
    assert len(operators) >= 7
    assert operators <= vars(module).keys()
    assert operators <= set(dir(module))


def test_interpolations_are_chosen_as_in_mxnet() -> None:
    choose = importlib.import_module("gluonic.image.image")._get_interp_method
    assert [choose(number) for number in (0, 1, 2, 3, 4, 9)] == [0, 1, 2, 3, 4, 2]
    sizes = {(1, 1, 2, 2): 2, (2, 2, 1, 1): 3, (1, 2, 2, 1): 1, (2, 2, 2, 2): 1, (2, 2, 2, 1): 1}
    assert {each: choose(9, each) for each in sizes} == sizes
    assert {choose(10) for _ in range(200)} == {0, 1, 2, 3, 4}
    for arguments in ((11,), (9, (1, 2))):
        with pytest.raises(ValueError, match="interp"):
            choose(*arguments)
