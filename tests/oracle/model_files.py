"""Run models from other projects' files with ``import mxnet``: eager, hybridized, exported and read back.

    python -m tests.oracle.model_files FOLDER package.module:constructor … --size 224 --batch 2 --dtype float64

Prints the relative differences of hybridized from eager results, and of imported from hybridized ones; and
those of gradients, beside the effect of rounding the input differently. In float32, a relu whose input changes
its sign by rounding changes the gradients of deep networks by some per cent; float64 is more conclusive.
Dropout is off: in a compiled graph its draws come in another order.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import gluonic
from gluonic import autograd, gluon, nd

Arrays = dict[str, np.ndarray[Any, Any]]


def _outputs(found: Any) -> list[Any]:
    """All arrays that a net returns."""
    if isinstance(found, (list, tuple)):
        return [array for part in found for array in _outputs(part)]
    return [found]


def _forward(net: Any, data: Any) -> Arrays:
    return {str(i): array.asnumpy() for i, array in enumerate(_outputs(net(data)))}


def _gradients(net: Any, data: Any) -> Arrays:
    """The gradients of all parameters, with the statistics of batches left as they were."""
    parameters = net.collect_params()
    statistics = {p: p.data().copy() for p in parameters.values() if p.grad_req == "null"}
    trained = {name: p for name, p in parameters.items() if p.grad_req != "null"}
    gluonic.random.seed(3)
    with autograd.record():
        outputs = _outputs(net(data))
    generator = np.random.default_rng(5)
    heads = [nd.array(generator.normal(size=y.shape), dtype=y.dtype) for y in outputs]
    autograd.backward(outputs, heads)
    found = {name: parameter.grad().asnumpy() for name, parameter in trained.items()}
    for parameter, before in statistics.items():
        parameter.set_data(before)
    return found


def _apart(found: Arrays, expected: Arrays) -> float:
    """The largest difference, of each array as a share of its largest number."""
    most = max((np.abs(array).max(initial=0) for array in expected.values()), default=0)
    shares = [
        np.abs(found[name] - array).max(initial=0) / (np.abs(array).max(initial=0) + most / 100)
        for name, array in expected.items()
    ]
    return float(max(shares, default=0.0))


def _prepare(net: Any, data: Any, dtype: str) -> None:
    """Give the net weights with which no signal vanishes, and a dtype; some models hybridize themselves."""
    net.hybridize(False)
    net.initialize()
    net(data)
    for parameter in net.collect_params().values():
        if parameter.grad_req != "null" and len(parameter.shape) > 1:
            parameter.initialize(gluonic.init.Xavier(), force_reinit=True)
    net.apply(_without_dropout)
    net.cast(dtype)


def _without_dropout(block: Any) -> None:
    if isinstance(block, gluon.nn.Dropout):
        block._rate = 0


def compare(net: Any, data: Any, dtype: str = "float32") -> dict[str, float]:
    """How far a net's results are apart in the ways there are of computing them."""
    _prepare(net, data, dtype)
    data = data.astype(dtype)
    eager, gradients = _forward(net, data), _gradients(net, data)
    generator = np.random.default_rng(1)
    moved = 1 + 2.5 * np.finfo(dtype).eps * generator.normal(size=data.shape)
    rounded = data * nd.array(moved, dtype=dtype)
    noise = _apart(_gradients(net, rounded), gradients)
    net.hybridize()
    hybrid = _forward(net, data)
    found = {
        "forward": _apart(hybrid, eager),
        "gradients": _apart(_gradients(net, data), gradients),
        "noise": noise,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net"
        net(data)
        net.export(str(path))
        back = gluon.SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0000.params")
        found["imported"] = _apart(_forward(back, data), hybrid)
    return found


def main() -> None:
    """Compare the models that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="what sys.path needs")
    parser.add_argument("models", nargs="+", help="package.module:constructor")
    parser.add_argument("--size", type=int, default=224, help="of square images")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--dtype", default="float32", help="of the computation")
    chosen = parser.parse_args()
    gluonic.install_as_mxnet()
    sys.path.insert(0, chosen.folder)
    data = nd.array(np.random.default_rng(0).normal(size=(chosen.batch, 3, *[chosen.size] * 2)))
    for model in chosen.models:
        module, _, constructor = model.partition(":")
        try:
            net = getattr(importlib.import_module(module), constructor)()
            found = compare(net, data, chosen.dtype)
        except Exception:  # the next model is tried all the same
            print(f"{model}\n{traceback.format_exc()[-2000:]}", flush=True)
        else:
            print(model, *(f"{what} {apart:.1e}" for what, apart in found.items()), flush=True)


if __name__ == "__main__":
    main()
