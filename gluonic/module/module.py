"""`Module`: a symbol with parameters, trained by an optimizer."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gluonic import optimizer as optimizers
from gluonic.graph.files import write_atomically
from gluonic.io import DataBatch, DataDesc
from gluonic.model import load_checkpoint
from gluonic.module.base import check_names
from gluonic.module.executor_group import DataParallelExecutorGroup
from gluonic.module.parameters import Parameterized
from gluonic.ndarray import Context, NDArray, cpu
from gluonic.ndarray.kernels import overwrite


def described(shapes: Any) -> list[DataDesc]:
    """Descriptions of inputs, from descriptions or from pairs of name and shape."""
    return [one if isinstance(one, DataDesc) else DataDesc(*one) for one in shapes or ()]


class Module(Parameterized):
    """A symbol with parameters.

    Parameters
    ----------
    symbol : what to compute
    data_names, label_names : its inputs
    logger : where `fit` reports
    context : where to compute; of several, the first
    fixed_param_names : parameters that training leaves alone
    state_names : inputs that keep their values between batches
    work_load_list, group2ctxs, compression_params : accepted for compatibility; there is one device
    """

    def __init__(
        self,
        symbol: Any,
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Any = None,
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        self._context: list[Context] = (
            list(context) if isinstance(context, (list, tuple)) else [context or cpu()]
        )
        self._work_load_list = list(work_load_list or [1] * len(self._context))
        self._group2ctxs, self._compression_params = group2ctxs, compression_params
        arguments = symbol.list_arguments()
        self._data_names = list(data_names or ())
        self._state_names = list(state_names or ())
        check_names(self._data_names, arguments, "data_names")
        check_names(self._state_names, arguments, "state_names")
        self._label_names = [name for name in label_names or () if name in arguments]
        self._fixed_param_names = list(fixed_param_names or ())
        check_names(self._fixed_param_names, arguments, "fixed_param_names")
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        super().__init__(symbol, [name for name in arguments if name not in inputs], logger)
        self._output_names: list[str] = symbol.list_outputs()
        self._optimizer: Any = None
        self._updater: Any = None
        self._kvstore: Any = None  # one context needs none
        self._update_on_kvstore: bool | None = None
        self._preload_opt_states: str | None = None
        self._data_shapes: list[DataDesc] = []
        self._label_shapes: list[DataDesc] = []

    # Names and shapes

    @property
    def data_names(self) -> list[str]:
        """The names of the data."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """The names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> list[DataDesc]:
        """The descriptions of the data."""
        self._require("binded")
        return self._data_shapes

    @property
    def label_shapes(self) -> list[DataDesc]:
        """The descriptions of the labels."""
        self._require("binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the outputs."""
        self._require("binded")
        return self._output_descriptions()

    def _output_descriptions(self) -> list[tuple[str, tuple[int, ...]]]:
        outputs = zip(self._output_names, self._executor.outputs, strict=True)
        return [(name, output.shape) for name, output in outputs]

    @property
    def _exec_group(self) -> DataParallelExecutorGroup | None:
        """The executor and its arrays, as lists with one member a context; None before `bind`."""
        return DataParallelExecutorGroup(self) if self._executor is not None else None

    # Files

    @staticmethod
    def load(
        prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any
    ) -> "Module":
        """Return the module that `save_checkpoint` has saved; `kwargs` as for the constructor."""
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        module._arg_params, module._aux_params = arguments, states
        module.params_initialized = True
        if load_optimizer_states:
            module._preload_opt_states = f"{prefix}-{epoch:04d}.states"
        return module

    def save_checkpoint(
        self,
        prefix: str,
        epoch: int,
        save_optimizer_states: bool = False,
        remove_amp_cast: bool = True,
    ) -> None:
        """Save the symbol, the parameters and, if asked for, the optimizer's states."""
        self._symbol.save(f"{prefix}-symbol.json")
        self.save_params(f"{prefix}-{epoch:04d}.params")
        if save_optimizer_states:
            self.save_optimizer_states(f"{prefix}-{epoch:04d}.states")

    def save_optimizer_states(self, fname: str) -> None:
        """Save the optimizer's states; the old file survives an interruption."""
        self._require("optimizer_initialized")
        write_atomically(fname, self._updater.get_states())

    def load_optimizer_states(self, fname: str) -> None:
        """Load the optimizer's states."""
        self._require("optimizer_initialized")
        values = self._executor.arg_dict
        weights = {i: values[name] for i, name in enumerate(self._param_names) if name in values}
        self._updater.set_states(Path(fname).read_bytes(), weights)

    # Getting ready

    def bind(  # type: ignore[override]
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: "Module | None" = None,
        grad_req: Any = "write",
    ) -> None:
        """Make room for inputs of such shapes.

        Parameters
        ----------
        data_shapes, label_shapes : descriptions, or pairs of name and shape
        for_training : whether gradients will be asked for
        inputs_need_grad : whether also those of the data
        shared_module : a module whose parameters to use, and its optimizer if it has one
        grad_req : ``write``, ``add`` or ``null``
        """
        if self.binded and not force_rebind:
            self.logger.warning("already bound; force_rebind=True would bind again")
            return
        if inputs_need_grad and not for_training:
            raise AssertionError("inputs_need_grad needs for_training")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = described(data_shapes), described(label_shapes)
        self._grad_req = grad_req
        if {d.name for d in self._data_shapes} != set(self._data_names):
            names = [d.name for d in self._data_shapes]
            raise ValueError(f"data_shapes describe {names}, but data_names are {self._data_names}")
        if self._executor is not None and self.params_initialized:
            self._sync_params_from_devices()
        if shared_module is not None:
            shared_module._require("binded", "params_initialized")
            self._arg_params, self._aux_params = shared_module.get_params()
            self.params_initialized = True
        self._make_executor(shared_module)
        self.binded = True
        if self.params_initialized and self._arg_params is not None:
            self._put(self._arg_params, self._aux_params or {})
        if shared_module is not None and shared_module.optimizer_initialized:
            self.borrow_optimizer(shared_module)

    def _make_executor(self, shared_module: "Module | None" = None) -> None:
        inputs = [*self._data_shapes, *self._label_shapes]
        known = self._symbol.list_arguments()
        shared = shared_module._executor if shared_module is not None else None
        self._executor = self._symbol.simple_bind(
            self._context[0],
            grad_req={name: self._request(name) for name in known},
            type_dict={d.name: d.dtype for d in inputs if d.name in known},
            shared_arg_names=None if shared is None else self._param_names,
            shared_exec=shared,
            **{d.name: d.shape for d in inputs if d.name in known},
        )

    def _request(self, name: str) -> str:
        if not self.for_training or name in self._fixed_param_names or name in self._label_names:
            return "null"
        if name in self._data_names:
            return self._grad_or_default(name) if self.inputs_need_grad else "null"
        return "null" if name in self._state_names else self._grad_or_default(name)

    def _grad_or_default(self, name: str) -> str:
        request = self._grad_req
        return str(request.get(name, "write")) if isinstance(request, dict) else str(request)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Make room for inputs of other shapes; the parameters stay."""
        self._require("binded")
        arguments, states = self.get_params() if self.params_initialized else ({}, {})
        self._data_shapes, self._label_shapes = described(data_shapes), described(label_shapes)
        self._make_executor(self)
        self._put(arguments, states)

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer; gradients are divided by the batch size unless it says otherwise."""
        self._require("binded", "params_initialized")
        if self.optimizer_initialized and not force_init:
            self.logger.warning("the optimizer is chosen already; force_init=True chooses again")
            return
        if isinstance(optimizer, str):
            options = dict(optimizer_params)
            options.setdefault("rescale_grad", 1.0 / self._batch_size())
            optimizer = optimizers.create(
                optimizer,
                sym=self._symbol,
                param_idx2name=dict(enumerate(self._param_names)),
                **options,
            )
        self._optimizer, self._updater = optimizer, optimizers.get_updater(optimizer)
        self._update_on_kvstore = False
        self.optimizer_initialized = True
        if self._preload_opt_states is not None:
            self.load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states = None

    def _batch_size(self) -> int:
        first = self._data_shapes[0]
        return first.shape[max(DataDesc.get_batch_axis(first.layout), 0)]

    def borrow_optimizer(self, shared_module: "Module") -> None:
        """Use the optimizer of another module."""
        shared_module._require("optimizer_initialized")
        self._optimizer, self._updater = shared_module._optimizer, shared_module._updater
        self.optimizer_initialized = True

    # Running

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; another shape than bound binds anew."""
        self._require("binded", "params_initialized")
        inputs = self._inputs_of(data_batch)
        bound = self._executor.arg_dict
        if any(bound[name].shape != value.shape for name, value in inputs.items()):
            self._reshape_for(inputs)
        self._executor.forward(self.for_training if is_train is None else is_train, **inputs)

    def _inputs_of(self, batch: DataBatch) -> dict[str, NDArray]:
        known = self._executor.arg_dict
        names = [d.name for d in self._data_shapes], [d.name for d in self._label_shapes]
        found = dict(zip(names[0], batch.data, strict=True))
        if labels := getattr(batch, "label", None):  # a batch may be anything that has data
            found.update(zip(names[1], labels, strict=False))
        return {name: value for name, value in found.items() if name in known}

    def _reshape_for(self, inputs: dict[str, NDArray]) -> None:
        def changed(descriptions: list[DataDesc]) -> list[DataDesc]:
            return [
                DataDesc(d.name, inputs[d.name].shape, d.dtype, d.layout)
                if d.name in inputs
                else DataDesc(d.name, (batch, *d.shape[1:]), d.dtype, d.layout)
                for d in descriptions
            ]

        batch = next(iter(inputs.values())).shape[0]
        self.reshape(changed(self._data_shapes), changed(self._label_shapes))

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients."""
        self._require("binded", "params_initialized")
        self._executor.backward(out_grads)

    def update(self) -> None:
        """Change the parameters by their gradients."""
        self._require("binded", "params_initialized", "optimizer_initialized")
        self._params_dirty = True
        values, gradients = self._executor.arg_dict, self._executor.grad_dict
        for index, name in enumerate(self._param_names):
            if gradients.get(name) is not None:
                self._updater(index, gradients[name], values[name])

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the latest batch; unmerged, each is a list with one array a context."""
        self._require("binded", "params_initialized")
        return _by_context(self._executor.outputs, merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data; unmerged, each is a list with one array a context."""
        self._require("binded", "params_initialized")
        if not self.inputs_need_grad:
            raise AssertionError("bind with inputs_need_grad=True first")
        gradients = [self._executor.grad_dict[name] for name in self._data_names]
        return _by_context(gradients, merge_multi_context)

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the inputs that keep their values between batches, unmerged as in `get_outputs`."""
        states = [self._executor.arg_dict[name] for name in self._state_names]
        return _by_context(states, merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the inputs that keep their values: each its own, or all one number."""
        for number, name in enumerate(self._state_names):
            target = self._executor.arg_dict[name]
            if states is None:
                overwrite(target, value)
                continue
            given = states[number]
            overwrite(target, (given[0] if isinstance(given, list) else given)._data)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Let a metric see the latest outputs and their labels."""
        names = [d.name for d in self._label_shapes]
        eval_metric.update_dict(
            dict(zip(names, labels or (), strict=False)),
            dict(zip(self.output_names, self.get_outputs(), strict=True)),
        )

    def install_monitor(self, mon: Any) -> None:
        """Let a monitor see inner results."""
        self._require("binded")
        mon.install(self._executor)


def _by_context(arrays: Sequence[NDArray], merged: bool) -> list[Any]:
    """The arrays; unmerged, each as a list with that of the only context."""
    return list(arrays) if merged else [[array] for array in arrays]


__all__ = ["Module", "described"]
