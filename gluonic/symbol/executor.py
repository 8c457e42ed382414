"""`Executor`: a symbol bound to arrays, to be run forward and backward."""

import os
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.graph import Array, Entry, Graph, Node, Run
from gluonic.graph.common_expressions import without_common_expressions
from gluonic.graph.errors import MXNetError, nearest
from gluonic.graph.infer import infer
from gluonic.graph.listing import debug_text
from gluonic.graph.memory import allocated, converted
from gluonic.graph.random_source import Recorded, Repeated
from gluonic.graph.states import with_own_states
from gluonic.graph.versions import mark_replaced
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.state import RANDOM
from gluonic.support.cached_property import cached_property
from gluonic.symbol.execution import Execution
from gluonic.symbol.gradient_delivery import GradientDelivery
from gluonic.symbol.monitoring import Monitor, RunMonitor
from gluonic.symbol.output_gradients import as_list, check_head
from gluonic.symbol.resizing import Resizing, part

if TYPE_CHECKING:
    from gluonic.symbol.symbol import Symbol

REQUESTS = ("null", "write", "add")


class Executor:
    """A symbol bound to arrays; created by `Symbol.bind` and `Symbol.simple_bind`.

    Attributes
    ----------
    arg_arrays, grad_arrays, aux_arrays : arguments, their gradients (None: not requested) and
        auxiliary states, in the symbol's order
    outputs : the outputs; every run writes into the same arrays
    """

    def __init__(
        self,
        symbol: "Symbol",
        context: Context,
        arguments: Sequence[NDArray],
        gradients: Sequence[NDArray | None],
        requests: Sequence[str],
        states: Sequence[NDArray],
        *,
        group2ctx: Mapping[str, Context] | None = None,
        like: "Executor | None" = None,
    ) -> None:
        self._symbol, self._ctx, self._group2ctx = symbol, context, dict(group2ctx or {})
        graph = symbol.graph().drawn_in_order()
        self._merges = os.environ.get("MXNET_ELIMINATE_COMMON_EXPR", "1") != "0"
        self._graph: Graph = with_own_states(graph) if like is None else like._graph
        self._has_own_states = self._graph is not graph
        self.arg_arrays, self.aux_arrays = list(arguments), list(states)
        self._requests = list(requests)
        self.grad_arrays = list(gradients)
        self._watch: RunMonitor | None = None
        self._drawn: list[Any] | None = None
        self.outputs = self._output_arrays()
        is_watched = like is not None and like._watch is not None
        self.execution: Execution = (
            self._plan() if like is None or is_watched else like.execution.for_other_arrays()
        )

    def _plan(self, watched: Sequence[Entry] | None = None) -> Execution:
        wanted = self._targets()
        return Execution(self._graph, [node in wanted for node in self._graph.variables], watched)

    def _targets(self) -> dict[Node, tuple[NDArray, str]]:
        """The arguments whose gradients are requested, each with the gradient's array and its request."""
        bound = zip(self._graph.arguments, self.grad_arrays, self._requests, strict=True)
        return {
            node: (array, request)
            for node, array, request in bound
            if array is not None and request != "null"
        }

    def _output_arrays(self) -> list[NDArray]:
        """Arrays for the outputs; it also checks that the arrays fit each other."""
        shapes = infer(self._graph, "shape", {n: a.shape for n, a in self._bound()})
        dtypes = infer(self._graph, "dtype", {n: a.elements.dtype for n, a in self._bound()})
        made = []
        for entry in self._graph.outputs:
            shape, dtype = shapes[entry.node][entry.index], dtypes[entry.node][entry.index]
            known = shape is not None and None not in shape
            values = allocated(np.zeros, shape if known else (0,), dtype or np.float32, entry.name)
            made.append(NDArray(values, context_of(entry.node, self._group2ctx, self._ctx)))
        return made

    def _bound(self) -> list[tuple[Node, NDArray]]:
        return [
            *zip(self._graph.arguments, self.arg_arrays, strict=True),
            *zip(self._graph.states, self.aux_arrays, strict=True),
        ]

    # ------------------------------------------------------------------------ by name

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """The arguments by name."""
        return _by_name(self._symbol.list_arguments(), self.arg_arrays)

    @property
    def grad_dict(self) -> dict[str, Any]:
        """The arguments' gradients by name: NDArrays, None where none was asked for."""
        return _by_name(self._symbol.list_arguments(), self.grad_arrays)

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """The auxiliary states by name."""
        return _by_name(self._symbol.list_auxiliary_states(), self.aux_arrays)

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """The outputs by name."""
        return _by_name(self._symbol.list_outputs(), self.outputs)

    # ------------------------------------------------------------------------ running

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Compute the outputs.

        Parameters
        ----------
        is_train : whether to behave as in training
        **kwargs : new values of arguments, copied into the bound arrays
        """
        if kwargs:
            self._assign(kwargs)
        keep = bool(is_train) or self._has_own_states
        run = Run(bool(is_train), RANDOM.source)
        if not keep and any(self.execution.wanted) and self._draws:
            recorded = Recorded(RANDOM.source)
            run, self._drawn = Run(run.train, recorded), recorded.drawn
        results = self._run(run, keep=keep)
        count = len(self.outputs)
        for output, result in zip(self.outputs, results, strict=False):
            _store(output, result)
        if self._watch is not None:
            self._watch.tell(results[count:])
        return self.outputs

    def _run(self, run: Run, *, keep: bool) -> list[Array]:
        by_node = {node: array.elements for node, array in self._bound()}
        arrays = [by_node[node] for node in self.execution.variables]
        return self.execution.forward(arrays, run, keep=keep)

    @cached_property
    def _draws(self) -> bool:
        """Whether an operator of the graph may draw random numbers."""
        operators = (n.application.op for n in self._graph.nodes if n.application is not None)
        return any(op.run_name is not None for op in operators)

    def _run_again(self) -> None:
        """Repeat a forward run that kept nothing for the backward run, with the same random numbers."""
        source = RANDOM.source if self._drawn is None else Repeated(self._drawn)
        self._run(Run(False, source), keep=True)

    def _assign(self, values: Mapping[str, Any]) -> None:
        arrays = self.arg_dict
        for name, value in values.items():
            if not isinstance(value, (NDArray, np.ndarray)):
                raise ValueError(
                    f"forward: {name} must be an NDArray or a NumPy array, "
                    f"not {type(value).__name__}"
                )
            if name not in arrays:
                raise TypeError(f"forward: there is no argument {name!r}{nearest(name, arrays)}")
            if arrays[name].shape != value.shape:
                raise ValueError(
                    f"forward: {name} has the shape {value.shape}, "
                    f"but {arrays[name].shape} is bound; reshape the executor for another shape"
                )
            if isinstance(value, NDArray):
                assign_array(arrays[name], value)
            else:
                overwrite(arrays[name], value)

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients of the arguments from those of the outputs.

        Parameters
        ----------
        out_grads : the outputs' gradients: an NDArray, a list or a dict by name; outputs of loss
            operators need none
        is_train : whether to behave as in training

        Raises
        ------
        MXNetError
            if a required gradient is missing

        Notes
        -----
        After ``forward(is_train=False)`` the forward run is repeated, with the random numbers it had.
        """
        if not any(self.execution.wanted):
            return
        if not self.execution.kept:
            self._run_again()
        heads = self._heads(out_grads)
        variables = self.execution.variables
        delivery = GradientDelivery(variables, self._targets(), early=self._watch is None)
        run = Run(bool(is_train), RANDOM.source)
        found = self.execution.backward(heads, run, delivery.into, delivery.finished)
        if self._watch is not None:
            parts = [part for part in found[len(variables) :] if part is not None]
            self._watch.tell_gradients(self.execution.parts, parts)
        delivery.deliver(found[: len(variables)])

    def _heads(self, given: Any) -> list[Array]:
        """Find a gradient for each output: ones if it is not read; surplus gradients are ignored."""
        names = self._symbol.list_outputs()
        read = self.execution.heads_read(self.execution.kept_for_training)
        heads = []
        for name, output, gradient, is_read in zip(
            names, self.outputs, as_list(given, names), read, strict=True
        ):
            if is_read:
                check_head(name, output, gradient, is_read=True)
            if gradient is None or not is_read:
                heads.append(
                    allocated(
                        np.ones, output.shape, output.elements.dtype, f"the gradient of {name}"
                    )
                )
                continue
            what = f"the gradient of {name}"
            heads.append(converted(gradient.elements, output.elements.dtype, what, copy=False))
        return heads

    # ------------------------------------------------------------------------ monitoring

    def set_monitor_callback(self, callback: Monitor, monitor_all: bool = False) -> None:
        """Register a function to call with the name and value of every node's outputs, and with gradients.

        A node's contributions to the gradients of its inputs are named ``name_backward_output0`` and so on,
        of a single one ``name_backward_output``; it is zero where no gradient is requested.

        Parameters
        ----------
        callback : called with a name and an NDArray, in the order of computation
        monitor_all : whether to report the operators' inputs as well
        """
        self._watch = RunMonitor(self._graph, callback, monitor_all, self._ctx)
        self.execution = self._plan(self._watch.entries)

    # ------------------------------------------------------------------------ arrays

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy values into the bound arrays.

        Parameters
        ----------
        arg_params, aux_params : arrays by name
        allow_extra_params : accept names that the symbol does not have

        Raises
        ------
        ValueError
            for such a name without it
        """
        groups = (
            ("argument", arg_params, self.arg_dict),
            ("auxiliary state", aux_params or {}, self.aux_dict),
        )
        for kind, given, bound in groups:
            for name, array in given.items():
                if name in bound:
                    self._copy(name, array, bound[name])
                elif not allow_extra_params:
                    raise ValueError(
                        f"copy_params_from: there is no {kind} {name!r}{nearest(name, bound)}"
                    )

    def _copy(self, name: str, source: NDArray, target: NDArray) -> None:
        if source.shape != target.shape:
            raise MXNetError(
                f"copy_params_from: {name} has the shape {source.shape}, "
                f"but {target.shape} is bound"
            )
        assign_array(target, source)

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> "Executor":
        """Return an executor for other shapes that shares memory with this one.

        Parameters
        ----------
        partial_shaping : allow shapes of arguments that are not named to change
        allow_up_sizing : allow arrays to grow; these get new memory
        **kwargs : new shapes by name
        """
        resizing = Resizing(self._graph, kwargs, partial_shaping, allow_up_sizing)
        arguments = resizing(self._graph.arguments, self.arg_arrays)
        gradients = resizing(self._graph.arguments, self.grad_arrays)
        states = resizing(self._graph.states, self.aux_arrays)
        made = Executor(
            self._symbol,
            self._ctx,
            arguments,
            gradients,
            self._requests,
            states,
            group2ctx=self._group2ctx,
            like=self,
        )
        made.outputs = [
            new if new.size > old.size or new.dtype != old.dtype else part(old, new.shape)
            for new, old in zip(made.outputs, self.outputs, strict=True)
        ]
        return made

    # ------------------------------------------------------------------------ inspection

    def debug_str(self) -> str:
        """Return the graph as text, and the memory of outputs and kept values."""
        return f"{debug_text(self._graph)}Total {self.allocated // 2**20} MB allocated\n"

    @property
    def allocated(self) -> int:
        """The number of bytes of outputs and of values kept for the backward run."""
        return sum(output.elements.nbytes for output in self.outputs) + self._kept_bytes()

    def _kept_bytes(self) -> int:
        if not any(self.execution.wanted):
            return 0
        entries = self.execution.entries_kept(True)
        graph = Graph([*self._graph.outputs, *entries])
        shapes = infer(graph, "shape", {n: a.shape for n, a in self._bound()})
        dtypes = infer(graph, "dtype", {n: a.elements.dtype for n, a in self._bound()})
        return sum(
            prod(shapes[e.node][e.index]) * dtypes[e.node][e.index].itemsize for e in entries
        )

    def get_optimized_symbol(self) -> "Symbol":
        """Return the symbol after common subexpression elimination.

        Nothing is merged if ``MXNET_ELIMINATE_COMMON_EXPR=0`` was set when the executor was made.
        """
        graph = without_common_expressions(self._graph) if self._merges else self._graph
        return type(self._symbol)(graph.outputs)


def context_of(node: Node, group2ctx: Mapping[str, Context], default: Context) -> Context:
    """Return the context of a node's arrays: that of its group (the attribute ``ctx_group``)."""
    return group2ctx.get(node.attributes.get("__ctx_group__", ""), default)


def _store(output: NDArray, result: Array) -> None:
    if output.elements.shape == result.shape and output.elements.dtype == result.dtype:
        overwrite(output, result)
    else:  # the shape depends on the data
        output.elements = result
        mark_replaced()


def _by_name(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    found = dict(zip(names, values, strict=True))
    if len(found) != len(names):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        raise ValueError(f"several arrays are called {', '.join(twice)}; use the lists")
    return found
