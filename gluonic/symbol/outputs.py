"""The outputs of a symbol: their names, the graph below them, and selection."""

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from gluonic.graph import Entry, Graph, Node
from gluonic.graph.errors import CallError, describe, nearest
from gluonic.graph.handles import handle_of, held_by
from gluonic.graph.listing import debug_text


class Outputs:
    """A list of graph entries.

    Parameters
    ----------
    handle : the outputs, entries of a graph; or the `handle` of another symbol

    Attributes
    ----------
    entries : the outputs: nodes of a graph, each with the index of an output
    """

    __slots__ = ("__weakref__", "_known_graph", "entries")

    entries: tuple[Entry, ...]
    _known_graph: Graph | None

    def __init__(self, handle: Any) -> None:
        if isinstance(handle, ctypes.c_void_p):
            handle = held_by(handle, Outputs).entries
        self.entries = tuple(handle or ())  # None in MXNet's pickles, whose state is set later
        self._known_graph = None

    handle = property(handle_of)

    def graph(self) -> Graph:
        """Return the graph below the outputs."""
        if self._known_graph is None:
            self._known_graph = Graph(self.entries)
        return self._known_graph

    def _node(self) -> Node | None:
        """Return the node of all outputs; None for a group of several."""
        first = self.entries[0].node
        return first if all(entry.node is first for entry in self.entries) else None

    # ------------------------------------------------------------------------ what it is

    @property
    def name(self) -> str | None:
        """The name of the symbol; None for a group."""
        node = self._node()
        return None if node is None else node.name

    def __repr__(self) -> str:
        if self.name is None:
            return f"<Symbol group [{', '.join(entry.node.name for entry in self.entries)}]>"
        return f"<Symbol {self.name}>"

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def num_outputs(self) -> int:
        """The number of outputs."""
        return len(self.entries)

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, without auxiliary states."""
        return [node.name for node in self.graph().arguments]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the inputs that operators update, such as moving averages."""
        return [node.name for node in self.graph().states]

    def list_inputs(self) -> list[str]:
        """Return the names of all inputs, including auxiliary states."""
        return [node.name for node in self.graph().variables]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return [entry.name for entry in self.entries]

    def get_internals(self) -> Self:
        """Return a group of the outputs of all nodes."""
        return type(self)(
            [node.entry(i) for node in self.graph().nodes for i in range(node.visible_count)]
        )

    def get_children(self) -> Self | None:
        """Return a group of the inputs of the outputs' nodes; None if they have none."""
        nodes = dict.fromkeys(entry.node for entry in self.entries)
        inputs = [entry for node in nodes for entry in node.inputs]
        return type(self)(inputs) if inputs else None

    def debug_str(self) -> str:
        """Return the graph as a text, node by node."""
        return debug_text(self.graph())

    # ------------------------------------------------------------------------ outputs by index

    def each_output(self) -> list[Self]:
        """Return a symbol for each output."""
        return [type(self)([entry]) for entry in self.entries]

    def __iter__(self) -> Iterator[Self]:
        return iter(self.each_output())

    def __getitem__(self, index: int | str | slice) -> Self:
        """Return an output by index or name, or several by a slice."""
        if isinstance(index, slice):
            return self._some(self.entries[index])
        if isinstance(index, str):
            return type(self)([self.entries[self._position(index)]])
        if not isinstance(index, (int, np.integer)):
            raise CallError(
                describe(
                    f"a Symbol is indexed by an output's number or name, not by {index!r}",
                    where=repr(self),
                    hint=f"{_as_operators(index)} for elements of the array it stands for",
                )
            )
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self!r} has {len(self)} outputs; there is no output {index}")
        return type(self)([self.entries[index]])

    def _some(self, entries: Sequence[Entry]) -> Self:
        if not entries:
            raise TypeError(f"{self!r} has {len(self)} outputs; the slice has none of them")
        return type(self)(entries)

    def _position(self, name: str) -> int:
        names = self.list_outputs()
        count = names.count(name)
        if count == 1:
            return names.index(name)
        if count:
            raise CallError(f"{self!r} has {count} outputs called {name!r}; choose by number")
        own = f"{name}_output"
        similar = f"; did you mean {own!r}?" if own in names else nearest(name, names)
        raise CallError(f"{self!r} has no output {name!r}{similar}")


def _as_operators(key: Any) -> str:
    """The operators that select what a key would select from an array."""
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, (int, slice)) and part is not True for part in parts):
        return "F.slice_axis, F.slice or F.take"
    found, removed = "x", 0
    for number, part in enumerate(parts):
        axis = number - removed
        if isinstance(part, int):
            end = part + 1 or None
            sliced = f"F.slice_axis({found}, axis={axis}, begin={part}, end={end})"
            found, removed = f"F.squeeze({sliced}, axis={axis})", removed + 1
        elif part.step is not None:
            return "F.slice"
        elif part != slice(None):
            found = f"F.slice_axis({found}, axis={axis}, begin={part.start or 0}, end={part.stop})"
    return found if found != "x" else "x itself"
