"""`DataParallelExecutorGroup`: executors on several contexts, each of which computes a part of every batch."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gluonic.graph.errors import MismatchError, describe, nearest
from gluonic.module.bound_executors import BoundExecutors
from gluonic.module.division import joined, labels_of, piece_of
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import CPU
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.storage.arrays import value_of
from gluonic.ndarray.storage.dispatch import assign
from gluonic.symbol.output_gradients import as_list


class DataParallelExecutorGroup(BoundExecutors):
    """The executors of a symbol, one per context, which a module computes with."""

    # Parameters and states

    @property
    def parameters(self) -> dict[str, list[NDArray]]:
        """The parameters by name, each a list with one array per context."""
        names = [name for name in self.arg_names if name in self.param_names]
        return dict(zip(names, self.param_arrays, strict=True))

    @property
    def states(self) -> dict[str, list[NDArray]]:
        """The auxiliary states by name, each a list with one array per context."""
        return dict(zip(self.aux_names, self.aux_arrays, strict=True))

    def set_params(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray],
        allow_extra: bool = False,
    ) -> None:
        """Set parameters and auxiliary states by name; others are not changed.

        Raises
        ------
        MXNetError
            if one has another shape; nothing is changed then
        ValueError
            if there is no such name, unless `allow_extra`; nothing is changed then
        """
        pairs = ((self.parameters, arg_params), (self.states, aux_params))
        extra = [name for arrays, given in pairs for name in given if name not in arrays]
        if extra and not allow_extra:
            known = [name for arrays, _ in pairs for name in arrays]
            raise ValueError(
                f'Find name "{extra[0]}" that is not in the arguments{nearest(extra[0], known)}; '
                "allow_extra=True passes over such names"
            )
        found = [
            (name, given[name], block)
            for arrays, given in pairs
            for name, block in arrays.items()
            if name in given
        ]
        for name, value, block in found:
            if value.shape != block[0].shape:
                raise MismatchError(
                    describe(
                        f"{name} has the shape {block[0].shape}, but a value of shape {value.shape} is given",
                        where="Module",
                    )
                )
        for _, value, block in found:
            for array in block:
                assign_array(array, value)

    def get_params(self, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray]) -> None:
        """Write parameters and auxiliary states into dictionaries, and into the arrays that these hold.

        If contexts have different values, as auxiliary states may, their mean is used.
        """
        for arrays, targets in ((self.parameters, arg_params), (self.states, aux_params)):
            for name, block in arrays.items():
                value = mean_of(block)
                if name in targets and targets[name].shape == value.shape:
                    assign_array(targets[name], value)
                else:
                    targets[name] = value

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the inputs that keep their values between batches, concatenated or as a list for each."""
        if not merge_multi_context:
            return self.state_arrays
        return [joined(block, 0) for block in self.state_arrays]

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the inputs that keep their values: each to an array, or all to one number.

        Parameters
        ----------
        states : an array for each, or a list with one array per context
        value : a number

        Raises
        ------
        AssertionError
            unless exactly one of them is given
        """
        if (states is None) == (value is None):
            raise AssertionError("set_states takes either states or a value")
        for number, block in enumerate(self.state_arrays):
            given = value if states is None else states[number]
            several = list(given) if isinstance(given, (list, tuple)) else [given] * len(block)
            for array, one in zip(block, several, strict=True):
                write_any(array, one)

    # Running

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch, or of a list with a batch for each context."""
        loads = [*self._loads(data_batch, "data"), *self._loads(data_batch, "label")]
        for name, array, value in loads:
            if array.shape != value.shape:
                raise MismatchError(
                    describe(
                        f"{name} has the shape {value.shape}, but {array.shape} is bound",
                        where="Module.forward",
                    )
                )
        for _, array, value in loads:
            write_any(array, value)
        for one in self.execs:
            one.forward(self.for_training if is_train is None else bool(is_train))

    def _loads(self, batch: Any, kind: str) -> Iterator[tuple[str, NDArray, Any]]:
        """Yield name, array and value of the data or the labels in a batch."""
        names, axes = {
            "data": (self.data_names, self.data_layouts),
            "label": (self.label_names, self.label_layouts),
        }[kind]
        batches = batch if isinstance(batch, list) else [batch]
        given = [labels_of(one) if kind == "label" else one.data or () for one in batches]
        if kind == "data" and len(given[0]) != len(names):
            raise ValueError(f"the batch has {len(given[0])} arrays of data for {list(names)}")
        for number, (name, axis) in enumerate(zip(names, axes, strict=True)):
            if name not in self.arg_names or number >= len(given[0]):
                continue
            values = [_value(one[number]) for one in given]
            if not isinstance(batch, list):
                values = self._pieces(values[0], axis)
            for arrays, value in zip(self._arguments, values, strict=True):
                yield name, arrays[name], value

    def _pieces(self, array: Any, axis: int) -> list[Any]:
        """The parts of an array that the contexts have."""
        if axis < 0 or not self.slices:
            return [array] * len(self.execs)
        return [piece_of(array, axis, piece) for piece in self.slices]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients, from those of the concatenated outputs if these are not losses."""
        if not self.for_training:
            raise AssertionError("bind with for_training=True to compute gradients")
        given = as_list(out_grads, self.output_names)
        pairs = zip(given, self.output_layouts, strict=False)
        pieces = [
            [None] * len(self.execs) if one is None else self._pieces(one, axis)
            for one, axis in pairs
        ]
        for number, one in enumerate(self.execs):
            own = [piece[number] for piece in pieces]
            one.backward([*map(_moved_to, own, one.outputs)])

    def get_outputs(
        self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None
    ) -> list[Any]:
        """Return the outputs of the latest batch, concatenated or as a list for each.

        Parameters
        ----------
        merge_multi_context : whether to concatenate the results of the contexts
        begin, end : the range of outputs
        """
        outputs = [[one.outputs[i] for one in self.execs] for i in range(self.num_outputs)]
        if not merge_multi_context:
            return outputs[begin:end]
        pairs = zip(outputs[begin:end], self.output_layouts[begin:end], strict=True)
        return [joined(parts, axis) for parts, axis in pairs]

    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return the names and shapes of the outputs for the whole batch."""
        found = []
        for number, (name, axis) in enumerate(
            zip(self.output_names, self.output_layouts, strict=True)
        ):
            shapes = [list(one.outputs[number].shape) for one in self.execs]
            if 0 <= axis < len(shapes[0]):
                shapes[0][axis] = sum(shape[axis] for shape in shapes)
            found.append((name, tuple(shapes[0])))
        return found

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data, concatenated or as a list for each."""
        if self.input_grad_arrays is None:
            raise AssertionError("bind with inputs_need_grad=True first")
        if not merge_multi_context:
            return self.input_grad_arrays
        pairs = zip(self.input_grad_arrays, self.data_layouts, strict=True)
        return [joined(block, axis) for block, axis in pairs]

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the latest outputs of each context and their labels.

        Parameters
        ----------
        eval_metric : the metric
        labels : those of the batch; if `pre_sliced`, a list of them for each context
        pre_sliced : whether they are already divided
        """
        if not pre_sliced:
            pairs = zip(labels or (), self.label_layouts, strict=False)
            divided = [self._pieces(label, axis) for label, axis in pairs]
            labels = [[one[number] for one in divided] for number in range(len(self.execs))]
        for one, given in zip(self.execs, labels, strict=True):
            eval_metric.update_dict(
                dict(zip(self.label_names, given, strict=False)),
                dict(zip(self.output_names, one.outputs, strict=True)),
            )

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor on the executors."""
        for one in self.execs:
            mon.install(one)


def _moved_to(gradient: NDArray | None, output: NDArray) -> NDArray | None:
    """The gradient of an output, where the output is."""
    if gradient is None or not (gradient.on_device or output.on_device):
        return gradient
    return gradient.as_in_context(output.context)


def mean_of(block: Sequence[NDArray]) -> NDArray:
    """A copy of a value on its contexts: the mean, if there are several."""
    total: NDArray = block[0].copyto(CPU)
    for one in block[1:]:
        total += one.as_in_context(total.context)
    if len(block) > 1:
        total /= len(block)
    return total


def _value(given: Any) -> Any:
    """The value of an array of the host; other arrays and values as they are."""
    return value_of(given) if isinstance(given, NDArray) and not given.on_device else given


def write_any(array: NDArray, values: Any) -> None:
    """Write an array, or anything that broadcasts, into an array."""
    if isinstance(values, NDArray):
        assign_array(array, values)
    else:
        assign(array, values)
