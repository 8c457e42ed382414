"""What all modules can do: training, scoring and predicting in terms of a few steps."""

import logging
import time
from collections.abc import Iterator, Sequence
from typing import Any

from gluonic import metric as metrics
from gluonic import ndarray as nd
from gluonic.initializer import Uniform
from gluonic.io import DataBatch
from gluonic.model import BatchEndParam
from gluonic.ndarray import NDArray


def as_list(value: Any) -> list[Any]:
    """A list of callbacks or the like: of one, of several or of none."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


class BaseModule:
    """The base of modules: a symbol, or something like it, with parameters, a loss and an optimizer.

    Parameters
    ----------
    logger : where `fit` reports
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = self.for_training = self.inputs_need_grad = False
        self.params_initialized = self.optimizer_initialized = False
        self._symbol: Any = None

    @property
    def symbol(self) -> Any:
        """The symbol of the module."""
        return self._symbol

    def _require(self, *flags: str) -> None:
        steps = {
            "binded": "bind()",
            "params_initialized": "init_params()",
            "optimizer_initialized": "init_optimizer()",
        }
        for flag in flags:
            if not getattr(self, flag):
                raise AssertionError(f"{type(self).__name__}: call {steps[flag]} first")

    # To be written by each kind of module

    def bind(self, data_shapes: Any, label_shapes: Any = None, **options: Any) -> None:
        """Make room for inputs of such shapes."""
        raise NotImplementedError(f"{type(self).__name__}.bind")

    def init_params(self, *arguments: Any, **options: Any) -> None:
        """Give the parameters their first values."""
        raise NotImplementedError(f"{type(self).__name__}.init_params")

    def init_optimizer(self, *arguments: Any, **options: Any) -> None:
        """Choose the optimizer."""
        raise NotImplementedError(f"{type(self).__name__}.init_optimizer")

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients."""
        raise NotImplementedError(f"{type(self).__name__}.backward")

    def update(self) -> None:
        """Change the parameters by their gradients."""
        raise NotImplementedError(f"{type(self).__name__}.update")

    def get_outputs(self, merge_multi_context: bool = True) -> list[NDArray]:
        """Return the outputs of the latest batch."""
        raise NotImplementedError(f"{type(self).__name__}.get_outputs")

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return the parameters and the auxiliary states."""
        raise NotImplementedError(f"{type(self).__name__}.get_params")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Let a metric see the latest outputs."""
        raise NotImplementedError(f"{type(self).__name__}.update_metric")

    # In terms of these

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Get ready for a batch; dense parameters need nothing."""

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
        """Return a metric's values over some data."""
        self._require("binded", "params_initialized")
        if reset:
            eval_data.reset()
        eval_metric = metrics.create(eval_metric)
        eval_metric.reset()
        count = 0
        for count, batch in enumerate(self._batches(eval_data, num_batch), start=1):
            self.forward(batch, is_train=False)
            self._measure(eval_metric, batch)
            self._report(batch_end_callback, epoch, count - 1, eval_metric)
        self._report(score_end_callback, epoch, count, eval_metric)
        return list(eval_metric.get_name_value())

    def _measure(self, eval_metric: Any, batch: Any) -> None:
        if isinstance(batch, list):
            self.update_metric(eval_metric, [b.label for b in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    @staticmethod
    def _batches(data: Any, most: int | None) -> Iterator[Any]:
        for number, batch in enumerate(data):
            if number == most:
                return
            yield batch

    @staticmethod
    def _report(callbacks: Any, epoch: int, number: int, eval_metric: Any) -> None:
        for callback in as_list(callbacks):
            callback(BatchEndParam(epoch=epoch, nbatch=number, eval_metric=eval_metric, locals={}))

    def iter_predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: Any = None,
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Yield the outputs, the number and the batch, for each batch."""
        self._require("binded", "params_initialized")
        if reset:
            eval_data.reset()
        for number, batch in enumerate(self._batches(eval_data, num_batch)):
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
        """Return the outputs for some data: of one batch, or of all, joined."""
        self._require("binded", "params_initialized")
        if isinstance(eval_data, NDArray):
            self.forward(DataBatch([eval_data]), is_train=False)
            return self.get_outputs()[0]
        if reset:
            eval_data.reset()
        found = []
        for batch in self._batches(eval_data, num_batch):
            self.forward(batch, is_train=False)
            found.append([output.copy() for output in self._outputs_without_padding(batch)])
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
        initializer: Any = None,
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
        """Train on some data.

        Parameters
        ----------
        train_data, eval_data : iterators to train on and to score with after each epoch
        eval_metric, validation_metric : what to measure on each
        optimizer, optimizer_params, initializer : how to train and where to start
        begin_epoch, num_epoch : the epochs to run
        batch_end_callback, epoch_end_callback, eval_end_callback, eval_batch_end_callback : whom to tell
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
            initializer=Uniform(0.01) if initializer is None else initializer,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
        )
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        eval_metric = metrics.create(eval_metric)
        validation_metric = eval_metric if validation_metric is None else validation_metric
        for epoch in range(begin_epoch, num_epoch):
            self._train_epoch(epoch, train_data, eval_metric, batch_end_callback, monitor)
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

    def _train_epoch(
        self, epoch: int, train_data: Any, eval_metric: Any, callback: Any, monitor: Any
    ) -> None:
        start = time.perf_counter()
        eval_metric.reset()
        train_data.reset()
        for number, batch in enumerate(train_data):
            if monitor is not None:
                monitor.tic()
            self.forward_backward(batch)
            self.update()
            self._measure(eval_metric, batch)
            if monitor is not None:
                monitor.toc_print()
            self._report(callback, epoch, number, eval_metric)
        for name, value in eval_metric.get_name_value():
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
        self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.perf_counter() - start)

    def install_monitor(self, mon: Any) -> None:
        """Let a monitor see inner results."""
        raise NotImplementedError(f"{type(self).__name__}.install_monitor")


def check_names(wanted: Sequence[str], known: Sequence[str], kind: str) -> None:
    """Refuse names of inputs that the symbol does not have.

    Raises
    ------
    ValueError
        naming the ones at fault
    """
    for name in wanted:
        if name not in known:
            raise ValueError(
                f"{kind}={list(wanted)}: the symbol has no argument {name!r}; it has {list(known)}"
            )
