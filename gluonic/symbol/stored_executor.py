"""The executor of a graph with sparse arrays: it runs in parts, on the tape; dense parts are compiled."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gluonic.graph import Entry, Node
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.gradient import gradients
from gluonic.graph.infer import infer
from gluonic.graph.storage.values import Value, kind_of, stored_zeros
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.differentiate import backward
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.placing import placed
from gluonic.ndarray.state import Flags
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, value_of
from gluonic.ndarray.storage.dispatch import assign, leaf_of
from gluonic.ndarray.storage.parts import GraphInParts
from gluonic.ndarray.tape import Leaf, TapeEntry
from gluonic.symbol.executor import Executor, context_of
from gluonic.symbol.monitoring import Monitor, RunMonitor
from gluonic.symbol.output_gradients import as_list, check_head, heads_read
from gluonic.symbol.resizing import Resizing
from gluonic.symbol.watched_record import watch_gradients


def _held(array: NDArray, entry: TapeEntry | None = None) -> NDArray:
    """An array with the memory of another one, and an entry of its own on the tape."""
    found = array.detach()
    found.tape_entry = entry
    return found


class StoredExecutor(Executor):
    """An `Executor` with a sparse argument, gradient or result; see there."""

    _leaves: dict[Node, Leaf]
    _recorded: list[NDArray]
    _parts: GraphInParts | CachedGraph

    def _plan(self, watched: Sequence[Entry] | None = None) -> Any:
        self._leaves, self._recorded = {}, []
        self._read: list[bool] | None = None
        self._parts = GraphInParts(self._graph, self._graph.variables)
        return None

    def _output_arrays(self) -> list[NDArray]:
        """Arrays for the outputs; it also checks that the arrays fit each other."""
        shapes = infer(self._graph, "shape", {n: a.shape for n, a in self._bound()})
        dtypes = infer(self._graph, "dtype", {n: np.dtype(a.dtype) for n, a in self._bound()})
        outputs = []
        for entry in self._graph.outputs:
            shape, dtype = shapes[entry.node][entry.index], dtypes[entry.node][entry.index]
            known = shape if shape is not None and None not in shape else (0,)
            context = context_of(entry.node, self._group2ctx, self._ctx)
            outputs.append(placed(np.zeros(known, dtype or np.float32), context))
        return outputs

    def _trained(self) -> dict[Node, tuple[NDArray, str]]:
        """The gradient buffers and requests of the arguments that have any."""
        return {
            node: (array, request)
            for node, array, request in zip(
                self._graph.arguments, self.grad_arrays, self._requests, strict=True
            )
            if array is not None and request != "null"
        }

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Compute the outputs; see `Executor.forward`."""
        if kwargs:
            self._assign(kwargs)
        trained = self._trained()
        self._leaves = {node: leaf_of(array, request) for node, (array, request) in trained.items()}
        values: dict[Entry, NDArray] = {}
        for node, array in self._bound():
            leaf = self._leaves.get(node)
            entry = None if leaf is None else (leaf, 0)
            values[node.entry()] = _held(array, entry)
        with Flags(bool(trained), bool(is_train)):
            if self._watch is None:
                variables = self._graph.variables
                self._recorded = self._parts(*(values[node.entry()] for node in variables))
            else:
                self._recorded = self._run_watched(self._watch, values)
        self.outputs = [_held(x) for x in self._recorded]
        return self.outputs

    def _run_watched(self, watch: RunMonitor, values: dict[Entry, NDArray]) -> list[NDArray]:
        """Run operator by operator, and report to the monitor."""
        for node in self._graph.run_order:
            if node.application is not None:
                given = [values[entry] for entry in node.inputs]
                found = invoke(node.applied, given)
                watch_gradients(found, partial(_tell, watch, node, [value_of(x) for x in given]))
                values.update((node.entry(i), output) for i, output in enumerate(found))
        watch.tell([value_of(values[entry]) for entry in watch.entries])
        return [values[entry] for entry in self._graph.outputs]

    def _assign(self, values: Mapping[str, Any]) -> None:
        arrays = self.arg_dict
        for name in [name for name, x in values.items() if isinstance(x, BaseSparseNDArray)]:
            array = arrays.get(name)
            if array is not None and array.shape == values[name].shape:
                assign_array(array, values[name])
        dense = {name: x for name, x in values.items() if not isinstance(x, BaseSparseNDArray)}
        for name, value in dense.items():
            if (
                isinstance(arrays.get(name), BaseSparseNDArray)
                and value.shape == arrays[name].shape
            ):
                assign(arrays[name], np.asarray(value))
                continue
            super()._assign({name: value})

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients of the arguments; see `Executor.backward`."""
        if not self._trained():
            return
        if not self._recorded:
            self.forward(is_train=False)
        heads, flowing = self._weighed(out_grads)
        for leaf in self._leaves.values():
            leaf.fresh = False
        if heads:
            backward(heads, flowing, retain_graph=True, train_mode=bool(is_train))
        for leaf in self._leaves.values():
            if not leaf.fresh:
                leaf.receive(None)

    def _weighed(self, out_grads: Any) -> tuple[list[NDArray], list[NDArray | None]]:
        """The outputs that depend on trained arguments, and the gradients that flow into them."""
        names = self._symbol.list_outputs()
        given = as_list(out_grads, names)
        heads, flowing = [], []
        for name, output, gradient, is_read in zip(
            names, self._recorded, given, self._heads_read(), strict=True
        ):
            check_head(name, output, gradient, is_read=is_read)
            if output.tape_entry is not None:
                heads.append(output)
                flowing.append(None if gradient is None else _as_type(gradient, output))
        return heads, flowing

    def _heads_read(self) -> list[bool]:
        """For each output, whether gradients depend on the gradient that flows into it."""
        if self._read is None:
            outputs = self._graph.outputs
            heads = [Node(None, "head") for _ in outputs]
            given, trained = ([node.entry() for node in each] for each in (heads, self._trained()))
            self._read = heads_read(gradients(outputs, given, trained, train=True), heads)
        return self._read

    def set_monitor_callback(self, callback: Monitor, monitor_all: bool = False) -> None:
        """Register a function to call with operators' results; see `Executor.set_monitor_callback`.

        Gradients that are not requested are zeros of the input's storage type.
        """
        self._watch = RunMonitor(self._graph, callback, monitor_all, self._ctx)

    def _copy(self, name: str, source: NDArray, target: NDArray) -> None:
        if source.shape != target.shape:
            raise MXNetError(
                describe(
                    f"{name} has the shape {source.shape}, but {target.shape} is bound",
                    where="copy_params_from",
                )
            )
        assign_array(target, source)

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> Executor:
        """Return an executor for other shapes, with new arrays where these differ; see `Executor.reshape`."""
        resizing = Resizing(self._graph, kwargs, partial_shaping, allow_up_sizing)

        def resized(nodes: Sequence[Node], arrays: Sequence[Any]) -> list[Any]:
            return [
                resizing.sparse(node, array)
                if isinstance(array, BaseSparseNDArray)
                else resizing([node], [array])[0]
                for node, array in zip(nodes, arrays, strict=True)
            ]

        return type(self)(
            self._symbol,
            self._ctx,
            resized(self._graph.arguments, self.arg_arrays),
            resized(self._graph.arguments, self.grad_arrays),
            self._requests,
            resized(self._graph.states, self.aux_arrays),
            group2ctx=self._group2ctx,
        )

    @property
    def allocated(self) -> int:
        """The number of bytes of the outputs."""
        values = [value_of(output) for output in self.outputs]
        return sum(v.nbytes if isinstance(v, np.ndarray) else v.data.nbytes for v in values)


class DeviceExecutor(StoredExecutor):
    """An `Executor` whose arrays are on a device; see there."""

    def _plan(self, watched: Sequence[Entry] | None = None) -> Any:
        super()._plan(watched)
        self._parts = CachedGraph(self._graph, self._graph.variables)
        return None

    @property
    def allocated(self) -> int:
        """The number of bytes of the outputs."""
        return sum(x.size * np.dtype(x.dtype).itemsize for x in self.outputs)


def _tell(
    watch: RunMonitor, node: Node, given: Sequence[Value], found: Sequence[NDArray | None]
) -> None:
    """Report the gradients of an operator's inputs, except states."""
    names, states = node.applied.inputs, node.applied.states
    told = {
        (node, position): stored_zeros(kind_of(value), value.shape, value.dtype)
        if gradient is None
        else value_of(gradient)
        for position, (value, gradient) in enumerate(zip(given, found, strict=True))
        if names[position] not in states
    }
    watch.tell_gradients(list(told), list(told.values()))


def _as_type(gradient: NDArray, output: NDArray) -> NDArray:
    """A gradient in the dtype of its output."""
    if gradient.dtype == output.dtype:
        return gradient
    return gradient.astype(output.dtype)
