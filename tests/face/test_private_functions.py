"""Private functions that programs with a training loop of their own import give MXNet 1.9.1's results."""

import importlib
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import executor_manager, nd, sym

model: Any = importlib.import_module("gluonic.model")
base_module: Any = importlib.import_module("gluonic.module.base_module")


def _arrays(*values: float) -> list[nd.NDArray]:
    return [nd.full(2, value, ctx=mx.cpu(i)) for i, value in enumerate(values)]


def _lists(blocks: Any) -> Any:
    return [[array.asnumpy().tolist() for array in block] for block in blocks]


def test_batches_are_divided_by_loads() -> None:
    divide = executor_manager._split_input_slice
    assert divide(10, [1, 2]) == [slice(0, 3), slice(3, 10)]
    assert divide(7, [1, 1, 1]) == [slice(0, 2), slice(2, 4), slice(4, 7)]
    assert divide(5, [0.3, 0.7]) == [slice(0, 2), slice(2, 5)]
    with pytest.raises(ValueError, match="no example"):
        divide(2, [1, 1, 1])


def test_batches_are_loaded_into_arrays() -> None:
    batch = mx.io.DataBatch([nd.arange(4)], [nd.array([5, 6])])
    parts, label = [(slice(0, 1), nd.zeros(1)), (slice(1, 4), nd.zeros(3))], nd.zeros(2)
    executor_manager._load_data(batch, [parts])
    executor_manager._load_label(batch, [label])
    assert [array.asnumpy().tolist() for _, array in parts] == [[0], [1, 2, 3]]
    assert label.asnumpy().tolist() == [5, 6]


def test_arguments_of_one_name_are_refused() -> None:
    executor_manager._check_arguments(sym.var("a") + sym.var("b"))
    with pytest.raises(ValueError, match="several arguments of the symbol are called 'a'"):
        executor_manager._check_arguments(sym.var("a") + sym.var("a"))


@pytest.mark.parametrize(
    ("store", "devices", "size", "kind", "updates"),
    [
        *((name, 1, 2, None, False) for name in ("device", "local")),
        (None, 2, 2, None, False),
        ("device", 2, 4096 * 4097, "device", True),
        ("local", 2, 2, "local", True),
        ("local", 2, 4096 * 4097, "local", False),
    ],
)
def test_stores_are_chosen(
    store: Any, devices: int, size: int, kind: str | None, updates: bool
) -> None:
    weights = {"w": nd.zeros(size)}
    found, on_store = model._create_kvstore(store, devices, weights)
    assert (getattr(found, "type", None), on_store) == (kind, updates)
    with pytest.raises(TypeError, match="must be a KVStore"):
        model._create_kvstore(3, devices, weights)


@pytest.mark.parametrize("on_store", [True, False])
def test_a_store_sums_and_updates(on_store: bool) -> None:
    store, names = mx.kv.create("local"), ["a", "b", "c"]
    weights = [_arrays(1, 1), _arrays(2, 2), _arrays(3, 3)]
    gradients: Any = [_arrays(1, 3), [None, None], _arrays(1, 1)]
    initial = {name: nd.full(2, value) for name, value in zip(names, (5, 6, 7), strict=True)}
    calls = []

    def update(indices: Any, grads: Any, arrays: Any) -> None:
        calls.append((indices, [grad.asnumpy().tolist() for grad in grads]))
        for array, grad in zip(arrays, grads, strict=True):
            array -= grad

    if on_store:
        store.set_optimizer(mx.optimizer.SGD(learning_rate=1.0))
    model._initialize_kvstore(store, weights, initial, names, on_store)
    if on_store:
        model._update_params_on_kvstore(weights, gradients, store, names)
        assert _lists(weights) == [[[1, 1]] * 2, [[6, 6]] * 2, [[5, 5]] * 2]
    else:
        model._update_params(weights, gradients, update, 2, store, names)
        assert calls == [((0, 4), [[4, 4], [2, 2]]), ((1, 5), [[4, 4], [2, 2]])]
        assert _lists(weights) == [[[-3, -3]] * 2, [[2, 2]] * 2, [[1, 1]] * 2]


def test_inputs_are_described_and_checked() -> None:
    data, labels = base_module._parse_data_desc(
        ["data"], ["label"], [("data", (2, 3))], [("label", (2,))]
    )
    assert [(one.name, one.shape, one.dtype) for one in (*data, *labels)] == [
        ("data", (2, 3), np.float32),
        ("label", (2,), np.float32),
    ]
    assert base_module._parse_data_desc(["data"], [], data, None) == (data, None)
    with pytest.raises(ValueError, match="data_names are"):
        base_module._parse_data_desc(["data"], [], [("x", (2, 3))], None)
    net = sym.var("data") * 2
    base_module._check_input_names(net, ["data"], "data", True)
    with pytest.raises(ValueError, match=r"state_names=.*did you mean 'data'"):
        base_module._check_input_names(net, ["dat"], "state", True)
    with pytest.warns(UserWarning, match="did you mean 'data'"):
        base_module._check_input_names(net, ["dat"], "data", False)
    assert [base_module._as_list(x) for x in (1, [1], (1, 2), None)] == [[1], [1], (1, 2), [None]]


@pytest.mark.parametrize(
    "name", ["executor_manager.DataParallelExecutorManager", "model._train_multi_device"]
)
def test_what_is_not_there_names_the_substitute(name: str) -> None:
    place, _, last = name.partition(".")
    with pytest.raises(NotImplementedError, match=r"use mx\.mod\.Module"):
        getattr(importlib.import_module(f"gluonic.{place}"), last)
