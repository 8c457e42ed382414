"""Division of batches among contexts, as programs with executors of their own use it."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from gluonic.module.division import divided
from gluonic.module.executor_group import DataParallelExecutorGroup as _Group
from gluonic.ndarray import Context, NDArray

__all__: list[str] = []


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """Divide a batch in proportion to loads.

    Raises
    ------
    ValueError
        if a part would be empty

    Examples
    --------
    >>> _split_input_slice(10, [1, 2])
    [slice(0, 3, None), slice(3, 10, None)]
    """
    return divided(batch_size, work_load_list)


def _load_general(data: Sequence[NDArray], targets: Sequence[Any]) -> None:
    """Copy arrays into others, each one array, or a list of slices with the arrays for them."""
    for source, target in zip(data, targets, strict=True):
        if isinstance(target, NDArray):
            source.copyto(target)
            continue
        for piece, part in target:
            source[piece].copyto(part)


def _load_data(batch: Any, targets: Sequence[Any]) -> None:
    """Copy a batch's data into arrays."""
    _load_general(batch.data, targets)


def _load_label(batch: Any, targets: Sequence[Any]) -> None:
    """Copy a batch's labels into arrays."""
    _load_general(batch.label, targets)


def _check_arguments(symbol: Any) -> None:
    """Raise an error if arguments, or auxiliary states, of a symbol have the same name.

    Raises
    ------
    ValueError
        for the first name that occurs twice
    """
    for kind, names in (
        ("arguments", symbol.list_arguments()),
        ("auxiliary states", symbol.list_auxiliary_states()),
    ):
        again = next((name for name in names if names.count(name) > 1), None)
        if again is not None:
            raise ValueError(f"several {kind} of the symbol are called {again!r}: {names}")


class DataParallelExecutorManager:
    """Executors for each context, and for each bucket if there are several, with the same parameters.

    It preceded `mx.mod.Module`.

    Parameters
    ----------
    symbol : the network
    ctx : the contexts, among which batches are divided
    train_data : describes the batches
    arg_names, param_names, aux_names : the network's arguments, those that are parameters, and its states
    work_load_list : the relative share of each context in a batch; equal shares by default
    logger : receives a line at the start
    sym_gen : makes the network for the key of a bucket

    Attributes
    ----------
    execgrp, curr_execgrp : the first group of executors, and that of the latest batch
    slices : the part of the batch that each context computes
    """

    def __init__(
        self,
        symbol: Any,
        ctx: Sequence[Context],
        train_data: Any,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        aux_names: Sequence[str],
        work_load_list: Sequence[float] | None = None,
        logger: Any = None,
        sym_gen: Callable[[Any], Any] | None = None,
    ) -> None:
        (logger or logging).info("Start training with %s", str(ctx))
        _check_arguments(symbol)
        self.symbol, self.ctx, self.sym_gen = symbol, ctx, sym_gen
        self.arg_names, self.param_names, self.aux_names = arg_names, param_names, aux_names
        self._shares = [1.0] * len(ctx) if work_load_list is None else work_load_list
        if len(self._shares) != len(ctx):
            raise ValueError(
                f"work_load_list has {len(self._shares)} shares for {len(ctx)} contexts"
            )
        self.execgrp = self.curr_execgrp = self._bound(symbol, train_data)
        self.slices = self.execgrp.slices
        self.execgrp_bucket = (
            {} if sym_gen is None else {train_data.default_bucket_key: self.execgrp}
        )

    def _bound(self, symbol: Any, described: Any, shared: _Group | None = None) -> _Group:
        return _Group(
            symbol,
            self.ctx,
            self._shares,
            described.provide_data,
            described.provide_label,
            self.param_names,
            for_training=True,
            inputs_need_grad=False,
            shared_group=shared,
        )

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """The parameters, each a list with one array per context."""
        return self.execgrp.param_arrays

    @property
    def grad_arrays(self) -> list[list[NDArray | None]] | None:
        """The gradients of the parameters, each a list with one array per context."""
        return self.execgrp.grad_arrays

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """The auxiliary states, each a list with one array per context."""
        return self.execgrp.aux_arrays

    def install_monitor(self, monitor: Any) -> None:
        """Install a monitor on the executors; there must be no buckets."""
        if self.sym_gen is not None:
            raise NotImplementedError("Monitoring is not implemented for bucketing")
        self.execgrp.install_monitor(monitor)

    def set_params(self, arg_params: Any, aux_params: Any) -> None:
        """Set parameters and auxiliary states by name."""
        self.execgrp.set_params(arg_params, aux_params)

    def copy_to(self, arg_params: Any, aux_params: Any) -> None:
        """Write parameters and auxiliary states, of several contexts their mean, into arrays by name."""
        self.execgrp.get_params(arg_params, aux_params)

    def load_data_batch(self, data_batch: Any) -> None:
        """Take a batch, with the executors of its bucket."""
        if self.sym_gen is not None:
            key = data_batch.bucket_key
            if key not in self.execgrp_bucket:
                symbol = self.sym_gen(key)
                self.execgrp_bucket[key] = self._bound(symbol, data_batch, self.execgrp)
            self.curr_execgrp = self.execgrp_bucket[key]
        _load_data(data_batch, self.curr_execgrp.data_arrays)
        _load_label(data_batch, self.curr_execgrp.label_arrays or ())

    def forward(self, is_train: bool = False) -> None:
        """Compute the outputs of the batch that was taken."""
        for one in self.curr_execgrp.execs:
            one.forward(is_train)

    def backward(self) -> None:
        """Compute the gradients of the parameters."""
        self.curr_execgrp.backward()

    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the latest outputs; see `Module.update_metric`."""
        self.curr_execgrp.update_metric(metric, labels, pre_sliced)
