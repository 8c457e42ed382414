"""`TracedBlock`: a block whose computation can be traced into a graph.

Its members that begin with an underscore bear MXNet's names where MXNet has them: programs read, set, call
and override them.
"""

from collections.abc import Sequence
from typing import Any

from gluonic import symbol as sym
from gluonic.gluon import hybrid_errors as errors
from gluonic.gluon.backend import BackendSteps
from gluonic.gluon.block import Block
from gluonic.gluon.frozen import freeze, is_immutable
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.reads import noting
from gluonic.gluon.replay import Replay
from gluonic.gluon.structure import (
    LEAF,
    Structure,
    flatten,
    format_of,
    of_arrays,
    structure_of,
)
from gluonic.gluon.summary import Tracer, tracer_of
from gluonic.gluon.trace import Trace
from gluonic.gluon.traces import Traces
from gluonic.gluon.tracing import TRACING
from gluonic.graph.array_semantics import unscoped
from gluonic.graph.errors import NotThereError, describe
from gluonic.ndarray import NDArray

# The attributes of MXNet's pickles for a graph that they do not include.
_OF_MXNETS_GRAPH = {
    "_backend",
    "_backend_opts",
    "_cached_graph",
    "_cached_op",
    "_cached_op_args",
    "_in_format",
    "_out_format",
}


def _is_input(value: Any) -> bool:
    return isinstance(value, (NDArray, sym.Symbol))


class TracedBlock(Block):
    """A block whose `hybrid_forward(F, x, …, parameters)` can run with F = sym, once per structure of inputs.

    Parameters
    ----------
    prefix, params : as for `Block`
    """

    _hybridized: bool
    _compiles: bool
    _in_parts = (
        False  # whether something of the graph is sparse, so that it cannot be compiled as a whole
    )
    _replay: Replay | None = None  # the replay that the next call may try
    _traces: Traces
    _given: Trace | None  # replaces the trace of `hybrid_forward`
    _formats: list[Any]  # how inputs and outputs of `_given` are to be nested
    _backends: BackendSteps

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        # as in `Block.__init__`
        self.__dict__.update(
            _hybridized=False,
            _compiles=False,
            _in_parts=False,
            _replay=None,
            _traces=Traces(),
            _given=None,
            _formats=[None, None],
            _backends=BackendSteps(),
        )

    def __setattr__(self, name: str, value: Any) -> None:
        before = self.__dict__.get(name, self)
        super().__setattr__(name, value)
        if isinstance(value, TracedBlock):
            self._clear_cached_op()
        elif isinstance(value, Parameter):
            self._clear_traces()
        elif value is not before:
            self._heed_change(name, before, value)

    def __delattr__(self, name: str) -> None:
        before = self.__dict__.get(name, self)
        super().__delattr__(name)
        self._heed_change(name, before, self)

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy: everything but what was compiled."""
        begun = {"_traces": Traces(), "_replay": None, "_compiles": self._active}
        return {**self.__dict__, **begun, "_in_parts": False}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_traces" not in state:  # from MXNet's pickles
            state = {name: value for name, value in state.items() if name not in _OF_MXNETS_GRAPH}
            active = state.pop("_active")
            self.__dict__.update(state)  # what a block begins with may depend on it
            TracedBlock.__init__(self, state["_prefix"])
            self._active = active
        super().__setstate__(state)

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Make another hybrid block a child of this one."""
        if not isinstance(block, TracedBlock):
            raise errors.not_hybrid(self, block)
        super().register_child(block, name)
        self._clear_cached_op()

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs with the operators of `F`; each kind of block overrides it."""
        raise NotImplementedError(
            describe(
                "no hybrid_forward is written",
                where=type(self).__name__,
                hint="def hybrid_forward(self, F, x): …",
            )
        )

    # Forgetting

    def _clear_cached_op(self) -> None:
        """Drop the graph: a setting of the block has changed."""
        self._forget_given()
        self._clear_traces()

    def _forget_given(self) -> None:
        self.__dict__["_given"] = None

    def _clear_traces(self) -> None:
        """Drop the traces of the block, and of the blocks whose traces contain it."""
        around = self._traces.around
        for block in (self, *around) if around else (self,):
            block._backends.forget()
            block._forget_traces()

    def _forget_traces(self) -> None:
        self._traces.forget()
        self._set_replay(None)
        self.__dict__.update(_compiles=self._active, _in_parts=False)

    def _set_replay(self, replay: Replay | None) -> None:
        """Let the next call be replayed, or take the slow path; `__setattr__` would see a user's change."""
        self.__dict__["_replay"] = replay

    def _heed_change(self, name: str, before: Any, after: Any) -> None:
        """Let the next call look whether it needs another trace, if one has read the attribute."""
        for reads in TRACING.reads:
            reads.note_change(self, name)
        traces = self.__dict__.get("_traces")  # absent before `__init__`
        if traces is None or name not in traces.read:
            return
        if is_immutable(before) and freeze(before, []) == freeze(after, []):
            return
        for block in (self, *traces.around):
            block._traces.doubt()
            block._set_replay(None)

    def _hooks_changed(self) -> None:
        self._set_replay(None)
        for block in self._traces.around:
            block._forget_traces()

    # Tracing

    def _symbolic(self, *inputs: Any) -> Any:
        parameters = {name: p.var() for name, p in self._reg_params.items()}
        blocks = TRACING.blocks
        self._traces.around.update(blocks)
        blocks.append(self)
        try:
            with self.name_scope(), sym.block_scope(self.name, type(self).__name__, self.prefix):
                return self.hybrid_forward(sym, *inputs, **parameters)
        finally:
            blocks.pop()

    def _trace(self, inputs: Any, structure: Structure, arrays: Sequence[Any]) -> Trace:
        """Trace the block for inputs of a structure, with such arrays or symbols among them."""
        if self._is_overridden("_get_graph"):
            return self._trace_of_overridden(inputs)
        return self._own_trace(structure, arrays)

    def _trace_of_call(self, inputs: Any) -> tuple[Trace, list[NDArray]]:
        """Trace a call, and return the arrays among its inputs as well."""
        arrays, structure = flatten(tuple(inputs), lambda x: isinstance(x, NDArray))
        return self._trace(inputs, structure, arrays), arrays

    def _note_read(self, block: Block, names: list[str]) -> None:
        """Note that a trace of this block depends on attributes of a block."""
        if isinstance(block, TracedBlock):
            block._traces.read.update(names)
            if block is not self:
                block._traces.around.add(self)

    def _own_trace(self, structure: Structure, arrays: Sequence[Any]) -> Trace:
        if self._given is None:
            with noting(self, self._note_read) as reads:
                made = Trace(self, structure, arrays)
            made.reads = reads
            return made
        errors.check_count(self, self._given, len(arrays))
        return self._given.again()

    def _trace_of_overridden(self, inputs: Any) -> Trace:
        """The trace of a block that overrides how its graph is made: one for all modes."""
        latest = self._traces.latest
        if latest is not None and latest.reads.hold():
            return latest.again()
        with noting(self, self._note_read) as reads:
            symbols, output = self._get_graph(*inputs)
        made = self._nested_trace(symbols, output, self._in_format, self._out_format)
        made.reads = reads
        return made

    def _is_overridden(self, name: str) -> bool:
        """Whether a class, an instance or a program has replaced a method."""
        found = getattr(getattr(self, name), "__func__", None)
        return found is not METHODS[name] and unscoped(found) is not METHODS[name]

    # The graph, as MXNet's programs know it

    @property
    def _active(self) -> bool:
        """Whether the block is hybridized."""
        return bool(self.__dict__["_hybridized"])

    @_active.setter
    def _active(self, active: bool) -> None:
        self.__dict__.update(_hybridized=active, _compiles=active, _in_parts=False)
        self._set_replay(None)

    def _get_graph(self, *args: Any) -> Any:
        """Return the inputs and outputs of the graph; trace it for such inputs, if there is none."""
        latest = self._traces.latest
        if not self._cached_graph or (latest is not None and not latest.reads.hold()):
            leaves, structure = flatten(args, _is_input)
            self._traces.latest = made = self._own_trace(structure, leaves)
            return made.inputs, made.output
        return self._cached_graph

    @property
    def _cached_graph(self) -> tuple[()] | tuple[list[sym.Symbol], sym.Symbol]:
        """The inputs and the outputs of the graph, ``()`` before the first call."""
        trace = self._traces.of_prediction or self._given
        return () if trace is None else (trace.inputs, trace.output)

    @_cached_graph.setter
    def _cached_graph(self, graph: Any) -> None:
        made = self._nested_trace(*graph, *self._formats) if graph else None
        self._clear_traces()
        self._given = made

    def _nested_trace(self, inputs: Any, output: Any, taken: Any, returned: Any) -> Trace:
        """The trace of a graph whose inputs and outputs are nested by formats, if these are given."""
        inputs, count = list(inputs), len(output.list_outputs())
        outer = of_arrays(len(inputs)) if taken is None else structure_of(taken)
        inner = LEAF if count == 1 else of_arrays(count)
        made = Trace.of_graph(inputs, output, outer, structure_of(returned, inner))
        errors.check_formats(self, made)
        return made

    @property
    def _in_format(self) -> Any:
        """How the inputs are nested: 0 is an array, -1 is None."""
        return self._format("input_structure", self._formats[0])

    @_in_format.setter
    def _in_format(self, given: Any) -> None:
        self._set_formats([given, self._formats[1]])

    @property
    def _out_format(self) -> Any:
        """How the outputs are nested: 0 is an array."""
        return self._format("output_structure", self._formats[1])

    @_out_format.setter
    def _out_format(self, given: Any) -> None:
        self._set_formats([self._formats[0], given])

    def _format(self, structure: str, given: Any) -> Any:
        trace = self._traces.latest or self._given
        return given if trace is None else format_of(getattr(trace, structure))

    def _set_formats(self, formats: list[Any]) -> None:
        self._formats = formats
        graph = self._cached_graph
        if graph and formats != [None, None]:
            self._cached_graph = graph

    @property
    def _cached_op(self) -> Any:
        """The compiled graph of the latest trace, None before the first call."""
        bound = self._traces.bound
        return None if bound is None else bound.op

    @_cached_op.setter
    def _cached_op(self, op: Any) -> None:
        self._refuse("_cached_op", op)
        self._forget_traces()

    @property
    def _cached_op_args(self) -> list[tuple[bool, Any]]:
        """For each variable of the graph: True and the index of an input, or False and a parameter."""
        bound = self._traces.bound
        sources = [] if bound is None else bound.sources
        return [(not isinstance(source, Parameter), source) for source in sources]

    @_cached_op_args.setter
    def _cached_op_args(self, args: Any) -> None:
        self._refuse("_cached_op_args", args)
        self._forget_traces()

    def _refuse(self, name: str, value: Any) -> None:
        if value:
            raise NotThereError(
                f"{type(self).__name__}.{name} can be emptied, not set to {value!r}"
            )

    # Shapes and dtypes

    def _graph_parameters(self) -> dict[str, Parameter]:
        """The parameters of the block and of all its children, by the names of their variables in graphs."""
        return dict(self.collect_params().items())

    def _infer_attrs(self, infer_fn: str, attr: str, *args: Any) -> None:
        """Complete an attribute of the parameters from that of the inputs.

        Parameters
        ----------
        infer_fn, attr : ``"infer_shape"`` and ``"shape"``, or ``"infer_type"`` and ``"dtype"``
        """
        arrays, structure = flatten(args, _is_input)
        trace = self._trace(args, structure, arrays)
        parameters = self._graph_parameters()
        if attr == "shape":
            trace.infer_parameters(parameters, arrays)
        elif attr == "dtype":
            trace.cast_parameters(parameters.values(), arrays)
        else:
            raise NotThereError(f"{type(self).__name__}._infer_attrs({infer_fn!r}, {attr!r})")

    def infer_shape(self, *args: Any) -> None:
        """Complete the shapes of the parameters from those of the inputs."""
        self._infer_attrs("infer_shape", "shape", *args)

    def infer_type(self, *args: Any) -> None:
        """Take the dtypes of the parameters from those of the inputs."""
        self._infer_attrs("infer_type", "dtype", *args)

    def _deferred_infer_shape(self, *args: Any) -> None:
        """Complete the shapes of parameters whose initialization is deferred."""
        self.infer_shape(*args)

    def _infers_as_is(self) -> bool:
        """Whether nothing overrides the inference of shapes."""
        names = ("infer_shape", "_deferred_infer_shape", "_infer_attrs")
        return not any(self._is_overridden(name) for name in names)


METHODS: dict[str, Any] = dict(vars(TracedBlock))
"""The methods as they are defined, by name."""


@tracer_of.register
def _(block: TracedBlock) -> Tracer:
    """Its own method."""
    return block._trace_of_call
