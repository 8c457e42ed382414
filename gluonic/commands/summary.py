"""``gluonic summary FILE``: the layers of a network, or the arrays in a file of parameters, as a table."""

import argparse
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gluonic.drawing.costs import cost_of
from gluonic.drawing.layer_table import LINE_LENGTH, LayerTable
from gluonic.graph import Graph, Node
from gluonic.graph.infer import Facts
from gluonic.ndarray import NDArray
from gluonic.ndarray.storage.arrays import CSRNDArray, RowSparseNDArray
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import facts_of
from gluonic.tools.array_files import ARRAY_FILES, load_arrays
from gluonic.tools.command import Answer, program_name
from gluonic.tools.file_kinds import held_in
from gluonic.tools.model_files import add_options, load_network, load_parameters

_HEADINGS = ("Name", "Shape", "Type", "Elements", "Bytes")
_NUMBERS = ("Elements", "Bytes")
_SIDE = 224
_NARROWEST = 80
_KINDS = {"arg": "parameters", "aux": "auxiliary states"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the file, and what else is known of a network."""
    parser.add_argument(
        "file", help="symbol JSON (net-symbol.json) or arrays (.params, .npz, .safetensors)"
    )
    add_options(parser)


def run(options: argparse.Namespace) -> Answer:
    """Answer with the table of a network or of arrays."""
    file = Path(options.file)
    if held_in(file) in ARRAY_FILES:
        return _of_arrays(load_arrays(file))
    return _of_network(file, options.params, dict(options.shape))


# ------------------------------------------------------------------------------ a network


def _of_network(file: Path, parameters: str | None, given: Mapping[str, tuple[int, ...]]) -> Answer:
    """The table of a network's layers; parameters give their shapes."""
    graph = load_network(file).graph()
    variables = {node.name for node in graph.variables}
    arrays = load_parameters(parameters, file)
    stored = {name: array.shape for name, array in arrays.items() if name in variables}
    facts = facts_of(graph, SHAPE, stored | dict(given))
    table = LayerTable(graph, facts, data=given, parameters=stored.keys() - given.keys())
    lines = [*table.lines(_width()), *_how_to_give_shapes(file, table.data, facts)]
    return Answer(_facts_of_network(graph, facts, table, stored), lines)


def _facts_of_network(
    graph: Graph, facts: Facts, table: LayerTable, stored: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """The same for programs."""
    layers = []
    for node in graph.nodes:
        if node.application is None:
            continue
        cost = cost_of(node, facts)
        layers.append(
            {
                "name": node.name,
                "operator": node.operator_name,
                "inputs": [entry.node.name for entry in node.inputs],
                "outputs": facts[node],
                "operations": cost and cost.operations,
                "bytes": cost and cost.written,
            }
        )
    return {
        "inputs": {node.name: facts[node][0] for node in table.data},
        "parameters": stored,
        "layers": layers,
        "outputs": [entry.name for entry in graph.outputs],
    }


def _width() -> int:
    """The terminal's; a narrow table has no costs."""
    return max(_NARROWEST, shutil.get_terminal_size((LINE_LENGTH, 0)).columns)


def _how_to_give_shapes(file: Path, data: Sequence[Node], facts: Facts) -> Iterator[str]:
    """What to add to the command line, where the shape of an input is not known."""
    unknown = [node for node in data if facts[node][0] is None or None in facts[node][0]]
    asked = [node for node in unknown if not node.name.endswith("label")] or unknown
    if asked:
        names = ", ".join(node.name for node in asked)
        yield f"Output shapes and costs follow from the shape of {names}, for example:"
        options = " ".join(f"--shape {node.name}={_example(facts[node][0])}" for node in asked)
        yield f"  {program_name()} summary {file} {options}"


def _example(shape: Sequence[int | None] | None) -> str:
    """A shape that agrees with what is known of it: one image, if nothing else."""
    axes = [1 if axis == 0 else _SIDE for axis in range(len(shape))] if shape else []
    known = zip(shape or (), axes, strict=True)
    return ",".join(str(n or guess) for n, guess in known) or f"1,3,{_SIDE},{_SIDE}"


# ------------------------------------------------------------------------------ parameters


def _of_arrays(arrays: Mapping[str, NDArray]) -> Answer:
    facts = [
        {
            "name": name,
            "shape": array.shape,
            "dtype": np.dtype(array.dtype).name,
            "storage": array.stype,
            **dict(zip(("elements", "bytes"), _sizes(array), strict=True)),
        }
        for name, array in arrays.items()
    ]
    return Answer({"arrays": facts}, _lines_of_arrays(arrays))


def _lines_of_arrays(arrays: Mapping[str, NDArray]) -> Iterator[str]:
    """A table of arrays, with totals."""
    rows = [_HEADINGS, *(_row(name, array) for name, array in arrays.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        yield "  ".join(
            f"{field:>{width}}" if heading in _NUMBERS else f"{field:<{width}}"
            for heading, field, width in zip(_HEADINGS, row, widths, strict=True)
        ).rstrip()
        if number == 0:
            yield "=" * (sum(widths) + 2 * (len(widths) - 1))
    yield ""
    kinds = {name.partition(":")[0] for name in arrays} & _KINDS.keys()
    for kind in sorted(kinds):
        some = [array for name, array in arrays.items() if name.startswith(f"{kind}:")]
        yield _total(f"{_KINDS[kind]} ({kind}:)", some)
    yield _total("in all", list(arrays.values()))


def _row(name: str, array: NDArray) -> tuple[str, ...]:
    stype = array.stype
    kind = np.dtype(array.dtype).name + ("" if stype == "default" else f" {stype}")
    shape = "x".join(map(str, array.shape)) or "()"
    elements, held = _sizes(array)
    return name, shape, kind, f"{elements:,}", f"{held:,}"


def _sizes(array: NDArray) -> tuple[int, int]:
    """The numbers of elements and of bytes that are stored; a sparse array stores indices, too."""
    parts = [array]
    if isinstance(array, CSRNDArray):
        parts = [array.data, array.indices, array.indptr]
    elif isinstance(array, RowSparseNDArray):
        parts = [array.data, array.indices]
    return parts[0].size, sum(part.size * np.dtype(part.dtype).itemsize for part in parts)


def _total(what: str, arrays: Sequence[NDArray]) -> str:
    elements, held = (sum(sizes) for sizes in zip((0, 0), *map(_sizes, arrays), strict=True))
    plural = "array" if len(arrays) == 1 else "arrays"
    return f"{what}: {len(arrays):,} {plural}, {elements:,} elements, {held:,} bytes"
