"""A graph's object in symbol JSON: its nodes one by one, then the other fields."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from operator import sub
from typing import Any, NoReturn

from gluonic.graph.json.text import JsonText

MOST_OUTPUTS = 65_536
OLDEST = 800
"""MXNet 0.8, which did not write a version."""
_NONE = object()


class Document:
    """A graph's object, in text or inside another graph's object.

    The other fields come after the nodes. If one is accessed before all nodes are read, these are kept.

    Parameters
    ----------
    source : the text, unread, or the object
    fail : raises an error that says what is wrong and where
    """

    def __init__(self, source: JsonText | Mapping[str, Any], fail: Callable[..., NoReturn]) -> None:
        self._fail = fail
        self._fields: dict[str, Any] = {}
        self._read = 0
        self._ahead: deque[Any] = deque()
        self._steps = self._parse(source) if isinstance(source, JsonText) else self._take(source)

    def _parse(self, text: JsonText) -> Iterator[Any]:
        if text.peek() != "{":
            found = kind_of(text.value())
            text.end()
            self._fail(f"must be a JSON object with nodes and heads, not {found}")
        is_read = False
        for name in text.members():
            if name == "nodes":
                if is_read:
                    self._fail("has two fields 'nodes'", "the graph")
                if text.peek() != "[":
                    self._refuse_nodes(text.value())
                yield from text.elements()
                is_read = True
            else:
                self._fields[name] = text.value()
        text.end()
        if not is_read:
            self._fail("has no field 'nodes'", "the graph")

    def _take(self, source: Mapping[str, Any]) -> Iterator[Any]:
        if "nodes" not in source:
            self._fail("has no field 'nodes'", "the graph")
        if not isinstance(source["nodes"], list):
            self._refuse_nodes(source["nodes"])
        self._fields.update(source)
        yield from source["nodes"]

    def _refuse_nodes(self, found: Any) -> NoReturn:
        self._fail(f"nodes must be an array, not {kind_of(found)}", "the graph")

    def records(self) -> Iterator[Any]:
        """Return the nodes, one by one."""
        while (record := self._next()) is not _NONE:
            self._read += 1
            yield record

    def _next(self) -> Any:
        return self._ahead.popleft() if self._ahead else next(self._steps, _NONE)

    @property
    def fields(self) -> dict[str, Any]:
        """All fields except the nodes."""
        self._ahead.extend(self._steps)
        return self._fields

    @property
    def heads(self) -> list[Any]:
        """The outputs."""
        fields = self.fields
        if "heads" not in fields:
            self._fail("has no field 'heads'", "the graph")
        return self.array("heads")

    def array(self, name: str) -> list[Any]:
        """Return an array field; an empty list if it is missing."""
        found = self.fields.get(name, [])
        if not isinstance(found, list):
            self._fail(f"{name} must be an array, not {kind_of(found)}", "the graph")
        return found

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the graph as a whole."""
        found = self.fields.get("attrs", {})
        if not isinstance(found, dict):
            self._fail(f"must be an object, not {kind_of(found)}", "attrs")
        return found

    @property
    def version(self) -> int:
        """The version of MXNet that wrote the file."""
        version = self.attributes.get("mxnet_version")
        if version is None:
            return OLDEST
        if not (isinstance(version, list) and len(version) == 2 and type(version[1]) is int):
            self._fail('must be a pair such as ["int", 10901]', "attrs.mxnet_version")
        return int(version[1])

    # ------------------------------------------------------------------------ counts of outputs

    def output_counts(self) -> list[int]:
        """Count the outputs of each node, as far as the file determines those of unread nodes.

        Numbers that do not fit the nodes, in a file that a program has edited, are ignored, as in MXNet.
        """
        rows = self.fields.get("node_row_ptr")  # all nodes are read before it
        count = self._read + len(self._ahead)
        if rows is not None and (found := self._counts_from_rows(rows, count)) is not None:
            return found
        counts = [1] * count
        readers = [r.get("inputs") for r in self._ahead if isinstance(r, dict)]
        for entries in (*readers, self.fields.get("heads")):
            for entry in entries if isinstance(entries, list) else ():
                _count_entry(entry, counts)
        return counts

    def _counts_from_rows(self, rows: Any, node_count: int) -> list[int] | None:
        if not isinstance(rows, list) or not set(map(type, rows)) <= {int}:
            self._fail("must be an array of numbers", "node_row_ptr")
        counts = list(map(sub, rows[1:], rows))
        fits = len(rows) == node_count + 1 and rows[0] == 0
        return counts if fits and all(0 <= n <= MOST_OUTPUTS for n in counts) else None


def _count_entry(entry: Any, counts: list[int]) -> None:
    if not isinstance(entry, list) or len(entry) < 2:
        return
    node, output = entry[:2]
    if type(node) is int and 0 <= node < len(counts) and type(output) is int:
        counts[node] = max(counts[node], min(output, MOST_OUTPUTS) + 1)


# ------------------------------------------------------------------------------------ for messages

_KINDS = {
    dict: "an object",
    list: "an array",
    str: "a string",
    bool: "a truth value",
    int: "a number",
}


def kind_of(value: Any) -> str:
    """Return JSON's name of a value's type."""
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number with a fraction")


def short(value: Any) -> str:
    """A value as text, shortened to its beginning."""
    if type(value) is int and value.bit_length() > 64:
        return "a number of more than 64 bits"
    return repr(value)[:60]
