"""A symbol and its parameters as a library without Python."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gluonic import codegen
from gluonic.graph import Array, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.symbol.symbol import Symbol

BatchAxis: TypeAlias = int | Sequence[int | None] | None
ENDINGS = ".so", ".o", ".wasm"
PLACES = "inside", "beside"


def export_library(
    symbol: Symbol,
    values: Mapping[str, Array],
    inputs: Mapping[str, tuple[Shape, Any]],
    path: str | os.PathLike[str],
    *,
    cpu: str = "",
    weights: str = "inside",
    batch_axis: BatchAxis = 0,
    most: int = 64,
) -> "codegen.LibraryFiles":
    """Write a symbol as a library; see `HybridBlock.export_library`.

    Parameters
    ----------
    values : the parameters by name
    inputs : the shape and the dtype of each input, in the order of calls, by name
    """
    goal = Path(path)
    if goal.suffix not in ENDINGS:
        raise _wrong("path", os.fspath(path), f"a name that ends with {' or '.join(ENDINGS)}")
    if not goal.absolute().parent.is_dir():
        raise _wrong("path", os.fspath(path), "a file in a folder that exists")
    if weights not in PLACES:
        raise _wrong("weights", weights, " or ".join(map(repr, PLACES)))
    if goal.suffix == ".wasm" and weights != "inside":
        raise _wrong(
            "weights", weights, "'inside': WebAssembly maps no files, beside it or elsewhere"
        )
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise _wrong("most", most, "an integer of 1 or more")
    graph = symbol.graph()
    read = {node.name: node for node in graph.variables}
    lacking = [name for name in read if name not in values and name not in inputs]
    if lacking:
        raise AttributeValueError(
            describe(
                f"neither the shape nor the value is known of {', '.join(lacking)}",
                where="export_library",
                hint="a shape for each input, a value for each parameter",
            )
        )
    shapes = {
        read[name]: (shape, np.dtype(dtype))
        for name, (shape, dtype) in inputs.items()
        if name in read
    }
    source = codegen.LibrarySource(
        graph,
        graph.variables,
        {node: values[name] for name, node in read.items() if node not in shapes},
        shapes,
        _axes(shapes, batch_axis),
        symbol.list_outputs(),
    )
    return codegen.write_library(source, goal, cpu=cpu, most=most, beside=weights == "beside")


def _axes(shapes: Mapping[Node, tuple[Shape, Any]], chosen: BatchAxis) -> dict[Node, int | None]:
    """The batch's axis of each input."""
    if chosen is None or isinstance(chosen, int):
        listed: list[int | None] = [chosen] * len(shapes)
    else:
        listed = [*chosen]
        if len(listed) != len(shapes):
            raise _wrong(
                "batch_axis", listed, f"an axis, or None, for each of {len(shapes)} inputs"
            )
    pairs = list(zip(shapes.items(), listed, strict=True))
    sizes = [
        shape[axis]
        for (_, (shape, _)), axis in pairs
        if axis is not None and 0 <= axis < len(shape)
    ]
    return {
        node: axis if axis is not None and shape[axis : axis + 1] == tuple(sizes[:1]) else None
        for (node, (shape, _)), axis in pairs
    }


def _wrong(name: str, value: object, hint: str) -> AttributeValueError:
    return AttributeValueError(
        describe(f"{name}={value!r} cannot be", where="export_library", hint=hint)
    )
