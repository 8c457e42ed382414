"""Products and convolutions on this machine's GPU: right, and how fast, beside PyTorch where it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import numpy.typing as npt

from gluonic.codegen import DeviceGraph
from gluonic.device import Device, DeviceArray
from gluonic.device.devices import device
from gluonic.graph import Graph, Node, Run
from gluonic.graph.builder import F
from gluonic.graph.random_source import RandomSource
from tests.gpu.arrays import are_there
from tests.gpu.report import Report
from tests.gpu.torch_workloads import torch_on_gpu

Array = npt.NDArray[Any]
_PART_OF_A_SECOND = 0.06
"""How long one shape is timed."""


class Product(NamedTuple):
    """A product ``left · right``, `count` times."""

    rows: int
    columns: int
    inner: int
    transposes: tuple[bool, bool] = (False, False)
    batch: int = 0
    dtype: str = "float32"
    rounds: bool = False
    """Whether float32 may be rounded to TF32."""

    @property
    def name(self) -> str:
        """What it is called."""
        shape = "x".join(map(str, (self.rows, self.columns, self.inner)))
        turned = "".join("nt"[turn] for turn in self.transposes)
        dtype = "tf32" if self.rounds else self.dtype
        return f"{'batch ' + str(self.batch) + ' ' if self.batch else ''}{shape} {turned} {dtype}"

    @property
    def operations(self) -> int:
        """The number of multiplications and additions."""
        return 2 * max(self.batch, 1) * self.rows * self.columns * self.inner

    def shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the factors."""
        first, second = (self.rows, self.inner), (self.inner, self.columns)
        pair = zip((first, second), self.transposes, strict=True)
        before = (self.batch,) if self.batch else ()
        return [(*before, *(shape[::-1] if turn else shape)) for shape, turn in pair]


_TURNS = [(False, True), (True, False), (True, True)]
PRODUCTS = [
    *(Product(n, n, n) for n in (512, 1024, 2048, 4096, 8192)),
    *(Product(4096, 4096, 4096, turn) for turn in _TURNS),
    Product(1000, 999, 1001),
    Product(64, 512, 784, (False, True)),
    Product(64, 10, 256, (False, True)),
    Product(512, 784, 64, (True, False)),
    Product(1, 1000, 2048, (False, True)),
    Product(1024, 3072, 768, (False, True)),
    Product(128, 128, 64, (False, True), batch=96),
    Product(8192, 8192, 8192, dtype="float16"),
    *(Product(4096, 4096, 4096, turn, dtype="float16") for turn in _TURNS),
    Product(8192, 8192, 8192, rounds=True),
    Product(4096, 4096, 4096, rounds=True),
    *(Product(4096, 4096, 4096, turn, rounds=True) for turn in _TURNS),
    Product(1000, 999, 1001, dtype="float16"),
    Product(1024, 1024, 1024, dtype="float64"),
    Product(4096, 4096, 4096, (False, True), dtype="float64"),
]


class Layer(NamedTuple):
    """A convolution of square images: filters, channels, size, kernel, stride, groups."""

    filters: int
    channels: int
    size: int
    kernel: int
    stride: int = 1
    groups: int = 1

    @property
    def settings(self) -> dict[str, Any]:
        """The attributes of the operator."""
        both = {"kernel": self.kernel, "stride": self.stride, "pad": self.kernel // 2}
        own: dict[str, Any] = {name: (value, value) for name, value in both.items()}
        return {**own, "num_filter": self.filters, "num_group": self.groups, "no_bias": True}

    @property
    def weight(self) -> tuple[int, ...]:
        """The shape of its filters."""
        return self.filters, self.channels // self.groups, self.kernel, self.kernel

    @property
    def extent(self) -> int:
        """That of the output."""
        return (self.size + 2 * (self.kernel // 2) - self.kernel) // self.stride + 1


LAYERS = [
    Layer(64, 3, 224, 7, 2),
    Layer(64, 64, 56, 1),
    Layer(64, 64, 56, 3),
    Layer(256, 64, 56, 1),
    Layer(512, 256, 56, 1, 2),
    Layer(128, 128, 56, 3, 2),
    Layer(128, 128, 28, 3),
    Layer(512, 128, 28, 1),
    Layer(256, 256, 14, 3),
    Layer(1024, 256, 14, 1),
    Layer(512, 512, 7, 3),
    Layer(2048, 512, 7, 1),
    Layer(512, 512, 14, 3, groups=512),
    Layer(64, 64, 112, 3, 2, groups=64),
    Layer(96, 96, 56, 7, groups=96),
    Layer(128, 128, 56, 3, groups=32),
    Layer(512, 512, 14, 3, groups=32),
]
"""Those of ResNet-50, and one of MobileNet."""
ON_MATRIX_UNITS = [layer for layer in LAYERS[1:9] if layer.size < 56 or layer.kernel == 3]
"""Those that are measured in TF32 and float16, too, with 32 images."""


class _Timed:
    """An operator on the device, called with arrays that are there."""

    def __init__(self, there: Device, make: Callable[..., Any], arrays: Sequence[Array]) -> None:
        self.there = there
        nodes = [Node(None, f"x{number}") for number in range(len(arrays))]
        self.graph = DeviceGraph(Graph([make(*[node.entry() for node in nodes])]), nodes)
        self.arrays = [DeviceArray.of_host(there, array) for array in arrays]

    def __call__(self) -> DeviceArray:
        (result,) = self.graph(self.arrays, Run(train=False, random=RandomSource(0)), self.there)
        return result

    def seconds(self) -> tuple[float, float]:
        """The time of the first call, and of one of several in a row."""
        start = time.perf_counter()
        self()
        self.there.synchronize()
        first = time.perf_counter() - start
        return first, _in_a_row(self, self.there.synchronize)


def _in_a_row(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """The time of one of several calls, in seconds."""
    start = time.perf_counter()
    for _ in range(3):
        call()
    wait()
    number = max(3, int(_PART_OF_A_SECOND * 3 / (time.perf_counter() - start)))
    start = time.perf_counter()
    for _ in range(number):
        call()
    wait()
    return (time.perf_counter() - start) / number


def _random(generator: np.random.Generator, shape: Sequence[int], dtype: str) -> Array:
    return generator.standard_normal(tuple(shape), np.float32).astype(dtype)


def _figures(operations: int, first: float, each: float, theirs: float | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "us": round(each * 1e6, 1),
        "gflops": round(operations / each / 1e9),
        "first_ms": round(first * 1e3, 1),
    }
    if theirs is not None:
        found |= {"torch_us": round(theirs * 1e6, 1), "share": round(theirs / each, 2)}
    return found


def _far(ours: Array, expected: Array) -> float:
    """The largest difference, as a part of the largest number."""
    wide = expected.astype(np.float64)
    return float(np.abs(ours.astype(np.float64) - wide).max() / max(np.abs(wide).max(), 1e-30))


_MOST = {"float16": 2e-3, "tf32": 1e-3, "float32": 2e-5, "float64": 1e-13}


@contextmanager
def _rounding(torch: Any, rounds: bool) -> Iterator[None]:
    """Let float32 be rounded to TF32 or not, here and in PyTorch."""
    if torch is not None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = rounds
    with mock.patch.dict("os.environ", {"GLUONIC_TF32": str(int(rounds))}):
        yield


def _product(report: Report, there: Device, torch: Any, product: Product) -> None:
    generator = np.random.default_rng(0)
    left, right = (_random(generator, shape, product.dtype) for shape in product.shapes())
    ta, tb = product.transposes
    make = F.batch_dot if product.batch else F.dot
    timed = _Timed(there, lambda a, b: make(a, b, transpose_a=ta, transpose_b=tb), [left, right])
    first, each = timed.seconds()
    ours = timed().to_host()
    a, b = left.swapaxes(-1, -2) if ta else left, right.swapaxes(-1, -2) if tb else right
    rows = np.unique(generator.integers(0, product.rows, 24))
    wide = np.float64 if product.rows * product.columns <= 1 << 22 else np.float32
    expected = np.matmul(a[..., rows, :].astype(wide), b.astype(wide))
    far = _far(ours[..., rows, :], expected)
    theirs = None
    if torch is not None:
        x, y = (torch.from_numpy(array).cuda() for array in (left, right))
        x, y = (v.transpose(-1, -2) if t else v for v, t in zip((x, y), (ta, tb), strict=True))
        theirs = _in_a_row(lambda: x @ y, torch.cuda.synchronize)
    figures = _figures(product.operations, first, each, theirs)
    most = _MOST["tf32" if product.rounds else product.dtype]
    report.require(product.name, far < most, f"off by {far}", difference=far, **figures)


def _layer(
    report: Report, there: Device, torch: Any, layer: Layer, batch: int, dtype: str = "float32"
) -> None:
    """A layer and its gradients: the numbers of the first and last image, and of sums over all."""
    generator, stored = np.random.default_rng(0), "float32" if dtype == "tf32" else dtype
    data = _random(generator, (batch, layer.channels, layer.size, layer.size), stored)
    weight, other = (_random(generator, layer.weight, stored) for _ in range(2))
    grad = _random(generator, (batch, layer.filters, layer.extent, layer.extent), stored)
    settings, operations = layer.settings, 2 * prod(layer.weight) * layer.extent**2 * batch
    forward = _Timed(there, lambda x, w: F.Convolution(x, w, **settings), [data, weight])
    to_data, to_weight = (
        _Timed(there, lambda *x, make=make: make(*x, **settings), [grad, data, weight])
        for make in (F._backward_Convolution_data, F._backward_Convolution_weight)
    )
    ends = slice(None, None, max(batch - 1, 1))
    found = {"forward": forward, "to data": to_data}
    host = {
        "forward": lambda: F.Convolution(*_entries(2), **settings).node.application.execute(
            [x.astype(np.float32) for x in (data[ends], weight)], None
        ),
        "to data": lambda: F._backward_Convolution_data(
            *_entries(3), **settings
        ).node.application.execute(
            [x.astype(np.float32) for x in (grad[ends], data[ends], weight)], None
        ),
    }
    calls = _torch_calls(torch, layer, data, weight, grad)
    for direction, timed in {**found, "to weight": to_weight}.items():
        first, each = timed.seconds()
        ours = timed().to_host()
        if direction in host:
            far = _far(ours[ends], np.asarray(host[direction]()[0]))
        else:  # both sides of the definition of an adjoint
            again = _Timed(there, lambda x, w: F.Convolution(x, w, **settings), [data, other])
            left = float(np.vdot(ours.astype(np.float64), other))
            right = float(np.vdot(again().to_host().astype(np.float64), grad))
            size = float(np.linalg.norm(ours.astype(np.float64)) * np.linalg.norm(other))
            far = abs(left - right) / size
        theirs = None
        if calls is not None:
            theirs = _in_a_row(calls[direction], torch.cuda.synchronize)
        name = f"{direction} {layer.kernel}x{layer.kernel}/{layer.stride} {layer.channels}->"
        name += f"{layer.filters} {layer.size} x{batch}" + f" g{layer.groups}" * (layer.groups > 1)
        name += f" {dtype}" * (dtype != "float32")
        figures = _figures(operations, first, each, theirs)
        report.require(name, far < _MOST[dtype], f"off by {far}", difference=far, **figures)


def _entries(count: int) -> list[Any]:
    return [Node(None, f"x{number}").entry() for number in range(count)]


def _torch_calls(
    torch: Any, layer: Layer, data: Array, weight: Array, grad: Array
) -> dict[str, Callable[[], Any]] | None:
    """PyTorch's calls by direction; None without it."""
    if torch is None:
        return None
    x, w, g = (torch.from_numpy(array).cuda() for array in (data, weight, grad))
    pad, stride = (layer.kernel // 2,) * 2, (layer.stride,) * 2

    def back(to_data: bool) -> Any:
        return torch.ops.aten.convolution_backward(
            g, x, w, None, stride, pad, (1, 1), False, (0, 0), layer.groups,
            (to_data, not to_data, False),
        )  # fmt: skip

    return {
        "forward": lambda: torch.nn.functional.conv2d(x, w, None, stride, pad, 1, layer.groups),
        "to data": lambda: back(True),
        "to weight": lambda: back(False),
    }


def whole(report: Report) -> None:
    """Check and measure products and convolutions."""
    if not are_there(report):
        return
    there, torch = device(0), torch_on_gpu(report)
    small = report.small
    for product in PRODUCTS:
        if small and prod(product[:3]) > 1 << 22:
            continue
        with report.going_on(product.name), _rounding(torch, product.rounds):
            _product(report, there, torch, product)
    for batch in (1,) if small else (1, 32):
        for layer in LAYERS:
            if not small or (layer.groups == 1 and layer.size == 7):
                with report.going_on(f"{layer} x{batch}"), _rounding(torch, False):
                    _layer(report, there, torch, layer, batch)
    for dtype in () if small else ("tf32", "float16"):
        for layer in ON_MATRIX_UNITS:
            with report.going_on(f"{layer} {dtype}"), _rounding(torch, dtype == "tf32"):
                _layer(report, there, torch, layer, 32, dtype)
    there.empty_cache()
