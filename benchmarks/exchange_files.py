"""Exchange of exported nets with MXNet: each package reads the other's files and computes the same.

Run it in gluonic's environment with the Python of an environment that has MXNet 1.9.1::

    python -m benchmarks.exchange_files /path/to/mxnet/bin/python

Each net is built, exported and run on one input by either package; the other imports graph and parameters,
runs the same input, and loads the parameters that `save_parameters` wrote into a net of its own.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def _convolutional(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, strides=2, padding=1, use_bias=False), nn.BatchNorm(), nn.PReLU())
        net.add(nn.MaxPool2D(2), nn.Conv2D(6, 3, groups=2), nn.GlobalAvgPool2D(), nn.Flatten())
        net.add(nn.Dense(5, activation="softrelu"), nn.Dropout(0.3), nn.LayerNorm())
    return net


def _upsampling(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="up_")
    with net.name_scope():
        net.add(
            nn.Conv2DTranspose(3, 4, strides=2, padding=1), nn.InstanceNorm(), nn.LeakyReLU(0.1)
        )
        net.add(nn.AvgPool2D(2), nn.Conv2D(2, 1), nn.Swish())
    return net


def _embedded(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="words_")
    with net.name_scope():
        net.add(nn.Embedding(11, 6), nn.Dense(4, flatten=False, activation="tanh"), nn.GELU())
    return net


def _recurrent(mx: Any) -> Any:
    net = mx.gluon.nn.HybridSequential(prefix="rec_")
    with net.name_scope():
        net.add(mx.gluon.rnn.LSTM(5, num_layers=2, bidirectional=True, layout="NTC"))
        net.add(mx.gluon.nn.Dense(3))
    return net


def _handwritten(mx: Any) -> Any:
    class Handwritten(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            with self.name_scope():
                self.dense = mx.gluon.nn.Dense(6, in_units=4)
                self.tied = mx.gluon.nn.Dense(6, in_units=4, params=self.dense.params)
                self.scale = self.params.get("scale", shape=(1, 6), init="ones")
                self.shift = self.params.get_constant("shift", [[0.5, -0.5, 1, -1, 2, -2]])

        def hybrid_forward(self, F: Any, x: Any, y: Any, scale: Any, shift: Any) -> Any:
            both = F.broadcast_mul(self.dense(x), scale) + self.tied(y)
            parts = F.split(F.broadcast_add(both, shift), num_outputs=2, axis=1)
            picked = F.where(parts[0] > parts[1], parts[0], F.sigmoid(parts[1]))
            return F.softmax(picked, axis=-1), F.concat(*parts, dim=0).sum(axis=1)

    return Handwritten(prefix="hand_")


NETS: dict[str, tuple[Callable[[Any], Any], list[tuple[int, ...]]]] = {
    "convolutional": (_convolutional, [(2, 3, 17, 17)]),
    "upwards": (_upsampling, [(2, 4, 5, 5)]),
    "embedded": (_embedded, [(3, 7)]),
    "recurrent": (_recurrent, [(2, 6, 4)]),
    "by hand": (_handwritten, [(3, 4), (3, 4)]),
}


def inputs(name: str) -> list[Any]:
    """Return the inputs of a net; integers for embeddings."""
    draw = np.random.RandomState(3)
    if name == "embedded":
        return [draw.randint(0, 11, shape).astype(np.float32) for shape in NETS[name][1]]
    return [draw.uniform(-1, 1, shape).astype(np.float32) for shape in NETS[name][1]]


def _results(mx: Any, net: Any, name: str) -> list[Any]:
    found = net(*[mx.nd.array(x) for x in inputs(name)])
    return [one.asnumpy() for one in (found if isinstance(found, (list, tuple)) else [found])]


def write(mx: Any, folder: Path) -> None:
    """Export all nets, with their outputs."""
    for name, (make, _) in NETS.items():
        mx.random.seed(5)
        net = make(mx)
        net.initialize(mx.init.Xavier())
        _results(mx, net, name)  # this infers the shapes of all parameters
        net.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
        results = _results(mx, net, name)
        net.export(str(folder / name))
        net.save_parameters(str(folder / f"{name}.structure.params"))
        np.savez(folder / f"{name}.npz", *results)


def read(mx: Any, folder: Path) -> bool:
    """Import all nets and compare their outputs; return whether all agree."""
    fine = True
    for name, (make, shapes) in NETS.items():
        names = ["data"] if len(shapes) == 1 else [f"data{i}" for i in range(len(shapes))]
        graph, values = folder / f"{name}-symbol.json", folder / f"{name}-0000.params"
        imported = mx.gluon.SymbolBlock.imports(str(graph), names, str(values))
        loaded = make(mx)
        loaded.load_parameters(str(folder / f"{name}.structure.params"))
        expected = list(np.load(folder / f"{name}.npz").values())
        again = mx.sym.load(str(graph)).tojson()
        same_text = again == graph.read_text()
        for how, net in (("imported", imported), ("loaded", loaded)):
            found = _results(mx, net, name)
            error = max(float(abs(a - b).max()) for a, b in zip(found, expected, strict=True))
            fine &= error < 1e-5
            print(
                f"  {name:15} {how:9} largest difference {error:.1e}; JSON again the same: {same_text}"
            )
    return fine


def main() -> int:
    """Exchange files both ways."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("python", help="the Python that has MXNet 1.9.1")
    parser.add_argument("--do", choices=["write", "read"], help=argparse.SUPPRESS)
    parser.add_argument("--package", default="gluonic", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.do:
        mx = importlib.import_module(given.package)
        return (
            0 if (write if given.do == "write" else read)(mx, given.folder) in (None, True) else 1
        )
    sides = {"gluonic": sys.executable, "mxnet": given.python}
    root = str(Path(__file__).resolve().parent.parent)
    status = 0
    for writer, reader in (("gluonic", "mxnet"), ("mxnet", "gluonic"), ("gluonic", "gluonic")):
        print(f"{writer} writes, {reader} reads", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for package, what in ((writer, "write"), (reader, "read")):
                command = [sides[package], __file__, given.python, "--do", what]
                command += ["--package", package, "--folder", folder]
                status |= subprocess.run(
                    command, env={**os.environ, "PYTHONPATH": root}, check=False
                ).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
