"""`Module`: a symbol with parameters, trained by an optimizer."""

import logging
from collections.abc import Sequence
from typing import Any

from gluonic.io import DataDesc
from gluonic.model import load_checkpoint
from gluonic.module.division import labels_of
from gluonic.module.executor_group import DataParallelExecutorGroup
from gluonic.module.inputs import check_described, check_names, described
from gluonic.module.optimizing import Optimized
from gluonic.module.parameters import preload_params
from gluonic.ndarray import Context, cpu


class Module(Optimized):
    """A symbol with parameters.

    Parameters
    ----------
    symbol : the symbol to compute
    data_names, label_names : its inputs
    logger : the logger of `fit`
    context : the context, or several, each of which computes a part of every batch
    work_load_list : relative share of each context in a batch; equal by default
    fixed_param_names : parameters that training does not change
    state_names : inputs that keep their values between batches
    group2ctxs : the contexts of groups of operators: a dictionary of contexts or of lists with one for each of
        `context`, or a list of dictionaries
    compression_params : compression of gradients by stores; only ``{"type": "none"}``

    Examples
    --------
    >>> from gluonic import io, nd, sym
    >>> dense = sym.FullyConnected(sym.var("data"), num_hidden=2)
    >>> module = Module(sym.SoftmaxOutput(dense, name="softmax"), context=[cpu(0), cpu(1)])
    >>> module.bind([("data", (4, 3))], [("softmax_label", (4,))])
    >>> module.init_params()
    >>> module.forward(io.DataBatch([nd.ones((4, 3))]), is_train=False)
    >>> module.get_outputs()[0].shape
    (4, 2)
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
        if len(self._work_load_list) != len(self._context):
            raise AssertionError(
                f"work_load_list has {len(self._work_load_list)} members "
                f"for {len(self._context)} contexts"
            )
        self._group2ctxs = group2ctxs
        self._data_names, self._label_names = list(data_names or ()), list(label_names or ())
        self._state_names = list(state_names or ())
        self._fixed_param_names = list(fixed_param_names or ())
        arguments = symbol.list_arguments()
        check_names(self._data_names, arguments, "data_names")
        check_names(self._label_names, arguments, "label_names")
        check_names(self._state_names, arguments, "state_names")
        check_names(self._fixed_param_names, arguments, "fixed_param_names")
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        parameters = [name for name in arguments if name not in inputs]
        super().__init__(symbol, parameters, logger, compression_params)
        self._output_names: list[str] = symbol.list_outputs()
        self._grad_req: Any = None
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
        self.require("binded")
        return self._data_shapes

    @property
    def label_shapes(self) -> list[DataDesc]:
        """The descriptions of the labels."""
        self.require("binded")
        return self._label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the outputs."""
        self.require("binded")
        return self._group.get_output_shapes()

    @property
    def _total_exec_bytes(self) -> int:
        return self._group._total_exec_bytes

    # Files

    @staticmethod
    def load(
        prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any
    ) -> "Module":
        """Return the module that `save_checkpoint` has saved; `kwargs` as for the constructor."""
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        preload_params(module, arguments, states)
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
        """Save the symbol, the parameters and, if requested, the optimizer's states."""
        self._symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
        file = f"{prefix}-{epoch:04d}.params"
        self.save_params(file)
        logging.info('Saved checkpoint to "%s"', file)
        if save_optimizer_states:
            file = f"{prefix}-{epoch:04d}.states"
            self.save_optimizer_states(file)
            logging.info('Saved optimizer state to "%s"', file)

    # Getting ready

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: "Module | None" = None,
        grad_req: Any = "write",
    ) -> None:
        """Bind for inputs of given shapes.

        Parameters
        ----------
        data_shapes, label_shapes : descriptions, or pairs of name and shape
        for_training : whether gradients will be requested
        inputs_need_grad : whether gradients of the data will be, too
        force_rebind : whether to bind again; the parameters are kept
        shared_module : a module to share parameters with, and the optimizer if it has one
        grad_req : ``write``, ``add`` or ``null``; for all, in a list for each argument, or by name
        """
        if self.binded and not force_rebind:
            self.logger.warning("already bound; force_rebind=True would bind again")
            return
        if inputs_need_grad and not for_training:
            raise AssertionError("inputs_need_grad needs for_training")
        self._describe(data_shapes, label_shapes)
        if shared_module is not None:
            shared_module.require("binded", "params_initialized")
        elif self._exec_group is not None and self.params_initialized:
            self._sync_params_from_devices()
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._grad_req = grad_req
        self._exec_group = DataParallelExecutorGroup(
            self._symbol,
            self._context,
            self._work_load_list,
            self._data_shapes,
            self._label_shapes,
            self._param_names,
            for_training,
            inputs_need_grad,
            None if shared_module is None else shared_module._exec_group,
            logger=self.logger,
            fixed_param_names=self._fixed_param_names,
            grad_req=grad_req,
            state_names=self._state_names,
            group2ctxs=self._group2ctxs,
        )
        self.binded = True
        if shared_module is not None:
            preload_params(self, shared_module._arg_params, shared_module._aux_params)
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized and self._arg_params is not None:
            self._put(self._arg_params, self._aux_params or {})

    def _describe(self, data_shapes: Any, label_shapes: Any) -> None:
        """Store the descriptions of the inputs, after checking them."""
        data, labels = described(data_shapes), described(label_shapes, "label")
        check_described(data, self._data_names, "data", refuse=True)
        check_described(labels, self._label_names, "label", refuse=False)
        self._data_shapes, self._label_shapes = data, labels

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Rebind for inputs of other shapes; the parameters are kept, and no code is recompiled."""
        self._describe(data_shapes, label_shapes)
        self._group.reshape(self._data_shapes, self._label_shapes)

    # Running

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; for one of another shape, the module is rebound.

        Parameters
        ----------
        data_batch : anything with `data`, and perhaps `label`; or a list with one batch for each context
        is_train : whether to behave as in training; by default the `for_training` of `bind`
        """
        self.require("binded", "params_initialized")
        several = data_batch if isinstance(data_batch, list) else [data_batch]
        data = _shapes([one.data for one in several], self._data_shapes)
        known = [labels_of(one)[: len(self._label_shapes)] for one in several]
        labels = _shapes(known, self._label_shapes)
        bound = [one.shape for one in self._data_shapes], [one.shape for one in self._label_shapes]
        if data != bound[0] or (labels and labels != bound[1]):
            self._make_room(data_batch, data, labels)
        self._group.forward(data_batch, is_train)

    def _make_room(self, batch: Any, data: list[Any], labels: list[Any]) -> None:
        """Rebind for a batch of other shapes; missing labels get its batch size, too."""
        size = data[0][max(DataDesc.get_batch_axis(self._data_shapes[0].layout), 0)]
        labels += [(size, *one.shape[1:]) for one in self._label_shapes[len(labels) :]]
        self._group.reshape(
            _provided(batch, "provide_data", self._data_shapes)
            or _changed(self._data_shapes, data),
            _provided(batch, "provide_label", self._label_shapes)
            or _changed(self._label_shapes, labels),
        )
        self._data_shapes, self._label_shapes = self._group.data_shapes, self._group.label_shapes

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients, from those of the outputs if these are not losses."""
        self.require("binded", "params_initialized")
        self._group.backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the latest batch; unmerged, each is a list with one array per context."""
        self.require("binded", "params_initialized")
        return self._group.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data; unmerged, each is a list with one array per context."""
        self.require("binded", "params_initialized")
        return self._group.get_input_grads(merge_multi_context)

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the inputs that keep their values between batches, unmerged as in `get_outputs`."""
        self.require("binded", "params_initialized")
        return self._group.get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the inputs that keep their values: each to an array, or all to one number."""
        self.require("binded", "params_initialized")
        self._group.set_states(states, value)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the latest outputs and their labels."""
        self._group.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors."""
        self._group.install_monitor(mon)


def _shapes(several: Sequence[Any], known: Sequence[DataDesc]) -> list[Any]:
    """The shapes of the data or labels of batches that are computed together.

    Raises
    ------
    AssertionError
        if the batches have different shapes
    """
    first = [tuple(one.shape) for one in several[0]]
    if any([tuple(one.shape) for one in arrays] != first for arrays in several):
        raise AssertionError("batches in a list need arrays of the same shapes")
    if len(several) == 1:
        return first
    axes = [max(DataDesc.get_batch_axis(one.layout), 0) for one in known]
    return [
        (*shape[:axis], shape[axis] * len(several), *shape[axis + 1 :])
        for shape, axis in zip(first, axes, strict=False)
    ]


def _provided(batch: Any, which: str, known: Sequence[DataDesc]) -> Any:
    """The batch's own description, unless it names other inputs: those of the chain of which this is a part."""
    found = getattr(batch, which, None) or ()
    return found if [one[0] for one in found] == [one.name for one in known] else None


def _changed(descriptions: Sequence[DataDesc], shapes: Sequence[Any]) -> list[DataDesc]:
    return [
        DataDesc(one.name, shape, one.dtype, one.layout)
        for one, shape in zip(descriptions, shapes, strict=False)
    ]


__all__ = ["Module"]
