"""The graph in a picture: nodes, nested blocks, their names and totals."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Json = dict[str, Any]
ROOT = -1
"""Things are numbered: nodes from 0, blocks as ``-1 - number``; this is the outermost block."""


class Total(NamedTuple):
    """The totals of a node or a block.

    Attributes
    ----------
    operators : number of operators
    parameters : number of elements of parameters; a shared parameter counts once
    parameter_bytes : their bytes
    operations, written : floating-point operations, and bytes of results
    unknown : number of operators that are not counted because their shapes are unknown
    families : number of operators of each family
    """

    operators: int
    parameters: int
    parameter_bytes: int
    operations: int
    written: int
    unknown: int
    families: dict[str, int]


class ShownGraph:
    """The data of a page on a graph, for drawing.

    Parameters
    ----------
    data : the result of `PageModel.json`
    """

    def __init__(self, data: Json) -> None:
        self.data = data
        self.nodes: list[Json] = list(data["nodes"])
        self.blocks: list[Json] = [
            {**b, "members": list(b.get("members", ()))} for b in data["blocks"]
        ]
        self.parents: dict[int, int] = {}
        self.bodies: dict[int, list[int]] = {}
        for number, block in enumerate(self.blocks):
            self.parents.update(dict.fromkeys(block["members"], -1 - number))
            if block["role"] == "body":
                self.bodies.setdefault(block["holder"], []).append(-1 - number)
                self.parents[-1 - number] = block["holder"]
        for output in data["outputs"]:
            self._add_output(**output)
        self._totals: dict[int, Total] = {}

    def _add_output(self, node: int, output: int, block: int, name: str) -> None:
        """Add the box of an output."""
        index = max(block, 0)
        self.parents[len(self.nodes)] = -1 - index
        self.blocks[index]["members"].append(len(self.nodes))
        self.nodes.append(
            {"name": name, "family": "output", "title": "output", "inputs": [[node, output]]}
        )

    def block(self, thing: int) -> Json:
        """The data of a block."""
        return self.blocks[-1 - thing]

    def can_open(self, thing: int) -> bool:
        """Whether a thing has members: a block, or a control flow operator."""
        return thing < 0 or thing in self.bodies

    def members(self, thing: int) -> Sequence[int]:
        """The members of a block, or of an operator with bodies."""
        if thing >= 0:
            return self.bodies.get(thing, ())
        members: list[int] = self.block(thing)["members"]
        return members

    def below(self, thing: int = ROOT) -> list[int]:
        """A thing and all blocks in it, outer ones first."""
        found = [thing]
        for at in found:
            found += [member for member in self.members(at) if self.can_open(member)]
        return found

    def nodes_in(self, thing: int, *, bodies: bool = True) -> list[int]:
        """All nodes in a thing, including those in bodies of operators unless `bodies` is False."""
        found, stack = [], [thing]
        while stack:
            at = stack.pop()
            if at >= 0:
                found.append(at)
            if at < 0 or bodies:
                stack += reversed(self.members(at))
        return found

    def is_operator(self, node: int) -> bool:
        """Whether a node is neither a variable nor an output."""
        return "op" in self.nodes[node]

    def parameters_of(self, node: int) -> list[int]:
        """The parameters that a node reads, if they have no boxes."""
        inputs = self.nodes[node].get("inputs", ())
        return [source for source, _ in inputs if "folded" in self.nodes[source]]

    def shape_of(self, node: int, output: int = 0) -> list[int | None] | None:
        """The shape of a result, as far as it is known."""
        shapes = self.nodes[node].get("shapes") or [self._array(node).get("shape")]
        found: list[int | None] | None = shapes[output] if output < len(shapes) else None
        return found

    def dtype_of(self, node: int, output: int = 0) -> str:
        """The dtype of a result; empty if unknown."""
        dtypes = self.nodes[node].get("dtypes") or [self._array(node).get("dtype")]
        return (dtypes[output] if output < len(dtypes) else None) or ""

    def _array(self, node: int) -> Json:
        found: Json = self.data["parameters"].get(str(node), {})
        return found

    # Sums

    def total(self, thing: int) -> Total:
        """The totals of a node or a block."""
        if thing not in self._totals:
            self._totals[thing] = self._sum(thing)
        return self._totals[thing]

    def _sum(self, thing: int) -> Total:
        operators = [n for n in self.nodes_in(thing) if self.is_operator(n)]
        families: dict[str, int] = {}
        # The bodies of loops and branches are counted with them.
        outside = [n for n in self.nodes_in(thing, bodies=False) if self.is_operator(n)]
        costs = [self.nodes[number].get("cost") for number in outside]
        for number in operators:
            family = self.nodes[number]["family"]
            families[family] = families.get(family, 0) + 1
        known = [cost for cost in costs if cost is not None]
        read = dict.fromkeys(p for number in operators for p in self.parameters_of(number))
        sizes = {number: self._size(number) for number in read}
        return Total(
            len(operators),
            sum(sizes.values()),
            sum(n * np.dtype(self.dtype_of(p) or "float32").itemsize for p, n in sizes.items()),
            sum(cost[0] for cost in known),
            sum(cost[2] for cost in known),
            len(costs) - len(known),
            families,
        )

    def _size(self, node: int) -> int:
        shape = self.shape_of(node)
        return 0 if shape is None else math.prod(axis or 0 for axis in shape)

    # Names

    def title(self, block: int) -> str:
        """The title of a block in its box."""
        found: str = self.block(block)["title"]
        return found

    def subtitle(self, block: int) -> str:
        """The subtitle of a block."""
        found: str = self.block(block).get("detail", "")
        return found


def shape_text(shape: Sequence[int | None] | None) -> str:
    """A shape as text.

    >>> shape_text([2, None]), shape_text([]), shape_text(None)
    ('2×?', 'scalar', '')
    """
    if shape is None:
        return ""
    return "×".join("?" if axis is None else str(axis) for axis in shape) or "scalar"


def short(number: float) -> str:
    """A number with a metric prefix.

    >>> short(999), short(25_557_032), short(7.7e9)
    ('999', '25.6 M', '7.7 G')
    """
    units = ["", " k", " M", " G", " T", " P"]
    unit = 0
    while abs(number) >= 999.5 and unit < len(units) - 1:
        number /= 1000
        unit += 1
    digits = 1 if unit and abs(number) < 99.95 else 0
    return f"{number:.{digits}f}{units[unit]}"
