"""Calls of a graph of which Python runs everything: operator by operator, which takes less than a graph."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from gluonic.gluon.structure import LEAF, Structure, restore
from gluonic.graph.application import Application
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.node import Entry
from gluonic.ndarray import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.custom_eager import again
from gluonic.ndarray.custom_node import KeptCustom, custom
from gluonic.ndarray.invoke import fast_call, invoke
from gluonic.ndarray.repetition import NotCopied
from gluonic.ndarray.state import STATE

_MOST_KNOWN = 1024

Call: TypeAlias = Callable[[Sequence[NDArray]], list[NDArray]]


class EagerRepeat(NotCopied):
    """The short way of such calls, recorded or not, with arrays of shapes and dtypes that went the long way.

    What may be wrong with others is found there, and told with the user's own line.

    Parameters
    ----------
    op : the graph
    operands : finds what the graph is called with, from what the block is
    structure : of its outputs
    """

    __slots__ = (
        *("_calls", "_calls_back", "_known", "_operands", "_outputs", "_recording", "_structure"),
        "_training",
    )

    def __init__(
        self,
        op: CachedGraph,
        operands: Callable[[Sequence[NDArray]], list[NDArray]],
        structure: Structure,
    ) -> None:
        self._operands, self._structure = operands, structure
        self._recording, self._training = STATE.recording, STATE.training
        self._known: set[Any] = set()
        self._calls: list[tuple[Call, list[int]]] = []
        self._calls_back = False
        places: dict[Entry, int] = {node.entry(): i for i, node in enumerate(op.inputs)}
        known = len(op.inputs)
        for node in op.graph.nodes:
            if node.application is not None:
                reads = [places[entry] for entry in node.inputs]
                self._calls.append((_eagerly(node.application), reads))
                self._calls_back |= node.application.op.calls_back
                places.update({node.entry(i): known + i for i in range(node.visible_count)})
                known += node.visible_count
        self._outputs = [places[entry] for entry in op.graph.outputs]

    @staticmethod
    def suits(op: CachedGraph) -> bool:
        """Whether Python runs everything, and each operator could be called on its own."""
        if not op.runs_in_python or any(entry.node.is_variable for entry in op.graph.outputs):
            return False
        nodes = [node for node in op.graph.nodes if node.application is not None]
        entries = (*op.graph.outputs, *(entry for node in nodes for entry in node.inputs))
        return all(type(node.application) in (Application, KeptCustom) for node in nodes) and (
            all(node.inputs for node in nodes)
            and all(entry.index < entry.node.visible_count for entry in entries)
        )

    def learn(self, inputs: Sequence[NDArray]) -> None:
        """Note that a call has gone the long way."""
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known.add(_signature(inputs))

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """Compute the outputs; None if the inputs have to go the long way."""
        if (
            STATE.recording is not self._recording
            or STATE.training is not self._training
            or EVENTS.active
        ):
            return None
        for x in inputs:
            if type(x) is not NDArray:
                return None
            if x._context is not inputs[0]._context and x.context != inputs[0].context:
                return None
        if _signature(inputs) not in self._known:
            return None
        values = self._operands(inputs)
        try:
            for call, reads in self._calls:
                values += call([values[i] for i in reads])
        except MXNetError:
            if self._calls_back:
                raise  # what the user has written is not run again
            return None
        outputs = [values[i] for i in self._outputs]
        return outputs[0] if self._structure is LEAF else restore(outputs, self._structure)


def _signature(inputs: Sequence[NDArray]) -> Any:
    return tuple([(x._data.shape, x._data.dtype) for x in inputs])


def _eagerly(application: Application) -> Call:
    """A function that runs an operator as its namespace would; returns the outputs that are seen, at least."""
    if application.op is custom:
        return again(application)
    fast = fast_call(application)
    if fast is not None:
        return lambda inputs: [fast(*inputs)]
    return lambda inputs: invoke(application, inputs)[: application.visible]
