"""The same workloads in PyTorch and ONNX Runtime, in one process each; prints a line of JSON for each."""

import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.threads.nets import NETS, Workload
from benchmarks.threads.ours import milliseconds, report


def torch_times(counts: Sequence[int], only: Sequence[str]) -> None:
    """Measure PyTorch."""
    torch: Any = importlib.import_module("torch")
    makers = importlib.import_module("benchmarks.threads.torch_nets").NETS
    nets = {name: makers[name]() for name in only}

    def call_of(name: str) -> Callable[[], Any]:
        (_, shape, trains), net = NETS[name], nets[name]
        x = torch.randn(*shape)
        if not trains:
            net.eval()
            return lambda: torch.inference_mode()(net)(x)
        optimizer = torch.optim.SGD(net.parameters(), 0.01)

        def step() -> None:
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()

        return step

    for threads in counts:
        torch.set_num_threads(threads)
        for name in nets:
            call = call_of(name)
            for _ in range(3):
                call()
            report(kind="peer", peer="torch", name=name, threads=threads, **milliseconds(call))


def runtime_times(counts: Sequence[int], only: Sequence[str]) -> None:
    """Measure ONNX Runtime, on the nets that gluonic exports."""
    runtime: Any = importlib.import_module("onnxruntime")
    with tempfile.TemporaryDirectory() as folder:
        files, inputs = {}, {}
        for name in only:
            workload = Workload(name)
            if not workload.trains:
                workload.net(workload.input)
                files[name] = str(Path(folder, f"{name}.onnx"))
                workload.net.export_onnx(files[name], workload.input)
                inputs[name] = np.ascontiguousarray(workload.input.asnumpy())
        for threads in counts:
            for name, file in files.items():
                options = runtime.SessionOptions()
                options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
                session = runtime.InferenceSession(
                    file, options, providers=["CPUExecutionProvider"]
                )
                feed = {session.get_inputs()[0].name: inputs[name]}

                def call(session: Any = session, feed: Any = feed) -> Any:
                    return session.run(None, feed)

                for _ in range(3):
                    call()
                report(
                    kind="peer",
                    peer="onnxruntime",
                    name=name,
                    threads=threads,
                    **milliseconds(call),
                )


if __name__ == "__main__":
    choices = json.loads(sys.argv[2])
    measure = {"torch": torch_times, "onnxruntime": runtime_times}[sys.argv[1]]
    measure(choices["counts"], choices["only"] or [*NETS])
