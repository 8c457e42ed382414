"""Stores sum pushed arrays, and keep or update the values that are pulled."""

from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import nd
from tests.measured import compressed_stores
from tests.measured.measure import agrees, found, read

COMPRESSED = read("compressed_stores")


def ones(factor: float = 1.0, context: Any = None) -> Any:
    return nd.ones((2,), ctx=context) * factor


def pulled(store: Any, key: Any) -> list[float]:
    out = nd.zeros((2,))
    store.pull(key, out=out)
    found: list[float] = out.asnumpy().tolist()
    return found


@pytest.mark.parametrize("key", [3, "w"])
@pytest.mark.parametrize("kind", ["local", "device", "local_allreduce_cpu"])
def test_values_are_initialized_pushed_and_pulled(kind: str, key: Any) -> None:
    store = mx.kv.create(kind)
    assert (store.type, store.rank, store.num_workers) == (kind, 0, 1)
    store.init(key, ones(2))
    assert pulled(store, key) == [2, 2]
    store.push(key, [ones(), ones(4, mx.cpu(1))])
    assert pulled(store, key) == [5, 5]


def test_lists_of_keys_go_with_lists_of_values() -> None:
    store, keys = mx.kv.create(), [5, 7]
    store.init(keys, [ones(), ones(2)])
    outs = [[ones(0), ones(0, mx.cpu(1))], [ones(0), ones(0, mx.cpu(1))]]
    store.pull(keys, out=outs)
    assert [[out.asnumpy()[0] for out in pair] for pair in outs] == [[1, 1], [2, 2]]
    assert outs[0][1].context == mx.cpu(1)


def test_an_updater_receives_pushed_values() -> None:
    store = mx.kv.create()
    store.init("w", ones())
    seen = []

    def add(key: Any, pushed: Any, stored: Any) -> None:
        seen.append(key)
        stored += pushed

    store._set_updater(add)
    store.push("w", [ones(), ones()])
    back = ones()
    store.pushpull("w", back)
    assert seen == ["w", "w"]
    assert back.asnumpy().tolist() == [4, 4]


def test_an_optimizer_updates_and_its_states_are_saved(tmp_path: Path) -> None:
    file = str(tmp_path / "states")
    store = mx.kv.create()
    assert store.is_capable("optimizer")
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, momentum=0.5))
    store.init(0, ones())
    store.push(0, ones())
    assert pulled(store, 0) == [0.5, 0.5]
    store.save_optimizer_states(file)
    store.push(0, ones())
    expected = pulled(store, 0)

    again = mx.kv.create()
    again.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, momentum=0.5))
    again.init(0, ones(0.5))
    again.load_optimizer_states(file)
    again.push(0, ones())
    assert pulled(again, 0) == expected == [-0.25, -0.25]


def test_the_test_store_sums_up_only() -> None:
    store = mx.kv.create("teststore")
    assert not store.is_capable("optimizer")
    out = ones(0)
    store.pushpull(0, [ones(), ones(2)], out=out)
    assert out.asnumpy().tolist() == [3, 3]
    with pytest.raises(NotImplementedError, match="TestStore has no set_optimizer"):
        store.set_optimizer(mx.optimizer.SGD())


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda store: store.pull(9, out=ones()), "key 9 has not been initialized"),
        (lambda store: store.push(9, ones()), "key 9 has not been initialized"),
        (lambda store: store.init(0, ones()), "initialized already"),
        (lambda store: store.init("a", ones()), "all integers, or all strings"),
        (lambda store: store.pull(0), "needs out="),
        (lambda store: store.push([0, 0], [ones()]), "2 keys, but 1 values"),
        (lambda store: store.row_sparse_pull(0, out=ones(), row_ids=ones()), "must be row_sparse"),
        (lambda store: store.save_optimizer_states("x"), "no optimizer"),
    ],
)
def test_misuse_is_explained(misuse: Any, message: str) -> None:
    store = mx.kv.create()
    store.init(0, ones())
    with pytest.raises(mx.MXNetError, match=message):
        misuse(store)


@pytest.mark.parametrize("case", COMPRESSED)
def test_a_store_of_devices_compresses_each_contexts_gradients_as_mxnet_does(case: str) -> None:
    assert agrees(found(mx, compressed_stores.cases(mx)[case]), COMPRESSED[case])


def test_the_error_of_a_store_without_compression_names_those_with_it() -> None:
    store = mx.kv.create("local")
    store.set_gradient_compression({"type": "none"})
    with pytest.raises(mx.MXNetError, match=r"'local' does not compress.*\n.*'device'"):
        store.set_gradient_compression({"type": "2bit"})


def test_row_sparse_gradients_are_summed_as_they_are() -> None:
    store, rows = mx.kv.create("device"), nd.array([[0, 0], [0.1, 7]])
    store.set_gradient_compression({"type": "2bit"})
    store.init("w", nd.zeros((2, 2)).tostype("row_sparse"))
    store.push("w", [rows.tostype("row_sparse")] * 2)
    out = nd.zeros((2, 2)).tostype("row_sparse")
    store.row_sparse_pull("w", out=out, row_ids=nd.array([0, 1]))
    assert (out.asnumpy() == 2 * rows.asnumpy()).all()


def test_gradients_that_are_not_of_float32_are_not_compressed() -> None:
    store = mx.kv.create("device")
    store.set_gradient_compression({"type": "2bit"})
    store.init("w", nd.ones((2,), dtype="float16"))
    with pytest.raises(
        mx.MXNetError, match=r"only float32 gradients can be compressed.*'w'.*float16"
    ):
        store.push("w", nd.ones((2,), dtype="float16"))


def test_unknown_names_of_stores_are_refused() -> None:
    with pytest.raises(mx.MXNetError, match="did you mean 'dist_sync'"):
        mx.kv.create("dist_sink")
    with pytest.raises(TypeError, match="string"):
        mx.kv.create(3)  # type: ignore[arg-type]


def test_the_class_of_a_store_reports_its_capabilities() -> None:
    assert not type(mx.kv.create("teststore")).is_capable("optimizer")
    assert type(mx.kv.create("local")).is_capable("optimizer")
