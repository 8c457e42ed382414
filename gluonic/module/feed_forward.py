"""``mx.model.FeedForward``: the estimator that preceded modules; it trains with a module."""

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from gluonic import metric as metrics
from gluonic import ndarray as nd
from gluonic.graph import Array
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.initializer import InitDesc, Uniform
from gluonic.io import DataDesc, ResizeIter
from gluonic.model import BatchEndParam, load_checkpoint, save_checkpoint
from gluonic.module.base import BaseModule
from gluonic.module.bucketing import BucketingModule
from gluonic.module.feeding import batches_of, batches_to_score, unlabelled_batches
from gluonic.module.module import Module
from gluonic.ndarray import Context, NDArray, cpu
from gluonic.symbol import Symbol

__all__ = ["FeedForward"]

Parameters = Mapping[str, NDArray] | None


class FeedForward:
    """A network with its training; superseded by `mx.mod.Module`.

    Parameters
    ----------
    symbol : the network, or a function that creates it from the key of a bucket
    ctx : one context or several, among which batches are divided
    num_epoch : the epoch before which training stops, counted from zero
    epoch_size : number of batches in an epoch; all by default
    optimizer, kwargs : an optimizer, or the name of one and its settings
    initializer : initializes the parameters that `arg_params` and `aux_params` lack
    numpy_batch_size : examples in a batch of arrays
    arg_params, aux_params : arguments and auxiliary states by name
    allow_extra_params : whether these may have names that the network lacks
    begin_epoch : the first epoch

    Attributes
    ----------
    arg_params, aux_params : the trained values
    """

    def __init__(
        self,
        symbol: Symbol | Callable[[Any], Symbol],
        ctx: Context | Sequence[Context] | None = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = None,
        numpy_batch_size: int = 128,
        arg_params: Parameters = None,
        aux_params: Parameters = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        warnings.warn(
            "mx.model.FeedForward is superseded by mx.mod.Module", DeprecationWarning, stacklevel=2
        )
        self.sym_gen = None if isinstance(symbol, Symbol) else symbol
        self.symbol: Any = symbol if isinstance(symbol, Symbol) else None
        self.ctx = [ctx] if isinstance(ctx, Context) else list(ctx or [cpu()])
        self.num_epoch, self.epoch_size, self.begin_epoch = num_epoch, epoch_size, begin_epoch
        self.optimizer, self.kwargs = optimizer, kwargs
        self.initializer = Uniform(0.01) if initializer is None else initializer
        self.numpy_batch_size = numpy_batch_size
        self.arg_params, self.aux_params = arg_params, aux_params
        self.allow_extra_params = allow_extra_params
        if self.symbol is not None:
            self._leave_out_others()

    def _leave_out_others(self) -> None:
        """Drop parameters that the network does not have, if that is allowed."""
        if self.allow_extra_params:
            arguments, states = self.symbol.list_arguments(), self.symbol.list_auxiliary_states()
            self.arg_params = _only(self.arg_params, arguments)
            self.aux_params = _only(self.aux_params, states)

    def _init_params(
        self, inputs: Sequence[Any], overwrite: bool = False
    ) -> tuple[list[str], list[str], list[str]]:
        """Create the parameters for inputs; returns the names of arguments, parameters and states."""
        described = [each if isinstance(each, DataDesc) else DataDesc(*each) for each in inputs]
        shapes = {each.name: each.shape for each in described}
        symbol = self.symbol
        arguments, states = symbol.list_arguments(), symbol.list_auxiliary_states()
        found, _, found_states = symbol.infer_shape(**shapes)
        dtypes, _, state_dtypes = symbol.infer_type(
            **{each.name: each.dtype for each in described if each.name in arguments}
        )
        names = [name for name in arguments if name not in shapes]
        kinds = {
            **dict(zip(arguments, zip(found, dtypes, strict=True), strict=True)),
            **dict(zip(states, zip(found_states, state_dtypes, strict=True), strict=True)),
        }

        def made(names: Sequence[str], given: Parameters) -> dict[str, NDArray]:
            arrays = {name: nd.zeros(kinds[name][0], dtype=kinds[name][1]) for name in names}
            for name, array in arrays.items():
                if given and name in given and not overwrite:
                    array[:] = given[name]
                else:
                    self.initializer(InitDesc(name), array)
            return arrays

        self.arg_params = made(names, self.arg_params)
        self.aux_params = made(states, self.aux_params)
        return arguments, names, states

    # ------------------------------------------------------------------------------ training

    def fit(
        self,
        X: Any,
        y: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        monitor: Any = None,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
    ) -> None:
        """Train.

        Parameters
        ----------
        X, y : an iterator; or arrays of examples and their labels, which are shuffled
        eval_data : validation data, scored after each epoch: an iterator, or a pair of arrays
        eval_metric : the metric
        epoch_end_callback, batch_end_callback, eval_end_callback, eval_batch_end_callback : functions to call
        kvstore, monitor : as for `mx.mod.Module.fit`
        logger : the logger of reports
        work_load_list : relative share of each context in a batch
        """
        if self.num_epoch is None:
            raise AttributeValueError(
                describe(
                    "fit needs to know how long to train", where="FeedForward", hint="num_epoch="
                )
            )
        data = batches_of(X, y, self.numpy_batch_size, shuffle=True)
        eval_data = batches_to_score(eval_data, self.numpy_batch_size)
        names = [[each[0] for each in part] for part in (data.provide_data, data.provide_label)]
        options = {
            "logger": logging if logger is None else logger,
            "context": self.ctx,
            "work_load_list": work_load_list,
        }
        if self.sym_gen is not None:
            self.symbol = self.sym_gen(data.default_bucket_key)
            self._leave_out_others()
        self._init_params([*data.provide_data, *data.provide_label])
        module = self._module(data, names, options)
        module.fit(
            data
            if self.epoch_size is None
            else ResizeIter(data, self.epoch_size, reset_internal=False),
            eval_data,
            eval_metric=eval_metric,
            epoch_end_callback=[self._take_over, *_as_list(epoch_end_callback)],
            batch_end_callback=[_from_one(each) for each in _as_list(batch_end_callback)],
            kvstore=kvstore,
            optimizer=self.optimizer,
            optimizer_params=self.kwargs,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
            arg_params=self.arg_params,
            aux_params=self.aux_params,
            begin_epoch=self.begin_epoch,
            num_epoch=self.num_epoch,
            monitor=monitor,
        )

    def _module(self, data: Any, names: list[list[str]], options: dict[str, Any]) -> BaseModule:
        if self.sym_gen is None:
            return Module(self.symbol, *names, **options)
        make = self.sym_gen
        return BucketingModule(lambda key: (make(key), *names), data.default_bucket_key, **options)

    def _take_over(self, epoch: int, symbol: Any, arguments: Any, states: Any) -> None:
        self.arg_params, self.aux_params = arguments, states

    # ------------------------------------------------------------------------------- using it

    def _batches(self, X: Any, num_batch: int | None, reset: bool) -> Iterator[tuple[Any, Any]]:
        """Run the network; yields each batch and the outputs for it, on the first context."""
        if reset:
            X.reset()
        shapes = {each[0]: each[1] for each in X.provide_data}
        dtypes = {each[0]: getattr(each, "dtype", np.float32) for each in X.provide_data}
        known = {name: array.shape for name, array in (self.arg_params or {}).items()}
        dtypes |= {name: array.dtype for name, array in (self.arg_params or {}).items()}
        executor = self.symbol.simple_bind(
            self.ctx[0], grad_req="null", type_dict=dtypes, **{**known, **shapes}
        )
        executor.copy_params_from(self.arg_params, self.aux_params)
        for number, batch in enumerate(X):
            if number == num_batch:
                break
            executor.forward(is_train=False, **dict(zip(shapes, batch.data, strict=True)))
            yield batch, executor.outputs

    def predict(
        self, X: Any, num_batch: int | None = None, return_data: bool = False, reset: bool = True
    ) -> Any:
        """Compute the outputs.

        Parameters
        ----------
        X : an iterator or an array
        num_batch : number of batches to use; all by default
        return_data : whether to return data and labels, too
        reset : whether to reset the iterator first

        Returns
        -------
        numpy.ndarray, or a list of them, for each output
            With `return_data` also the data and the labels.
        """
        X = unlabelled_batches(X, self.numpy_batch_size)
        outputs, data, labels = [], [], []
        for batch, found in self._batches(X, num_batch, reset):
            count = X.batch_size - batch.pad
            outputs.append([each[:count].asnumpy() for each in found])
            if return_data:
                data.append([each[:count].asnumpy() for each in batch.data])
                labels.append([each[:count].asnumpy() for each in batch.label])
        if return_data:
            return _joined(outputs), _joined(data), _joined(labels)
        return _joined(outputs)

    def score(
        self,
        X: Any,
        eval_metric: Any = "acc",
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        reset: bool = True,
    ) -> Any:
        """Compute a metric of the outputs.

        Parameters
        ----------
        X : an iterator
        eval_metric : the metric
        num_batch : number of batches to use; all by default
        batch_end_callback : functions to call
        reset : whether to reset the iterator first

        Returns
        -------
        float
            The value of the metric.
        """
        eval_metric = metrics.create(eval_metric)
        X = unlabelled_batches(X, self.numpy_batch_size)
        for number, (batch, found) in enumerate(self._batches(X, num_batch, reset)):
            eval_metric.update(batch.label, found)
            for callback in _as_list(batch_end_callback):
                callback(BatchEndParam(0, number, eval_metric, locals()))
        return eval_metric.get()[1]

    # ---------------------------------------------------------------------------------- files

    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Save the network and its parameters; see `mx.model.save_checkpoint`.

        Parameters
        ----------
        prefix : prefix of the files' names
        epoch : the number in the name of the parameters' file; `num_epoch` by default
        remove_amp_cast : omit the casts of automatic mixed precision
        """
        number = self.num_epoch if epoch is None else epoch
        if number is None:
            raise AttributeValueError("FeedForward: save needs epoch=")
        save_checkpoint(
            prefix,
            number,
            self.symbol,
            self.arg_params or {},
            self.aux_params or {},
            remove_amp_cast,
        )

    @classmethod
    def load(cls, prefix: str, epoch: int, ctx: Any = None, **kwargs: Any) -> Self:
        """Load files written by `save`; `kwargs` are further parameters of the class."""
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        return cls(
            symbol, ctx=ctx, arg_params=arguments, aux_params=states, begin_epoch=epoch, **kwargs
        )

    @classmethod
    def create(
        cls,
        symbol: Any,
        X: Any,
        y: Any = None,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Create a network and train it; the parameters are those of the class and of `fit`."""
        made = cls(symbol, ctx, num_epoch, epoch_size, optimizer, initializer, **kwargs)
        made.fit(
            X,
            y,
            eval_data=eval_data,
            eval_metric=eval_metric,
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=batch_end_callback,
            kvstore=kvstore,
            logger=logger,
            work_load_list=work_load_list,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
        )
        return made


def _only(given: Parameters, names: Sequence[str]) -> Parameters:
    return {name: array for name, array in given.items() if name in names} if given else given


def _as_list(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _from_one(callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A callback that counts batches from one, as here, not from zero, as modules do."""
    return lambda given: callback(given._replace(nbatch=given.nbatch + 1))


def _joined(batches: list[list[Array]]) -> Any:
    """The arrays of all batches, concatenated; a single array itself, if there is only one."""
    arrays = [np.concatenate(part) for part in zip(*batches, strict=True)]
    return arrays[0] if len(arrays) == 1 else arrays
