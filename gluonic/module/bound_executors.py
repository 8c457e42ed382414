"""A symbol bound on several contexts: one executor per context, and their arrays."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Self

from gluonic.io import DataDesc
from gluonic.module.division import contexts_of_groups, divided
from gluonic.module.inputs import batch_axes, described, gradient_requests
from gluonic.ndarray import Context, NDArray
from gluonic.symbol.binding import simple_bind
from gluonic.symbol.executor import Executor


class BoundExecutors:
    """The executors of a symbol, one per context, and lists of their arrays, with one member per context.

    Parameters
    ----------
    symbol : the symbol to compute
    contexts : the contexts
    workload : relative share of each context in a batch
    data_shapes, label_shapes : the inputs' descriptions, or pairs of name and shape
    param_names : the arguments that are parameters
    for_training : whether gradients will be requested
    inputs_need_grad : whether gradients of the data will be, too
    shared_group : another group to share parameters and memory for inputs with
    logger : for programs that read it
    fixed_param_names : parameters without gradients
    grad_req : ``write``, ``add`` or ``null``; for all, in a list for each argument, or by name
    state_names : inputs that keep their values between batches
    group2ctxs : the contexts of groups of operators

    Attributes
    ----------
    execs : the executors
    slices : the part of the batch that each context computes
    param_arrays, aux_arrays, state_arrays : parameters and states, each a list
    grad_arrays : the parameters' gradients; None unless bound for training
    input_grad_arrays : the gradients of the data; None unless requested
    data_arrays, label_arrays : the inputs, as pairs of a part of the batch and an array
    shared_data_arrays : the memory of inputs by name, for each context
    """

    def __init__(
        self,
        symbol: Any,
        contexts: Sequence[Context],
        workload: Sequence[float],
        data_shapes: Any,
        label_shapes: Any,
        param_names: Sequence[str],
        for_training: bool,
        inputs_need_grad: bool,
        shared_group: Self | None = None,
        logger: Any = logging,
        fixed_param_names: Sequence[str] | None = None,
        grad_req: Any = "write",
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
    ) -> None:
        self.symbol, self.contexts, self.workload = symbol, contexts, workload
        self.param_names, self.logger = param_names, logger
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.fixed_param_names = list(fixed_param_names or ())
        self.state_names = list(state_names or ())
        self.arg_names: list[str] = symbol.list_arguments()
        self.aux_names: list[str] = symbol.list_auxiliary_states()
        self.output_names: list[str] = symbol.list_outputs()
        self.num_outputs = len(self.output_names)
        self.output_layouts = [
            DataDesc.get_batch_axis(output.attr("__layout__")) for output in symbol
        ]
        data_shapes = described(data_shapes)
        self.grad_req = gradient_requests(
            grad_req if for_training else "null",
            self.arg_names,
            param_names,
            [one.name for one in data_shapes],
            self.fixed_param_names,
            inputs_need_grad,
        )
        self.group2ctxs = contexts_of_groups(group2ctxs, len(contexts))
        self.shared_data_arrays: list[dict[str, NDArray]] = (
            [{} for _ in contexts] if shared_group is None else shared_group.shared_data_arrays
        )
        self.batch_size: int | None = None
        self.slices: list[slice] = []
        self.execs: list[Executor] = []
        self._first_execs: list[Executor] = []
        self.bind_exec(data_shapes, described(label_shapes, "label"), shared_group)

    # Binding

    def bind_exec(
        self,
        data_shapes: Any,
        label_shapes: Any,
        shared_group: Self | None = None,
        reshape: bool = False,
    ) -> None:
        """Create the executors, or, to `reshape` them, new ones in the memory of the old ones."""
        if self.execs and not reshape:
            raise AssertionError("the executors are bound already; reshape=True makes others")
        self.data_shapes, self.label_shapes = (
            described(data_shapes),
            described(label_shapes, "label"),
        )
        self.batch_size, self.slices = None, []
        self.data_layouts = self.decide_slices(self.data_shapes)
        self.label_layouts = self.decide_slices(self.label_shapes)
        self.data_names = [one.name for one in self.data_shapes]
        self.label_names = [one.name for one in self.label_shapes]
        shapes: list[Any] = [self._shapes(number) for number in range(len(self.contexts))]
        if reshape:
            pairs = zip(self._first_execs, shapes, strict=True)
            self.execs = [one.reshape(False, True, **given) for one, given in pairs]
        else:
            for number, given in enumerate(shapes):
                self.execs.append(self._bound(number, given, shared_group))
            self._first_execs = list(self.execs)
        self._collect()

    def decide_slices(self, data_shapes: Sequence[DataDesc]) -> list[int]:
        """Divide the batch of the described inputs among the contexts; return their batch axes.

        Raises
        ------
        AssertionError
            if inputs have different batch sizes
        ValueError
            if a context would get no example
        """
        axes = batch_axes(data_shapes)
        for one, axis in zip(data_shapes, axes, strict=True):
            if axis < 0:
                continue
            size = one.shape[axis]
            if self.batch_size not in (None, size):
                raise AssertionError(
                    f"all data must have the same batch size: {self.batch_size}, "
                    f"but {one.name} has the shape {one.shape}"
                )
            self.batch_size = size
        if self.batch_size is not None and not self.slices:
            self.slices = divided(self.batch_size, self.workload)
        return axes

    def _shapes(self, context: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the inputs of one context, and of arguments that are neither inputs nor parameters."""
        found = {}
        layouts = [*self.data_layouts, *self.label_layouts]
        for one, axis in zip((*self.data_shapes, *self.label_shapes), layouts, strict=True):
            shape = list(one.shape)
            if axis >= 0:
                shape[axis] = self.slices[context].stop - self.slices[context].start
            if one.name in self.arg_names:
                found[one.name] = tuple(shape)
        others = set(self.arg_names).difference(self.param_names, found)
        if others and self.execs:
            inferred, _, _ = self.symbol.infer_shape_partial(**found)
            pairs = zip(self.arg_names, inferred, strict=True)
            found.update((name, shape) for name, shape in pairs if name in others and all(shape))
        return found

    def _bound(
        self,
        number: int,
        shapes: Mapping[str, tuple[int, ...]],
        shared_group: Self | None,
    ) -> Executor:
        inputs = (*self.data_shapes, *self.label_shapes)
        return simple_bind(
            self.symbol,
            self.contexts[number],
            shapes,
            grad_req={name: self.grad_req[name] for name in self.arg_names},
            dtypes={one.name: one.dtype for one in inputs if one.name in self.arg_names},
            storage={},
            group2ctx=self.group2ctxs[number],
            shared_names=self.param_names,
            shared_executor=None if shared_group is None else shared_group.execs[number],
            buffers=self.shared_data_arrays[number],
            like=self.execs[0] if self.execs else None,
        )

    def _collect(self) -> None:
        """List the arrays of the executors."""
        arguments = self._arguments = [one.arg_dict for one in self.execs]
        gradients = [one.grad_dict for one in self.execs]
        states = [one.aux_dict for one in self.execs]

        def blocks(
            by_context: Sequence[Mapping[str, Any]], names: Sequence[str]
        ) -> list[list[Any]]:
            return [[arrays[name] for arrays in by_context] for name in names]

        def inputs(names: Sequence[str]) -> list[list[tuple[slice, NDArray]]]:
            pieces = self.slices or [slice(i, i + 1) for i in range(len(self.contexts))]
            known = [name for name in names if name in self.arg_names]
            return [list(zip(pieces, one, strict=True)) for one in blocks(arguments, known)]

        parameters = [name for name in self.arg_names if name in self.param_names]
        self.param_arrays: list[list[NDArray]] = blocks(arguments, parameters)
        self.grad_arrays: list[list[NDArray | None]] | None = (
            blocks(gradients, parameters) if self.for_training else None
        )
        self.input_grad_arrays: list[list[NDArray]] | None = (
            blocks(gradients, self.data_names) if self.inputs_need_grad else None
        )
        self.aux_arrays: list[list[NDArray]] = blocks(states, self.aux_names)
        self.state_arrays: list[list[NDArray]] = blocks(arguments, self.state_names)
        self.data_arrays = inputs(self.data_names)
        self.label_arrays = inputs(self.label_names) or None

    @property
    def _total_exec_bytes(self) -> int:
        """The memory of all executors, without that of the arguments, in MB, as in MXNet."""
        return sum(one.allocated // 2**20 for one in self.execs)

    def reshape(self, data_shapes: Any, label_shapes: Any) -> None:
        """Rebind for inputs of other shapes; the parameters are kept."""
        wanted = described(data_shapes), described(label_shapes, "label")
        if wanted != (self.data_shapes, self.label_shapes):
            self.bind_exec(*wanted, reshape=True)
