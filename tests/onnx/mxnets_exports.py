"""The real MXNet exports nets; the files go to ONNX and come back to MXNet, and all compute the same.

    python -m tests.onnx.mxnets_exports --mxnet PYTHON [NAME …]

For each net, MXNet writes net-symbol.json, net-0000.params, inputs and outputs. gluonic writes the files as
ONNX, and ONNX Runtime computes the outputs; gluonic computes those of the model that it has read again, and
MXNet those of the files that gluonic has exported of that. Names are those of the model zoo, and those of
`tests.onnx.libraries`, whose packages MXNet's Python then needs. docs/onnx.md records the result.
"""

import argparse
import importlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic.contrib import onnx as onnx_io
from gluonic.gluon.model_zoo import vision
from gluonic.onnx.comparison import difference, run_model
from tests.onnx.library_nets import NETS

TOLERANCE = 1e-5
SIDES = {"inceptionv3": 299, "densenet": 224, "squeezenet": 224}
"""The heights and widths of images, by the beginnings of names; smaller ones do where a net allows it."""
ZOO = """
import sys
import numpy as np
import mxnet as mx
from mxnet.gluon.model_zoo import vision
folder, name, side = sys.argv[1:]
mx.random.seed(1)
net = vision.get_model(name, classes=10)
net.initialize(mx.init.Xavier(magnitude=2))
image = np.random.RandomState(1).uniform(-1, 1, (2, 3, int(side), int(side))).astype("float32")
inputs = [mx.nd.array(image)]
"""
LIBRARIES = """
import runpy
import sys
import numpy as np
import mxnet as mx
folder, name, file = sys.argv[1:]
mx.random.seed(1)
net, inputs = runpy.run_path(file)["NETS"][name](mx)
net.initialize()
"""
EXPORT = """
def flat(outputs):
    if isinstance(outputs, mx.nd.NDArray):
        return [outputs]
    return [each for output in outputs if output is not None for each in flat(output)]
net.hybridize()
outputs = flat(net(*inputs))
net.export(folder + "/net")
names = ["data"] if len(inputs) == 1 else ["data%d" % i for i in range(len(inputs))]
np.savez(folder + "/inputs.npz", **{n: x.asnumpy() for n, x in zip(names, inputs)})
np.savez(folder + "/outputs.npz", *[x.asnumpy() for x in outputs])
"""
AGAIN = """
import sys
import numpy as np
import mxnet as mx
folder = sys.argv[1]
try:
    mx.nd.load(folder + "/again-0000.params")
except mx.MXNetError:
    mx.util.set_np_shape(True)  # some constants have no axes
with np.load(folder + "/inputs.npz") as arrays:
    inputs = {n: mx.nd.array(arrays[n], dtype=arrays[n].dtype) for n in arrays.files}
symbol = mx.sym.load(folder + "/again-symbol.json")
names = [n for n in symbol.list_inputs() if n in inputs]
net = mx.gluon.SymbolBlock(symbol, [mx.sym.var(n) for n in names])
file = folder + "/again-0000.params"
net.load_parameters(file, allow_missing=True, ignore_extra=True, cast_dtype=True, dtype_source="saved")
outputs = net(*[inputs[n] for n in names])
outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
np.savez(folder + "/again.npz", *[x.asnumpy() for x in outputs])
"""
Arrays = dict[str, np.ndarray[Any, Any]]


def loaded(file: Path) -> Arrays:
    with np.load(file) as arrays:
        return dict(arrays.items())


def worst(ours: Any, theirs: Any) -> float:
    return max(difference(a, np.asarray(b)) for a, b in zip(ours, theirs, strict=True))


def outcome(python: str, name: str, folder: Path) -> str:
    """How far the outputs of a net agree with MXNet's: in ONNX Runtime, read again, and back in MXNet."""

    def in_mxnet(program: str, *arguments: str) -> None:
        command = [python, "-c", program, str(folder), *arguments]
        subprocess.run(command, check=True, env={**os.environ, "MXNET_SUBGRAPH_BACKEND": "NONE"})

    if name in NETS:
        in_mxnet(LIBRARIES + EXPORT, name, str(Path(__file__).with_name("library_nets.py")))
    else:
        side = next((side for begin, side in SIDES.items() if name.startswith(begin)), 64)
        in_mxnet(ZOO + EXPORT, name, str(side))
    inputs, outputs = loaded(folder / "inputs.npz"), [*loaded(folder / "outputs.npz").values()]
    symbol = mx.sym.load(str(folder / "net-symbol.json"))
    order = [each for each in symbol.list_inputs() if each in inputs]
    path = mx.onnx.export_model(
        symbol,
        mx.nd.load(str(folder / "net-0000.params")),
        [inputs[each].shape for each in order],
        [inputs[each].dtype for each in order],
        str(folder / "net.onnx"),
        check=False,
    )
    model = importlib.import_module("onnx").load(path)
    feed = {each.name: inputs[each.name] for each in model.graph.input}
    computed, runtime = run_model(model, feed)
    again = onnx_io.import_to_gluon(path)
    found = again(*[mx.nd.array(inputs[each.name]) for each in model.graph.input])
    found = found if isinstance(found, list) else [found]
    again.export(str(folder / "again"))
    apart = [worst(outputs, computed), worst(outputs, [each.asnumpy() for each in found])]
    try:
        in_mxnet(AGAIN)
    except subprocess.CalledProcessError:
        back = "not run"
    else:
        apart.append(worst(outputs, loaded(folder / "again.npz").values()))
        back = f"{apart[-1]:.1g}"
    word = "agrees" if max(apart) < TOLERANCE else "differs"
    return f"{word}: {runtime} {apart[0]:.1g}, read again {apart[1]:.1g}, back in MXNet {back}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=[*vision.FUNCTIONS, *NETS])
    parser.add_argument("--mxnet", required=True, help="a Python that has MXNet 1.9.1")
    options = parser.parse_args()
    for name in options.names:
        try:
            with tempfile.TemporaryDirectory() as folder:
                told = outcome(options.mxnet, name, Path(folder))
        except Exception as error:  # each refusal is reported with its cause
            told = f"{type(error).__name__}: {error}"[:600]
        print(f"{name}: {told}", flush=True)


if __name__ == "__main__":
    main()
