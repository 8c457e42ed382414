"""Computes a model's results with the real MXNet, whose Python runs this file by itself.

It reads a request as JSON from standard input: the files of the network, the parameters and the inputs
(``.npz``), the names of the results, and the file to write them to (``.npz``). It prints MXNet's version.
"""

import json
import sys
from typing import Any


def main() -> None:
    """Answer one request."""
    import mxnet  # only that Python has it
    import numpy

    request = json.load(sys.stdin)
    internals = mxnet.sym.load(request["network"]).get_internals()
    available = internals.list_outputs()
    wanted = [name for name in request["results"] if name in available]
    results = mxnet.sym.Group([internals[name] for name in wanted])
    with numpy.load(request["inputs"]) as arrays:
        given: Any = {
            name: mxnet.nd.array(arrays[name], dtype=arrays[name].dtype) for name in arrays.files
        }
    for name, array in mxnet.nd.load(request["parameters"]).items():
        given[name.split(":", 1)[-1]] = array
    known = {name: given[name].shape for name in results.list_inputs() if name in given}
    shapes, _, _ = results.infer_shape_partial(**known)
    for name, shape in zip(results.list_arguments(), shapes):  # noqa: B905  it may be an old Python
        if name not in given:
            given[name] = mxnet.nd.zeros(shape)  # a label
    executor = results.bind(
        mxnet.cpu(),
        {name: given[name] for name in results.list_arguments()},
        aux_states={name: given[name] for name in results.list_auxiliary_states()},
        grad_req="null",
    )
    outputs = [output.asnumpy() for output in executor.forward(is_train=False)]
    numpy.savez(request["output"], **{f"r{i}": output for i, output in enumerate(outputs)})
    print(json.dumps({"version": mxnet.__version__, "results": wanted}))


if __name__ == "__main__":
    main()
