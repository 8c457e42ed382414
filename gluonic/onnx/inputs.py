"""The inputs of a model that is written, and their open sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gluonic.codegen import ShapeEnv
from gluonic.graph import Array, Graph, Node
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import MXNetError, describe

Extent = int | str | None


@dataclass
class Input:
    """An input of the model.

    Attributes
    ----------
    name : its name
    shape : its extents: numbers, names of sizes that may differ between calls, or None for such a size without
        a name
    dtype : its dtype
    hint : the shape in the call that the export is checked with
    """

    name: str
    shape: tuple[Extent, ...]
    dtype: np.dtype[Any]
    hint: tuple[int, ...]


class OpenSizes:
    """The unknown sizes of the inputs: one symbol for each name."""

    def __init__(self, inputs: Sequence[Input], pinned: Mapping[str, int]) -> None:
        self.places: dict[str, tuple[int, int]] = {}
        hints: dict[str, int] = {}
        for position, each in enumerate(inputs):
            for axis, extent in enumerate(each.shape):
                name = size_name(each, axis)
                if not isinstance(extent, int) and name not in pinned and name not in hints:
                    self.places[name], hints[name] = (position, axis), each.hint[axis]
        self.names = list(hints)
        self.env = ShapeEnv(*hints.values())
        symbols = dict(zip(self.names, self.env.sizes, strict=True))
        self.shapes = [
            tuple(
                symbols.get(size_name(each, axis), extent if isinstance(extent, int) else hint)
                if not isinstance(extent, int)
                else extent
                for axis, (extent, hint) in enumerate(zip(each.shape, each.hint, strict=True))
            )
            for each in inputs
        ]

    def pinned(self) -> set[str]:
        """The sizes that some rule compared as equal to another expression."""
        atoms = [
            atom for terms, _, relation in self.env.guards if relation == "==" for atom, _ in terms
        ]
        named: set[str] = set()
        while atoms:
            atom = atoms.pop()
            if atom < len(self.names):
                named.add(self.names[atom])
                continue
            _, operands = self.env.atoms[atom - len(self.names)]
            for operand in operands:
                atoms.extend(each for each, _ in getattr(operand, "terms", ()))
        return named


def size_name(given: Input, axis: int) -> str:
    """The name of an input's size that may differ between calls."""
    extent = given.shape[axis]
    return extent if isinstance(extent, str) else f"{given.name}_{axis}"


def named_inputs(
    graph: Graph,
    given: Mapping[str, tuple[Sequence[int], Any]],
    open_shapes: Mapping[str, Sequence[Extent]] | None = None,
) -> list[Input]:
    """The inputs of a model, without labels, from their shapes and dtypes by name.

    Parameters
    ----------
    open_shapes : the shape of each input with a name or None for each size that may differ between calls; by
        default the first one may, of inputs that have the same
    """
    batch = next((shape[0] for shape, _ in given.values() if len(shape)), None)
    labels = label_names(graph)
    inputs = []
    for name, (shape, dtype) in given.items():
        is_batched = len(shape) > 0 and shape[0] == batch
        extents: Sequence[Extent] = ("batch", *shape[1:]) if is_batched else shape
        if open_shapes is not None:
            extents = open_shapes[name]
        if name not in labels:
            inputs.append(Input(name, tuple(extents), as_dtype(dtype), shown(extents, shape)))
    return inputs


def shown(extents: Sequence[Extent], shape: Sequence[int]) -> tuple[int, ...]:
    """The shape in the call that an export is checked with: 1 says too little about a size that may differ."""
    return tuple(
        size if isinstance(extent, int) else max(2, size)
        for extent, size in zip(extents, shape, strict=True)
    )


def check_parameters(
    graph: Graph, inputs: Sequence[Input], parameters: Mapping[str, Array]
) -> None:
    """Refuse a graph with variables that are neither inputs nor have values, and that something needs."""
    names = {each.name for each in inputs} | set(parameters)
    missing = [node.name for node in graph.variables if node.name not in names]
    missing = [name for name in missing if name not in label_names(graph)]
    if missing:
        raise MXNetError(
            describe(
                f"{', '.join(missing[:5])}: neither shapes nor values of these arguments are given",
                where="export_model",
                hint="params with all parameters, and in_shapes with the shapes of all inputs, in order",
            )
        )


def label_names(graph: Graph) -> set[str]:
    """The variables that only the label inputs of output layers read, which inference does not need."""
    readers: dict[Node, list[bool]] = {node: [] for node in graph.variables}
    for node in graph.nodes:
        if node.application is None:
            continue
        for name, entry in zip(node.application.inputs, node.inputs, strict=True):
            if entry.node in readers:
                readers[entry.node].append(name == "label" and node.application.is_loss)
    return {node.name for node, labels in readers.items() if labels and all(labels)}
