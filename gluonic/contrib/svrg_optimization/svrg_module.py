"""`SVRGModule`: a module whose gradients vary less from batch to batch."""

import logging
from collections.abc import Iterator, Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic.contrib.svrg_optimization.svrg_optimizer import FULL, _SVRGOptimizer
from gluonic.graph.errors import AttributeValueError, MXNetError
from gluonic.io import DataBatch
from gluonic.module import Module
from gluonic.ndarray import Context, NDArray, cpu

__all__ = ["SVRGModule"]


class SVRGModule(Module):
    """A module that is trained with stochastic variance-reduced gradients (Johnson and Zhang, 2013).

    Every few epochs it keeps its parameters and the mean of their gradients over all batches. A batch's
    gradient is corrected by that mean, less the batch's gradient at the parameters that were kept.

    Parameters
    ----------
    symbol, data_names, label_names, logger, context, work_load_list, fixed_param_names, state_names,
        group2ctxs, compression_params : see `Module`
    update_freq : the number of epochs after which the parameters are kept anew

    Raises
    ------
    TypeError
        if `update_freq` is no integer
    ValueError
        if it is not positive
    """

    def __init__(
        self,
        symbol: Any,
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Context | Sequence[Context] | None = None,
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
        update_freq: int | None = None,
    ) -> None:
        if not isinstance(update_freq, int) or update_freq <= 0:
            raise AttributeValueError(
                f"SVRGModule: update_freq must be a positive number of epochs, not {update_freq!r}"
            )
        settings: dict[str, Any] = {
            "data_names": data_names,
            "label_names": label_names,
            "logger": logger,
            "context": cpu() if context is None else context,
            "work_load_list": work_load_list,
            "fixed_param_names": fixed_param_names,
            "state_names": state_names,
            "group2ctxs": group2ctxs,
            "compression_params": compression_params,
        }
        super().__init__(symbol, **settings)
        self.update_freq = update_freq
        self._mod_aux = Module(symbol, **settings)
        self._param_dict: list[dict[str, NDArray]] = []
        self._ctx_len = len(self._context)

    # Calls that both modules receive

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Bind both modules to the shapes of the inputs; see `Module.bind`."""
        given = (data_shapes, label_shapes, for_training, inputs_need_grad, force_rebind)
        super().bind(*given, shared_module, grad_req)
        if for_training:
            self._mod_aux.bind(*given, getattr(shared_module, "_mod_aux", None), grad_req)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Bind both modules to other shapes of the inputs; the parameters are unchanged."""
        super().reshape(data_shapes, label_shapes=label_shapes)
        if self._mod_aux.binded:
            self._mod_aux.reshape(data_shapes, label_shapes=label_shapes)

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Prepare both modules for a batch; see `Module.prepare`."""
        super().prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)
        self._mod_aux.prepare(data_batch, sparse_row_id_fn=sparse_row_id_fn)

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; in training also with the parameters that were kept."""
        super().forward(data_batch, is_train)
        self._is_corrected = bool(
            (self.for_training if is_train is None else is_train)
            and self._mod_aux.params_initialized
        )
        if self._is_corrected:
            self._mod_aux.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients at the parameters, and at those that were kept."""
        super().backward(out_grads)
        if self._is_corrected:
            self._mod_aux.backward(out_grads)

    # Training

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer; gradients are divided by the batch size unless it says otherwise."""
        self.require("binded", "params_initialized")
        arguments = self.get_params()[0]
        self._param_dict = [
            {name: nd.zeros(value.shape, ctx=context) for name, value in arguments.items()}
            for context in self._context
        ]
        group: Any = self._exec_group
        known = [name for name in group.param_names for _ in range(self._ctx_len)]
        means = [name + FULL for name in arguments]
        settings = {"rescale_grad": 1.0 / group.batch_size, **dict(optimizer_params)}
        settings["param_idx2name"] = dict(enumerate([*known, *means]))
        super().init_optimizer(
            kvstore=kvstore,
            optimizer=_SVRGOptimizer(optimizer, **settings),
            optimizer_params=optimizer_params,
            force_init=force_init,
        )

    def update_full_grads(self, train_data: Any) -> None:
        """Keep the parameters, and the mean of their gradients over all batches.

        The previous mean is one of the sum's terms, as in MXNet.

        Parameters
        ----------
        train_data : an iterator of batches

        Raises
        ------
        MXNetError
            if it has none
        """
        self.require("binded", "params_initialized", "optimizer_initialized")
        arguments, states = self.get_params()
        self._mod_aux.set_params(arguments, states)
        train_data.reset()
        count = 0.0
        for batch in train_data:
            self._mod_aux.forward(batch, is_train=True)
            self._mod_aux.backward()
            for means, name, gradient in self._gradients(self._mod_aux):
                means[name] += gradient
            count += 1 - (batch.pad or 0) / train_data.batch_size
        if not count:
            raise MXNetError("SVRGModule.update_full_grads: train_data has no batches")
        first = self._param_dict[0]
        for name in first:
            of_contexts = [one[name].as_in_context(first[name].context) for one in self._param_dict]
            mean = nd.add_n(*of_contexts) / (count * self._ctx_len)
            for one in self._param_dict:
                one[name] = mean.as_in_context(one[name].context)

    def _gradients(self, module: Module) -> Iterator[tuple[dict[str, NDArray], str, NDArray]]:
        """For each trained parameter and each context: the context's means, the name and the gradient."""
        group: Any = module._exec_group
        for name, gradients in zip(group.param_names, group.grad_arrays, strict=True):
            for means, gradient in zip(self._param_dict, gradients, strict=True):
                if gradient is not None:
                    yield means, name, gradient

    def update(self) -> None:
        """Update the parameters with their corrected gradients."""
        if self._is_corrected:
            kept = self._gradients(self._mod_aux)
            for (means, name, gradient), (_, _, then) in zip(
                self._gradients(self), kept, strict=True
            ):
                gradient[:] = gradient - then + means[name]
        super().update()

    def fit(self, train_data: Any, *args: Any, **kwargs: Any) -> None:
        """Train on data; see `Module.fit`. Parameters are kept before each `update_freq`-th epoch."""
        epoch = kwargs.get("begin_epoch", 0)
        super().fit(_AfterFullGradients(self, train_data, epoch), *args, **kwargs)


class _AfterFullGradients:
    """Training data; every few epochs the module computes its mean gradients over them first."""

    def __init__(self, module: SVRGModule, data: Any, epoch: int) -> None:
        self._module, self._data, self._epoch = module, data, epoch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)

    def reset(self) -> None:
        """Do nothing: each iteration starts at the first batch."""

    def __iter__(self) -> Iterator[Any]:
        if self._epoch % self._module.update_freq == 0:
            self._module.update_full_grads(self._data)
        self._epoch += 1
        self._data.reset()
        return iter(self._data)
