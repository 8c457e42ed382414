"""``gluonic convert IN OUT``: arrays to other formats and names, networks to today's format or to libraries."""

import argparse
from pathlib import Path

import numpy as np

from gluonic.ndarray import NDArray
from gluonic.symbol import library
from gluonic.tools import array_names, model_files
from gluonic.tools.array_files import ENDINGS, kind_by_ending, load_arrays, save_arrays
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.file_kinds import Held, held_in
from gluonic.tools.model_files import load_network


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two files, and what to change on the way."""
    add = parser.add_argument
    add("source", metavar="IN", help=f"arrays ({ENDINGS}), or symbol JSON; told by what it holds")
    add("target", metavar="OUT", help=f"the file to write; its ending says what: {ENDINGS}, .json")
    add(
        "--dtype",
        choices=["float16", "bfloat16", "float32", "float64"],
        help="convert floating-point arrays to this",
    )
    add("--dense", action="store_true", help="store sparse arrays as dense ones")
    array_names.add_options(parser)
    model_files.add_options(parser)
    add = parser.add_argument_group("a network as a library without Python (.so, .o)").add_argument
    add("--cpu", default="", help="a processor or a level, such as x86-64-v3 or aarch64")
    add("--weights-beside", action="store_true", help="write the weights to a file of their own")
    add("--most", type=int, default=64, help="the largest batch size, by default 64")


def run(options: argparse.Namespace) -> Answer:
    """Convert a file."""
    source, target = Path(options.source), Path(options.target)
    if held_in(source) is Held.NETWORK:
        if target.suffix.lower() in library.ENDINGS:
            return _write_library(source, target, options)
        return _convert_network(source, target)
    kind_by_ending(target)  # before much is read
    arrays = array_names.renamed(load_arrays(source), options)
    if options.dense:
        arrays = {name: array.tostype("default") for name, array in arrays.items()}
    if options.dtype:
        arrays = {name: _cast(array, options.dtype) for name, array in arrays.items()}
    save_arrays(target, arrays)
    plural = "array" if len(arrays) == 1 else "arrays"
    return Answer(
        {"written": str(target), "arrays": [*arrays]}, [f"{target}: {len(arrays):,} {plural}"]
    )


def _convert_network(source: Path, target: Path) -> Answer:
    if target.suffix.lower() != ".json":
        raise CommandError(
            f"{source} holds a network, which {target} does not name a format for",
            hint="a name that ends with .json, or .so or .o for a library",
        )
    network = load_network(source)
    network.save(str(target), remove_amp_cast=False)
    count = len(network.graph().nodes)
    return Answer({"written": str(target), "nodes": count}, [f"{target}: {count:,} nodes"])


def _write_library(source: Path, target: Path, options: argparse.Namespace) -> Answer:
    from gluonic.codegen.machine.target import TargetError
    from gluonic.tools.models import Model  # it imports the compiler

    model = Model(source, options.params, dict(options.shape))
    model.check_shapes()
    shapes = {name: model.shapes[name] for name in model.data}
    shapes |= model.label_shapes(shapes)
    try:
        files = library.export_library(
            model.symbol,
            {name: value.elements for name, value in model.values().items()},
            {name: (shape, np.float32) for name, shape in shapes.items()},
            target,
            cpu=options.cpu,
            weights="beside" if options.weights_beside else "inside",
            most=options.most,
        )
    except TargetError as error:
        raise CommandError(str(error)) from error
    written = [path for path in (files.library, files.header, files.weights) if path]
    lines = [f"{path}: {path.stat().st_size:,} bytes" for path in written]
    return Answer({"written": [str(path) for path in written]}, lines)


def _cast(array: NDArray, dtype: str) -> NDArray:
    kind = np.dtype(array.dtype)
    is_floating = kind.kind == "f" or kind.name == "bfloat16"
    return array.astype(dtype) if is_floating and kind.name != dtype else array
