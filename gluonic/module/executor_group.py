"""What programs know as ``_exec_group`` of a module: its executor and arrays, in lists, one member a context.

Here there is one context, so that each list has one member.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gluonic.graph.errors import NotThereError
from gluonic.io import DataDesc
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.kernels import overwrite

if TYPE_CHECKING:
    from gluonic.module.module import Module
    from gluonic.symbol.executor import Executor

_OF_MODULE = {
    "symbol": "_symbol",
    "logger": "logger",
    "contexts": "_context",
    "workload": "_work_load_list",
    "for_training": "for_training",
    "inputs_need_grad": "inputs_need_grad",
    "fixed_param_names": "_fixed_param_names",
    "param_names": "_param_names",
    "aux_names": "_aux_names",
    "state_names": "_state_names",
    "output_names": "_output_names",
    "data_shapes": "_data_shapes",
    "label_shapes": "_label_shapes",
    "forward": "forward",
    "backward": "backward",
    "get_outputs": "get_outputs",
    "get_input_grads": "get_input_grads",
    "get_states": "get_states",
    "set_states": "set_states",
    "update_metric": "update_metric",
    "install_monitor": "install_monitor",
    "reshape": "reshape",
    "get_output_shapes": "_output_descriptions",
}
"""What a group has from its module, and the name it has there."""


def _batch_axes(descriptions: Any) -> list[int]:
    return [DataDesc.get_batch_axis(one.layout) for one in descriptions]


class DataParallelExecutorGroup:
    """The executor of a bound module, with its arrays.

    Parameters
    ----------
    module : the module
    """

    def __init__(self, module: "Module") -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_module":
            raise AttributeError(name)
        if name not in _OF_MODULE:
            raise NotThereError(f"Module._exec_group.{name}")
        return getattr(self._module, _OF_MODULE[name])

    @property
    def execs(self) -> "list[Executor]":
        """The executors."""
        return [self._module._executor]

    def _arguments(self, names: Any) -> list[list[NDArray]]:
        return [[self.execs[0].arg_dict[name]] for name in names]

    def _gradients(self, names: Any) -> list[list[NDArray | None]]:
        return [[self.execs[0].grad_dict.get(name)] for name in names]

    # Names and shapes

    @property
    def arg_names(self) -> list[str]:
        """The names of all arguments."""
        return list(self._module._symbol.list_arguments())

    @property
    def data_names(self) -> list[str]:
        """The names of the data, in the order of their descriptions."""
        return [one.name for one in self._module._data_shapes]

    @property
    def label_names(self) -> list[str]:
        """The names of the labels, in the order of their descriptions."""
        return [one.name for one in self._module._label_shapes or ()]

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return len(self._module._output_names)

    @property
    def batch_size(self) -> int:
        """The size of the batch that the module is bound for."""
        return self._module._batch_size()

    @property
    def slices(self) -> list[slice]:
        """The part of the batch that each context computes."""
        return [slice(0, self.batch_size)]

    @property
    def data_layouts(self) -> list[int]:
        """The axis of the batch in each of the data."""
        return _batch_axes(self._module._data_shapes)

    @property
    def label_layouts(self) -> list[int]:
        """The axis of the batch in each of the labels."""
        return _batch_axes(self._module._label_shapes or ())

    @property
    def output_layouts(self) -> list[int]:
        """The axis of the batch in each output."""
        layouts = [output.attr("__layout__") for output in self._module._symbol]
        return [DataDesc.get_batch_axis(layout) for layout in layouts]

    @property
    def grad_req(self) -> dict[str, str]:
        """What is done with the gradient of each argument."""
        return {name: self._module._request(name) for name in self.arg_names}

    @property
    def group2ctxs(self) -> list[dict[str, Context] | None]:
        """Where groups of operators are said to be computed: nowhere in particular."""
        return [None]

    # Arrays

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """The parameters."""
        return self._arguments(self._module._param_names)

    @property
    def grad_arrays(self) -> list[list[NDArray | None]] | None:
        """The gradients of the parameters, None unless bound for training."""
        return self._gradients(self._module._param_names) if self.for_training else None

    @property
    def input_grad_arrays(self) -> list[list[NDArray | None]] | None:
        """The gradients of the data, if they are asked for."""
        return self._gradients(self.data_names) if self.inputs_need_grad else None

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """The auxiliary states."""
        return [[self.execs[0].aux_dict[name]] for name in self._module._aux_names]

    @property
    def state_arrays(self) -> list[list[NDArray]]:
        """The inputs that keep their values between batches."""
        return self._arguments(self._module._state_names)

    @property
    def data_arrays(self) -> list[list[tuple[slice, NDArray]]]:
        """The data, each with the part of the batch that it holds."""
        return self._sliced(self.data_names)

    @property
    def label_arrays(self) -> list[list[tuple[slice, NDArray]]] | None:
        """The labels, each with the part of the batch that it holds; None if there are none."""
        return self._sliced(self.label_names) or None

    def _sliced(self, names: list[str]) -> list[list[tuple[slice, NDArray]]]:
        arrays = self.execs[0].arg_dict
        return [[(self.slices[0], arrays[name])] for name in names if name in arrays]

    @property
    def shared_data_arrays(self) -> list[dict[str, NDArray]]:
        """The inputs by name."""
        arrays = self.execs[0].arg_dict
        return [{n: arrays[n] for n in (*self.data_names, *self.label_names) if n in arrays}]

    # Parameters

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray],
        allow_extra: bool = False,
    ) -> None:
        """Set parameters and auxiliary states by name; others stay as they are."""
        self._module._put(arg_params, aux_params, allow_extra=allow_extra)

    def get_params(self, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray]) -> None:
        """Write parameters and auxiliary states into dictionaries, and into the arrays that are there."""
        for names, arrays, targets in (
            (self._module._param_names, self.execs[0].arg_dict, arg_params),
            (self._module._aux_names, self.execs[0].aux_dict, aux_params),
        ):
            for name in names:
                if name in targets and targets[name].shape == arrays[name].shape:
                    overwrite(targets[name], arrays[name]._data)
                else:
                    targets[name] = arrays[name].copy()
