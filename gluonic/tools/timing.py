"""Timing a model in a process of its own: ``python -m gluonic.tools.timing``, started by ``gluonic bench``.

It reads what to time as JSON from standard input, and writes the times, in seconds, to standard output.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from gluonic.graph import Array
from gluonic.graph.errors import MissingModuleError, describe
from gluonic.graph.threads import thread_count
from gluonic.ndarray import NDArray
from gluonic.onnx.exporting import write_model
from gluonic.onnx.inputs import named_inputs
from gluonic.onnx.library import onnx_runtime
from gluonic.pytorch import LoadedModule, export_torch, torch_library
from gluonic.support.extras import how_to_install
from gluonic.tools.models import Model

Call: TypeAlias = Callable[[], Any]
Data: TypeAlias = Mapping[str, NDArray]

LEAST_CALLS = 5


def main() -> None:
    """Answer one request."""
    request: Mapping[str, Any] = json.load(sys.stdin)
    shapes = {name: tuple(shape) for name, shape in request["shapes"].items()}
    model = Model(Path(request["network"]), request["params"], shapes, drawn=True)
    data = model.sample(request["batch"])
    model(data)  # draws parameters, and compiles
    call = _CALLS[request["mode"]](model, data)
    json.dump(_times(call, request["seconds"]), sys.stdout)


def _in_onnx_runtime(model: Model, data: Data) -> Call:
    runtime = onnx_runtime()
    if runtime is None:
        raise MissingModuleError(
            describe("ONNX Runtime is not installed", hint=how_to_install("onnx"))
        )
    options = runtime.SessionOptions()
    options.intra_op_num_threads = thread_count()
    inputs = named_inputs(model.graph, _described(data))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        write_model(model.symbol, _elements(model.values()), inputs, path, check=False)
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feed = {value.name: data[value.name].asnumpy() for value in session.get_inputs()}
    return lambda: session.run(None, feed)


def _in_pytorch(model: Model, data: Data) -> Call:
    torch_library().set_num_threads(thread_count())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.py"
        files = export_torch(
            model.symbol, _elements(model.values()), _described(data), path, check=False
        )
        module = LoadedModule.of_files(files.source, files.weights)
    tensors = module.tensors(_elements(data).values())
    return lambda: module.run(tensors)


def _described(data: Data) -> dict[str, tuple[tuple[int, ...], Any]]:
    return {name: (array.shape, array.dtype) for name, array in data.items()}


def _elements(arrays: Data) -> dict[str, Array]:
    return {name: array.asnumpy() for name, array in arrays.items()}


_CALLS: Mapping[str, Callable[[Model, Data], Call]] = {
    "eager": lambda model, data: lambda: _finish(one for _, one in model.eagerly(data)),
    "hybridized": lambda model, data: lambda: _finish([model(data)]),
    "onnxruntime": _in_onnx_runtime,
    "pytorch": _in_pytorch,
}
"""What is timed, by the mode: a call for a model and its inputs."""


def _finish(results: Any) -> None:
    for arrays in results:
        last = arrays
    last[0].wait_to_read()


def _times(call: Call, seconds: float) -> list[float]:
    """The times of calls until the seconds are over; of the first calls, which prepare, none counts."""
    for _ in range(2):
        call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < LEAST_CALLS or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()
