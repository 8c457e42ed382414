"""`Estimator` and its handlers behave as MXNet's; progress is shown on terminals."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon.contrib import estimator as e
from tests.measured import estimators
from tests.measured.measure import agrees, numbers, read

MEASURED = read("estimators")


@pytest.mark.filterwarnings("ignore:.*counts as better:UserWarning")
@pytest.mark.parametrize("case", estimators.CASES)
def test_an_estimator_does_what_that_of_mxnet_does(case: str) -> None:
    assert agrees(numbers(estimators.run(mx, case)), MEASURED[case], 5e-5)


def test_fitting_is_a_loop_with_a_trainer() -> None:
    made, data = estimators.estimator(mx)
    other, _ = estimators.estimator(mx)
    made.fit(data, epochs=3)
    for _ in range(3):
        for x, y in data:
            with autograd.record():
                loss = other.loss(other.net(x), y)
            loss.backward()
            other.trainer.step(len(x))
    for ours, theirs in zip(
        *(list(m.net.collect_params().values()) for m in (made, other)), strict=True
    ):
        assert (ours.data() == theirs.data()).asnumpy().all()


def made_of(**settings: Any) -> e.Estimator:
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize()
    settings = {"loss": gluon.loss.L2Loss(), **settings}
    if "trainer" not in settings:
        settings["trainer"] = gluon.Trainer(net.collect_params(), "sgd")
    return e.Estimator(net, **settings)


def loader(size: int = 6, batch_size: int = 2) -> Any:
    data = gluon.data.ArrayDataset(nd.ones((size, 3)), nd.ones((size, 2)))
    return gluon.data.DataLoader(data, batch_size=batch_size)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "l2"}, "loss must be"),
        ({"train_metrics": "acc"}, "metrics must be"),
        ({"trainer": "sgd"}, "trainer must be"),
        ({"context": "cpu"}, "context must be"),
        ({"batch_processor": object()}, "must have a method fit_batch"),
    ],
)
def test_invalid_arguments_of_an_estimator_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made_of(**settings)


def test_an_unavailable_context_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"there is no gpu\(100\)"):
        made_of(context=[mx.gpu(100)])


def test_without_a_trainer_sgd_is_used_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="No trainer specified"):
        made = made_of(trainer=None)
    assert made.trainer.learning_rate == 0.001


def test_an_initializer_for_an_initialized_net_warns() -> None:
    with pytest.warns(UserWarning, match="already fully initialized"):
        made = made_of(initializer=mx.init.One())
    assert (made.net.collect_params()[made.net.name + "_weight"].data().asnumpy() != 1).any()


def test_uninitialized_parts_of_a_net_are_initialized() -> None:
    net = gluon.nn.Sequential()
    net.add(gluon.nn.Dense(2, in_units=3), gluon.nn.Dense(1, in_units=2))
    net[0].initialize(mx.init.One())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the part that has been, and no trainer
        e.Estimator(net, gluon.loss.L2Loss(), initializer=mx.init.Constant(3))
    assert [layer.weight.data().asnumpy().max() for layer in net] == [1, 3]


@pytest.mark.parametrize(
    ("data", "settings", "message"),
    [
        ([nd.ones((2, 3))], {"epochs": 1}, "takes a gluon.data.DataLoader, not list"),
        (None, {}, "takes one of epochs and batches"),
        (None, {"epochs": 1, "batches": 1}, "takes one of epochs and batches"),
        (None, {"epochs": 1, "event_handlers": [3]}, "must be EventHandlers"),
    ],
)
def test_invalid_arguments_of_fit_are_refused(data: Any, settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made_of().fit(data or loader(), **settings)


def test_a_handler_with_a_metric_that_is_never_updated_is_refused() -> None:
    foreign = e.LoggingHandler(metrics=[mx.metric.RMSE("foreign")])
    with pytest.raises(ValueError, match="does not update: foreign"):
        made_of().fit(loader(), epochs=1, event_handlers=[foreign])


def test_user_defined_handlers_may_have_methods_named_after_metrics() -> None:
    class Reports(e.EpochEnd):
        def __init__(self) -> None:
            self.metric_names: list[str] = []

        def report_metrics(self, estimator: e.Estimator) -> None:
            self.metric_names = [metric.name for metric in estimator.train_metrics]

        def epoch_end(self, estimator: e.Estimator, *args: Any, **kwargs: Any) -> None:
            self.report_metrics(estimator)

    reports = Reports()
    made_of().fit(loader(), epochs=1, event_handlers=[reports])
    assert reports.metric_names == ["training l2loss"]


def test_a_user_defined_batch_processor_computes_batches() -> None:
    class Doubled(e.BatchProcessor):
        def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> Any:
            data, label = train_batch
            return super().fit_batch(estimator, (2 * data, label), batch_axis)

    seen: list[float] = []
    made = made_of(batch_processor=Doubled())
    made.net.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].max().asscalar()))
    made.fit(loader(), epochs=1)
    assert seen == [2, 2, 2]


def test_a_stopping_handler_can_be_used_twice() -> None:
    handler, counts = e.StoppingHandler(), []
    for _ in range(2):
        made_of().fit(loader(), batches=2, event_handlers=[handler])
        counts.append(handler.current_batch)
    assert counts == [2, 2]


@pytest.mark.parametrize("kind", [e.EarlyStoppingHandler, e.CheckpointHandler])
def test_an_unknown_mode_causes_a_warning(kind: type, tmp_path: Path) -> None:
    accuracy = mx.metric.Accuracy()
    settings: dict[str, Any] = {"monitor": accuracy, "mode": "best"}
    if kind is e.CheckpointHandler:
        settings.update(model_dir=str(tmp_path), save_best=True)
    with (
        pytest.warns(RuntimeWarning, match="there is no mode 'best'"),
        pytest.warns(UserWarning, match="a greater accuracy counts as better"),
    ):
        handler = kind(**settings)
    assert handler.monitor_op is np.greater


@pytest.mark.parametrize("monitor", ["accuracy", mx.metric.CompositeEvalMetric()])
def test_only_single_metrics_stop_training(monitor: Any) -> None:
    with pytest.raises(ValueError, match="must be a single metric"):
        e.EarlyStoppingHandler(monitor)


def test_saving_the_best_needs_a_metric(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="save_best needs a monitor"):
        e.CheckpointHandler(str(tmp_path), save_best=True)


def test_a_metric_that_is_never_updated_saves_no_best_model(tmp_path: Path) -> None:
    monitor = mx.metric.Accuracy()
    handler = e.CheckpointHandler(str(tmp_path), monitor=monitor, save_best=True, mode="max")
    with pytest.warns(RuntimeWarning, match="accuracy has no value"):
        made_of().fit(loader(), epochs=1, event_handlers=[handler])
    assert not (tmp_path / "model-best.params").exists()


def test_removing_an_old_checkpoint_keeps_others_with_the_same_prefix(tmp_path: Path) -> None:
    handler = e.CheckpointHandler(
        str(tmp_path), batch_period=1, epoch_period=None, max_checkpoints=11
    )
    made_of().fit(loader(40), batches=13, event_handlers=[handler])
    assert len(list(tmp_path.glob("*.params"))) == 11
    assert (tmp_path / "model-epoch0batch10.params").exists()


def test_resuming_counts_in_files_what_training_counts(tmp_path: Path) -> None:
    handler = e.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    with pytest.raises(AssertionError, match="training counts batches"):
        made_of().fit(loader(), batches=2, event_handlers=[handler])


def test_resuming_finished_training_is_refused(tmp_path: Path) -> None:
    made_of().fit(loader(), epochs=2, event_handlers=[e.CheckpointHandler(str(tmp_path))])
    handler = e.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    with pytest.raises(ValueError, match="has all 2 epochs already"):
        made_of().fit(loader(), epochs=2, event_handlers=[handler])


def test_resuming_from_half_a_checkpoint_changes_nothing(tmp_path: Path) -> None:
    made_of().fit(loader(), epochs=2, event_handlers=[e.CheckpointHandler(str(tmp_path))])
    (tmp_path / "model-epoch1batch6.states").unlink()
    handler = e.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    made = made_of()
    with pytest.raises(AssertionError, match=r"batch6\.states is not"):
        made.fit(loader(), epochs=4, event_handlers=[handler])
    assert made.max_epoch == 4


def test_a_file_named_like_a_checkpoint_that_is_not_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model-epochXbatch1.params").touch()
    handler = e.CheckpointHandler(str(tmp_path), resume_from_checkpoint=True)
    with pytest.raises(ValueError, match="is not named model-epochEbatch"):
        made_of().fit(loader(), epochs=4, event_handlers=[handler])


def test_a_log_interval_is_a_number_or_an_epoch() -> None:
    with pytest.raises(ValueError, match="log_interval"):
        e.LoggingHandler("batch")


class Screen(io.StringIO):
    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize("is_terminal", [False, True])
def test_progress_is_shown_on_terminals_only(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(is_terminal)
    monkeypatch.setattr("sys.stderr", screen)
    made_of().fit(loader(), epochs=1)
    assert ("/3" in screen.getvalue()) == is_terminal
