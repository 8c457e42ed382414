"""The training loop that preceded modules, as programs with estimators of their own call it."""

import logging
import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any

from gluonic.executor_manager import DataParallelExecutorManager
from gluonic.module.base import as_list, report
from gluonic.module.store_functions import (
    _initialize_kvstore,
    _update_params,
    _update_params_on_kvstore,
)
from gluonic.ndarray import Context, NDArray
from gluonic.optimizer import get_updater


def _train_multi_device(
    symbol: Any,
    ctx: Sequence[Context],
    arg_names: Sequence[str],
    param_names: Sequence[str],
    aux_names: Sequence[str],
    arg_params: MutableMapping[str, NDArray],
    aux_params: MutableMapping[str, NDArray],
    begin_epoch: int,
    end_epoch: int,
    epoch_size: int | None,
    optimizer: Any,
    kvstore: Any,
    update_on_kvstore: bool,
    train_data: Any,
    eval_data: Any = None,
    eval_metric: Any = None,
    epoch_end_callback: Any = None,
    batch_end_callback: Any = None,
    logger: Any = None,
    work_load_list: Sequence[float] | None = None,
    monitor: Any = None,
    eval_end_callback: Any = None,
    eval_batch_end_callback: Any = None,
    sym_gen: Callable[[Any], Any] | None = None,
) -> None:
    """Train until before the last epoch, and write the results into `arg_params` and `aux_params`."""
    logger = logger or logging
    manager = DataParallelExecutorManager(
        symbol, ctx, train_data, arg_names, param_names, aux_names, work_load_list, logger, sym_gen
    )
    if monitor:
        manager.install_monitor(monitor)
    manager.set_params(arg_params, aux_params)
    update = _updating(manager, optimizer, kvstore, update_on_kvstore, arg_params)
    train_data.reset()
    for epoch in range(begin_epoch, end_epoch):
        start = time.perf_counter()
        eval_metric.reset()
        for number, batch in enumerate(_epoch(train_data, epoch, epoch_size, logger), 1):
            if monitor is not None:
                monitor.tic()
            manager.load_data_batch(batch)
            manager.forward(is_train=True)
            manager.backward()
            update()
            if monitor is not None:
                monitor.toc_print()
            manager.update_metric(eval_metric, batch.label)
            report(batch_end_callback, epoch, number, eval_metric, locals())
        logger.info("Epoch[%d] Time cost=%.3f", epoch, time.perf_counter() - start)
        if epoch_end_callback or epoch + 1 == end_epoch:
            manager.copy_to(arg_params, aux_params)
        for callback in as_list(epoch_end_callback):
            callback(epoch, symbol, arg_params, aux_params)
        if eval_data:
            count = _evaluate(manager, epoch, eval_data, eval_metric, eval_batch_end_callback)
            report(eval_end_callback, epoch, count, eval_metric, locals())


def _updating(
    manager: DataParallelExecutorManager,
    optimizer: Any,
    store: Any,
    on_store: bool,
    arg_params: MutableMapping[str, NDArray],
) -> Callable[[], None]:
    """Prepare the store, and return the function that updates the weights after each batch."""
    weights, gradients, names = manager.param_arrays, manager.grad_arrays or (), manager.param_names
    if on_store:
        store.set_optimizer(optimizer)
    if store:
        _initialize_kvstore(store, weights, arg_params, names, on_store)
    if on_store:
        return lambda: _update_params_on_kvstore(weights, gradients, store, names)
    updater, contexts = get_updater(optimizer), len(manager.ctx)
    return lambda: _update_params(weights, gradients, updater, contexts, store, names)


def _epoch(data: Any, epoch: int, size: int | None, logger: Any) -> Iterator[Any]:
    """The batches of an epoch: all, or as many as are asked for, whatever the iterator has."""
    count = 0
    while True:
        for batch in data:
            yield batch
            count += 1
            if count == size:
                return
        logger.info("Epoch[%d] Resetting Data Iterator", epoch)
        data.reset()
        if size is None:
            return


def _evaluate(
    manager: DataParallelExecutorManager, epoch: int, data: Any, metric: Any, callbacks: Any
) -> int:
    """Compute a metric over data; return the number of batches."""
    metric.reset()
    data.reset()
    count = 0
    for batch in data:
        manager.load_data_batch(batch)
        manager.forward()
        manager.update_metric(metric, batch.label)
        report(callbacks, epoch, count, metric, locals())
        count += 1
    return count
