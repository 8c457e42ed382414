"""ONNX models of other exporters are read, computed, written again, and computed again.

    python -m tests.onnx.other_models FILE.onnx … [--size batch=7 …]

Inputs are random. ``--size`` fixes an open size by its name, or an axis of an input (``--size x.2=48``); the
others stay open, and are 3, 4, …. docs/onnx.md records the result for models that
packages ship; those in tests/measured/exported_models are written by `tests.measured.exported_models`.
"""

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic.contrib import onnx as onnx_io
from gluonic.onnx.comparison import difference, run_model
from gluonic.onnx.importing import load

Array = np.ndarray[Any, Any]


def fix_sizes(model: Any, sizes: Mapping[str, int]) -> None:
    """Write numbers in place of open sizes; ``?`` stands for those without a name, such as -1."""
    for value in model.graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            name = dim.dim_param or "?"
            for each in (f"{value.name}.{axis}", name):
                if dim.dim_value <= 0 and each in sizes:
                    dim.dim_value = sizes[each]


def inputs_of(model: Any) -> dict[str, Array]:
    """Random inputs of a model; sizes that are open are 3, 4, …, by name."""
    open_sizes: dict[str, int] = {}
    random = np.random.RandomState(1)
    kinds = dict(_dtypes())
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = {}
    for value in model.graph.input:
        if value.name not in weights:
            kind = value.type.tensor_type
            shape = [
                dim.dim_value
                if dim.dim_value > 0
                else open_sizes.setdefault(dim.dim_param, 3 + len(open_sizes))
                for dim in kind.shape.dim
            ]
            dtype = kinds[kind.elem_type]
            drawn = (
                random.uniform(-1, 1, shape) if dtype.kind == "f" else random.randint(0, 5, shape)
            )
            inputs[value.name] = np.asarray(drawn, dtype)
    return inputs


def _dtypes() -> list[tuple[int, np.dtype[Any]]]:
    from onnx import TensorProto

    names = {
        "FLOAT": "f4",
        "DOUBLE": "f8",
        "FLOAT16": "f2",
        "INT32": "i4",
        "INT64": "i8",
        "BOOL": "?",
    }
    return [(getattr(TensorProto, name), np.dtype(kind)) for name, kind in names.items()]


def both_ways(file: Path, sizes: Mapping[str, int], folder: Path) -> tuple[float, float]:
    """The largest differences from ONNX Runtime: of the model that was read, and of it written again."""
    model = load(file)
    fix_sizes(model, sizes)
    inputs = inputs_of(model)
    expected, _ = run_model(model, inputs)
    block = onnx_io.import_to_gluon(model)
    needed = [name for name in inputs if name in onnx_io.import_model(model)[0].list_inputs()]
    arrays = [mx.nd.array(inputs[name], dtype=inputs[name].dtype) for name in needed]
    outputs = block(*arrays)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    read = worst(expected, [each.asnumpy() for each in outputs])
    again = load(Path(block.export_onnx(str(folder / "again.onnx"), *arrays)))
    names = [value.name for value in again.graph.input]
    feed = {name: inputs[name] for name in names}
    return read, worst(expected, run_model(again, feed)[0])


def worst(expected: Any, computed: Any) -> float:
    return max(
        difference(np.asarray(a), np.asarray(b)) for a, b in zip(expected, computed, strict=True)
    )


def _size(text: str) -> tuple[str, int]:
    name, _, size = text.partition("=")
    return name, int(size)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--size", action="append", type=_size, default=[])
    options = parser.parse_args()
    for file in options.files:
        try:
            with tempfile.TemporaryDirectory() as folder:
                read, again = both_ways(file, dict(options.size), Path(folder))
            told = f"read {read:.1g}, written again {again:.1g}"
        except Exception as error:  # each refusal is reported with its cause
            told = f"{type(error).__name__}: {error}"[:700]
        print(f"{file.name}: {told}", flush=True)


if __name__ == "__main__":
    main()
