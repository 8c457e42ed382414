"""PyTorch on the same GPU, where it can be imported: the same nets under the same names, in float32."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.gpu.benchmarks import measured
from tests.gpu.report import SKIPPED, Report
from tests.gpu.workloads import FORWARD, STEPS

Nets = dict[str, tuple[Callable[[], Any], tuple[int, ...]]]


def _function(torch: Any, body: Callable[[Any], Any]) -> Any:
    class Function(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return body(x)

    return Function()


def _attention(torch: Any, width: int, heads: int) -> Any:
    nn = torch.nn

    class Attention(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            y = self.first(x)
            q, k, v = (
                dense(y).view(*x.shape[:2], heads, -1).transpose(1, 2)
                for dense in (self.q, self.k, self.v)
            )
            weights = torch.softmax(q @ k.transpose(-1, -2) / 8.0, -1)
            x = x + self.o((weights @ v).transpose(1, 2).reshape(x.shape))
            return x + self.narrow(nn.functional.gelu(self.wide(self.second(x))))

    return Attention()


def _recurrent(torch: Any) -> Any:
    class Recurrent(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.cell = torch.nn.LSTMCell(64, 128)

        def forward(self, x: Any) -> Any:
            state, steps = None, []
            for number in range(x.shape[1]):
                state = self.cell(x[:, number], state)
                steps.append(state[0])
            return torch.stack(steps, 1)

    return Recurrent()


def _words(torch: Any) -> Any:
    class Words(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(10000, 512)
            self.layers = torch.nn.LSTM(512, 512, 2, batch_first=True)
            self.scores = torch.nn.Linear(512, 10)

        def forward(self, x: Any) -> Any:
            numbers = (x.abs() * 2500).long().clamp(0, 9999)
            return self.scores(self.layers(self.table(numbers))[0][:, -1])

    return Words()


def _mlp(torch: Any) -> Any:
    nn = torch.nn
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(256, 10))


def _lenet(torch: Any) -> Any:
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(20, 50, 5), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Linear(800, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip


def _nets(torch: Any) -> Nets:
    nn = torch.nn

    def chain(x: Any) -> Any:
        y = torch.tanh(x * 0.5 + 1.0)
        z = torch.sigmoid(y * x - 0.3)
        return torch.relu(z * y + torch.exp(-z * z)) * 0.7 + x

    def normalized(x: Any) -> Any:
        return (x - x.min()) / (x.max() - x.min())

    makers: dict[str, Callable[[], Any]] = {
        "chain": lambda: _function(torch, chain),
        "norm": lambda: _function(torch, normalized),
        "softmax": lambda: nn.Softmax(-1),
        "tiny": lambda: nn.Sequential(
            nn.Linear(2, 5), _function(torch, normalized), nn.Linear(5, 1)
        ),
        "mlp": lambda: _mlp(torch),
        "lenet": lambda: _lenet(torch),
        "lstm": lambda: _recurrent(torch),
        "words": lambda: _words(torch),
        "sorted": lambda: _function(torch, lambda x: torch.sort(x)[0]),
        "joined": lambda: _function(torch, lambda x: torch.cat((x, x), 1)),
        "encoder": lambda: _attention(torch, 256, 4),
        "encoder6": lambda: nn.Sequential(*[_attention(torch, 768, 12) for _ in range(6)]),
    }
    shapes = {name: workload.shape for name, workload in (*FORWARD.items(), *STEPS.items())}
    nets = {
        name: (makers[name.split("_")[0]], shape)
        for name, shape in shapes.items()
        if name.split("_")[0] in makers
    }
    for width in (1024, 4096):
        name = f"layer_norm_{width}"
        nets[name] = (partial(nn.LayerNorm, width), shapes[name])
    return nets


def torch_on_gpu(report: Report) -> Any:
    """PyTorch; None, and a row that says why, if it is not there or has no GPU."""
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError as error:
        report.add("PyTorch", SKIPPED, str(error))
        return None
    if not torch.cuda.is_available():
        report.add("PyTorch", SKIPPED, f"PyTorch {torch.__version__} has no GPU")
        return None
    return torch


def whole(report: Report) -> None:
    """Measure PyTorch; its convolutional nets of the zoo are in torchvision, which few machines have."""
    torch = torch_on_gpu(report)
    if torch is None:
        return
    report.add("PyTorch", version=torch.__version__, gpu=torch.cuda.get_device_name(0))
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    for name, (make, shape) in _nets(torch).items():
        with report.going_on(name), torch.device("cuda"):
            net, x = make().cuda(), torch.randn(shape)
            call = _step(torch, net, x) if "step" in name else _forward(torch, net, x)
            report.add(name, **measured(call, torch.cuda.synchronize, 0.3))


def _forward(torch: Any, net: Any, x: Any) -> Callable[[], Any]:
    net.eval()

    def call() -> Any:
        with torch.inference_mode():
            return net(x)

    return call


def _step(torch: Any, net: Any, x: Any) -> Callable[[], Any]:
    loss_of = torch.nn.CrossEntropyLoss()
    labels = torch.randint(0, 10, (x.shape[0],))
    optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)

    def call() -> None:
        optimizer.zero_grad()
        loss_of(net(x), labels).backward()
        optimizer.step()

    return call
