"""What programs with loops, cells or data sets of their own import gives MXNet 1.9.1's results."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import executor_manager, gluon, nd, sym

model: Any = importlib.import_module("gluonic.model")
base_module: Any = importlib.import_module("gluonic.module.base_module")
rnn_cell: Any = importlib.import_module("gluonic.gluon.rnn.rnn_cell")
utils: Any = gluon.utils


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


def test_stores_of_sparse_weights_update_them() -> None:
    store = mx.kv.create("local")
    assert model._create_sparse_kvstore(store) == (store, True)
    created, updates = model._create_sparse_kvstore("device")
    assert (created.type, updates) == ("device", True)
    for wrong in (None, 3):
        with pytest.raises(TypeError, match="must be a KVStore"):
            model._create_sparse_kvstore(wrong)


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
    base_module._check_names_match(["a", "b"], [("b", (2,)), ("a", (1,))], "data", True)
    with pytest.raises(ValueError, match="data_names are"):
        base_module._check_names_match(["a"], [("b", (2,))], "data", True)
    with pytest.warns(UserWarning, match="label_names are"):
        base_module._check_names_match(["a"], [("b", (2,))], "label", False)
    net = sym.var("data") * 2
    base_module._check_input_names(net, ["data"], "data", True)
    with pytest.raises(ValueError, match=r"state_names=.*did you mean 'data'"):
        base_module._check_input_names(net, ["dat"], "state", True)
    with pytest.warns(UserWarning, match="did you mean 'data'"):
        base_module._check_input_names(net, ["dat"], "data", False)
    assert [base_module._as_list(x) for x in (1, [1], (1, 2), None)] == [[1], [1], (1, 2), [None]]


def test_data_become_arrays_with_names() -> None:
    ones, find = np.ones(2), mx.io._init_data  # type: ignore[attr-defined]
    assert find is importlib.import_module("gluonic.io.utils")._init_data
    assert find(None, True, "data") == []
    assert [name for name, _ in find([ones, nd.ones(3)], True, "data")] == ["_0_data", "_1_data"]
    ((name, array),) = find(ones, False, "data")
    assert (name, array.asnumpy().tolist()) == ("data", [1, 1])
    with pytest.raises(ValueError, match="empty"):
        find([], False, "data")


X = nd.arange(12).reshape((2, 3, 2))
STEPS = [X[:, i] for i in range(3)]


@pytest.mark.parametrize(
    ("inputs", "layout", "merge", "in_layout", "shapes", "batch_size"),
    [
        (X, "NTC", True, None, (2, 3, 2), 2),
        (STEPS, "NTC", True, None, (2, 3, 2), 2),
        (X, "TNC", True, "NTC", (3, 2, 2), 2),
        (STEPS, "TNC", True, "NTC", (3, 2, 2), 2),
        (X, "TNC", None, "NTC", (3, 2, 2), 2),
        (X, "NTC", False, None, [(2, 2)] * 3, 2),
        (X, "TNC", False, "NTC", [(2, 2)] * 3, 2),
        (STEPS, "NTC", False, None, [(2, 2)] * 3, 2),
        (STEPS, "NTC", None, None, [(2, 2)] * 3, 2),
    ],
)
def test_sequences_are_brought_into_a_form(
    inputs: Any, layout: str, merge: Any, in_layout: Any, shapes: Any, batch_size: int
) -> None:
    sequence, axis, F, size = rnn_cell._format_sequence(3, inputs, layout, merge, in_layout)
    assert (axis, F, size) == (layout.find("T"), nd, batch_size)
    whole = sequence if isinstance(shapes, tuple) else nd.stack(*sequence, axis=axis)
    assert shapes == getattr(sequence, "shape", None) or shapes == [x.shape for x in sequence]
    assert (whole.asnumpy() == (X if axis else X.swapaxes(0, 1)).asnumpy()).all()


def test_sequences_of_symbols_are_brought_into_a_form() -> None:
    parts, axis, F, size = rnn_cell._format_sequence(3, sym.var("x"), "NTC", False)
    assert ([p.list_arguments() for p in parts], axis, F, size) == ([["x"]] * 3, 1, sym, 0)
    joined, *_ = rnn_cell._format_sequence(2, [sym.var("a"), sym.var("b")], "TNC", True)
    assert joined.list_arguments() == ["a", "b"]


def test_states_begin_with_zeros_where_the_inputs_are() -> None:
    cell = gluon.rnn.LSTMCell(4)
    inputs = [nd.ones((2, 3), ctx=mx.cpu(1))]
    states = rnn_cell._get_begin_state(cell, nd, None, inputs, 2)
    assert [(s.shape, s.context, s.asnumpy().any()) for s in states] == [
        ((2, 4), mx.cpu(1), False)
    ] * 2
    assert rnn_cell._get_begin_state(cell, nd, states, inputs, 2) is states
    for given in (sym.var("x"), [sym.var("x")]):
        outputs, _ = cell(sym.var("x"), rnn_cell._get_begin_state(cell, sym, None, given, 0))
        assert outputs.infer_shape(x=(2, 3))[1] == [(2, 4)]


def test_sequences_end_and_turn_at_their_lengths() -> None:
    masked = rnn_cell._mask_sequence_variable_length(nd, X, 3, nd.array([1, 3]), 1, True)
    assert masked.asnumpy().ravel().tolist() == [0, 1, 0, 0, 0, 0, 6, 7, 8, 9, 10, 11]
    steps = rnn_cell._mask_sequence_variable_length(nd, STEPS, 3, nd.array([1, 3]), 0, False)
    assert [step.asnumpy().ravel().tolist() for step in steps] == [
        [0, 1, 6, 7],
        [0, 0, 8, 9],
        [0, 0, 10, 11],
    ]
    numbers = [nd.full((1, 2), i) for i in (1, 2, 3)]
    for lengths, order in ((None, [3, 2, 1]), (nd.array([2]), [2, 1, 3])):
        turned = rnn_cell._reverse_sequences(numbers, 3, lengths)
        assert [step.asnumpy()[0, 0] for step in turned] == order


def test_shapes_of_weights_are_inferred() -> None:
    infer = importlib.import_module("gluonic.gluon.nn.conv_layers")._infer_weight_shape
    attributes = {"kernel": (3, 3), "num_filter": 4, "no_bias": False}
    assert infer("Convolution", (0, 3, 0, 0), attributes) == [(0, 3, 0, 0), (4, 3, 3, 3), (4,)]


def test_texts_of_blocks_are_indented_and_shortened() -> None:
    assert utils._indent("a\nb\nc", 2) == "a\n  b\n  c"
    digits = [str(i) for i in range(20)]
    assert utils._brief_print_list(["a", "b"]) == "'a', 'b'"
    assert utils._brief_print_list(digits) == "'0', '1', '2', ..., '16', '17', '18', '19'"
    assert utils._brief_print_list(digits, 4) == "'0', '1', ..., '18', '19'"


def test_data_sets_of_programs_read_a_folder(tmp_path: Path) -> None:
    class Numbers(gluon.data.dataset._DownloadedDataset):
        def _get_data(self) -> None:
            assert Path(self._root).is_dir()
            self._data, self._label = nd.arange(6).reshape((3, 2)), np.arange(3)

    folder = str(tmp_path / "new")
    assert len(Numbers(folder, None)) == 3
    image, label = Numbers(folder, lambda x, y: (x + 1, y))[1]
    assert (image.asnumpy().tolist(), label) == ([3, 4], 1)
    with pytest.raises(NotImplementedError, match="must override _get_data"):
        gluon.data.dataset._DownloadedDataset(folder, None)
    own = type("Own", (gluon.data.vision.MNIST,), {"_get_data": Numbers._get_data})
    assert len(own(folder)) == 3


Callbacks = list[tuple[str, int, int, float]]


def _trained(
    epoch_size: int | None, store: Any, on_store: bool, contexts: int
) -> tuple[Callbacks, Any]:
    """Train from epoch 1 to 2 by the loop of `mx.model`: what callbacks were told, and the weights."""
    data, label = np.arange(16.0).reshape(8, 2) / 16, np.arange(8.0) / 8
    batches = [mx.io.NDArrayIter(data, label, 4, label_name="label") for _ in range(2)]
    product = sym.FullyConnected(sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    net = sym.LinearRegressionOutput(product, sym.var("label"), name="out")
    weights = {"fc_weight": nd.array([[0.5, -0.25]])}
    told: Callbacks = []

    def tell(kind: str) -> Any:
        return lambda p: told.append((kind, p.epoch, p.nbatch, round(p.eval_metric.get()[1], 5)))

    model._train_multi_device(
        *(net, [mx.cpu(i) for i in range(contexts)], net.list_arguments(), ["fc_weight"], []),
        *(weights, {}, 1, 3, epoch_size, mx.optimizer.SGD(learning_rate=0.5, rescale_grad=0.25)),
        *(mx.kv.create(store) if store else None, on_store, *batches, mx.metric.MSE()),
        epoch_end_callback=lambda epoch, *rest: told.append(
            ("epoch", epoch, 0, round(rest[1]["fc_weight"].asnumpy().item(0), 5))
        ),
        batch_end_callback=tell("batch"),
        eval_end_callback=tell("evaluated"),
        eval_batch_end_callback=tell("evaluating"),
    )
    return told, weights["fc_weight"].asnumpy().ravel().tolist()


@pytest.mark.parametrize(
    ("epoch_size", "batches", "weights"),
    [
        (None, [(0.0354, 0.14551), (0.00623, 0.0271)], (0.78538, 0.06447)),
        (3, [(0.0354, 0.14551, 0.09908), (0.04797, 0.0245, 0.01936)], (0.82256, 0.10531)),
        (1, [(0.0354,), (0.25562,)], (0.69932, -0.0303)),
    ],
)
@pytest.mark.parametrize(
    ("store", "on_store", "contexts"), [(None, False, 1), ("local", True, 2), ("local", False, 2)]
)
def test_the_loop_before_modules_trains(
    epoch_size: Any, batches: Any, weights: Any, store: Any, on_store: bool, contexts: int
) -> None:
    told, trained = _trained(epoch_size, store, on_store, contexts)
    assert trained == pytest.approx(weights, abs=1e-5)
    assert [one[:3] for one in told] == [
        (kind, epoch, number)
        for epoch, losses in zip((1, 2), batches, strict=True)
        for kind, number in [
            *(("batch", n) for n in range(1, len(losses) + 1)),
            *(("epoch", 0), ("evaluating", 0), ("evaluating", 1), ("evaluated", 2)),
        ]
    ]
    losses = [loss for kind, *_, loss in told if kind == "batch"]
    assert losses == pytest.approx(sum(batches, ()), abs=1e-5)
    assert [value for kind, *_, value in told if kind == "epoch"][-1] == round(trained[0], 5)


def test_a_manager_has_executors_for_each_bucket() -> None:
    def net(length: int) -> Any:
        total = sym.sum(
            sym.var("data")
            * sym.slice_axis(sym.var("w", shape=(2, 4)), axis=1, begin=0, end=length)
        )
        return sym.MakeLoss(total)

    def batch(length: int) -> Any:
        return mx.io.DataBatch(
            [nd.ones((2, length))], [], bucket_key=length, provide_label=[],
            provide_data=[mx.io.DataDesc("data", (2, length))],
        )  # fmt: skip

    class Described:
        default_bucket_key = 4
        provide_data, provide_label = batch(4).provide_data, ()

    arguments = net(4).list_arguments()
    manager = executor_manager.DataParallelExecutorManager(
        net(4), [mx.cpu()], Described, arguments, ["w"], [], sym_gen=net
    )
    manager.set_params({"w": nd.array([[1, 2, 3, 4]] * 2)}, {})
    for length, expected in ((4, 20), (2, 6), (4, 20)):
        manager.load_data_batch(batch(length))
        manager.forward(is_train=True)
        manager.backward()
        assert manager.curr_execgrp.execs[0].outputs[0].asscalar() == expected
        assert manager.grad_arrays is not None
        gradient: Any = manager.grad_arrays[0][0]
        assert gradient.asnumpy()[0].tolist() == [1] * length + [0] * (4 - length)
    assert sorted(manager.execgrp_bucket) == [2, 4]
    copied = {"w": nd.zeros((2, 4))}
    manager.copy_to(copied, {})
    assert copied["w"].asnumpy()[1].tolist() == [1, 2, 3, 4]
    with pytest.raises(NotImplementedError, match="bucketing"):
        manager.install_monitor(mx.monitor.Monitor(1))
    with pytest.raises(ValueError, match="2 shares for 1 contexts"):
        executor_manager.DataParallelExecutorManager(
            net(4), [mx.cpu()], Described, arguments, ["w"], [], [1, 1]
        )


@pytest.mark.parametrize(
    "name", ["executor_manager.DataParallelExecutorGroup", "executor_manager._bind_exec"]
)
def test_what_is_not_there_names_the_substitute(name: str) -> None:
    place, _, last = name.partition(".")
    with pytest.raises(NotImplementedError, match=r"use mx\.mod\.Module"):
        getattr(importlib.import_module(f"gluonic.{place}"), last)
