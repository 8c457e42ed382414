"""The real MXNet exports its model zoo; the files go to ONNX, and both compute the same.

    python -m tests.onnx.mxnets_exports --mxnet PYTHON [NAME …]

For each net, MXNet writes net-symbol.json, net-0000.params, two images and their scores. gluonic writes the
files as ONNX, ONNX Runtime computes the scores, and gluonic those of the model that it has read again.
docs/onnx.md records the result.
"""

import argparse
import importlib
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import gluonic as mx
from gluonic.contrib import onnx as onnx_io
from gluonic.gluon.model_zoo import vision
from gluonic.onnx.comparison import difference, run_model

TOLERANCE = 1e-5
SIDES = {"inceptionv3": 299, "densenet": 224, "squeezenet": 224}
"""The heights and widths of images, by the beginnings of names; smaller ones do where a net allows it."""
WRITE = """
import sys
import numpy as np
import mxnet as mx
from mxnet.gluon.model_zoo import vision
folder, name, side = sys.argv[1], sys.argv[2], int(sys.argv[3])
mx.random.seed(1)
net = vision.get_model(name, classes=10)
net.initialize(mx.init.Xavier(magnitude=2))
image = np.random.RandomState(1).uniform(-1, 1, (2, 3, side, side)).astype("float32")
net.hybridize()
scores = net(mx.nd.array(image))
net.export(folder + "/net")
np.savez(folder + "/computed.npz", image=image, scores=scores.asnumpy())
"""


def outcome(python: str, name: str, folder: Path) -> str:
    """How far the scores of a net agree with MXNet's."""
    side = next((side for begin, side in SIDES.items() if name.startswith(begin)), 64)
    subprocess.run([python, "-c", WRITE, str(folder), name, str(side)], check=True)
    with np.load(folder / "computed.npz") as computed:
        image, scores = computed["image"], computed["scores"]
    path = mx.onnx.export_model(
        str(folder / "net-symbol.json"),
        str(folder / "net-0000.params"),
        [image.shape],
        onnx_file_path=str(folder / "net.onnx"),
        check=False,
    )
    (found,), runtime = run_model(importlib.import_module("onnx").load(path), {"data": image})
    again = onnx_io.import_to_gluon(path)(mx.nd.array(image)).asnumpy()
    apart = difference(scores, np.asarray(found)), difference(scores, again)
    word = "agrees" if max(apart) < TOLERANCE else "differs"
    return f"{word}: {runtime} {apart[0]:.1g}, read again {apart[1]:.1g}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=[*vision.FUNCTIONS])
    parser.add_argument("--mxnet", required=True, help="a Python that has MXNet 1.9.1")
    options = parser.parse_args()
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: {outcome(options.mxnet, name, Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
