"""The base of all modules: training, scoring and predicting in terms of a few steps."""

import logging
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from gluonic import metric as metrics
from gluonic import ndarray as nd
from gluonic.graph.errors import MXNetError
from gluonic.initializer import Uniform
from gluonic.io import DataBatch, DataIter
from gluonic.model import BatchEndParam
from gluonic.module.interface import ModuleInterface
from gluonic.ndarray import NDArray
from gluonic.progress import Progress, progress

DEFAULT_INITIALIZER = Uniform(0.01)


class NoBatchError(MXNetError, StopIteration):
    """There is no batch to train on; MXNet raises a `StopIteration`."""


def as_list(value: Any) -> list[Any]:
    """Return one value, several or None as a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


class BaseModule(ModuleInterface):
    """The base of modules: a symbol, or something like it, with parameters, a loss and an optimizer."""

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set the parameters and the auxiliary states."""
        self.init_params(
            initializer=None,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
            allow_extra=allow_extra,
        )

    def save_params(self, fname: str) -> None:
        """Save the parameters to a file."""
        arguments, states = self.get_params()
        nd.save(
            fname,
            {
                **{f"arg:{name}": value for name, value in arguments.items()},
                **{f"aux:{name}": value for name, value in states.items()},
            },
        )

    def load_params(self, fname: str) -> None:
        """Load the parameters from a file."""
        arguments: dict[str, NDArray] = {}
        states: dict[str, NDArray] = {}
        loaded = nd.load(fname)
        for name, value in loaded.items() if isinstance(loaded, dict) else ():
            kind, _, plain = name.partition(":")
            if kind not in ("arg", "aux"):
                raise ValueError(f"{fname}: holds {name!r}, which is neither arg:… nor aux:…")
            (arguments if kind == "arg" else states)[plain] = value
        self.set_params(arguments, states)

    def forward_backward(self, data_batch: DataBatch) -> None:
        """Compute outputs and gradients of a batch, in training mode."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> list[tuple[str, float]]:
        """Return a metric's values for some data; on a terminal, a progress bar is shown."""
        self.require("binded", "params_initialized")
        if reset:
            eval_data.reset()
        eval_metric = metrics.create(eval_metric)
        eval_metric.reset()
        count, batches = 0, self._batches(eval_data, num_batch, sparse_row_id_fn)
        with progress(num_batch, "batch", self._loggers()) as bar:
            for nbatch, eval_batch in enumerate(batches):
                self.forward(eval_batch, is_train=False)
                self._measure(eval_metric, eval_batch)
                report(batch_end_callback, epoch, nbatch, eval_metric, locals())
                count = nbatch + 1
                bar.update()
        report(score_end_callback, epoch, count, eval_metric, locals())
        return list(eval_metric.get_name_value())

    def _loggers(self) -> list[logging.Logger]:
        """The loggers whose lines are printed above a progress bar: MXNet's callbacks use the root logger."""
        own = [self.logger] if isinstance(self.logger, logging.Logger) else []
        return [logging.getLogger(), *own]

    def _measure(self, eval_metric: Any, batch: Any) -> None:
        if isinstance(batch, list):
            self.update_metric(eval_metric, [b.label for b in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    def _batches(self, data: Any, most: int | None, sparse_row_id_fn: Any) -> Iterator[Any]:
        """Yield at most `most` batches, after preparing for each."""
        for number, batch in enumerate(data):
            if number == most:
                return
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            yield batch

    def iter_predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: Any = None,
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Yield the outputs, the number and the batch, for each batch."""
        self.require("binded", "params_initialized")
        if reset:
            eval_data.reset()
        for number, batch in enumerate(self._batches(eval_data, num_batch, sparse_row_id_fn)):
            self.forward(batch, is_train=False)
            yield self._outputs_without_padding(batch), number, batch

    def _outputs_without_padding(self, batch: Any) -> list[NDArray]:
        return [output[: output.shape[0] - (batch.pad or 0)] for output in self.get_outputs()]

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """Return the outputs for some data.

        Parameters
        ----------
        eval_data : an iterator, or an array, which is one batch
        num_batch : largest number of batches
        merge_batches : whether to concatenate the batches' outputs; otherwise there is a list for each batch
        reset : whether to reset the iterator first
        always_output_list : whether to return a single output in a list as well

        Raises
        ------
        ValueError
            if `eval_data` is neither
        """
        self.require("binded", "params_initialized")
        if isinstance(eval_data, (NDArray, np.ndarray)):
            batch = eval_data if isinstance(eval_data, NDArray) else nd.array(eval_data)
            self.forward(DataBatch([batch]), is_train=False)
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            raise ValueError(
                f"predict: eval_data must be a DataIter or an array, not {type(eval_data).__name__}"
            )
        found = [
            [output.copy() for output in outputs]
            for outputs, _, _ in self.iter_predict(eval_data, num_batch, reset, sparse_row_id_fn)
        ]
        if not found or not merge_batches:
            return found
        if len({len(outputs) for outputs in found}) > 1:
            raise AssertionError("batches with different numbers of outputs cannot be joined")
        joined = [nd.concat(*parts, dim=0) for parts in zip(*found, strict=True)]
        return joined[0] if len(joined) == 1 and not always_output_list else joined

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
    ) -> None:
        """Train on some data; a progress bar for each epoch is shown on a terminal.

        Parameters
        ----------
        train_data, eval_data : iterators to train on and to score with after each epoch
        eval_metric, validation_metric : the metrics of each
        optimizer, optimizer_params, initializer : the optimizer, its arguments, and the initial values
        begin_epoch, num_epoch : the epochs to run
        batch_end_callback, epoch_end_callback, eval_end_callback, eval_batch_end_callback : functions to call
        """
        if num_epoch is None:
            raise AssertionError("fit needs num_epoch=")
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(
            initializer=initializer,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
        )
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        eval_metric = metrics.create(eval_metric)
        validation_metric = eval_metric if validation_metric is None else validation_metric
        for epoch in range(begin_epoch, num_epoch):
            with progress(None, "batch", self._loggers()) as bar:
                self._train_epoch(
                    epoch,
                    train_data,
                    eval_metric,
                    batch_end_callback,
                    monitor,
                    sparse_row_id_fn,
                    bar,
                )
            arguments, states = self.get_params()
            self.set_params(arguments, states)
            for callback in as_list(epoch_end_callback):
                callback(epoch, self.symbol, arguments, states)
            if eval_data is not None:
                scored = self.score(
                    eval_data,
                    validation_metric,
                    score_end_callback=eval_end_callback,
                    batch_end_callback=eval_batch_end_callback,
                    epoch=epoch,
                )
                for name, value in scored:
                    self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
            train_data.reset()

    def _train_epoch(
        self,
        epoch: int,
        train_data: Any,
        eval_metric: Any,
        batch_end_callback: Any,
        monitor: Any,
        sparse_row_id_fn: Any,
        bar: Progress,
    ) -> None:
        start = time.perf_counter()
        eval_metric.reset()
        batches = iter(train_data)
        data_batch, nbatch = next(batches, None), 0
        if data_batch is None:
            raise NoBatchError("fit: train_data has no batch; train_data.reset() starts it again")
        trained: list[tuple[str, float]] = []
        while data_batch is not None:
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self._measure(eval_metric, data_batch)
            following = next(batches, None)
            if following is None:
                trained = eval_metric.get_global_name_value()  # a callback may reset the metric
            else:
                self.prepare(following, sparse_row_id_fn=sparse_row_id_fn)
            if monitor is not None:
                monitor.toc_print()
            report(batch_end_callback, epoch, nbatch, eval_metric, locals())
            data_batch, nbatch = following, nbatch + 1
            bar.update()
        for name, value in trained:
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
        self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.perf_counter() - start)


def report(
    callbacks: Any, epoch: int, number: int, eval_metric: Any, variables: dict[str, Any]
) -> None:
    """Call the callbacks of a batch; they find the loop's variables in `locals`, under MXNet's names."""
    for callback in as_list(callbacks):
        callback(
            BatchEndParam(epoch=epoch, nbatch=number, eval_metric=eval_metric, locals=variables)
        )
