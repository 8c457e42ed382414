"""Reading symbol JSON of MXNet 0.8 to 1.9, trusting nothing in it.

A file is data: indices are checked before they are used, inputs must be earlier nodes (so there can
be no cycle), attributes are parsed by the operators' own grammar, and nothing is evaluated. Every
failure is a `FileFormatError` that names the node and the field. Nodes are made while the text is
read: only one node's JSON object is in memory at a time.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NoReturn

from gluonic.graph.application import Application
from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError, describe
from gluonic.graph.json.document import MOST_OUTPUTS, Document, kind_of, short
from gluonic.graph.json.placeholder import Placeholder, placeholder
from gluonic.graph.json.text import JsonText
from gluonic.graph.json.upgrade import CURRENT, hidden_names, translate_shapes, upgrade
from gluonic.graph.json.writer import SUBGRAPHS
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.node_attributes import input_attribute, own
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.support.cached_property import cached_property
from gluonic.support.gc_pause import paused

MOST_BYTES = 256 * 2**20
MOST_NODES = 5_000_000
_ATTRIBUTES = ("param", "attr", "attrs")
_STRING = {str}
_OUTPUT_COUNTS = {"num_outputs", "sections"}
_DEEPEST = 50  # levels of nested graphs
_MOST_REMEMBERED = 4096
_CALLS = ("_CachedOp", "_CachedOpThreadSafe")


def read_json(text: str | bytes | BinaryIO, *, source: str = "symbol JSON") -> Graph:
    """Read a graph.

    Parameters
    ----------
    text : the JSON text, or a file of it
    source : its name in messages: the file's name

    Returns
    -------
    Graph
        in which operators that gluonic does not have are placeholders

    Raises
    ------
    FileFormatError
        if it is not a valid graph; the message names the node and the field
    """
    reader = _Reader(source)
    with paused():
        return reader.read(Document(JsonText(text, MOST_BYTES, reader.fail), reader.fail))


class _Reader:
    """The state of reading one graph: the position, for messages, and the nodes so far.

    Parameters
    ----------
    source : the graph's name in messages
    around : the reader of the enclosing graph, if any
    """

    def __init__(self, source: str, around: "_Reader | None" = None) -> None:
        self.source, self.around = source, around
        self.depth: int = 0 if around is None else around.depth + 1
        self.nodes: list[Node] = []
        self.is_complete = False
        self.updates: dict[Node, int] = {}
        self.name = ""
        self.has_input_attributes = False
        self.known: dict[Any, tuple[Application, Mapping[str, str]]] = {}

    def fail(self, what: str, where: str = "", hint: str = "") -> NoReturn:
        location = f"{self.source}: {where}" if where else self.source
        raise FileFormatError(describe(what, where=location, hint=hint))

    def read(self, document: Document) -> Graph:
        self.document = document
        add, read_node = self.nodes.append, self.read_node
        for number, record in enumerate(document.records()):
            if number == MOST_NODES:
                self.fail(f"has more than {MOST_NODES:,} nodes")
            add(read_node(number, record))
        self.is_complete = True
        graph = self.with_opened_calls(Graph(self.outputs()))
        if self.has_input_attributes or self.version < CURRENT:
            upgrade(graph, self.version)
        translate_shapes(graph, np_shapes="is_np_shape" in document.attributes)
        return graph

    def outputs(self) -> list[Entry]:
        """The outputs, once all nodes are read, with checks of the remaining fields."""
        if "node_row_ptr" in self.document.fields:
            self.document.output_counts()  # for its checks
        self.check_argument_nodes()
        heads = self.document.heads
        if not heads:
            self.fail("is empty: the graph has no outputs", "heads")
        return [self.entry(head, len(self.nodes), "heads", i) for i, head in enumerate(heads)]

    @cached_property
    def version(self) -> int:
        return self.document.version if self.around is None else self.around.version

    @cached_property
    def counts(self) -> list[int]:
        return self.document.output_counts()

    def member(self, record: dict[str, Any], name: str, kind: Any, where: str) -> Any:
        if name not in record:
            self.fail(f"has no field {name!r}", where)
        value = record[name]
        if not isinstance(value, kind):
            wanted = {list: "an array", dict: "an object", str: "a string"}[kind]
            self.fail(f"{name} must be {wanted}, not {kind_of(value)}", where)
        return value

    def integer(self, value: Any, where: str, most: int) -> int:
        """Check an integer that must be at least 0 and below `most`."""
        if type(value) is not int:
            self.fail(f"must be a whole number, not {kind_of(value)}", where)
        if not 0 <= value < most:
            self.fail(f"{short(value)} is out of range: there are {most}", where)
        return value

    # ------------------------------------------------------------------------ nodes

    @property
    def node_label(self) -> str:
        """The name in messages of the node that is being read."""
        number = len(self.nodes)
        return f"nodes[{number}] ({self.name[:80]!r})" if self.name else f"nodes[{number}]"

    def read_node(self, number: int, record: Any) -> Node:
        self.name = ""
        if type(record) is not dict:
            self.fail(f"must be an object, not {kind_of(record)}", self.node_label)
        get: Any = record.get
        name, op, inputs = get("name"), get("op"), get("inputs")
        self.name = name if type(name) is str else self.member(record, "name", str, self.node_label)
        if type(op) is not str:
            self.member(record, "op", str, self.node_label)
        attributes = self.attributes(record)
        if type(inputs) is not list:
            self.member(record, "inputs", list, self.node_label)
        entries = [self.entry(value, number, "inputs", i) for i, value in enumerate(inputs)]
        if "backward_source_id" in record or "control_deps" in record:
            self.check_old_fields(record)
        if op == "null":
            if entries:
                self.fail("is a variable and cannot have inputs", f"{self.node_label}, inputs")
            return Node(None, name, (), hidden_names(attributes))
        application, shared = self.applied(op, entries, attributes, record)
        if not isinstance(application.op, Placeholder):
            if len(entries) != len(application.inputs):
                entries += self.missing_states(application, name, entries, shared)
            self.check_inputs(application, entries)
        if application.states:
            self.note_updates(application, entries)
        return Node(application, name, entries, shared)

    def applied(
        self,
        op: str,
        entries: Sequence[Entry],
        attributes: dict[str, str],
        record: dict[str, Any],
    ) -> tuple[Application, Mapping[str, str]]:
        """Return a node's application and attributes, which equal nodes share."""
        key = None if "subgraphs" in record else (op, len(entries), *attributes.items())
        known = self.known.get(key)
        if known is not None:
            return known
        attributes = hidden_names(attributes)
        self.has_input_attributes |= any(map(input_attribute, attributes))
        found = self.first_application(op, entries, attributes, record), attributes
        is_plain = key is not None and not isinstance(found[0].op, Placeholder)
        if is_plain and len(self.known) < _MOST_REMEMBERED:
            self.known[key] = found
        return found

    def first_application(
        self,
        op: str,
        entries: Sequence[Entry],
        attributes: dict[str, str],
        record: dict[str, Any],
    ) -> Application:
        """The application of a node, if no earlier node has the same."""
        held: list[Graph] | None = None
        if "subgraphs" in record:
            self.member(record, "subgraphs", list, self.node_label)
            if op in REGISTRY and "subgraphs" in REGISTRY[op].attributes:
                held = self.subgraphs(record["subgraphs"])
            else:
                attributes[SUBGRAPHS] = json.dumps(record["subgraphs"])
        return self.application(op, entries, attributes, record["inputs"], held)

    def subgraphs(self, documents: list[Any]) -> list[Graph]:
        """Read the graphs that a node holds."""
        if self.depth == _DEEPEST:
            self.fail("is nested too deeply", self.node_label)
        graphs = []
        for i, document in enumerate(documents):
            location = f"{self.node_label}, subgraphs[{i}]"
            if not isinstance(document, dict):
                self.fail(f"must be an object, not {kind_of(document)}", location)
            reader = _Reader(f"{self.source}: {location}", self)
            graphs.append(reader.read(Document(document, reader.fail)))
        return graphs

    def with_opened_calls(self, graph: Graph) -> Graph:
        """Replace the nodes that only call a graph, which partitioners of MXNet made, by the graph's nodes."""

        def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
            if node.operator_name not in _CALLS or SUBGRAPHS not in node.attributes:
                return None
            self.name = node.name
            documents = json.loads(node.attributes[SUBGRAPHS])
            if len(documents) != 1:
                self.fail(f"calls {len(documents)} graphs, not one", f"node {node.name[:80]!r}")
            (held,) = self.subgraphs(documents)
            wanted = len(held.variables), len(held.outputs)
            if wanted != (len(inputs), node.output_count):
                self.fail(
                    f"has {len(inputs)} inputs and {node.output_count} outputs, "
                    f"but calls a graph of {wanted[0]} and {wanted[1]}",
                    f"node {node.name[:80]!r}",
                )
            return held.called_anew(dict(zip(held.variables, inputs, strict=True)))

        return graph.rewrite(replace)

    def attributes(self, record: dict[str, Any]) -> dict[str, str]:
        """Collect a node's attributes, whose field has different names in different versions."""
        merged: dict[str, str] = {}
        for field in _ATTRIBUTES:
            if field in record:
                found = record[field]
                if type(found) is not dict or not set(map(type, found.values())) <= _STRING:
                    self.check_attributes(found, f"{self.node_label}, {field}")
                merged = {**merged, **found} if merged else found or merged
        return merged

    def check_attributes(self, found: Any, where: str) -> None:
        if found is not None and not isinstance(found, dict):
            self.fail(f"must be an object, not {kind_of(found)}", where)
        for name, value in (found or {}).items():
            if not isinstance(value, str):
                self.fail(f"must be a string, not {kind_of(value)}", f"{where}.{name[:80]}")

    def check_old_fields(self, record: dict[str, Any]) -> None:
        source = record.get("backward_source_id", -1)
        if type(source) is not int:
            self.fail(
                f"must be a whole number, not {kind_of(source)}",
                f"{self.node_label}, backward_source_id",
            )
        if "control_deps" in record:
            self.member(record, "control_deps", list, self.node_label)

    def entry(self, value: Any, nodes_before: int, field: str, position: int) -> Entry:
        """Read ``[node, output]`` or ``[node, output, version]``: an output of an earlier node."""
        if type(value) is list and 2 <= len(value) <= 3:
            number, index = value[0], value[1]
            if type(number) is int and type(index) is int and 0 <= number < nodes_before:
                node = self.nodes[number]
                if 0 <= index < node.output_count:
                    return Entry(node, index)
        return self.refuse_entry(value, nodes_before, f"{field}[{position}]")

    def refuse_entry(self, value: Any, nodes_before: int, where: str) -> NoReturn:
        if not self.is_complete:
            where = f"{self.node_label}, {where}"
        if not isinstance(value, list) or len(value) not in (2, 3):
            self.fail(
                f"must be [node, output] or [node, output, version], not {short(value)}", where
            )
        if nodes_before == 0:
            self.fail("there is no earlier node to read", where)
        if type(value[0]) is int and value[0] >= nodes_before and not self.is_complete:
            self.fail(f"node {short(value[0])} does not come before the one that reads it", where)
        node = self.nodes[self.integer(value[0], f"{where}, node", nodes_before)]
        self.integer(value[1], f"{where}, output", node.output_count)
        raise AssertionError(value)

    def application(
        self,
        op: str,
        entries: Sequence[Entry],
        attributes: dict[str, str],
        raw_inputs: list[Any],
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
            outputs = max(1, self.counts[len(self.nodes)])
            return placeholder(op, len(entries), outputs, states, own(attributes))
        operator = REGISTRY[op]
        settings = operator.recognized(own(attributes, operator))
        self.check_counts(operator, settings, len(entries))
        if held is not None:
            settings["subgraphs"] = held
        try:
            return operator.apply(settings)
        except AttributeValueError as error:
            self.fail(_first_line(error), f"{self.node_label}, attrs")
        except (MXNetError, OverflowError) as error:
            self.fail(_first_line(error), self.node_label)

    def check_counts(self, operator: Operator, settings: dict[str, str], inputs: int) -> None:
        """Refuse counts that do not match the node, before anything of that size is allocated."""
        count = operator.count
        if count is not None:
            listed = inputs - len(operator.inputs)
            members, rest = divmod(listed, operator.per_count)
            given = settings.setdefault(count, str(members))
            if rest or given.strip() != str(members):
                self.fail(
                    f"is {given[:40]!r}, but there are {listed} inputs",
                    f"{self.node_label}, attrs.{count}",
                )
        for name in _OUTPUT_COUNTS & settings.keys():
            given = settings[name]
            if len(given) > 20 or (given.strip().isdigit() and int(given) > MOST_OUTPUTS):
                self.fail(
                    f"is {given[:40]!r}, more than {MOST_OUTPUTS}",
                    f"{self.node_label}, attrs.{name}",
                )

    def missing_states(
        self,
        application: Application,
        name: str,
        entries: Sequence[Entry],
        attributes: Mapping[str, str],
    ) -> list[Entry]:
        """Variables for auxiliary states, which MXNet 0.8 did not write."""
        missing = application.inputs[len(entries) :]
        if not missing or not set(missing) <= set(application.states) or self.version >= 900:
            return []
        return [Node(None, f"{name}_{each}", (), attributes).entry() for each in missing]

    def check_inputs(self, application: Application, entries: Sequence[Entry]) -> None:
        names = application.inputs
        if len(names) != len(entries):
            listed = ", ".join(names[:20]) or "none"
            self.fail(
                f"{application.op.name} takes {len(names)} inputs ({listed}), not {len(entries)}",
                f"{self.node_label}, inputs",
            )
        for name, entry in zip(names, entries, strict=True) if application.states else ():
            if name in application.states and not entry.node.is_variable:
                self.fail(
                    f"{name} is updated by the operator and must be a variable",
                    f"{self.node_label}, inputs",
                )

    def note_updates(self, application: Application, entries: Sequence[Entry]) -> None:
        for name, entry in zip(application.inputs, entries, strict=True):
            if name in application.states:
                self.updates[entry.node] = self.updates.get(entry.node, 0) + 1

    def check_argument_nodes(self) -> None:
        for i, number in enumerate(self.document.array("arg_nodes")):
            if type(number) is int and 0 <= number < len(self.nodes):
                if self.nodes[number].application is None:
                    continue
                self.fail(f"node {number} is no variable", f"arg_nodes[{i}]")
            self.integer(number, f"arg_nodes[{i}]", len(self.nodes))


def _is_there(operator: Operator, attributes: dict[str, str]) -> bool:
    return operator.is_there is None or operator.is_there(attributes)


def _first_line(error: Exception) -> str:
    """The first line of a message, shortened in the middle if a file made it long."""
    line = str(error).partition("\n")[0]
    return line if len(line) <= 400 else f"{line[:200]} … {line[-200:]}"
