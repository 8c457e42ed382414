"""The recorded computation as a graph."""

from typing import Any

from gluonic.graph import Application, Entry, Node
from gluonic.graph.errors import MXNetError, NotThereError, describe
from gluonic.graph.node_attributes import as_text
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.graph_record import GraphRecord
from gluonic.ndarray.recording import OperatorRecord
from gluonic.ndarray.tape import Leaf, Record, TapeEntry, entry_of


def recorded_graph(array: NDArray) -> Entry:
    """Return the recorded computation of an array as an entry of a graph.

    Variables are named ``var0``, ``var1``, …, constants ``null0``, ``null1``, … and operators ``node_0``, …

    Raises
    ------
    MXNetError
        if the array was not recorded
    NotImplementedError
        if part of the computation is not an operator (an `autograd.Function`)
    """
    entry = entry_of(array)
    if entry is None:
        raise MXNetError(
            describe(
                "the array is not in a computational graph",
                where="get_symbol",
                facts=[f"the array: shape {array.shape}"],
                hint="compute it under autograd.record() from a variable",
            )
        )
    history = _History()
    for record in _below(entry[0]):
        history.add(record)
    return history.outputs[entry[0]][entry[1]]


def _below(last: Record) -> list[Record]:
    """A record and all records that it depends on, oldest first."""
    found, stack = {last}, [last]
    while stack:
        for entry in stack.pop().inputs:
            if entry is not None and entry[0] not in found:
                found.add(entry[0])
                stack.append(entry[0])
    return sorted(found, key=lambda record: record.serial)


class _History:
    """Translates records one by one.

    Attributes
    ----------
    outputs : for each record, the graph's entries for its outputs
    """

    def __init__(self) -> None:
        self.outputs: dict[Record, list[Entry]] = {}
        self.counts = {"var": 0, "null": 0, "node_": 0}
        self.constants: dict[int, Entry] = {}

    def named(self, kind: str) -> str:
        """A new name."""
        self.counts[kind] += 1
        return f"{kind}{self.counts[kind] - 1}"

    def add(self, record: Record) -> None:
        """Translate a record, all of whose inputs have been translated."""
        if isinstance(record, Leaf):
            self.outputs[record] = [Node(None, self.named("var")).entry()]
        elif isinstance(record, OperatorRecord):
            inputs = [self.input(e, a) for e, a in zip(record.inputs, record.arrays, strict=False)]
            attributes = _strings(record.application)
            node = Node(record.application, self.named("node_"), inputs, attributes)
            self.outputs[record] = [node.entry(i) for i in range(node.output_count)]
        elif isinstance(record, GraphRecord):
            self.outputs[record] = self.inlined(record)
        else:
            raise NotThereError(
                f"get_symbol: the computation has a {type(record).__name__}, which is no operator"
            )

    def input(self, entry: TapeEntry | None, array: object) -> Entry:
        """The graph's entry for an input; a constant is a variable."""
        if entry is not None:
            return self.outputs[entry[0]][entry[1]]
        if id(array) not in self.constants:
            self.constants[id(array)] = Node(None, self.named("null")).entry()
        return self.constants[id(array)]

    def inlined(self, record: GraphRecord[Any]) -> list[Entry]:
        """The graph of a hybridized block, over the entries of its inputs."""
        assert record.arrays is not None
        program = record.program
        given = zip(program.inputs, record.inputs, record.arrays, strict=True)
        entries = {variable: self.input(entry, array) for variable, entry, array in given}
        return program.traced.called_anew(entries)


def _strings(application: Application) -> dict[str, str]:
    """The attributes that differ from their defaults, as in symbol JSON."""
    declared = application.op.attributes
    return {
        name: as_text(value, value)
        for name, value in application.settings.items()
        if name not in declared or value != declared[name].default
    }
