"""Optimizers and trainers that average gradients over ranks, and equal initial parameters."""

from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

import numpy as np

from gluonic import optimizer as optimizers
from gluonic.distributed.early import Overlapped
from gluonic.gluon import Trainer
from gluonic.gluon.parameter import DeferredInitializationError, Parameter
from gluonic.graph.errors import warn
from gluonic.graph.versions import mark_modified
from gluonic.horovod.compression import Compression
from gluonic.horovod.gradient_sums import TrainerSums
from gluonic.horovod.operations import broadcast_, grouped_allreduce_
from gluonic.horovod.process_sets import ProcessSet, global_process_set
from gluonic.horovod.ranks import size
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.kernels import overwrite


class DistributedOptimizer(optimizers.Optimizer):
    """An optimizer that averages gradients over the ranks before each update.

    Parameters
    ----------
    optimizer : the optimizer
    gradient_predivide_factor : a divisor of gradients that is applied before the sum, not after it
    num_groups : accepted for compatibility: parameters updated together are summed together
    process_set : the ranks
    """

    def __init__(
        self,
        optimizer: Any,
        gradient_predivide_factor: float = 1.0,
        num_groups: int = 0,
        process_set: Any = global_process_set,
    ) -> None:
        self._optimizer = optimizer
        self._gradient_predivide_factor = gradient_predivide_factor
        self._process_set = process_set

    def __getattr__(self, item: str) -> Any:
        if item == "_optimizer":  # before it has one
            raise AttributeError(item)
        return getattr(self._optimizer, item)

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """The optimizer's state for a parameter."""
        return self._optimizer.create_state(index, weight)

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """The optimizer's state for a parameter, which may be float16."""
        return self._optimizer.create_state_multi_precision(index, weight)

    def _average(self, index: Any, grad: Any) -> None:
        if not self._process_set.included() or self._process_set.size() == 1:
            return
        is_list = isinstance(index, (list, tuple))
        grouped_allreduce_(
            list(grad) if is_list else [grad],
            name=f"{index[0]}:{index[-1]}" if is_list else str(index),
            prescale_factor=1.0 / self._gradient_predivide_factor,
            postscale_factor=self._gradient_predivide_factor,
            process_set=self._process_set,
        )

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Average the gradient, and update."""
        self._average(index, grad)
        self._optimizer.update(index, weight, grad, state)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Average the gradient, and update a parameter that may be float16."""
        self._average(index, grad)
        self._optimizer.update_multi_precision(index, weight, grad, state)

    @property
    def learning_rate(self) -> float:
        """The optimizer's learning rate."""
        rate: float = self._optimizer.learning_rate
        return rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the optimizer's learning rate."""
        self._optimizer.set_learning_rate(lr)

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Set factors of the learning rate."""
        self._optimizer.set_lr_mult(args_lr_mult)

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Set factors of the weight decay."""
        self._optimizer.set_wd_mult(args_wd_mult)


class DistributedTrainer(Trainer):
    """A trainer that averages gradients over the ranks; `step` takes the batch size of one rank.

    Parameters
    ----------
    params, optimizer, optimizer_params : see `Trainer`
    compression : `Compression.none` or `Compression.fp16`
    gradient_predivide_factor : a divisor of gradients that is applied before the sum, not after it
    prefix : the prefix of its parameters' names in errors
    num_groups : accepted for compatibility: gradients are always sent in buckets
    process_set : the ranks
    """

    def __init__(
        self,
        params: Any,
        optimizer: Any,
        optimizer_params: Any = None,
        compression: Any = Compression.none,
        gradient_predivide_factor: float = 1.0,
        prefix: str | None = None,
        num_groups: int = 0,
        process_set: Any = global_process_set,
    ) -> None:
        if isinstance(optimizer, DistributedOptimizer):
            optimizer = optimizer._optimizer
            warn(
                "DistributedTrainer averages gradients itself; the DistributedOptimizer's own is used"
            )
        if isinstance(params, (list, tuple)):
            params = sorted(params, key=lambda param: param.name)
        super().__init__(params, optimizer, optimizer_params, kvstore=None)
        self._compression, self._process_set = compression, process_set
        self._predivide, self._prefix = gradient_predivide_factor, prefix or ""
        self._sums: TrainerSums | None = None
        self._summed: object = None

    @property
    def overlapped(self) -> Overlapped | None:
        """The overlap of sums with backward, in the latest step; None if there was none."""
        return None if self._sums is None else self._sums.overlapped

    def _allreduce_grads(self) -> None:
        members: ProcessSet = self._process_set
        if not members.included() or members.size() == 1:
            return
        known = [param for param in self._params if param.grad_req != "null"]
        gradients = [param.list_grad()[0] for param in known]
        sent, contexts = zip(*map(self._compression.compress, gradients), strict=True)
        group = members.group()
        names = [self._prefix + param.name for param in known]
        summed = group, names, [(array.shape, array.dtype) for array in sent]
        if self._sums is None or summed != self._summed:
            self._sums, self._summed = TrainerSums(group, names, sent), summed
        group.watch.advance()
        after = np.float32(self._predivide / group.size)
        as_written = self._predivide == 1.0 and all(map(is_, sent, gradients))
        if self._predivide != 1.0:
            for array in sent:
                array.elements *= np.float32(1.0 / self._predivide)
        facts = f"{self._prefix} {self._predivide}"
        self._sums.sum_up(sent, facts, self._prefix, early=as_written)
        for gradient, array, context in zip(gradients, sent, contexts, strict=True):
            array.elements *= after
            if array is gradient:
                mark_modified(gradient.elements)
            else:
                overwrite(gradient, self._compression.decompress(array, context).elements)


def broadcast_parameters(params: Any, root_rank: int = 0, prefix: str | None = None) -> None:
    """Copy the parameters of one rank to all ranks.

    Parameters
    ----------
    params : a dictionary of arrays or parameters, such as `net.collect_params()`; parameters with deferred
        initialization are sent once they are initialized
    root_rank : the rank whose parameters are copied
    prefix : the prefix of their names in errors

    Raises
    ------
    ValueError
        if `params` is not a dictionary
    """
    if not isinstance(params, Mapping):
        raise ValueError(f"invalid params of type: {type(params)}")
    if size() == 1:
        return
    for name, value in sorted(params.items()):
        called = f"{prefix or ''}{name}"
        if not isinstance(value, Parameter):
            broadcast_(value, root_rank, name=called)
            continue
        try:
            known: Sequence[NDArray] = value.list_data()
        except DeferredInitializationError:
            _broadcast_when_initialized(value, root_rank, called)
            continue
        for one in known:
            broadcast_(one, root_rank, name=called)


def _broadcast_when_initialized(param: Parameter, root_rank: int, name: str) -> None:
    """Send a parameter once it has a shape and values."""

    def broadcast_all() -> None:
        for one in param.list_data():
            broadcast_(one, root_rank, name=name)

    param.on_initialization(broadcast_all)
