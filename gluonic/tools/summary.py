"""``gluonic summary FILE``: the layers of a network, or the arrays in a file of parameters, as a table."""

import argparse
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from gluonic import ndarray as nd
from gluonic.drawing.layer_table import LINE_LENGTH, LayerTable
from gluonic.graph import Node
from gluonic.graph.infer import Facts
from gluonic.ndarray import NDArray
from gluonic.ndarray.storage.arrays import CSRNDArray, RowSparseNDArray
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import facts_of
from gluonic.tools.command import command_parser, program_name, reporting
from gluonic.tools.file_kinds import Held, held_in
from gluonic.tools.model_files import add_options, load_network, load_parameters

_HEADINGS = ("Name", "Shape", "Type", "Elements", "Bytes")
_NUMBERS = ("Elements", "Bytes")
_SIDE = 224
_NARROWEST = 80
_KINDS = {"arg": "parameters", "aux": "auxiliary states"}


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = _parser()
    options = parser.parse_args(given)
    return reporting(parser, lambda: _summarize(options))


def _summarize(options: argparse.Namespace) -> None:
    file = Path(options.file)
    if held_in(file) is Held.PARAMETERS:
        lines = _lines_of_arrays(nd.load(str(file)))
    else:
        lines = _lines_of_network(file, options.params, dict(options.shape))
    for line in lines:
        print(line)


# ------------------------------------------------------------------------------ a network


def _lines_of_network(
    file: Path, parameters: str | None, given: Mapping[str, tuple[int, ...]]
) -> Iterator[str]:
    """The table of a network's layers; parameters give their shapes."""
    graph = load_network(file).graph()
    variables = {node.name for node in graph.variables}
    arrays = load_parameters(parameters, file)
    stored = {name: array.shape for name, array in arrays.items() if name in variables}
    facts = facts_of(graph, SHAPE, stored | dict(given))
    table = LayerTable(graph, facts, data=given, parameters=stored.keys() - given.keys())
    yield from table.lines(_width())
    yield from _how_to_give_shapes(file, table.data, facts)


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


def _lines_of_arrays(loaded: Mapping[str, NDArray] | Sequence[NDArray]) -> Iterator[str]:
    """A table of arrays, with totals."""
    arrays = dict(loaded) if isinstance(loaded, Mapping) else dict(enumerate(loaded))
    rows = [_HEADINGS, *(_row(str(name), array) for name, array in arrays.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        yield "  ".join(
            f"{field:>{width}}" if heading in _NUMBERS else f"{field:<{width}}"
            for heading, field, width in zip(_HEADINGS, row, widths, strict=True)
        ).rstrip()
        if number == 0:
            yield "=" * (sum(widths) + 2 * (len(widths) - 1))
    yield ""
    kinds = {str(name).partition(":")[0] for name in arrays} & _KINDS.keys()
    for kind in sorted(kinds):
        some = [array for name, array in arrays.items() if str(name).startswith(f"{kind}:")]
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


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "summary",
        "List the layers of a network with shapes, parameters and costs, or the arrays in a file.",
    )
    parser.add_argument(
        "file", help="symbol JSON (net-symbol.json) or parameters (net-0000.params)"
    )
    add_options(parser)
    return parser
