"""`HybridBlock`: a block written against F, run eagerly or traced and compiled."""

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.inspection.explain import Explanation
from gluonic.gluon import hybrid_complaints as complaints
from gluonic.gluon.arguments import explain_call
from gluonic.gluon.backend import BackendSteps, backend_options
from gluonic.gluon.block import Block
from gluonic.gluon.parameter import DeferredInitializationError, Parameter
from gluonic.gluon.parameter_dict import ParameterDict, PathLike
from gluonic.gluon.structure import LEAF, ONE_ARRAY, Structure, flatten, of_arrays, restore
from gluonic.gluon.trace import ShortWay, Trace
from gluonic.gluon.tracing import TRACING
from gluonic.graph.collector import paused
from gluonic.graph.errors import CallError, MXNetError, describe
from gluonic.graph.locks import lock
from gluonic.ndarray import NDArray
from gluonic.ndarray.state import STATE

_FLAGS = (
    "static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size",
    "backend", "backend_opts", "clear",
)  # fmt: skip


class _Eagerly(threading.local):
    depth = 0


_eagerly = _Eagerly()
_MOST_TRACES = 64


@contextmanager
def eagerly() -> Iterator[None]:
    """Run hybridized blocks as if they were not, for a while."""
    _eagerly.depth += 1
    try:
        yield
    finally:
        _eagerly.depth -= 1


def _is_array(value: Any) -> bool:
    return isinstance(value, NDArray)


class HybridBlock(Block):
    """A block whose `hybrid_forward(F, x, …, parameters)` runs with F = nd or F = sym.

    Parameters
    ----------
    prefix, params : as for `Block`
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        self._active = self._compiles = False
        self._flags: dict[str, Any] = {}
        self._traces: dict[Any, Trace] = {}
        self._latest: Trace | None = None
        self._repeat: ShortWay | None = None
        self._traced_in: weakref.WeakSet[HybridBlock] = weakref.WeakSet()
        self._backends = BackendSteps()
        self._op_hook: tuple[Callable[..., Any], bool] | None = None
        self._lock = lock()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, (HybridBlock, Parameter)):
            self._clear_traces()

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Make another hybrid block a child of this one."""
        if not isinstance(block, HybridBlock):
            raise complaints.not_hybrid(self, block)
        super().register_child(block, name)
        self._clear_traces()

    def _clear_traces(self) -> None:
        """Forget the traces of the block, and those of the blocks that it was traced as a part of."""
        for block in (self, *self._traced_in):
            block._backends.forget()
            block._forget_traces()

    _clear_cached_op = _clear_traces  # what blocks of other libraries call when a setting changes

    def _forget_traces(self) -> None:
        self.__dict__["_traces"] = {}
        self.__dict__["_latest"] = self.__dict__["_repeat"] = None
        self.__dict__["_compiles"] = self._active

    def _hooks_changed(self) -> None:
        self.__dict__["_repeat"] = None
        for block in self._traced_in:
            block._forget_traces()

    # Settings

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile the block: trace it at the next call, fuse, and run machine code from then on.

        Parameters
        ----------
        active : False to go back to running eagerly
        static_alloc, static_shape, inline_limit, forward_bulk_size, backward_bulk_size
            MXNet's flags: accepted; flags change speed, never values
        clear : forget earlier traces, and what backends have made (True by default)
        backend : a partitioner or graph pass of an extension library, to work on the graph
        backend_opts : options for the backend; with a backend, other arguments are options too
        """
        kwargs, options = backend_options(kwargs, _FLAGS)
        for name in kwargs.keys() - set(_FLAGS):
            raise complaints.unknown_flag(self, name, _FLAGS)
        self._active = self._compiles = active
        self._flags, self._repeat = kwargs, None
        backend, clear = kwargs.get("backend"), kwargs.get("clear", True)
        self._backends.ask(backend, options, clear=clear)
        if clear or backend:
            self._forget_traces()
        super().hybridize(active, **{**kwargs, "backend_opts": options} if backend else kwargs)

    def cast(self, dtype: Any) -> None:
        """Convert all parameters to another dtype."""
        self._clear_traces()
        super().cast(dtype)

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Call ``callback(node_name, operator_name, array)`` for the results of operators.

        Parameters
        ----------
        monitor_all : for their inputs too
        """
        self._op_hook, self._repeat = (callback, monitor_all), None
        super().register_op_hook(callback, monitor_all)

    def optimize_for(
        self, x: Any, *args: Any, backend: str | None = None, clear: bool = False, **kwargs: Any
    ) -> None:
        """Hybridize the block and have a backend work on its graph for such inputs; nothing is computed.

        Parameters
        ----------
        x, *args : inputs of the block
        backend : a partitioner or graph pass of an extension library, by name
        clear : begin with the block's own graph; otherwise with what earlier backends have made
        **kwargs : flags of `hybridize`; all else are options for the backend
        """
        self.hybridize(True, backend=backend, clear=clear, **kwargs)
        arrays, structure = flatten((x, *args), _is_array)
        if not arrays:
            raise CallError(f"{type(self).__name__}.optimize_for needs an NDArray among its inputs")
        self._prepare((structure, STATE.training, STATE.recording), structure, arrays)

    # Running

    def __call__(self, *args: Any) -> Any:
        """Run the block: hooks before, `forward`, hooks after."""
        repeat = self._repeat
        if repeat is not None and not _eagerly.depth:
            try:
                output = repeat(args)
            except MXNetError as error:
                self._tell_where(error)
                raise
            if output is not None:
                return output
            self.__dict__["_repeat"] = None
        return super().__call__(*args)

    def forward(self, x: Any, *args: Any) -> Any:
        """Run on NDArrays, eagerly or compiled, or on Symbols."""
        active = self._compiles and not _eagerly.depth
        if active and not args and type(x) is NDArray:
            return self._call_compiled((x,), [x], ONE_ARRAY)
        inputs = (x, *args)
        if active:
            for array in inputs:
                if type(array) is not NDArray:
                    break
            else:
                return self._call_compiled(inputs, list(inputs), of_arrays(len(inputs)))
        arrays, structure = flatten(inputs, _is_array)
        if not arrays:
            return self._symbolic_call(inputs)
        if any(isinstance(s, sym.Symbol) for s in flatten(inputs, _is_symbol)[0]):
            raise complaints.mixed_inputs(self)
        if active:
            return self._call_compiled(inputs, arrays, structure)
        return self._eager(inputs, arrays)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs with the operators of `F`; to be written by each kind of block."""
        raise NotImplementedError(
            describe(
                "no hybrid_forward is written",
                where=type(self).__name__,
                hint="def hybrid_forward(self, F, x): …",
            )
        )

    def _check_call(self, args: tuple[Any, ...]) -> None:
        if type(self).forward is HybridBlock.forward:
            explain_call(type(self).__name__, self.hybrid_forward, args, list(self._reg_params))
        else:
            super()._check_call(args)

    def _symbolic_call(self, inputs: tuple[Any, ...]) -> Any:
        if not flatten(inputs, _is_symbol)[0]:
            raise complaints.no_arrays(self, inputs)
        return self._symbolic(*inputs)

    def _symbolic(self, *inputs: Any) -> Any:
        parameters = {name: p.var() for name, p in self._reg_params.items()}
        blocks = TRACING.blocks
        self._traced_in.update(blocks)
        blocks.append(self)
        try:
            with self.name_scope(), sym.block_scope(self.name):
                return self.hybrid_forward(sym, *inputs, **parameters)
        finally:
            blocks.pop()

    def _eager(self, inputs: tuple[Any, ...], arrays: list[NDArray]) -> Any:
        context = arrays[0]._context
        try:
            parameters = {name: p._value(context) for name, p in self._reg_params.items()}
        except DeferredInitializationError:
            self._infer_shape(inputs)
            for parameter in self._params.values():
                parameter._finish_deferred_init()
            parameters = {name: p._value(context) for name, p in self._reg_params.items()}
        if context is None:
            return self.hybrid_forward(nd, *inputs, **parameters)
        with context:
            return self.hybrid_forward(nd, *inputs, **parameters)

    def _call_compiled(
        self, inputs: tuple[Any, ...], arrays: list[NDArray], structure: Structure
    ) -> Any:
        if len(arrays) > 1:
            self._check_contexts(arrays)
        key = structure, STATE.training, STATE.recording
        try:
            trace = self._traces.get(key)
        except TypeError:
            raise complaints.unhashable_inputs(self, inputs) from None
        if trace is None or trace.bound is None:
            trace = self._prepare(key, structure, arrays)
            if not self._compiles:
                return self._eager(inputs, arrays)
        assert trace.bound is not None
        if self._op_hook is not None:
            trace.bound.op.observe(*self._op_hook)
        outputs = trace.bound(arrays)
        if trace.bound.repeat is not None:
            self._offer_repeat(trace.bound.repeat, inputs)
        if trace.output_structure is LEAF:
            return outputs[0]
        return restore(outputs, trace.output_structure)

    def _offer_repeat(self, repeat: ShortWay, inputs: tuple[Any, ...]) -> None:
        """Let the next call go the short way, if nothing else is to happen in it."""
        is_own = type(self).forward is HybridBlock.forward and "forward" not in self.__dict__
        has_hooks = self._forward_hooks or self._forward_pre_hooks or self._op_hook is not None
        if is_own and not has_hooks and all(isinstance(x, NDArray) for x in inputs):
            self.__dict__["_repeat"] = repeat

    def _prepare(self, key: Any, structure: Structure, arrays: list[NDArray]) -> Trace:
        """Trace the block for such inputs and give its parameters their values."""
        with self._lock, paused():
            trace = self._traces.get(key)
            if trace is None:
                trace = self._trace(structure, len(arrays))
            parameters = dict(self.collect_params().items())
            complaints.warn_of_unused(self, trace, parameters)
            bound = trace.bind(parameters)
            try:
                bound.finish_deferred(trace, parameters, arrays)
            except BaseException:
                trace.bound = None
                raise
            keep_states = bool(self._flags.get("static_alloc") and self._flags.get("static_shape"))
            trace = self._backends.applied(
                trace, structure, parameters, arrays, keep_states=keep_states
            )
            self._traces[key] = self._latest = trace
            self._heed_hooks_below()
            if len(self._traces) > _MOST_TRACES:
                del self._traces[next(iter(self._traces))]
                complaints.warn_of_many_traces(self, _MOST_TRACES)
            return trace

    def _heed_hooks_below(self) -> None:
        """Run in Python, block by block, as long as blocks within this one have hooks."""
        hooked: dict[str, HybridBlock] = {}

        def look(block: Block) -> None:
            has_hooks = bool(block._forward_hooks or block._forward_pre_hooks)
            if has_hooks and isinstance(block, HybridBlock) and block is not self:
                hooked[block.name] = block

        self.apply(look)
        around = {outer for block in hooked.values() for outer in block._traced_in}
        for block in hooked.values():
            block._traced_in.add(self)
        if hooked:
            self._compiles = False
        if hooked and all(outer._compiles or not outer._active for outer in around - {self}):
            complaints.warn_of_hooks(self, list(hooked))

    def _trace(self, structure: Structure, count: int) -> Trace:
        return Trace(self, structure, count)

    @staticmethod
    def _check_contexts(arrays: list[NDArray]) -> None:
        if all(array._context is arrays[0]._context for array in arrays):
            return
        contexts = {array.context for array in arrays}
        if len(contexts) > 1:
            raise complaints.several_contexts(contexts)

    # Shapes

    def _infer_shape(self, inputs: tuple[Any, ...]) -> None:
        arrays, structure = flatten(inputs, _is_array)
        trace = self._trace(structure, len(arrays))
        trace.infer_parameters(dict(self.collect_params().items()), arrays)

    def infer_shape(self, *args: Any) -> None:
        """Complete the shapes of the parameters from those of the inputs."""
        self._infer_shape(args)

    def infer_type(self, *args: Any) -> None:
        """Take the dtypes of the parameters from those of the inputs."""
        arrays, structure = flatten(args, _is_array)
        trace = self._trace(structure, len(arrays))
        trace.cast_parameters(self.collect_params().values(), arrays)

    # Files and inspection

    def export(
        self, path: PathLike, epoch: int = 0, remove_amp_cast: bool = True
    ) -> tuple[str, str]:
        """Write the graph and the parameters: ``path-symbol.json`` and ``path-0000.params``.

        Where training and prediction compute different things, the graph is that of prediction, if
        the block has been called so.

        Parameters
        ----------
        path : the beginning of the file names
        epoch : the number in the name of the parameter file

        Returns
        -------
        tuple of str
            the names of the two files

        Raises
        ------
        RuntimeError
            if the block has not been called since it was hybridized
        """
        predicting = (t for key, t in reversed(self._traces.items()) if not key[1])
        trace = next(predicting, self._latest)
        if trace is None or trace.bound is None:
            raise complaints.nothing_to_export(self)
        return trace.bound.save(trace, path, epoch, remove_amp_cast=remove_amp_cast)

    def explain(self, *args: Any) -> Explanation:
        """Say what the compiler makes of the block for such inputs: what is fused, what is not and why.

        Printing the result shows a table; its `llvm` and `assembly` return the code of a step.
        """
        arrays, structure = flatten(args, _is_array)
        key = structure, STATE.training, STATE.recording
        trace = self._traces.get(key) or self._prepare(key, structure, arrays)
        assert trace.bound is not None
        return trace.bound.op.explain(*trace.bound.operands(arrays))

    def cache_info(self) -> CacheInfo:
        """Say how much has been compiled for the block, and how often it was used."""
        bound = [trace.bound for trace in self._traces.values()]
        return CacheInfo.total(b.op.cache_info() for b in bound if b is not None)


def _is_symbol(value: Any) -> bool:
    return isinstance(value, sym.Symbol)
