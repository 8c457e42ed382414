"""``gluonic convert IN OUT``: arrays to other formats and names, networks to other formats and libraries."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.attributes import Shape
from gluonic.ndarray import NDArray
from gluonic.symbol import library
from gluonic.tools import array_names, model_files
from gluonic.tools.array_files import ENDINGS, kind_by_ending, load_arrays, save_arrays
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.file_kinds import Held, held_in
from gluonic.tools.model_files import load_network

if TYPE_CHECKING:
    from gluonic.tools.models import Model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two files, and what to change on the way."""
    add = parser.add_argument
    add("source", metavar="IN", help=f"arrays ({ENDINGS}), or symbol JSON; told by what it holds")
    add(
        "target",
        metavar="OUT",
        help=f"the file to write; its ending says what: {ENDINGS}; {', '.join(_NETWORKS)}",
    )
    add(
        "--dtype",
        choices=["float16", "bfloat16", "float32", "float64"],
        help="convert floating-point arrays to this",
    )
    add("--dense", action="store_true", help="store sparse arrays as dense ones")
    array_names.add_options(parser)
    model_files.add_options(parser)
    add = parser.add_argument_group(
        "a network as a library without Python (.so, .o, .wasm)"
    ).add_argument
    add("--cpu", default="", help="a processor or a level, such as x86-64-v3 or aarch64")
    add("--weights-beside", action="store_true", help="write the weights to a file of their own")
    add("--most", type=int, default=64, help="the largest batch size, by default 64")


def run(options: argparse.Namespace) -> Answer:
    """Convert a file."""
    source, target = Path(options.source), Path(options.target)
    if held_in(source) is Held.NETWORK:
        write = _NETWORKS.get(target.suffix.lower())
        if write is None:
            raise CommandError(
                f"{source} holds a network, which {target} does not name a format for",
                hint=f"a name that ends with {', '.join(_NETWORKS)}",
            )
        return write(source, target, options)
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


def _upgrade(source: Path, target: Path, options: argparse.Namespace) -> Answer:
    network = load_network(source)
    network.save(str(target), remove_amp_cast=False)
    count = len(network.graph().nodes)
    return Answer({"written": str(target), "nodes": count}, [f"{target}: {count:,} nodes"])


def _write_onnx(source: Path, target: Path, options: argparse.Namespace) -> Answer:
    from gluonic.onnx.exporting import write_model
    from gluonic.onnx.inputs import named_inputs

    model = _model(source, options)
    inputs = named_inputs(model.graph, _described(model))
    written = write_model(model.symbol, _values(model), inputs, target)
    return _compared([target], written.runtime, written.agreement)


def _write_torch(source: Path, target: Path, options: argparse.Namespace) -> Answer:
    from gluonic.pytorch import export_torch

    model = _model(source, options)
    files = export_torch(model.symbol, _values(model), _described(model), target)
    return _compared([files.source, files.weights], "PyTorch", files.agreement)


def _compared(written: Sequence[Path], runtime: str, agreement: float | None) -> Answer:
    """The answer about files whose numbers were compared before they were written."""
    lines = [f"{path}: {path.stat().st_size:,} bytes" for path in written]
    if agreement is None:
        lines.append(f"not compared: {runtime or 'the runtime'} is not installed")
    else:
        lines.append(f"{runtime} computes the same, within {max(agreement, 1e-9):.0e}")
    facts = {"written": [str(path) for path in written], "agreement": agreement}
    return Answer(facts, lines)


def _model(source: Path, options: argparse.Namespace) -> "Model":
    """The network with its parameters and the shapes of its inputs."""
    from gluonic.tools.models import Model  # it imports the compiler

    model = Model(source, options.params, dict(options.shape))
    model.check_shapes()
    return model


def _values(model: "Model") -> dict[str, Array]:
    return {name: value.asnumpy() for name, value in model.values().items()}


def _described(model: "Model") -> dict[str, tuple[Shape, Any]]:
    """The shapes and dtypes of all inputs, labels included."""
    shapes = {name: model.shapes[name] for name in model.data}
    shapes |= model.label_shapes(shapes)
    return {name: (shape, np.float32) for name, shape in shapes.items()}


def _write_library(source: Path, target: Path, options: argparse.Namespace) -> Answer:
    from gluonic.codegen.machine.target import TargetError

    model = _model(source, options)
    try:
        files = library.export_library(
            model.symbol,
            _values(model),
            _described(model),
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


_NETWORKS: dict[str, Callable[[Path, Path, argparse.Namespace], Answer]] = {
    ".json": _upgrade,
    ".onnx": _write_onnx,
    ".py": _write_torch,
    **dict.fromkeys(library.ENDINGS, _write_library),
}
"""How networks are written, by the ending of the file."""


def _cast(array: NDArray, dtype: str) -> NDArray:
    kind = np.dtype(array.dtype)
    is_floating = kind.kind == "f" or kind.name == "bfloat16"
    return array.astype(dtype) if is_floating and kind.name != dtype else array
