"""Modules of all kinds compute, share and refuse the same as MXNet's."""

import re
import warnings
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym
from gluonic.codegen.native.specialization import Specialization
from gluonic.io import DataIter
from tests.measured import module_kinds
from tests.measured.measure import agrees, found, read

MEASURED = read("module_kinds")
CASES = module_kinds.cases(mx)


@pytest.mark.parametrize("case", MEASURED)
def test_a_module_does_what_it_does_in_mxnet(case: str) -> None:
    ours = found(mx, CASES[case])
    assert agrees(ours, MEASURED[case]), ours


def test_every_case_is_measured() -> None:
    assert MEASURED.keys() == CASES.keys()


def test_batches_in_a_list_may_have_another_size() -> None:
    module = mx.mod.Module(module_kinds.network(mx), context=[mx.cpu(0), mx.cpu(1)])
    module.bind([("data", (4, 4))], [("softmax_label", (4,))], for_training=False)
    module_kinds.begin(mx, module)
    whole = module_kinds.batch(mx, 6)
    module.forward(whole)
    expected = module.get_outputs()[0].asnumpy()
    parts = [mx.io.DataBatch([whole.data[0][part]]) for part in (slice(0, 3), slice(3, 6))]
    module.forward(parts)
    np.testing.assert_array_equal(module.get_outputs()[0].asnumpy(), expected)


def test_batches_in_a_list_need_one_shape() -> None:
    module = mx.mod.Module(sym.var("data") * 2, label_names=None, context=[mx.cpu(0), mx.cpu(1)])
    module.bind([("data", (4, 2))])
    module.init_params()
    with pytest.raises(AssertionError, match="same shapes"):
        module.forward([mx.io.DataBatch([nd.ones((n, 2))]) for n in (2, 3)])


@pytest.mark.parametrize("count", [1, 2])
def test_training_goes_on_from_a_checkpoint_with_optimizer_states(
    count: int, tmp_path: Any
) -> None:
    contexts = [mx.cpu(i) for i in range(count)]

    def ready(module: Any) -> Any:
        module.bind([("data", (4, 4))], [("softmax_label", (4,))])
        if not module.params_initialized:
            module_kinds.begin(mx, module)
        module.init_optimizer("local", "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        return module

    def trained(module: Any) -> dict[str, Any]:
        for _ in range(3):
            module.forward_backward(module_kinds.batch(mx, 4))
            module.update()
        return {name: value.asnumpy() for name, value in module.get_params()[0].items()}

    module = ready(mx.mod.Module(module_kinds.network(mx), context=contexts))
    trained(module)
    module.save_checkpoint(str(tmp_path / "net"), 3, save_optimizer_states=True)
    expected = trained(module)
    loaded = ready(mx.mod.Module.load(str(tmp_path / "net"), 3, True, context=contexts))
    for name, value in trained(loaded).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-5)


def test_saving_a_checkpoint_is_logged_and_drops_mixed_precision_casts(
    tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    net = sym.FullyConnected(sym.amp_cast(sym.var("data"), dtype="float32"), num_hidden=2)
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (2, 3))])
    module.init_params()
    module.init_optimizer()
    for removed in (True, False):
        with caplog.at_level("INFO"):
            module.save_checkpoint(str(tmp_path / "net"), 2, True, removed)
        assert ("amp_cast" in (tmp_path / "net-symbol.json").read_text()) is not removed
    file = tmp_path / "net-0002"
    assert caplog.messages[-2:] == [
        f'Saved checkpoint to "{file}.params"',
        f'Saved optimizer state to "{file}.states"',
    ]


@pytest.mark.usefixtures("compiled_at_once")
def test_contexts_are_compiled_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(monkeypatch)
    module = mx.mod.Module(module_kinds.network(mx), context=[mx.cpu(i) for i in range(3)])
    module.bind([("data", (6, 4))], [("softmax_label", (6,))])
    module.init_params()
    module.forward_backward(module_kinds.batch(mx, 6))
    assert len(made) == 2  # forward and backward


@pytest.mark.usefixtures("compiled_at_once")
def test_a_bucket_seen_before_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(monkeypatch)
    module = module_kinds.bucketing(mx)
    module.init_optimizer()
    counts = []
    for length in (6, 3, 5, 3, 6, 5):
        module.forward_backward(module_kinds.sentence_batch(mx, length))
        module.update()
        counts.append(len(made))
    assert counts == [2, 4, 6, 6, 6, 6]


@pytest.mark.usefixtures("compiled_at_once")
def test_batches_of_another_size_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(monkeypatch)
    module = module_kinds.bucketing(mx)
    for size in (4, 3, 5, 1, 4):
        module.forward_backward(module_kinds.sentence_batch(mx, 6, size))
    assert len(made) == 2


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list of what is compiled from now on."""
    made: list[Any] = []
    begin = Specialization.__init__

    def counted(self: Any, *arguments: Any, **options: Any) -> None:
        made.append(self)
        begin(self, *arguments, **options)

    monkeypatch.setattr(Specialization, "__init__", counted)
    return made


def test_a_monitor_sees_gradients_of_every_bucket() -> None:
    module = module_kinds.bucketing(mx)
    monitor = mx.mon.Monitor(1, pattern=".*backward.*")
    module.install_monitor(monitor)
    for length in (6, 3):
        monitor.tic()
        module.forward_backward(module_kinds.sentence_batch(mx, length))
        assert any(name.startswith("scores_backward") for _, name, _ in monitor.toc())


def test_fit_drives_buckets() -> None:
    class Sentences(DataIter):
        def __init__(self) -> None:
            super().__init__(4)
            self.provide_data = [("data", (4, 6))]
            self.provide_label = [("softmax_label", (4,))]
            self.reset()

        def reset(self) -> None:
            self.left = [6, 3, 5, 3]

        def next(self) -> Any:
            if not self.left:
                raise StopIteration
            one = module_kinds.sentence_batch(mx, self.left.pop())
            one.pad = 0
            return one

    module = mx.mod.BucketingModule(lambda n: module_kinds.sentences(mx, n), 6)
    mx.random.seed(1)
    metric = mx.metric.CrossEntropy()
    data = Sentences()
    module.fit(
        data, data, eval_metric=metric, num_epoch=20, optimizer_params={"learning_rate": 0.5}
    )
    assert dict(module.score(data, metric))["cross-entropy"] < 0.9
    assert [len(one) for one in module.predict(data, merge_batches=False)] == [1] * 4


def test_automatic_names_are_numbered_alike_in_all_buckets() -> None:
    module = module_kinds.bucketing(mx)
    names = set()
    for length in (6, 3):
        module.forward(module_kinds.sentence_batch(mx, length))
        names.add(tuple(module.symbol.get_internals().list_outputs()))
    assert len(names) == 1


def test_a_bucket_without_an_integer_for_a_key_is_not_saved(tmp_path: Any) -> None:
    module = mx.mod.BucketingModule(lambda _: module_kinds.sentences(mx, 6), "long")
    module.bind([("data", (4, 6))], [("softmax_label", (4,))])
    module.init_params()
    with pytest.raises(TypeError, match="'long' cannot be saved"):
        module.save_checkpoint(str(tmp_path / "net"), 1)
    assert list(tmp_path.iterdir()) == []


def test_misnamed_inputs_are_reported() -> None:
    dense = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    with pytest.warns(UserWarning, match="no argument 'softmax_label'"):
        module = mx.mod.Module(dense)
    with pytest.warns(UserWarning, match=re.escape("label_shapes describe []")):
        module.bind([("data", (2, 3))])
    with pytest.raises(ValueError, match=r"'dat'.*did you mean 'data'"):
        mx.mod.Module(dense, ["dat"], None)


def test_an_input_of_another_shape_is_refused_before_anything_changes() -> None:
    module: Any = mx.mod.Module(module_kinds.network(mx))
    module.bind([("data", (2, 4))], [("softmax_label", (2,))])
    module.init_params()
    module.forward(module_kinds.batch(mx, 2))
    before = module._exec_group.execs[0].arg_dict["data"].asnumpy()
    wrong = mx.io.DataBatch([nd.zeros((2, 4))], [nd.ones((2, 3))])
    wrong.provide_data, wrong.provide_label = module.data_shapes, module.label_shapes
    with pytest.raises(mx.MXNetError, match=r"softmax_label has the shape \(2, 3\)"):
        module.forward(wrong)
    np.testing.assert_array_equal(module._exec_group.execs[0].arg_dict["data"].asnumpy(), before)


def test_a_module_that_is_not_for_training_is_not_updated() -> None:
    module = mx.mod.Module(module_kinds.network(mx))
    module.bind([("data", (2, 4))], [("softmax_label", (2,))], for_training=False)
    module.init_params()
    module.init_optimizer()
    with pytest.raises(AssertionError, match="for_training=True"):
        module.update()


def test_training_without_a_batch_is_reported() -> None:
    data = mx.io.NDArrayIter(np.ones((4, 4), "f"), np.ones(4), 2)
    list(data)
    with pytest.raises(StopIteration, match="no batch"):
        mx.mod.Module(module_kinds.network(mx)).fit(data, num_epoch=1)


def test_a_module_that_lacks_a_step_names_it() -> None:
    module = mx.mod.BaseModule()
    for name in ("data_names", "output_names", "data_shapes", "label_shapes", "output_shapes"):
        with pytest.raises(NotImplementedError, match=f"BaseModule.{name}"):
            getattr(module, name)
    with pytest.raises(NotImplementedError, match=r"BaseModule\.get_input_grads"):
        module.get_input_grads()


def test_a_model_divided_among_contexts_places_groups() -> None:
    with mx.AttrScope(ctx_group="first"):
        x = sym.var("data") * 2
    groups: Any = {"first": [mx.cpu(2), mx.cpu(3)]}
    contexts = [mx.cpu(0), mx.cpu(1)]
    module = mx.mod.Module(x + 1, label_names=None, context=contexts, group2ctxs=groups)
    module.bind([("data", (4, 2))])
    assert module._exec_group is not None
    assert module._exec_group.group2ctxs == [{"first": mx.cpu(2)}, {"first": mx.cpu(3)}]
    assert [one.arg_dict["data"].context for one in module._exec_group.execs] == [
        mx.cpu(2),
        mx.cpu(3),
    ]
    with pytest.raises(AssertionError, match="needs 2, or one"):
        mx.mod.Module(
            x, label_names=None, context=contexts, group2ctxs={"first": [mx.cpu()] * 3}
        ).bind([("data", (4, 2))])


def test_only_programs_with_a_reason_get_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = module_kinds.bucketing(mx)
        module.forward(module_kinds.sentence_batch(mx, 3))
