"""`Estimator`: what its handlers are called with, what is trained, logged and saved."""

from __future__ import annotations

import logging
import os
import re
import tempfile
import warnings
from typing import Any

import numpy as np


class Lines(logging.Handler):
    """Collects the lines that programs parse, without times."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: Any) -> None:
        """Take a line."""
        line = re.sub(r"\d+\.\d+s", "S", record.getMessage())
        if re.match(r"\[Epoch \d+\](\[| Begin| Finished)|Validation Begin|Train for", line):
            self.lines.append(line)


def estimator(mx: Any, momentum: float = 0.9, **settings: Any) -> Any:
    """Return an estimator of a net with known parameters, and the data."""
    random = np.random.RandomState(3)
    data = mx.nd.array(random.randn(10, 3).astype(np.float32))
    label = mx.nd.array(random.randint(0, 4, (10,)).astype(np.float32))
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            mx.gluon.nn.Dense(5, activation="relu", in_units=3), mx.gluon.nn.Dense(4, in_units=5)
        )
    net.initialize()
    for parameter in net.collect_params().values():
        parameter.set_data(0.5 * random.randn(*parameter.shape))
    if settings.pop("hybridize", False):
        net.hybridize()
    trainer = mx.gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": momentum}
    )
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    made = mx.gluon.contrib.estimator.Estimator(
        net, loss, trainer=trainer, context=mx.cpu(), **settings
    )
    made.logger.handlers[:] = [Lines()]
    made.logger.setLevel(logging.INFO)
    return made, mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(data, label), batch_size=4)


def recorder(mx: Any, priority: float, events: list[Any], stop_batch: int, stop_epoch: int) -> Any:
    """Return a handler that notes what happens, and ends epochs and training."""
    e = mx.gluon.contrib.estimator
    kinds = (e.TrainBegin, e.TrainEnd, e.EpochBegin, e.EpochEnd, e.BatchBegin, e.BatchEnd)
    counts = {"batch_end": 0, "epoch_end": 0}

    def note(name: str) -> Any:
        def method(self: Any, estimator: Any, *args: Any, **kwargs: Any) -> Any:
            values = [metric.get()[1] for metric in estimator.train_metrics]
            events.append([priority, name, sorted(kwargs), values])
            if name in counts:
                counts[name] += 1
                return counts[name] == (stop_batch if name == "batch_end" else stop_epoch)
            return None

        return method

    names = ("train_begin", "train_end", "epoch_begin", "epoch_end", "batch_begin", "batch_end")
    kind = type("Recorder", kinds, {name: note(name) for name in names})
    made = kind()
    made.priority = priority
    return made


def outcome(made: Any) -> dict[str, Any]:
    """Return what a test compares after training."""
    return {
        "parameters": [p.data() for _, p in sorted(made.net.collect_params().items())],
        "metrics": [m.get() for m in made.train_metrics + made.val_metrics],
        "lines": made.logger.handlers[0].lines,
    }


def fit(mx: Any, hybridize: bool = False, **settings: Any) -> dict[str, Any]:
    """Train."""
    interval, validate = settings.pop("interval", None), settings.pop("validate", False)
    made, data = estimator(mx, hybridize=hybridize)
    if interval:
        e = mx.gluon.contrib.estimator
        settings["event_handlers"] = [e.LoggingHandler(interval, made.train_metrics)]
    made.fit(data, val_data=data if validate else None, **settings)
    return outcome(made)


def events(mx: Any, stop_batch: int, stop_epoch: int) -> Any:
    """Train with handlers before and after the metrics are updated."""
    made, data = estimator(mx)
    found: list[Any] = []
    handlers = [recorder(mx, p, found, stop_batch, stop_epoch) for p in (5, -1500)]
    made.fit(data, epochs=3, event_handlers=handlers)
    return found


def validate(mx: Any, **settings: Any) -> Any:
    """Train with a `ValidationHandler`."""
    made, data = estimator(mx)
    handler = mx.gluon.contrib.estimator.ValidationHandler(data, made.evaluate, **settings)
    made.fit(data, epochs=2, event_handlers=handler)
    return outcome(made)


def stop_early(mx: Any, index: int, **settings: Any) -> Any:
    """Train until a metric stops to become better."""
    made, data = estimator(mx, momentum=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        handler = mx.gluon.contrib.estimator.EarlyStoppingHandler(
            made.train_metrics[index], **settings
        )
    made.fit(data, epochs=12, event_handlers=[handler])
    return [
        handler.current_epoch, handler.stopped_epoch, handler.wait, handler.stop_training,
        handler.best, handler.min_delta, handler.monitor_op.__name__,
    ]  # fmt: skip


def checkpoints(mx: Any, runs: list[Any], hybridize: bool = False, **settings: Any) -> Any:
    """Train several times with a `CheckpointHandler` in one folder; return the files after each."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for run in runs:
            made, data = estimator(mx, hybridize=hybridize)
            given = {**settings, **run.get("settings", {})}
            if "mode" in given:
                given["monitor"] = made.train_metrics[1]
            handler = mx.gluon.contrib.estimator.CheckpointHandler(folder, "net", **given)
            made.fit(data, event_handlers=[handler], **run["fit"])
            left = [made.max_epoch, made.max_batch]
            numbers = [handler.current_epoch, handler.current_batch]
            found.append([sorted(os.listdir(folder)), left, numbers, outcome(made)["parameters"]])
    return found


RESUMED = {"resume_from_checkpoint": True}
CASES: dict[str, Any] = {
    "epochs": (fit, {"epochs": 2}),
    "epochs hybridized": (fit, {"epochs": 2, "hybridize": True}),
    "batches": (fit, {"batches": 5}),
    "interval": (fit, {"batches": 7, "interval": 2}),
    "validated": (fit, {"epochs": 2, "validate": True}),
    "events": (events, {"stop_batch": 0, "stop_epoch": 0}),
    "events to a batch": (events, {"stop_batch": 4, "stop_epoch": 0}),
    "events to an epoch": (events, {"stop_batch": 0, "stop_epoch": 2}),
    "validation by batches": (validate, {"batch_period": 2, "epoch_period": None}),
    "validation by epochs": (validate, {"epoch_period": 2}),
    "loss stops": (stop_early, {"index": 1, "mode": "max"}),
    "loss does not stop": (stop_early, {"index": 1, "mode": "min"}),
    "small change": (stop_early, {"index": 1, "mode": "min", "min_delta": 0.2, "patience": 2}),
    "accuracy patience": (stop_early, {"index": 0, "mode": "auto", "patience": 3}),
    "baseline": (stop_early, {"index": 1, "mode": "min", "baseline": 0.5, "patience": 2}),
    "saved": (checkpoints, {"runs": [{"fit": {"epochs": 2}}]}),
    "saved hybridized": (
        checkpoints,
        {"runs": [{"fit": {"epochs": 1}}], "hybridize": True, "save_best": True, "mode": "min"},
    ),
    "rotated": (
        checkpoints,
        {"runs": [{"fit": {"batches": 7}}], "batch_period": 2, "epoch_period": None, "max_checkpoints": 2},
    ),
    "resumed epochs": (
        checkpoints,
        {"runs": [{"fit": {"epochs": 2}}, {"fit": {"epochs": 5}, "settings": RESUMED}]},
    ),
    "resumed batches": (
        checkpoints,
        {
            "runs": [{"fit": {"batches": 4}}, {"fit": {"batches": 8}, "settings": RESUMED}],
            "batch_period": 2,
            "epoch_period": None,
        },
    ),
    "resumed nothing": (checkpoints, {"runs": [{"fit": {"epochs": 2}, "settings": RESUMED}]}),
}  # fmt: skip


def run(mx: Any, case: str) -> Any:
    """Run a case."""
    function, settings = CASES[case]
    return function(mx, **settings)


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
