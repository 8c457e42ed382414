"""Computes a model's results with the real MXNet, whose Python runs this file by itself.

It reads a request as JSON from standard input: the files of the network, the parameters and the inputs
(``.npz``), the names of the results, and the file to write them to (``.npz``). It prints MXNet's version.
"""

import json
import sys
from typing import Any

import mxnet  # type: ignore[import-not-found]
import numpy


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    symbol = mxnet.sym.load(request["network"])
    internals = symbol.get_internals()
    available = internals.list_outputs()
    wanted = [name for name in request["results"] if name in available]
    inputs = {name: mxnet.nd.array(x, dtype=x.dtype) for name, x in _arrays(request["inputs"])}
    saved = mxnet.nd.load(request["parameters"])
    values = {name.split(":", 1)[-1]: array for name, array in saved.items()}
    results = mxnet.sym.Group([internals[name] for name in wanted])
    shapes = {name: array.shape for name, array in inputs.items()}
    known = {name: array.shape for name, array in values.items() if name in results.list_inputs()}
    arguments, _, _ = results.infer_shape_partial(**dict(known, **shapes))
    for name, shape in zip(results.list_arguments(), arguments):  # noqa: B905  nor has it `strict`
        if name not in inputs and name not in values:
            inputs[name] = mxnet.nd.zeros(shape)  # a label
    given = dict(values, **inputs)
    executor = results.bind(
        mxnet.cpu(),
        {name: given[name] for name in results.list_arguments()},
        aux_states={name: given[name] for name in results.list_auxiliary_states()},
        grad_req="null",
    )
    outputs = [output.asnumpy() for output in executor.forward(is_train=False)]
    numpy.savez(request["output"], **{f"r{i}": output for i, output in enumerate(outputs)})
    print(json.dumps({"version": mxnet.__version__, "results": wanted}))


def _arrays(file: str) -> Any:
    with numpy.load(file) as arrays:
        return [(name, arrays[name]) for name in arrays.files]


if __name__ == "__main__":
    main()
