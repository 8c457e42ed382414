"""Replays of a call with other data, without repeating its look-ups.

A replay computes calls of a hybridized block in one mode, as long as only the data change. `InferenceReplay` is
for graphs of one output that run entirely as machine code, unrecorded; `RecordedReplay` for the others of one
output; `EagerReplay` for graphs that run entirely in Python.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from gluonic.gluon.frozen import Watch, has_changed
from gluonic.gluon.structure import LEAF, Structure, restore
from gluonic.graph import Application, Array, Entry, Signatures, shapes_and_dtypes
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.versions import REPLACEMENTS
from gluonic.ndarray import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.context import CPU
from gluonic.ndarray.custom_eager import again
from gluonic.ndarray.custom_node import KeptCustom, custom
from gluonic.ndarray.invoke import fast_call, invoke
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import Leaf, entry_of
from gluonic.support.caches import Cache

if TYPE_CHECKING:
    from gluonic.codegen.runtime.frame import ExecutionFrame

_new = NDArray.__new__

Call: TypeAlias = Callable[[Sequence[NDArray]], list[NDArray]]


class Replay:
    """A replay computes calls in the mode in which it was created.

    It belongs to one block and one process: copies and pickles have None instead.

    Parameters
    ----------
    inputs : the inputs of the call; later calls must have as many, of the same class and context

    Attributes
    ----------
    is_stale : whether a call in the same mode had to take the slow path
    watches : what of Python must be unchanged
    """

    __slots__ = ("_context", "_count", "_kind", "_recording", "_training", "is_stale", "watches")

    def __init__(self, inputs: Sequence[NDArray]) -> None:
        first = inputs[0]
        self._count, self._kind, self._context = len(inputs), type(first), first.stated_context
        self._recording, self._training, self.is_stale = STATE.recording, STATE.training, False
        self.watches: tuple[Watch, ...] = ()

    def __reduce__(self) -> Any:
        return type(None), ()

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """Compute the outputs; None if the inputs have to take the slow path."""
        if (
            STATE.recording is not self._recording
            or STATE.training is not self._training
            or EVENTS.active
        ):
            return None
        if self.watches and has_changed(self.watches):
            return None
        if len(inputs) != self._count:
            return self._refused()
        arrays, kind, context = [], self._kind, self._context
        for x in inputs:
            if type(x) is not kind or (
                x.stated_context is not context and x.context != (context or CPU)
            ):
                return self._refused()
            arrays.append(x.elements)
        return self._run(inputs, arrays)

    def _refused(self) -> NDArray | None:
        self.is_stale = True
        return None

    def _run(self, inputs: Sequence[NDArray], arrays: list[Array]) -> Any:
        """Compute the outputs from inputs of the right kind; None if they have to take the slow path."""
        raise NotImplementedError


class InferenceReplay(Replay):
    """Unrecorded calls that run entirely as machine code: no parameter is looked up.

    Parameters
    ----------
    op : the graph
    frames : the pool of frames for such calls
    operands : the operands of the graph
    given : the indices of operands that are inputs of the call; all others are parameters
    at : the number of the latest replacement of a parameter's array when the parameters were looked up
    found : identifies that look-up
    """

    __slots__ = ("_at", "_compiled", "_found", "_frames", "_given", "_made")

    def __init__(
        self,
        op: CachedGraph,
        frames: "list[ExecutionFrame]",
        operands: Sequence[NDArray],
        given: Sequence[int],
        at: int,
        found: object,
    ) -> None:
        super().__init__([operands[at] for at in given])
        self._frames, self._given, self._made = frames, given, op.kind
        self._compiled = op.inference.compiled
        self._at, self._found = at, found

    @staticmethod
    def suits(op: CachedGraph) -> bool:
        """Whether this class can replay calls of a graph in the current mode."""
        if STATE.recording or len(op.graph.outputs) > 1 or not op.inference.is_compiled:
            return False
        return op.inference.compiled.can_replay(train=STATE.training)

    @staticmethod
    def of(
        op: CachedGraph, operands: Sequence[NDArray], given: Sequence[int], at: int, found: object
    ) -> "InferenceReplay | None":
        """The replay of the call that has just run; None if its prepacked values are not up to date."""
        arrays = [x.elements for x in operands]
        frames = op.inference.compiled.verified(arrays, found, train=STATE.training)
        return None if frames is None else InferenceReplay(op, frames, operands, given, at, found)

    def _run(self, inputs: Sequence[NDArray], arrays: list[Array]) -> NDArray | None:
        if REPLACEMENTS.latest != self._at:
            return self._refused()
        try:
            frame = self._frames.pop()
        except IndexError:
            return None  # other threads use them
        output = frame.replay(self._given, arrays) if self._has_parameters(frame) else None
        if output is None:
            frame, output = self._resized(frame, arrays)
        self._frames.append(frame)
        if output is None:
            return self._refused()
        made = _new(self._made)  # `wrap`, written out
        made.elements, made.stated_context = output, self._context
        made.tape_entry = made.last_reader = None
        return made

    def _has_parameters(self, frame: "ExecutionFrame") -> bool:
        """Whether a frame holds the parameters, and the values prepacked from them."""
        return frame.verified_for is self._found and frame.watch.version == frame.prepacked_at

    def _resized(
        self, frame: "ExecutionFrame", arrays: list[Array]
    ) -> "tuple[ExecutionFrame, Array | None]":
        """The output for inputs of other shapes, and the frame that computed it."""
        if not self._has_parameters(frame):
            return frame, None
        find, train = self._compiled.resized, self._training
        found = find(frame, self._given, arrays, train=train)
        if found is None or not self._has_parameters(found):
            return found or frame, None
        return found, found.replay(self._given, arrays)


class RecordedReplay(Replay):
    """Calls with one output that are recorded, or in which Python runs some operators.

    Parameters
    ----------
    op : the graph: a `CachedGraph`, or what has its methods `differentiable`, `computed` and `recorded`
    operands : its operands
    given : the indices of operands that are inputs of the call; all others are parameters
    at : the number of the latest replacement of a parameter's array when the parameters were looked up

    Attributes
    ----------
    is_usual : whether the parameters are variables or constants
    """

    __slots__ = (
        *("_arrays", "_at", "_entries", "_fixed", "_given", "_op", "_operands"),
        *("_program", "is_usual"),
    )

    def __init__(
        self,
        op: Any,
        operands: Sequence[NDArray],
        given: Sequence[int],
        at: int,
    ) -> None:
        super().__init__([operands[at] for at in given])
        self._op, self._at = op, at
        entries = [entry_of(x) if STATE.recording else None for x in operands]
        wanted = tuple([entry is not None for entry in entries])
        self._program = op.differentiable(wanted, STATE.training) if True in wanted else None
        self._given = [(at, wanted[at]) for at in given]
        changing = set(given)  # these are not kept alive
        self._operands: list[Any] = [None if i in changing else x for i, x in enumerate(operands)]
        self._arrays = [None if x is None else self._array_of(x) for x in self._operands]
        self._entries = [None if i in changing else e for i, e in enumerate(entries)]
        self.is_usual = all(e is None or isinstance(e[0], Leaf) for e in self._entries)
        self._fixed = [(x, x.tape_entry) for x in self._operands if x is not None]

    @classmethod
    def of_usual(
        cls, op: Any, operands: Sequence[NDArray], given: Sequence[int], at: int
    ) -> "RecordedReplay | None":
        """The replay for some operands, see the class; None if it is not usual."""
        replay = cls(op, operands, given, at)
        return replay if replay.is_usual else None

    @staticmethod
    def _array_of(x: NDArray) -> Any:
        """The elements of a parameter."""
        return x.elements

    def _run(self, inputs: Sequence[NDArray], arrays: list[Any]) -> NDArray | None:
        if not self._finds_parameters():
            return self._refused()
        operands, all_arrays = self._operands.copy(), self._arrays.copy()
        entries = self._entries.copy()
        for x, array, (at, wanted) in zip(inputs, arrays, self._given, strict=True):
            entry = entry_of(x) if self._recording else None
            if (entry is not None) is not wanted:
                return self._refused()
            operands[at], all_arrays[at], entries[at] = x, array, entry
        outputs: list[NDArray]
        if self._program is None:
            outputs = self._op.computed(operands, all_arrays)
        else:
            outputs = self._op.recorded(self._program, operands, all_arrays, entries)
        return outputs[0]

    def _finds_parameters(self) -> bool:
        if REPLACEMENTS.latest != self._at:
            return False
        for operand, entry in self._fixed:  # noqa: SIM110 (a generator takes twice as long)
            if operand.tape_entry is not entry:
                return False
        return True


class DeviceReplay(RecordedReplay):
    """Calls with one output on a device."""

    __slots__ = ()

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """Compute the outputs; None if the inputs have to take the slow path."""
        if (
            STATE.recording is not self._recording
            or STATE.training is not self._training
            or EVENTS.active
            or (self.watches and has_changed(self.watches))
        ):
            return None
        if len(inputs) != self._count:
            return self._refused()
        kind: Any = self._kind
        arrays, context = [], self._context
        for x in inputs:
            if type(x) is not kind or x.stated_context is not context:
                return self._refused()
            arrays.append(x.device_array)
        return self._run(inputs, arrays)

    @staticmethod
    def _array_of(x: Any) -> Any:
        """The elements of a parameter; as long as they are kept here, no other memory takes their place."""
        return x.device_array


class EagerReplay(Replay):
    """Calls of a graph that runs entirely in Python: operator by operator, which is faster than as a graph.

    They may be recorded. The shapes and dtypes of arrays must have taken the slow path before; errors with
    others are found there, and reported with the user's line.

    Parameters
    ----------
    op : the graph
    operands : finds the operands of the graph from the inputs of the block
    structure : the structure of the outputs
    inputs : see `Replay`
    """

    __slots__ = ("_calls", "_calls_back", "_known", "_operands", "_outputs", "_structure")

    def __init__(
        self,
        op: CachedGraph,
        operands: Callable[[Sequence[NDArray]], list[NDArray]],
        structure: Structure,
        inputs: Sequence[NDArray],
    ) -> None:
        super().__init__(inputs)
        self._operands, self._structure = operands, structure
        self._known: Cache[Signatures, bool] = Cache()
        self._calls: list[tuple[Call, list[int]]] = []
        self._calls_back = False
        indices: dict[Entry, int] = {node.entry(): i for i, node in enumerate(op.inputs)}
        known = len(op.inputs)
        for node in op.graph.nodes:
            if node.application is not None:
                reads = [indices[entry] for entry in node.inputs]
                self._calls.append((_eagerly(node.application, op.kind), reads))
                self._calls_back |= node.application.op.calls_back
                indices.update({node.entry(i): known + i for i in range(node.visible_count)})
                known += node.visible_count
        self._outputs = [indices[entry] for entry in op.graph.outputs]

    @staticmethod
    def suits(op: CachedGraph) -> bool:
        """Whether the graph runs entirely in Python, and each operator could be called on its own."""
        if not op.runs_in_python or any(entry.node.is_variable for entry in op.graph.outputs):
            return False
        nodes = [node for node in op.graph.nodes if node.application is not None]
        entries = (*op.graph.outputs, *(entry for node in nodes for entry in node.inputs))
        return all(type(node.application) in (Application, KeptCustom) for node in nodes) and (
            all(node.inputs for node in nodes)
            and all(entry.index < entry.node.visible_count for entry in entries)
        )

    def learn(self, inputs: Sequence[NDArray]) -> None:
        """Record that a call has taken the slow path."""
        self._context = inputs[0].stated_context
        self._known.remember(shapes_and_dtypes([x.elements for x in inputs]), True)

    def _run(self, inputs: Sequence[NDArray], arrays: list[Array]) -> Any:
        if shapes_and_dtypes(arrays) not in self._known:
            return self._refused()
        values = self._operands(inputs)
        try:
            for call, reads in self._calls:
                values += call([values[i] for i in reads])
        except MXNetError:
            if self._calls_back:
                raise  # the user's own code is not run again
            return self._refused()
        outputs = [values[i] for i in self._outputs]
        return outputs[0] if self._structure is LEAF else restore(outputs, self._structure)


def _eagerly(application: Application, kind: type[NDArray]) -> Call:
    """A function that runs an operator as its namespace would; returns at least the visible outputs."""
    if application.op is custom:
        return again(application)
    fast = fast_call(application, kind)
    if fast is not None:
        return lambda inputs: [fast(*inputs)]
    return lambda inputs: invoke(application, inputs, None, kind)[: application.visible]


def replay_of(block: Any) -> Replay | None:
    """The replay that the next call of a hybridized block tries; None if it takes the slow path."""
    found: Replay | None = block._replay
    return found


__all__ = [
    "DeviceReplay",
    "EagerReplay",
    "InferenceReplay",
    "RecordedReplay",
    "Replay",
    "replay_of",
]
