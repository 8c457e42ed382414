"""Tracing: `hybrid_forward` run with F = symbol, once for each structure of its inputs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.codegen import CacheInfo
from gluonic.gluon.array_classes import check_alike
from gluonic.gluon.hybrid_errors import undetermined
from gluonic.gluon.parameter import DeferredInitializationError, Parameter, expect_draws
from gluonic.gluon.parameter_dict import PathLike
from gluonic.gluon.parameter_values import is_overridden
from gluonic.gluon.reads import NOTHING
from gluonic.gluon.replay import DeviceReplay, EagerReplay, InferenceReplay, RecordedReplay, Replay
from gluonic.gluon.structure import LEAF, Opened, Structure, flatten, restore
from gluonic.gluon.tracing import TRACING, note_call
from gluonic.graph import Graph, Node
from gluonic.graph.errors import InferenceError, MXNetError, describe, user_location
from gluonic.graph.failures import add_facts
from gluonic.graph.infer import infer
from gluonic.graph.versions import REPLACEMENTS
from gluonic.ndarray import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.context import CPU
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.parts import GraphInParts
from gluonic.support.cached_property import cached_property

if TYPE_CHECKING:
    from gluonic.gluon.traced_block import TracedBlock


class Trace:
    """The graph of a block for inputs of one structure.

    Parameters
    ----------
    block : the block
    structure, arrays : the structure of its inputs, and the arrays or symbols among them

    Attributes
    ----------
    inputs : the symbols that stand for the arrays among the inputs
    output : all outputs, as one symbol
    input_structure, output_structure : how inputs and outputs are nested
    graph : the graph of `output`
    reads : what was read of Python to make it
    signature : the shapes and dtypes of the arrays that were traced; empty if none were
    constants : arrays that the graph reads besides inputs and parameters, as parameters by name
    """

    signature: Sequence[tuple[tuple[int, ...], Any]] = ()
    constants: Mapping[str, Parameter] = MappingProxyType({})

    def __init__(self, block: "TracedBlock", structure: Structure, arrays: Sequence[Any]) -> None:
        names = ["data"] if len(arrays) == 1 else [f"data{i}" for i in range(len(arrays))]
        self.inputs = [_variable_for(x, name) for x, name in zip(arrays, names, strict=True)]
        called_at = user_location()
        TRACING.depth += 1
        try:
            outputs = block._symbolic(*restore(self.inputs, structure))
        except MXNetError as error:
            pairs = zip(self.inputs, arrays, strict=True)
            add_facts(error, {s.entries[0].node: [x.shape] for s, x in pairs if not _is_symbol(x)})
            raise
        finally:
            TRACING.depth -= 1
        self.input_structure = structure
        if not any(map(_is_symbol, arrays)):
            self.signature = [(x.shape, x.dtype) for x in arrays]
        leaves, self.output_structure = flatten(opened(outputs), _is_symbol)
        check_alike(block, leaves)
        if not leaves:
            raise MXNetError(
                describe(
                    "hybrid_forward returned nothing that depends on F",
                    where=type(block).__name__,
                    hint="compute with F and return its results",
                )
            )
        self.adopt(leaves)
        note_call(self.graph, called_at)

    @staticmethod
    def of_graph(
        inputs: Sequence[sym.Symbol],
        output: sym.Symbol,
        input_structure: Structure,
        output_structure: Structure,
    ) -> "Trace":
        """The trace of an existing graph, which reads inputs of these names."""
        made = Trace.__new__(Trace)
        variables = {node.name: node for node in output.graph().variables}
        nodes = [variables.get(str(x.name), x.entries[0].node) for x in inputs]
        made.inputs = [type(x)([node.entry()]) for x, node in zip(inputs, nodes, strict=True)]
        made.input_structure, made.output_structure = input_structure, output_structure
        made.adopt(output.each_output())
        return made

    def __reduce__(self) -> Any:
        made_from = self.inputs, self.output, self.input_structure, self.output_structure
        return Trace.of_graph, made_from

    def again(self) -> "Trace":
        """A copy of the trace that is not bound to parameters."""
        return self.with_graph(self.graph)

    def with_graph(self, graph: Graph) -> "Trace":
        """The trace with another graph that computes the same outputs from inputs of the same names."""
        output = type(self.output)(graph.outputs)
        made = Trace.of_graph(self.inputs, output, self.input_structure, self.output_structure)
        made.reads, made.constants = self.reads, self.constants
        return made

    def adopt(self, leaves: Sequence[sym.Symbol]) -> None:
        """Set the outputs, and the graph that computes them."""
        traced = Graph(entry for leaf in leaves for entry in leaf.entries)
        self.graph = traced.drawn_in_order()
        if self.graph is not traced:
            leaves = [type(leaves[0])([entry]) for entry in self.graph.outputs]
        self.output = leaves[0] if len(leaves) == 1 else type(leaves[0])(self.graph.outputs)
        self.input_nodes = [symbol.entries[0].node for symbol in self.inputs]
        self.bound: BoundTrace | None = None
        self.reads = NOTHING

    def bind(self, parameters: dict[str, Parameter], *, at_once: bool = False) -> "BoundTrace":
        """Bind the graph's variables to the inputs and the parameters.

        Parameters
        ----------
        at_once : whether the first call compiles the graph, not a later one
        """
        if self.bound is None:
            self.bound = BoundTrace(self, parameters, at_once=at_once)
        return self.bound

    def unused_inputs(self) -> list[int]:
        """The positions of inputs that no operator reads."""
        used = set(self.graph.variables)
        return [i for i, node in enumerate(self.input_nodes) if node not in used]

    def infer_parameters(self, parameters: dict[str, Parameter], arrays: Sequence[NDArray]) -> None:
        """Complete the shapes of parameters from those of the inputs.

        Raises
        ------
        InferenceError
            for contradicting shapes
            (also) naming the parameters whose shapes do not follow, and what reads them
        """
        known: dict[Node, Any] = {
            node: array.shape for node, array in zip(self.input_nodes, arrays, strict=True)
        }
        for node in self.graph.variables:
            parameter = parameters.get(node.name)
            if parameter is not None and parameter.shape is not None and node not in known:
                known[node] = tuple(axis if axis > 0 else None for axis in parameter.shape)
        facts = infer(
            self.graph, "shape", {n: s for n, s in known.items() if n in self.graph.consumers}
        )
        unknown = []
        for node in self.graph.variables:
            shape = facts[node][0]
            if node.name not in parameters or node in self.input_nodes:
                continue
            if shape is None or None in shape:
                unknown.append((node, shape))
            else:
                parameters[node.name].shape = shape
        if unknown:
            raise undetermined(self.graph, unknown)

    def cast_parameters(self, parameters: Iterable[Parameter], arrays: Sequence[NDArray]) -> None:
        """Set the dtypes of parameters by inference from those of the inputs."""
        types = {node.name: a.dtype for node, a in zip(self.input_nodes, arrays, strict=True)}
        argument_types, _, state_types = self.output.infer_type_partial(**types)
        names = [*self.output.list_arguments(), *self.output.list_auxiliary_states()]
        known = [*(argument_types or ()), *(state_types or ())]
        found = {n: t for n, t in zip(names, known, strict=False) if t is not None}
        for parameter in parameters:
            if parameter.name in found:
                parameter.cast(found[parameter.name])


def _is_deferred(parameter: Parameter) -> bool:
    """Whether the initialization of a parameter waits for its shape; an error if it was never asked for."""
    is_plain = not parameter.has_sparse_value and not is_overridden(parameter, "data")
    if is_plain and parameter.is_deferred:
        return True  # without the error, whose text takes longer than the initialization
    try:
        parameter.data()
    except DeferredInitializationError:
        return True
    return False


def _class_of(symbol: sym.Symbol) -> type[NDArray]:
    """The class of the arrays that a symbol stands for."""
    return numpy_array() if symbol.of_numpy else NDArray


def _variable_for(array: Any, name: str) -> sym.Symbol:
    """The symbol that stands for an array, or for a symbol, as an input."""
    made = sym.var(name)
    return made.as_np_ndarray() if array.of_numpy else made


def _is_symbol(value: Any) -> bool:
    return isinstance(value, sym.Symbol)


def opened(nested: Any) -> Any:
    """Outputs in which a symbol of several outputs is divided into symbols of one."""
    if isinstance(nested, (list, tuple)):
        members = [opened(one) for one in nested]
        return members if isinstance(nested, list) else tuple(members)
    if _is_symbol(nested) and len(nested.entries) > 1:
        return Opened(nested)
    return nested


class _Known(NamedTuple):
    """The parameters' arrays as last looked up; replaced as a whole, for threads.

    Attributes
    ----------
    context : the context that they were looked up on
    at : the number of the latest replacement then; -1 if parameters hold plain lists without notification
    operands : their arrays, in the order of the graph's variables; None where inputs go, and values that
        parameters compute
    token : identifies the look-up, and keeps no array alive
    """

    context: Any
    at: int
    operands: list[Any]
    token: object


class BoundTrace:
    """A trace bound to its parameters: what a hybridized call runs."""

    def __init__(self, trace: Trace, parameters: dict[str, Parameter], *, at_once: bool) -> None:
        positions = {node: i for i, node in enumerate(trace.input_nodes)}
        self.sources: list[int | Parameter] = []
        for node in trace.graph.variables:
            if node in positions:
                self.sources.append(positions[node])
            elif node.name in parameters:
                self.sources.append(parameters[node.name])
            else:
                raise MXNetError(
                    describe(
                        f"the graph reads {node.name!r}, which is neither an input nor a parameter",
                        facts=[f"read by {r.title}" for r in trace.graph.consumers[node][:3]],
                        hint="self.params.get(…) in __init__, and the argument in hybrid_forward",
                    )
                )
        self._computed = [
            (i, source)
            for i, source in enumerate(self.sources)
            if isinstance(source, Parameter) and is_overridden(source, "data")
        ]
        computed, variables = dict(self._computed), trace.graph.variables
        others = [v for i, v in enumerate(variables) if v not in positions and i not in computed]
        kind = _class_of(trace.output)
        self.op = CachedGraph(
            trace.graph, variables, others, trace.input_nodes, kind, at_once=at_once
        )
        self._at_once = at_once
        self._given = [
            (i, source) for i, source in enumerate(self.sources) if isinstance(source, int)
        ]
        self._indices = [index for index, position in sorted(self._given, key=lambda pair: pair[1])]
        self._known = _Known(self, -1, [], None)
        self._recorded: bool | None = None
        self._structure = trace.output_structure
        self.replay: Replay | None = None
        self._made: Replay | None = None
        self._eager: EagerReplay | None = None
        self._made_for: _Known | None = None

    def parameters(self) -> list[Parameter]:
        """The parameters that the graph reads."""
        return [source for source in self.sources if isinstance(source, Parameter)]

    def finish_deferred(self, infer_shapes: Callable[[], None]) -> None:
        """Initialize the parameters that were deferred until their shapes were known."""
        waiting = [p for p in self.parameters() if not p.is_initialized and _is_deferred(p)]
        if not waiting:
            return
        infer_shapes()
        expect_draws(waiting)
        for parameter in waiting:
            parameter.finish_deferred_init()

    def save(
        self, trace: Trace, path: PathLike, epoch: int, *, remove_amp_cast: bool
    ) -> tuple[str, str]:
        """Write the graph of the trace and the parameters; returns the names of both files."""
        symbol_file, parameter_file = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
        trace.output.save(symbol_file, remove_amp_cast=remove_amp_cast)
        states = {node.name for node in trace.graph.states}
        names = {p: f"{'aux' if p.name in states else 'arg'}:{p.name}" for p in self.parameters()}
        nd.save(parameter_file, {name: p.value_for_files() for p, name in names.items()})
        return symbol_file, parameter_file

    def operands(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """The inputs and parameters, in the order of the graph's variables."""
        return self._filled(self._find(arrays), arrays)

    def _filled(self, known: _Known, arrays: Sequence[NDArray]) -> list[NDArray]:
        """The cached operands, with the inputs and the values that parameters compute filled in."""
        operands = known.operands.copy()
        for index, position in self._given:
            operands[index] = arrays[position]
        if self._computed:
            with known.context or CPU:
                for index, parameter in self._computed:
                    operands[index] = parameter.data()
        return operands

    def _find(self, arrays: Sequence[NDArray]) -> _Known:
        """Find the parameters on the inputs' context; they are looked up again if they have changed."""
        context = arrays[0].stated_context if arrays else None
        known = self._known
        if context is known.context and known.at == REPLACEMENTS.latest:
            return known
        at = REPLACEMENTS.latest  # an array replaced from now on may or may not be seen
        computed = dict(self._computed).values()
        parameters = [p for p in self.parameters() if p not in computed]
        values = {parameter: parameter.data(context) for parameter in parameters}
        found = [None if isinstance(s, int) else values.get(s) for s in self.sources]
        tell = all(p.notes_replacements for p in parameters)
        self._known = known = _Known(context, at if tell else -1, found, object())
        return known

    def cache_info(self) -> CacheInfo:
        """Counts of what was compiled, and of its uses."""
        return CacheInfo.total([self.op.cache_info(), self._parts.cache_info()])

    @cached_property
    def _parts(self) -> GraphInParts:
        op = self.op
        parameters = [
            node
            for node, source in zip(op.inputs, self.sources, strict=True)
            if not isinstance(source, int)
        ]
        return GraphInParts(op.graph, op.inputs, parameters, op.kind, at_once=self._at_once)

    def in_parts(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """Run a graph with sparse arrays."""
        return self._parts(*self.operands(arrays))

    def __call__(self, arrays: Sequence[NDArray]) -> list[NDArray]:
        """Run the graph; create a `replay` if the previous call was recorded, or not, likewise."""
        known = self._find(arrays)
        operands = self._filled(known, arrays)
        outputs = self.op(*operands)
        fits = STATE.recording is self._recorded and 0 < len(arrays) == len(self._indices)
        self.replay = self._find_replay(arrays, operands, known) if fits else None
        self._recorded = STATE.recording
        return outputs

    @cached_property
    def _is_eager(self) -> bool:
        """Whether the graph runs entirely in Python, as the first calls have shown."""
        return EagerReplay.suits(self.op)

    def _find_replay(
        self, arrays: Sequence[NDArray], operands: Sequence[NDArray], known: _Known
    ) -> Replay | None:
        if self.op.on_device.calls_back if arrays[0].on_device else self.op.warms_up:
            return None
        if not arrays[0].on_device and self._is_eager:
            if self._eager is None:
                self._eager = EagerReplay(self.op, self.operands, self._structure, arrays)
            self._eager.learn(arrays)
            return self._eager
        if self._structure is not LEAF or self._computed or known.at != REPLACEMENTS.latest:
            return None
        if self._made is None or self._made.is_stale or self._made_for is not known:
            self._made, self._made_for = self._new_replay(operands, known), known
        return self._made

    def _new_replay(self, operands: Sequence[NDArray], known: _Known) -> Replay | None:
        if operands[self._indices[0]].on_device:
            return DeviceReplay.of_usual(self.op.on_device, operands, self._indices, known.at)
        if InferenceReplay.suits(self.op):
            return InferenceReplay.of(self.op, operands, self._indices, known.at, known.token)
        return RecordedReplay.of_usual(self.op, operands, self._indices, known.at)


__all__ = ["BoundTrace", "DeferredInitializationError", "InferenceError", "Trace"]
