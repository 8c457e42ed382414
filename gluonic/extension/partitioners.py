"""Libraries' partitioners: they select and review subgraphs, which become nodes of their operators."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from gluonic.extension.annotate import NamedArrays, annotated_json, annotations_for
from gluonic.extension.binary import Attributes, ExtensionBinary
from gluonic.extension.catalogue import Partitioner, Strategy
from gluonic.extension.inference import addresses, integers
from gluonic.graph import REGISTRY, Entry, Graph, Node
from gluonic.graph.backends import PartitionRequest
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.groups import Chooser, CutGroup, Partition, cut_out, replace_groups
from gluonic.graph.json.writer import SUBGRAPHS, write_json

DEDUP = "dedup_subgraph"
_NOT_SUPPORTED, _ANY_SUBGRAPH = -2, -1


def apply_partitioner(
    binary: ExtensionBinary, partitioner: Partitioner, graph: Graph, task: PartitionRequest
) -> Graph:
    """Partition a graph with all strategies of a partitioner, one after the other."""
    for strategy in partitioner.strategies:
        graph = _Application(binary, strategy, graph, task).result()
    return graph


class _Application:
    """One strategy, applied to one graph."""

    def __init__(
        self, binary: ExtensionBinary, strategy: Strategy, graph: Graph, task: PartitionRequest
    ) -> None:
        if strategy.operator not in REGISTRY:
            raise MXNetError(
                describe(
                    f"the partitioner's strategy {strategy.name!r} wants the operator "
                    f"{strategy.operator!r}, which is not registered"
                )
            )
        self.binary, self.strategy, self.graph, self.task = binary, strategy, graph, task
        self.options = Attributes(task.options)
        self.annotations = annotations_for(graph, task)
        self.json = annotated_json(graph, self.annotations)
        self.args, self.aux = NamedArrays(task.args), NamedArrays(task.aux)

    def result(self) -> Graph:
        """Return the partitioned graph."""
        partition = Partition(self.graph, self._chooser())
        dedup = self.task.options.get(DEDUP) == "True"
        accepted = []
        for number, group in enumerate(partition.groups):
            cut = cut_out(self.graph, group, self._attributes_of, dedup=dedup)
            attributes = self._review(cut, number)
            if attributes is not None:
                accepted.append((cut, self._maker(cut, number, attributes)))
        return replace_groups(self.graph, accepted)

    def _chooser(self) -> Chooser:
        text = ctypes.create_string_buffer(self.json.encode())
        positions = {node: i for i, node in enumerate(self.graph.nodes)}
        if self.strategy.supported_ops:
            return _Supported(self._supported(text), positions)
        pointer = ctypes.c_void_p()
        self.binary.check(
            "_partCallCreateSelector",
            f"Error calling create_selector for '{self.strategy.name}'",
            self.strategy.create_selector,
            text,
            pointer,
            *self.options.arguments,
        )
        if not pointer.value:
            raise self.binary.failure(f"create_selector made none for '{self.strategy.name}'")
        return _Selector(self.binary, pointer.value, positions)

    def _supported(self, text: "ctypes.Array[Any]") -> list[int]:
        count = len(self.graph.nodes)
        ids = (ctypes.c_int * count)(*[_NOT_SUPPORTED] * count)
        self.binary.check(
            "_partCallSupportedOps",
            f"Error calling supported_ops for '{self.strategy.name}'",
            self.strategy.supported_ops,
            text,
            count,
            ids,
            *self.options.arguments,
        )
        for node, number in zip(self.graph.nodes, ids, strict=True):
            if number < _NOT_SUPPORTED:
                raise MXNetError(
                    describe(
                        f"supported_ops puts {node.title} in subgraph {number}",
                        where=self.strategy.name,
                        hint="-2 is not supported, -1 any subgraph, 0 and above a subgraph of that number",
                    )
                )
        return list(ids)

    def _attributes_of(self, entry: Entry) -> dict[str, str]:
        """The attributes of the variable that stands for an entry in a subgraph."""
        node = entry.node
        origin = {"isArg": "True", "argName": node.name} if node.is_variable else {"isArg": "False"}
        return {**origin, **self.annotations.of_entries([entry])}

    def _review(self, cut: CutGroup, number: int) -> dict[str, str] | None:
        """Have a subgraph reviewed: the attributes its node gets, None if it is rejected."""
        if not self.strategy.review_subgraph:
            return {}
        states = set(cut.graph.states)
        for variable in cut.graph.variables:
            variable.attributes = {**variable.attributes, "isAux": str(variable in states)}
        accept, count = ctypes.c_int(1), ctypes.c_int()
        keys, values = ctypes.c_void_p(), ctypes.c_void_p()
        self.binary.check(
            "_partCallReviewSubgraph",
            f"Error calling review_subgraph for '{self.strategy.name}'",
            self.strategy.review_subgraph,
            ctypes.create_string_buffer(write_json(cut.graph).encode()),
            number,
            accept,
            *self.options.arguments,
            keys,
            values,
            count,
            *self.args.arguments,
            *self.aux.arguments,
        )
        names, texts = (_taken(self.binary, pointer, count.value) for pointer in (keys, values))
        return dict(zip(names, texts, strict=True)) if accept.value else None

    def _maker(
        self, cut: CutGroup, number: int, attributes: dict[str, str]
    ) -> Callable[[Sequence[Entry]], Node]:
        operator = REGISTRY[self.strategy.operator]
        known = self.annotations.of_entries(cut.results)
        texts = {**known, **attributes, SUBGRAPHS: f"[{write_json(cut.graph)}]"}

        def make(inputs: Sequence[Entry]) -> Node:
            origin = cut.group[0]
            application = operator.apply(texts)
            return Node(application, f"_op{number}", inputs, texts, origin.location, origin.block)

        return make


def _taken(binary: ExtensionBinary, pointer: ctypes.c_void_p, count: int) -> list[str]:
    """Read an array of strings and free it."""
    if not pointer.value:
        return []
    each = addresses(pointer, count)
    found = [ctypes.string_at(address).decode() for address in each]
    for address in (*each, pointer.value):
        binary.free(address)
    return found


class _Supported:
    """Groups nodes by the numbers from `supported_ops`: equal numbers belong together, and -1 with any."""

    def __init__(self, ids: Sequence[int], positions: dict[Node, int]) -> None:
        self._ids, self._positions = ids, positions

    def _id(self, node: Node) -> int:
        return self._ids[self._positions[node]]

    def select(self, node: Node) -> bool:
        return self._id(node) != _NOT_SUPPORTED

    def _joins(self, node: Node, other: Node) -> bool:
        number = self._id(other)
        return number != _NOT_SUPPORTED and number in (_ANY_SUBGRAPH, self._id(node))

    select_input = select_output = _joins

    def filter(self, candidates: Sequence[Node]) -> list[Node]:
        return list(candidates)

    def reset(self) -> None:
        """Nothing is remembered."""


class _Selector:
    """Chooses by asking the library's selector."""

    def __init__(self, binary: ExtensionBinary, pointer: int, positions: dict[Node, int]) -> None:
        self._binary, self._pointer, self._positions = binary, pointer, positions
        self._nodes = list(positions)

    def _ask(self, function: str, *nodes: Node) -> bool:
        answer = ctypes.c_int()
        numbers = [self._positions[node] for node in nodes]
        self._binary.call(function, self._pointer, *numbers, answer)
        return bool(answer.value)

    def select(self, node: Node) -> bool:
        return self._ask("_partCallSelect", node)

    def select_input(self, node: Node, producer: Node) -> bool:
        return self._ask("_partCallSelectInput", node, producer)

    def select_output(self, node: Node, reader: Node) -> bool:
        return self._ask("_partCallSelectOutput", node, reader)

    def filter(self, candidates: Sequence[Node]) -> list[Node]:
        numbers = [self._positions[node] for node in candidates]
        given = (ctypes.c_int * len(numbers))(*numbers)
        kept, count = ctypes.c_void_p(), ctypes.c_int()
        self._binary.call("_partCallFilter", self._pointer, given, len(numbers), kept, count)
        found = integers(kept, count.value)
        self._binary.free(kept.value)
        for number in found:
            if not 0 <= number < len(self._nodes):
                raise MXNetError(
                    describe(f"the selector's Filter keeps {number}: there is no such node")
                )
        return [self._nodes[number] for number in found]

    def reset(self) -> None:
        self._binary.call("_partCallReset", self._pointer)
