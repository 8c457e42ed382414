"""`HybridBlock`: a block written against F, run eagerly or traced and compiled."""

from collections.abc import Callable
from typing import Any

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon import hybrid_errors as errors
from gluonic.gluon.arguments import explain_call
from gluonic.gluon.backend import backend_options
from gluonic.gluon.block import Block
from gluonic.gluon.eager_scope import EAGER
from gluonic.gluon.explained_block import ExplainedBlock, Proving
from gluonic.gluon.parameter import DeferredInitializationError, Parameter
from gluonic.gluon.parameter_dict import ParameterDict, PathLike
from gluonic.gluon.reads import OWN_NAMES
from gluonic.gluon.replay import Replay
from gluonic.gluon.structure import LEAF, ONE_ARRAY, Structure, flatten, of_arrays, restore
from gluonic.gluon.trace import Trace
from gluonic.gluon.traced_block import METHODS
from gluonic.gluon.traces import MOST_TRACES, key_of, traces_of
from gluonic.graph.array_semantics import unscoped
from gluonic.graph.errors import CallError, MXNetError
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import CPU, current_context
from gluonic.ndarray.invoke import all_dense
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.dispatch import has_sparse
from gluonic.support.gc_pause import paused

_FLAGS = (
    "static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size",
    "compile_at_once", "backend", "backend_opts", "clear",
)  # fmt: skip


_MXNETS_FLAGS = {"static_alloc": False, "static_shape": False, "inline_limit": 2}
_CALLED = ("forward", "_call_cached_op")  # a replayed call does not call them
_HEEDED = frozenset((*_CALLED, "_callback", "_monitor_all"))


def _is_array(value: Any) -> bool:
    return isinstance(value, NDArray)


class HybridBlock(ExplainedBlock):
    """A block whose `hybrid_forward(F, x, …, parameters)` runs with F = nd or F = sym.

    Parameters
    ----------
    prefix, params : as for `Block`
    """

    _flags: list[tuple[str, Any]]
    _callback: Callable[..., Any] | None
    _monitor_all: bool

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        # as in `Block.__init__`
        self.__dict__.update(_flags=[], _callback=None, _monitor_all=False)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in _HEEDED:
            self._set_replay(None)

    # Settings

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile the block: trace it at the next call, fuse, and run machine code soon.

        Parameters
        ----------
        active : False to go back to running eagerly
        static_alloc, static_shape : together they let operators of extensions, and those in Python, keep
            their state from call to call
        inline_limit, forward_bulk_size, backward_bulk_size : MXNet's flags, which change nothing here
        compile_at_once : whether the first call compiles; otherwise the first calls run operator by operator,
            until compiling pays off
        clear : drop earlier traces, and the graphs of backends (True by default)
        backend : a partitioner or graph pass of an extension library, to rewrite the graph
        backend_opts : options for the backend; with a backend, other arguments are options too
        """
        kwargs, options = backend_options(kwargs, _FLAGS)
        for name in kwargs:
            if name not in _FLAGS:
                raise errors.unknown_flag(self, name, _FLAGS)
        self._active = active
        self._flags = [*{**_MXNETS_FLAGS, **kwargs}.items()]
        backend, clear = kwargs.get("backend"), kwargs.get("clear", True)
        self._backends.ask(backend, options, clear=clear)
        if clear:
            self._forget_given()
        if clear or backend:
            self._forget_traces()
        super().hybridize(active, **{**kwargs, "backend_opts": options} if backend else kwargs)

    def cast(self, dtype: Any) -> None:
        """Convert all parameters to another dtype."""
        self._clear_cached_op()
        super().cast(dtype)

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Call ``callback(node_name, operator_name, array)`` for the results of operators.

        Parameters
        ----------
        monitor_all : call it for the operators' inputs, too
        """
        self._callback, self._monitor_all = callback, monitor_all
        super().register_op_hook(callback, monitor_all)

    def optimize_for(
        self, x: Any, *args: Any, backend: str | None = None, clear: bool = False, **kwargs: Any
    ) -> None:
        """Hybridize the block and let a backend rewrite its graph for such inputs; nothing is computed.

        Parameters
        ----------
        x, *args : inputs of the block
        backend : ``MKLDNN``, or a partitioner or graph pass of an extension library, by name
        clear : start from the block's own graph; otherwise from the graph of earlier backends
        **kwargs : flags of `hybridize`; all others are options for the backend
        """
        self.hybridize(True, backend=backend, clear=clear, **kwargs)
        arrays, structure = flatten((x, *args), _is_array)
        if not arrays:
            raise CallError(f"{type(self).__name__}.optimize_for needs an NDArray among its inputs")
        self._prepare(key_of(structure, arrays), structure, arrays)

    # Running

    def __call__(self, *args: Any) -> Any:
        """Run the block: hooks before, `forward`, hooks after."""
        replay = self._replay
        if replay is not None and not EAGER.depth:
            try:
                output = replay(args)
            except MXNetError as error:
                self._tell_where(error)
                raise
            if output is not None:
                return output
            self._set_replay(None)
        return super().__call__(*args)

    def forward(self, x: Any, *args: Any) -> Any:
        """Run on NDArrays, eagerly or compiled, or on Symbols."""
        active = self._compiles and not EAGER.depth
        if active and self._has_own_call():
            return self._call_cached_op(x, *args)
        if active and not args and type(x) is NDArray:
            return self._call_compiled((x,), [x], ONE_ARRAY)
        if not args and isinstance(x, sym.Symbol):
            return self._symbolic(x)
        inputs = (x, *args)
        if all_dense(inputs):
            if active:
                return self._call_compiled(inputs, list(inputs), of_arrays(len(inputs)))
            if not self._in_parts or EAGER.depth:
                return self._eager(inputs, list(inputs))
        return self._call_nested(inputs, active=active)

    def _call_nested(self, inputs: tuple[Any, ...], *, active: bool) -> Any:
        """Run on inputs that are not all dense arrays; `active` is whether the block is to be compiled."""
        arrays, structure = flatten(inputs, _is_array)
        if not arrays:
            return self._symbolic_call(inputs)
        if any(isinstance(s, sym.Symbol) for s in flatten(inputs, _is_symbol)[0]):
            raise errors.mixed_inputs(self)
        if active and not has_sparse(arrays):
            return self._call_compiled(inputs, arrays, structure)
        if (active or self._in_parts) and not EAGER.depth:
            return self._call_in_parts(inputs, arrays, structure)
        return self._eager(inputs, arrays)

    def _has_own_call(self) -> bool:
        """Whether a class or the instance overrides `_call_cached_op`."""
        own = type(self)._call_cached_op
        is_own = own is not _call_cached_op and unscoped(own) is not _call_cached_op
        return is_own or "_call_cached_op" in self.__dict__

    def _check_call(self, args: tuple[Any, ...]) -> None:
        if unscoped(type(self).forward) is HybridBlock.forward:
            explain_call(type(self).__name__, self.hybrid_forward, args, list(self._reg_params))
        else:
            super()._check_call(args)

    def _symbolic_call(self, inputs: tuple[Any, ...]) -> Any:
        if not flatten(inputs, _is_symbol)[0]:
            raise errors.no_arrays(self, inputs)
        return self._symbolic(*inputs)

    def _eager(self, inputs: tuple[Any, ...], arrays: list[NDArray]) -> Any:
        context = arrays[0].stated_context
        ctx = context or CPU
        try:
            parameters = {name: p.data(ctx) for name, p in self._reg_params.items()}
        except DeferredInitializationError:
            parameters = None
        if parameters is None:
            self._deferred_infer_shape(*inputs)
            for parameter in self._params.values():
                parameter.finish_deferred_init()
            parameters = {name: p.data(ctx) for name, p in self._reg_params.items()}
        if context is None or context is current_context():
            return self.hybrid_forward(nd, *inputs, **parameters)
        with context:
            return self.hybrid_forward(nd, *inputs, **parameters)

    def _call_cached_op(self, *args: Any) -> Any:
        """Run the compiled graph."""
        arrays, structure = flatten(args, _is_array)
        return self._call_compiled(args, arrays, structure)

    def _build_cache(self, *args: Any) -> None:
        """Trace the block for such inputs and initialize deferred parameters."""
        arrays, structure = flatten(args, _is_array)
        self._prepare(key_of(structure, arrays), structure, arrays)

    def _call_compiled(
        self, inputs: tuple[Any, ...], arrays: list[NDArray], structure: Structure
    ) -> Any:
        if len(arrays) > 1:
            errors.check_contexts(arrays)
        key = structure, STATE.training, STATE.recording, type(arrays[0])
        try:
            trace = self._traces.find(key)
        except TypeError:
            raise errors.unhashable_inputs(self, inputs) from None
        if trace is None or trace.bound is None:
            self._build_cache(*inputs)
            trace = self._traces.find(key)
            if trace is None or trace.bound is None:
                trace = self._prepare(key, structure, arrays)
            if self._in_parts:
                return self._call_in_parts(inputs, arrays, structure)
            if not self._compiles:
                return self._eager(inputs, arrays)
        assert trace.bound is not None
        if self._callback is not None:
            trace.bound.op.observe(self._callback, self._monitor_all)
        outputs = trace.bound(arrays)
        if trace.bound.replay is not None:
            self._offer_replay(key, trace, trace.bound.replay, inputs)
        if trace.output_structure is LEAF:
            return outputs[0]
        return restore(outputs, trace.output_structure)

    def _call_in_parts(
        self, inputs: tuple[Any, ...], arrays: list[NDArray], structure: Structure
    ) -> Any:
        """Run the graph with sparse arrays: its dense parts compiled, the others operator by operator."""
        if len(arrays) > 1:
            errors.check_contexts(arrays)
        key = structure, STATE.training, STATE.recording, type(arrays[0])
        trace = self._traces.find(key)
        if trace is None or trace.bound is None:
            trace = self._prepare(key, structure, arrays)
        if self._callback is not None or not (self._compiles or self._in_parts):
            return self._eager(inputs, arrays)
        assert trace.bound is not None
        outputs = trace.bound.in_parts(arrays)
        return (
            outputs[0]
            if trace.output_structure is LEAF
            else restore(outputs, trace.output_structure)
        )

    def _offer_replay(
        self, key: Any, trace: Trace, replay: Replay, inputs: tuple[Any, ...]
    ) -> None:
        """Let the next call be replayed, unless something must be checked in each call."""
        is_own = not any(map(self._is_overridden, _CALLED))
        has_hooks = self._forward_hooks or self._forward_pre_hooks or self._callback is not None
        if is_own and not has_hooks and all(isinstance(x, NDArray) for x in inputs):
            replay.watches = trace.reads.watches
            self._set_replay(replay)
            if self._traces.find(key) is not trace:  # another thread has changed the block
                self._set_replay(None)

    def _prepare(self, key: Any, structure: Structure, arrays: list[NDArray]) -> Trace:
        """Trace the block for such inputs and give its parameters their values."""
        traces = self._traces
        with traces.lock, paused():
            known = traces.known
            trace = traces.find(key) or traces.recall(key)
            if trace is None:
                trace = self._trace(restore(arrays, structure), structure, arrays)
                trace = traces.adopt(key, trace, known) or trace
            if trace.bound is not None:
                return trace
            reads, graph = trace.reads, trace.graph
            parameters = self._graph_parameters()
            errors.warn_of_unused(self, trace, parameters)
            flags = dict(self._flags)
            named = {**parameters, **trace.constants}
            bound = trace.bind(named, at_once=bool(flags.get("compile_at_once")))
            try:
                bound.finish_deferred(self._shape_inference(trace, parameters, arrays, structure))
            except BaseException:
                trace.bound = None
                raise
            keep_states = bool(flags.get("static_alloc") and flags.get("static_shape"))
            trace = self._backends.applied(
                trace, structure, parameters, arrays, keep_states=keep_states
            )
            traces.enter(key, reads, graph, trace, known)
            self._heed_hooks_below()
            self._heed_sparse(parameters)
            if traces.drop_oldest():
                errors.warn_of_many_traces(self, MOST_TRACES)
            return trace

    def _heed_hooks_below(self) -> None:
        """Run in Python, block by block, while blocks inside this one have hooks."""
        hooked: dict[str, HybridBlock] = {}

        def look(block: Block) -> None:
            has_hooks = bool(block._forward_hooks or block._forward_pre_hooks)
            if has_hooks and isinstance(block, HybridBlock) and block is not self:
                hooked[block.name] = block

        self.apply(look)
        around = {outer for block in hooked.values() for outer in traces_of(block).around}
        for block in hooked.values():
            traces_of(block).around.add(self)
        if hooked:
            self._compiles = False
        if hooked and all(outer._compiles or not outer._active for outer in around - {self}):
            errors.warn_of_hooks(self, list(hooked))

    def _heed_sparse(self, parameters: dict[str, Parameter]) -> None:
        """Compile only the dense parts if a parameter or its gradient is sparse."""
        if any(p.has_sparse_value or p.has_sparse_gradient for p in parameters.values()):
            self._in_parts, self._compiles = self._compiles, False

    def _shape_inference(
        self,
        trace: Trace,
        parameters: dict[str, Parameter],
        arrays: list[NDArray],
        given: Structure,
    ) -> Callable[[], None]:
        """The function that infers the shapes of parameters: the trace's, unless the block overrides it."""
        if self._infers_as_is():
            return lambda: trace.infer_parameters(parameters, arrays)
        return lambda: self._deferred_infer_shape(*restore(arrays, given))

    # Files and inspection

    def export(
        self, path: PathLike, epoch: int = 0, remove_amp_cast: bool = True, proof: Proving = False
    ) -> tuple[str, str]:
        """Write the graph and the parameters: ``path-symbol.json`` and ``path-0000.params``.

        If the graphs of training and inference differ, the one of inference is written, if the block has been
        called in that mode.

        Parameters
        ----------
        path : the prefix of the file names
        epoch : the number in the name of the parameter file
        proof : True, or sample inputs, to write ``path-0000.proof.npz``, too: what the model computes for them,
            which ``gluonic verify`` checks elsewhere; True draws inputs of the shapes that were traced

        Returns
        -------
        tuple of str
            the names of the two files

        Raises
        ------
        RuntimeError
            if the block has not been called since it was hybridized
        """
        trace = self._traces.of_prediction
        if trace is None or trace.bound is None:
            raise errors.nothing_to_export(self)
        if not trace.reads.hold():
            errors.check_rewritten(self, self._backends)
            trace = self._own_trace(trace.input_structure, trace.inputs)
        bound = trace.bind({**self._graph_parameters(), **trace.constants})
        if proof is False:
            return bound.save(trace, path, epoch, remove_amp_cast=remove_amp_cast)
        from gluonic.gluon.proofs import save_with_proof

        return save_with_proof(trace, bound, path, epoch, remove_amp_cast, proof)


METHODS.update(vars(HybridBlock))
OWN_NAMES.update(*(getattr(kind, "__annotations__", ()) for kind in HybridBlock.__mro__))
OWN_NAMES.update(dir(HybridBlock))
OWN_NAMES.difference_update(("forward", "hybrid_forward"))  # a program's may read globals
_call_cached_op = HybridBlock._call_cached_op


def _is_symbol(value: Any) -> bool:
    return isinstance(value, sym.Symbol)
