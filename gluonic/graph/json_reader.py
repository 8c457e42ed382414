"""Reading symbol JSON of MXNet 0.8 to 1.9, trusting nothing in it.

A file is data: indices are checked before they are used, inputs must be earlier nodes (so there can
be no cycle), attributes go through the operators' own grammar, and nothing is evaluated. Every
failure is a `FileFormatError` that names the node and the field.
"""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

from gluonic.graph.application import Application
from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError, describe
from gluonic.graph.json_placeholder import Placeholder, placeholder
from gluonic.graph.json_upgrade import hidden_names, translate_shapes, upgrade
from gluonic.graph.json_writer import SUBGRAPHS
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.node_attributes import own
from gluonic.graph.operator import REGISTRY, Operator

MOST_BYTES = 256 * 2**20
MOST_NODES = 5_000_000
MOST_OUTPUTS = 65_536
_OUTPUT_COUNTS = {"num_outputs", "sections"}
_DEEPEST = 50  # graphs in graphs
_OLDEST = 800  # MXNet 0.8, which wrote no version


def read_json(text: str | bytes, *, source: str = "symbol JSON") -> Graph:
    """Read a graph.

    Parameters
    ----------
    text : the JSON text
    source : what to call it in messages: the file's name

    Returns
    -------
    Graph
        operators that gluonic does not have are placeholders in it

    Raises
    ------
    FileFormatError
        if it is not such a graph; the message names the node and the field
    """
    return _Reader(source).read(text)


class _Reader:
    """One reading: where it is, for messages, and the nodes so far."""

    def __init__(self, source: str, depth: int = 0) -> None:
        self.source, self.depth = source, depth
        self.nodes: list[Node] = []
        self.counts: list[int] = []
        self.updates: dict[Node, int] = {}
        self.version = _OLDEST

    def fail(self, what: str, where: str = "", hint: str = "") -> NoReturn:
        place = f"{self.source}: {where}" if where else self.source
        raise FileFormatError(describe(what, where=place, hint=hint))

    def read(self, text: str | bytes) -> Graph:
        if len(text) > MOST_BYTES:
            self.fail(f"is larger than {MOST_BYTES:,} bytes")
        document = self.parse(text)
        return self.read_graph(document, self.read_version(document))

    def read_graph(self, document: dict[str, Any], version: int) -> Graph:
        records = self.member(document, "nodes", list, "the graph")
        if len(records) > MOST_NODES:
            self.fail(f"has {len(records):,} nodes, more than {MOST_NODES:,}")
        self.version = version
        heads = self.member(document, "heads", list, "the graph")
        self.counts = self.output_counts(document, records, heads)
        for number, record in enumerate(records):
            self.nodes.append(self.read_node(number, record))
        self.check_argument_nodes(document)
        if not heads:
            self.fail("is empty: the graph has no outputs", "heads")
        outputs = [self.entry(head, f"heads[{i}]", len(records)) for i, head in enumerate(heads)]
        graph = upgrade(Graph(outputs), self.version)
        translate_shapes(graph, np_shapes="is_np_shape" in document.get("attrs", {}))
        return graph

    def parse(self, text: str | bytes) -> dict[str, Any]:
        try:
            document = json.loads(text, parse_constant=self.refuse_constant)
        except RecursionError:
            self.fail("is nested too deeply")
        except UnicodeDecodeError as error:
            self.fail(f"is not text: byte {error.start} is no UTF-8")
        except ValueError as error:
            self.fail(f"is not JSON: {str(error)[:200]}", hint="is this a symbol file, and whole?")
        if not isinstance(document, dict):
            self.fail(f"must be a JSON object with nodes and heads, not {_kind(document)}")
        return document

    def refuse_constant(self, name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    def member(self, record: dict[str, Any], name: str, kind: Any, where: str) -> Any:
        if name not in record:
            self.fail(f"has no field {name!r}", where)
        value = record[name]
        if not isinstance(value, kind):
            wanted = {list: "an array", dict: "an object", str: "a string"}[kind]
            self.fail(f"{name} must be {wanted}, not {_kind(value)}", where)
        return value

    def integer(self, value: Any, where: str, most: int) -> int:
        """Check a number that must be from 0 to below `most`."""
        if type(value) is not int:
            self.fail(f"must be a whole number, not {_kind(value)}", where)
        if not 0 <= value < most:
            self.fail(f"{_short(value)} is out of range: there are {most}", where)
        return value

    def read_version(self, document: dict[str, Any]) -> int:
        attributes = document.get("attrs", {})
        if not isinstance(attributes, dict):
            self.fail(f"must be an object, not {_kind(attributes)}", "attrs")
        version = attributes.get("mxnet_version")
        if version is None:
            return _OLDEST
        if not (isinstance(version, list) and len(version) == 2 and type(version[1]) is int):
            self.fail('must be a pair such as ["int", 10901]', "attrs.mxnet_version")
        return int(version[1])

    # ------------------------------------------------------------------------ nodes

    def output_counts(
        self, document: dict[str, Any], records: list[Any], heads: list[Any]
    ) -> list[int]:
        """Count each node's outputs, as far as the file tells."""
        rows = document.get("node_row_ptr")
        if rows is not None:
            return self.counts_from_rows(rows, len(records))
        counts = [1] * len(records)
        readers = [r.get("inputs") for r in records if isinstance(r, dict)]
        for entries in (*readers, heads):
            for entry in entries if isinstance(entries, list) else ():
                self.count_entry(entry, counts)
        return counts

    def count_entry(self, entry: Any, counts: list[int]) -> None:
        if not isinstance(entry, list) or len(entry) < 2:
            return
        node, output = entry[:2]
        if type(node) is int and 0 <= node < len(counts) and type(output) is int:
            counts[node] = max(counts[node], min(output, MOST_OUTPUTS) + 1)

    def counts_from_rows(self, rows: Any, node_count: int) -> list[int]:
        if not isinstance(rows, list) or len(rows) != node_count + 1:
            self.fail(f"must be an array of {node_count + 1} numbers", "node_row_ptr")
        counts = []
        for number, (before, after) in enumerate(pairwise(rows)):
            where = f"node_row_ptr[{number + 1}]"
            if type(before) is not int or type(after) is not int or not 0 <= before <= after:
                self.fail(f"must not be smaller than the one before, got {_short(after)}", where)
            if after - before > MOST_OUTPUTS:
                self.fail(f"gives node {number} {after - before} outputs", where)
            counts.append(after - before)
        return counts

    def read_node(self, number: int, record: Any) -> Node:
        where = f"nodes[{number}]"
        if not isinstance(record, dict):
            self.fail(f"must be an object, not {_kind(record)}", where)
        name = self.member(record, "name", str, where)
        where = f"nodes[{number}] ({name[:80]!r})"
        op = self.member(record, "op", str, where)
        attributes = self.attributes(record, where)
        entries = [
            self.entry(entry, f"{where}, inputs[{i}]", number)
            for i, entry in enumerate(self.member(record, "inputs", list, where))
        ]
        self.check_old_fields(record, where)
        if op == "null":
            if entries:
                self.fail("is a variable and cannot have inputs", f"{where}, inputs")
            return Node(None, name, (), attributes)
        held: list[Graph] | None = None
        if "subgraphs" in record:
            self.member(record, "subgraphs", list, where)
            if op in REGISTRY and "subgraphs" in REGISTRY[op].attributes:
                held = self.subgraphs(record["subgraphs"], where)
            else:
                attributes[SUBGRAPHS] = json.dumps(record["subgraphs"])
        application = self.application(
            op, entries, attributes, record["inputs"], number, where, held
        )
        if not isinstance(application.op, Placeholder):
            entries += self.missing_states(application, name, entries, attributes)
            self.check_inputs(application, entries, where)
        self.note_updates(application, entries)
        return Node(application, name, entries, attributes)

    def subgraphs(self, documents: list[Any], where: str) -> list[Graph]:
        """Read the graphs that a node holds."""
        if self.depth == _DEEPEST:
            self.fail("is nested too deeply", where)
        graphs = []
        for i, document in enumerate(documents):
            place = f"{where}, subgraphs[{i}]"
            if not isinstance(document, dict):
                self.fail(f"must be an object, not {_kind(document)}", place)
            reader = _Reader(f"{self.source}: {place}", self.depth + 1)
            graphs.append(reader.read_graph(document, self.version))
        return graphs

    def attributes(self, record: dict[str, Any], where: str) -> dict[str, str]:
        """Collect a node's attributes, whatever the version that wrote them called the field."""
        merged: dict[str, str] = {}
        for field in ("param", "attr", "attrs"):
            found = record.get(field)
            if found is None:
                continue
            if not isinstance(found, dict):
                self.fail(f"must be an object, not {_kind(found)}", f"{where}, {field}")
            for name, value in found.items():
                if not isinstance(value, str):
                    self.fail(
                        f"must be a string, not {_kind(value)}", f"{where}, {field}.{name[:80]}"
                    )
            merged.update(found)
        return hidden_names(merged)

    def check_old_fields(self, record: dict[str, Any], where: str) -> None:
        source = record.get("backward_source_id", -1)
        if type(source) is not int:
            self.fail(
                f"must be a whole number, not {_kind(source)}", f"{where}, backward_source_id"
            )
        for field in ("control_deps",):
            if field in record:
                self.member(record, field, list, where)

    def entry(self, value: Any, where: str, nodes_before: int) -> Entry:
        """Read ``[node, output]`` or ``[node, output, version]``: an output of an earlier node."""
        if not isinstance(value, list) or len(value) not in (2, 3):
            self.fail(
                f"must be [node, output] or [node, output, version], not {_short(value)}", where
            )
        if nodes_before == 0:
            self.fail("there is no earlier node to read", where)
        if type(value[0]) is int and value[0] >= nodes_before and nodes_before < len(self.counts):
            self.fail(f"node {_short(value[0])} does not come before the one that reads it", where)
        node = self.nodes[self.integer(value[0], f"{where}, node", nodes_before)]
        index = self.integer(value[1], f"{where}, output", node.output_count)
        return node.entry(index)

    def application(
        self,
        op: str,
        entries: Sequence[Entry],
        attributes: dict[str, str],
        raw_inputs: list[Any],
        number: int,
        where: str,
        held: Sequence[Graph] | None = None,
    ) -> Application:
        if op not in REGISTRY or not _is_there(REGISTRY[op], attributes):
            states = [
                i
                for i, (entry, raw) in enumerate(zip(entries, raw_inputs, strict=True))
                if len(raw) == 3
                and type(raw[2]) is int
                and raw[2] > self.updates.get(entry.node, 0)
            ]
            return placeholder(
                op, len(entries), max(1, self.counts[number]), states, own(attributes)
            )
        operator = REGISTRY[op]
        settings = operator.recognized(own(attributes, operator))
        self.check_counts(operator, settings, len(entries), where)
        if held is not None:
            settings["subgraphs"] = held
        try:
            return operator.apply(settings)
        except AttributeValueError as error:
            self.fail(_first_line(error), f"{where}, attrs")
        except (MXNetError, OverflowError) as error:
            self.fail(_first_line(error), where)

    def check_counts(
        self, operator: Operator, settings: dict[str, str], inputs: int, where: str
    ) -> None:
        """Refuse counts that do not go with the node, before anything of that size is made."""
        count = operator.count
        if count is not None:
            members = str(inputs - len(operator.inputs))
            given = settings.setdefault(count, members)
            if given.strip() != members:
                self.fail(
                    f"is {given[:40]!r}, but there are {members} inputs", f"{where}, attrs.{count}"
                )
        for name in _OUTPUT_COUNTS & settings.keys():
            given = settings[name]
            if len(given) > 20 or (given.strip().isdigit() and int(given) > MOST_OUTPUTS):
                self.fail(f"is {given[:40]!r}, more than {MOST_OUTPUTS}", f"{where}, attrs.{name}")

    def missing_states(
        self,
        application: Application,
        name: str,
        entries: Sequence[Entry],
        attributes: dict[str, str],
    ) -> list[Entry]:
        """Variables for auxiliary states, which MXNet 0.8 did not write."""
        missing = application.inputs[len(entries) :]
        if self.version >= 900 or not missing or not set(missing) <= set(application.states):
            return []
        return [Node(None, f"{name}_{each}", (), attributes).entry() for each in missing]

    def check_inputs(self, application: Application, entries: Sequence[Entry], where: str) -> None:
        names = application.inputs
        if len(names) != len(entries):
            listed = ", ".join(names[:20]) or "none"
            self.fail(
                f"{application.op.name} takes {len(names)} inputs ({listed}), not {len(entries)}",
                f"{where}, inputs",
            )
        for name, entry in zip(names, entries, strict=True):
            if name in application.states and not entry.node.is_variable:
                self.fail(
                    f"{name} is updated by the operator and must be a variable", f"{where}, inputs"
                )

    def note_updates(self, application: Application, entries: Sequence[Entry]) -> None:
        for name, entry in zip(application.inputs, entries, strict=True):
            if name in application.states:
                self.updates[entry.node] = self.updates.get(entry.node, 0) + 1

    def check_argument_nodes(self, document: dict[str, Any]) -> None:
        numbers = document.get("arg_nodes", [])
        if not isinstance(numbers, list):
            self.fail(f"must be an array, not {_kind(numbers)}", "arg_nodes")
        for i, number in enumerate(numbers):
            node = self.nodes[self.integer(number, f"arg_nodes[{i}]", len(self.nodes))]
            if not node.is_variable:
                self.fail(f"node {number} is no variable", f"arg_nodes[{i}]")


def _is_there(operator: Operator, attributes: dict[str, str]) -> bool:
    return operator.is_there is None or operator.is_there(attributes)


_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a truth value",
    int: "a number",
}


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number with a fraction")


def _first_line(error: Exception) -> str:
    """Take the first line of a message, shortened in the middle where a file made it long."""
    line = str(error).partition("\n")[0]
    return line if len(line) <= 400 else f"{line[:200]} … {line[-200:]}"


def _short(value: Any) -> str:
    if type(value) is int and value.bit_length() > 64:
        return "a number of more than 64 bits"
    return repr(value)[:60]
