"""Nets of GluonCV, GluonNLP, GluonTS and Sockeye go to ONNX and come back.

    python -m tests.onnx.libraries [NAME …] [--torch]

where the four packages can be imported (gluoncv 0.10.5, gluonnlp 0.10.0, gluonts 0.11, sockeye 2.3.24). Each
net is written, computed in ONNX Runtime, imported, and computed by gluonic again; with ``--torch`` it also
becomes a module of PyTorch. docs/onnx.md records the result.
"""

import argparse
import importlib
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic.contrib import onnx as onnx_io
from gluonic.onnx.comparison import difference, draws_numbers, run_model
from tests.onnx.library_nets import NETS, Maker

TOLERANCE = 1e-5


def outcome(make: Maker, *, with_torch: bool) -> str:
    """How a net goes out and comes back."""
    mx.random.seed(1)
    net, inputs = make(mx)
    net.initialize()
    expected = flat(net(*inputs))
    with tempfile.TemporaryDirectory() as folder:
        path = net.export_onnx(str(Path(folder) / "net.onnx"), *inputs)
        model = importlib.import_module("onnx").load(path)
        names = sorted(value.name for value in model.graph.input)
        by_name = dict(zip(names_of(inputs), inputs, strict=True))
        feed = {name: by_name[name].asnumpy() for name in names}
        outputs, _ = run_model(model, feed)
        if draws_numbers(model):
            shapes = [np.shape(each) for each in outputs]
            alike = shapes == [each.shape for each in expected]
            return f"{'draws' if alike else 'differs:'} numbers of the shapes {shapes}"
        out = worst(expected, outputs)
        again = onnx_io.import_to_gluon(path, mx.cpu())
        needed = {*onnx_io.import_model(path)[0].list_arguments()}
        read = [by_name[each.name] for each in model.graph.input if each.name in needed]
        back = worst(expected, [each.asnumpy() for each in flat(again(*read))])
        told = f"out {out:.1g}, back {back:.1g}"
        if with_torch:
            files = net.export_torch(str(Path(folder) / "net.py"), *inputs)
            told += f", PyTorch {files.agreement:.1g}"
    return f"agrees: {told}" if max(out, back) < TOLERANCE else f"differs: {told}"


def names_of(inputs: list[Any]) -> list[str]:
    return ["data"] if len(inputs) == 1 else [f"data{i}" for i in range(len(inputs))]


def flat(outputs: Any) -> list[Any]:
    if isinstance(outputs, mx.nd.NDArray):
        return [outputs]
    return [each for output in outputs if output is not None for each in flat(output)]


def worst(ours: list[Any], theirs: list[Any]) -> float:
    pairs = zip(ours, theirs, strict=True)
    return max(difference(one.asnumpy(), np.asarray(other)) for one, other in pairs)


def main() -> None:
    mx.install_as_mxnet(numpy_aliases=True)
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=[*NETS])
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--traceback", action="store_true")
    options = parser.parse_args()
    for name in options.names:
        try:
            told = outcome(NETS[name], with_torch=options.torch)
        except Exception as error:  # each refusal is reported with its cause
            told = f"{type(error).__name__}: {error}"[:600]
            if options.traceback:
                traceback.print_exc()
        print(f"{name}: {told}", flush=True)


if __name__ == "__main__":
    main()
