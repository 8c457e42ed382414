"""`Estimator`: a training loop composed of handlers."""

import copy
import logging
import sys
import warnings
from typing import Any

from gluonic.gluon.block import Block
from gluonic.gluon.contrib.estimator.batch_processor import BatchProcessor
from gluonic.gluon.contrib.estimator.events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    TrainBegin,
    TrainEnd,
    _check_event_handlers,
)
from gluonic.gluon.contrib.estimator.logs import LoggingHandler
from gluonic.gluon.contrib.estimator.measuring import MetricHandler, ValidationHandler
from gluonic.gluon.contrib.estimator.metrics import (
    _check_handler_metric_ref,
    _check_metrics,
    _suggest_metric_for_loss,
)
from gluonic.gluon.contrib.estimator.stopping import StoppingHandler
from gluonic.gluon.contrib.estimator.updating import GradientUpdateHandler
from gluonic.gluon.data import DataLoader
from gluonic.gluon.loss import Loss
from gluonic.gluon.trainer import Trainer
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.metric import EvalMetric
from gluonic.metric import Loss as LossMetric
from gluonic.ndarray.context import Context, cpu, gpu, num_gpus
from gluonic.progress import progress

__all__ = ["Estimator"]


class Estimator:
    """Train and validate a net.

    Parameters
    ----------
    net : the net; it is initialized if it has not been
    loss : the loss to minimize
    train_metrics, val_metrics : a metric or a list; by default the loss, and accuracy with
        `SoftmaxCrossEntropyLoss`. Their names get ``training`` and ``validation`` in front
    initializer : initializer of the parameters
    trainer : by default SGD with a learning rate of 0.001, with a warning
    context : a context or several, among which batches are divided
    val_net, val_loss : for validation; the same by default
    batch_processor : the computation for a batch

    Attributes
    ----------
    logger : where handlers write; it writes to standard output
    train_metrics, val_metrics : the metrics
    max_epoch, max_batch : where training ends

    Raises
    ------
    ValueError
        if an argument is of another type
    AssertionError
        if there is no such context

    Examples
    --------
    >>> from gluonic import gluon, metric, nd
    >>> from gluonic.gluon.contrib.estimator import Estimator
    >>> net = gluon.nn.Dense(1, in_units=2)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "adam")
    >>> data = gluon.data.ArrayDataset(nd.ones((8, 2)), nd.ones((8, 1)))
    >>> estimator = Estimator(net, gluon.loss.L2Loss(), metric.MSE(), trainer=trainer)
    >>> estimator.logger.setLevel("WARNING")
    >>> estimator.fit(gluon.data.DataLoader(data, batch_size=4), epochs=2)
    >>> estimator.train_metrics[0].name
    'training mse'
    """

    logger: logging.Logger = None  # type: ignore[assignment]
    batch_axis = 0
    max_epoch: int | None = None
    max_batch: int | None = None

    def __init__(
        self,
        net: Block,
        loss: Loss,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        context: Context | list[Context] | None = None,
        val_net: Block | None = None,
        val_loss: Loss | None = None,
        batch_processor: Any = None,
    ) -> None:
        self.net = net
        self.loss = self._check_loss(loss)
        self._train_metrics = _check_metrics(train_metrics)
        self._val_metrics = _check_metrics(val_metrics)
        self._add_default_training_metrics()
        self._add_validation_metrics()
        self.val_loss = self.loss if val_loss is None else self._check_loss(val_loss)
        self.val_net = self.net if val_net is None else val_net
        self.logger = logging.Logger(name="Estimator", level=logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = self._check_context(context)
        self._initialize(initializer)
        self.trainer = self._check_trainer(trainer)
        self.batch_processor = self._check_batch_processor(batch_processor)

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """The metrics of training."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """The metrics of validation."""
        return self._val_metrics

    # What is given

    def _check_loss(self, loss: Any) -> Loss:
        if not isinstance(loss, Loss):
            raise AttributeValueError(f"Estimator: loss must be a gluon.loss.Loss, not {loss!r}")
        return loss

    def _check_context(self, context: Any) -> list[Context]:
        if not context:
            return [gpu(0)] if num_gpus() else [cpu()]
        contexts = [context] if isinstance(context, Context) else context
        if not isinstance(contexts, list) or not all(isinstance(c, Context) for c in contexts):
            raise AttributeValueError(
                f"Estimator: context must be a Context or a list of them, not {context!r}"
            )
        there = [gpu(number) for number in range(num_gpus())]
        for one in contexts:
            if one not in there and not one.device_type.startswith("cpu"):
                known = ", ".join(["mx.cpu()", *(f"mx.{other}" for other in there)])
                raise AssertionError(
                    describe(f"there is no {one}", where="Estimator", hint=f"one of {known}")
                )
        return contexts

    def _check_batch_processor(self, batch_processor: Any) -> Any:
        if batch_processor is None:
            return BatchProcessor()
        for method in ("fit_batch", "evaluate_batch"):
            if not callable(getattr(batch_processor, method, None)):
                raise AttributeValueError(
                    f"Estimator: batch_processor {batch_processor!r} must have a method {method}"
                )
        return batch_processor

    def _check_trainer(self, trainer: Any) -> Trainer:
        if not trainer:
            warnings.warn(
                "Estimator: No trainer specified: SGD with a learning rate of 0.001 is used",
                stacklevel=3,
            )
            return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise AttributeValueError(
                f"Estimator: trainer must be a gluon.Trainer, not {trainer!r}"
            )
        return trainer

    def _initialize(self, initializer: Any) -> None:
        """Initialize the parameters that have not been."""
        if not self._is_initialized():
            settings = {"init": initializer} if initializer else {}
            self.net.initialize(ctx=self.context, **settings)
        elif initializer:
            warnings.warn(
                "Estimator: Network already fully initialized: initializer is not used; "
                "net.initialize(…, force_reinit=True) begins anew",
                stacklevel=3,
            )

    def _is_initialized(self) -> bool:
        try:
            for param in self.net.collect_params().values():
                param.list_ctx()
        except RuntimeError:  # what `list_ctx` says of a parameter that nobody has initialized
            return False
        return True

    def _add_default_training_metrics(self) -> None:
        if not self._train_metrics:
            suggested = _suggest_metric_for_loss(self.loss)
            loss = LossMetric(self.loss.name.rstrip("1234567890"))
            self._train_metrics = [loss] if suggested is None else [suggested, loss]
        for metric in self._train_metrics:
            metric.name = f"training {metric.name}"

    def _add_validation_metrics(self) -> None:
        if not self._val_metrics:
            self._val_metrics = [copy.deepcopy(metric) for metric in self._train_metrics]
        for metric in self._val_metrics:
            if "training" in metric.name:
                metric.name = metric.name.replace("training", "validation")
            else:
                metric.name = f"validation {metric.name}"

    # Handlers

    def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[Any]:
        """Return the handlers of `fit` in order: those given, and the default ones."""
        default: list[tuple[type, Any]] = [
            (GradientUpdateHandler, lambda: GradientUpdateHandler()),
            (MetricHandler, lambda: MetricHandler(metrics=self.train_metrics)),
        ]
        if val_data:
            default.append(
                (ValidationHandler, lambda: ValidationHandler(val_data, eval_fn=self.evaluate))
            )
        default.append((LoggingHandler, lambda: LoggingHandler(metrics=self.train_metrics)))
        known = {*self.train_metrics, *self.val_metrics}
        always = [StoppingHandler(self.max_epoch, self.max_batch)]
        return _completed(event_handlers, always, default, known)

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[Any]:
        """Return the handlers of `evaluate` in order: those given, and the default ones."""
        default: list[tuple[type, Any]] = [
            (MetricHandler, lambda: MetricHandler(metrics=self.val_metrics)),
            (LoggingHandler, lambda: LoggingHandler(metrics=self.val_metrics)),
        ]
        return _completed(event_handlers, [], default, set(self.val_metrics))

    def _categorize_handlers(self, event_handlers: list[Any]) -> tuple[list[Any], ...]:
        """Return the handlers of each kind of event."""
        kinds = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)
        return tuple([one for one in event_handlers if isinstance(one, kind)] for kind in kinds)

    # Loops

    def evaluate(
        self, val_data: DataLoader, batch_axis: int = 0, event_handlers: Any = None
    ) -> None:
        """Update `val_metrics` with all batches of other data.

        Parameters
        ----------
        val_data : a DataLoader of data and labels
        batch_axis : the axis of the samples
        event_handlers : a handler or a list; a `MetricHandler` and a `LoggingHandler` are added if there
            is none

        Raises
        ------
        ValueError
            if `val_data` is not a DataLoader, or a handler has metrics that are not in `val_metrics`
        """
        _check_loader(val_data, "evaluate")
        for metric in self.val_metrics:
            metric.reset()
        handlers = self._prepare_default_validation_handlers(event_handlers)
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = self._categorize_handlers(handlers)
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in val_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            for handler in batch_end:
                handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss)
        for handler in epoch_end:
            handler.epoch_end(self)

    def fit(
        self,
        train_data: DataLoader,
        val_data: DataLoader | None = None,
        epochs: int | None = None,
        event_handlers: Any = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Train for a number of epochs, or of batches.

        Parameters
        ----------
        train_data : a DataLoader of data and labels
        val_data : a DataLoader, for validation after each epoch
        epochs, batches : their number; exactly one of the two
        event_handlers : a handler or a list; a `StoppingHandler` is added, and a `GradientUpdateHandler`,
            a `MetricHandler`, a `ValidationHandler` and a `LoggingHandler` if there is none
        batch_axis : the axis of the samples

        Raises
        ------
        ValueError
            if `train_data` is not a DataLoader, both or none of `epochs` and `batches` are given, or a handler
            has metrics that the estimator does not have
        """
        _check_loader(train_data, "fit")
        if (not epochs) == (not batches):
            raise AttributeValueError(
                f"Estimator.fit: takes one of epochs and batches, not epochs={epochs}, batches={batches}"
            )
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        handlers = self._categorize_handlers(
            self._prepare_default_handlers(val_data, event_handlers)
        )
        for handler in handlers[0]:
            handler.train_begin(self)
        with progress(self._batch_count(train_data), "batch", [self.logger]) as bar:
            while self._train_epoch(train_data, handlers, bar):
                pass
        for handler in handlers[-1]:
            handler.train_end(self)

    def _batch_count(self, train_data: DataLoader) -> int:
        """The number of batches to train, unless a handler stops training earlier."""
        return self.max_batch or (self.max_epoch or 0) * len(train_data)

    def _train_epoch(self, train_data: DataLoader, handlers: Any, bar: Any) -> bool:
        """Train on all batches, or until a handler stops; return whether to continue."""
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = handlers
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in train_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.fit_batch(self, batch, self.batch_axis)
            found = {"batch": batch, "pred": pred, "label": label, "loss": loss}
            stops = [handler.batch_end(self, **found) for handler in batch_end]
            bar.update(1)
            if any(stops):
                break
        return not any([handler.epoch_end(self) for handler in epoch_end])  # noqa: C419 (call all)


def _check_loader(data: Any, method: str) -> None:
    if not isinstance(data, DataLoader):
        raise AttributeValueError(
            describe(
                f"takes a gluon.data.DataLoader, not {type(data).__name__}",
                where=f"Estimator.{method}",
                hint="gluon.data.DataLoader(gluon.data.ArrayDataset(data, labels), batch_size=…)",
            )
        )


def _completed(
    given: Any, always: list[Any], default: list[tuple[type, Any]], known: set[EvalMetric]
) -> list[Any]:
    """Add a handler of each missing kind to those given, and sort them by priority."""
    handlers = _check_event_handlers(given)
    absent = [make for kind, make in default if not any(isinstance(h, kind) for h in handlers)]
    added = [*always, *(make() for make in absent)]
    if handlers and added:  # both read and update metrics: the same ones
        for handler in (*handlers, *added):
            _check_handler_metric_ref(handler, known)
    return sorted([*handlers, *added], key=lambda handler: getattr(handler, "priority", 0))
