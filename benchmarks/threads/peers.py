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


def _torch_nets(torch: Any) -> dict[str, Callable[[], Any]]:
    """The nets of `NETS` as modules of PyTorch."""
    nn = torch.nn

    def layer(
        channels: int, filters: int, kernel: int, stride: int = 1, groups: int = 1, last: bool = True
    ) -> list[Any]:
        around = kernel // 2
        convolution = nn.Conv2d(
            channels, filters, kernel, stride, around, groups=groups, bias=False
        )
        return [convolution, nn.BatchNorm2d(filters), *([nn.ReLU()] if last else [])]

    class Residual(nn.Module):  # type: ignore[misc, name-defined]
        """Layers, added to their input or to a convolution of it."""

        def __init__(self, body: list[Any], channels: int, filters: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(*body)
            changes = stride != 1 or channels != filters
            self.skip = layer(channels, filters, 1, stride, last=False) if changes else []
            self.skip = nn.Sequential(*self.skip)

        def forward(self, x: Any) -> Any:
            return torch.relu(self.body(x) + self.skip(x))

    class Chain(nn.Module):  # type: ignore[misc, name-defined]
        """Element-wise operators."""

        def forward(self, x: Any) -> Any:
            y = torch.tanh(x * 0.5 + 1.0)
            z = torch.sigmoid(y * x - 0.3)
            return torch.relu(z * y + torch.exp(-z * z)) * 0.7 + x

    class Encoder(nn.Module):  # type: ignore[misc, name-defined]
        """A layer of a transformer's encoder."""

        def __init__(self, units: int = 256, heads: int = 4) -> None:
            super().__init__()
            self.heads = heads
            self.dense = nn.ModuleList([nn.Linear(units, units) for _ in range(4)])
            self.norms = nn.ModuleList([nn.LayerNorm(units) for _ in range(2)])
            wide, narrow = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)
            self.last = nn.Sequential(wide, nn.GELU(), narrow)

        def forward(self, x: Any) -> Any:
            y = self.norms[0](x)
            shape = (*x.shape[:2], self.heads, -1)
            q, k, v = (dense(y).view(shape).transpose(1, 2) for dense in self.dense[:3])
            mixed = torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1) @ v
            x = x + self.dense[3](mixed.transpose(1, 2).reshape(x.shape))
            return x + self.last(self.norms[1](x))

    stem = [*layer(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten()]

    def resnet50() -> Any:
        layers, channels = [*stem], 64
        for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for number in range(count):
                step, filters = (1 if number else stride), 4 * width
                body = [*layer(channels, width, 1, step), *layer(width, width, 3)]
                body += layer(width, filters, 1, last=False)
                layers.append(Residual(body, channels, filters, step))
                channels = filters
        return nn.Sequential(*layers, *head, nn.Linear(channels, 1000))

    def resnet18() -> Any:
        layers, channels = [*stem], 64
        for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            for step in (stride, 1):
                body = [*layer(channels, width, 3, step), *layer(width, width, 3, last=False)]
                layers.append(Residual(body, channels, width, step))
                channels = width
        return nn.Sequential(*layers, *head, nn.Linear(channels, 1000))

    def mobilenet() -> Any:
        layers, channels = layer(3, 32, 3, 2), 32
        pairs = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5]
        for filters, stride in (*pairs, (1024, 2), (1024, 1)):
            layers += layer(channels, channels, 3, stride, channels) + layer(channels, filters, 1)
            channels = filters
        return nn.Sequential(*layers, *head, nn.Linear(channels, 1000))

    return {
        "resnet50": resnet50,
        "mobilenet": mobilenet,
        "resnet18 step": resnet18,
        "chain": Chain,
        "encoder": Encoder,
    }


def torch_times(counts: Sequence[int], only: Sequence[str]) -> None:
    """Measure PyTorch."""
    torch: Any = importlib.import_module("torch")
    nets = {name: make() for name, make in _torch_nets(torch).items() if name in only}

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
                    kind="peer", peer="onnxruntime", name=name, threads=threads, **milliseconds(call)
                )


if __name__ == "__main__":
    choices = json.loads(sys.argv[2])
    measure = {"torch": torch_times, "onnxruntime": runtime_times}[sys.argv[1]]
    measure(choices["counts"], choices["only"] or [*NETS])
