"""Operators alone in hybridized blocks, on gluonic and on the real MXNet in turn: forward, and with gradients.

usage: python -m benchmarks.operators [--mxnet PYTHON] [--only transpose,LRN] [--seconds 0.5]
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.in_turn import main

Expression = Callable[..., Any]
Arrays = Callable[[np.random.Generator], list[Any]]
Case = tuple[Expression, Arrays, bool]


def _normal(*shapes: tuple[int, ...]) -> Arrays:
    return lambda random: [random.normal(size=shape).astype("float32") for shape in shapes]


def _transposed(
    shape: tuple[int, ...], axes: tuple[int, ...], then: Expression = lambda F, x: x
) -> Case:
    """A transposed array, followed by another operator."""
    return lambda F, x: then(F, F.transpose(x, axes=axes)), _normal(shape), True


def _with_positions(shape: tuple[int, ...], below: int, *positions: tuple[int, ...]) -> Arrays:
    """An array, and arrays of indices."""
    return lambda random: [
        *_normal(shape)(random),
        *(random.integers(0, below, found).astype("float32") for found in positions),
    ]


def _boxes(random: np.random.Generator, *shape: int) -> Any:
    corners = np.sort(random.uniform(0, 1, (*shape, 2, 2)), axis=-2)
    return corners.reshape(*shape, 4).astype("float32")


def _regions(count: int) -> Arrays:
    """An image's features, and regions of it."""

    def arrays(random: np.random.Generator) -> list[Any]:
        regions = np.insert(_boxes(random, count) * 600, 0, 0, axis=1).astype("float32")
        return [*_normal((1, 256, 38, 50))(random), regions]

    return arrays


def _detections(random: np.random.Generator) -> list[Any]:
    classes = random.integers(0, 20, (4, 6000, 1))
    scores = random.uniform(size=(4, 6000, 1))
    found = np.concatenate([classes, scores, _boxes(random, 4, 6000)], axis=-1)
    return [found.astype("float32")]


_MATRICES = (0.9, 0.1, 0.05, -0.1, 1.1, -0.05)
_AFFINE = {"target_shape": (28, 28), "transform_type": "affine", "sampler_type": "bilinear"}
_NMS = {"overlap_thresh": 0.45, "topk": 400, "coord_start": 2, "score_index": 1, "id_index": 0}
_ROI = ((7, 7), 0.0625)

OPERATORS: dict[str, Case] = {
    "transpose matrices": _transposed((8, 256, 256), (0, 2, 1)),
    "transpose, then relu": _transposed((8, 256, 256), (0, 2, 1), lambda F, x: F.relu(x)),
    "transpose, then softmax": _transposed((8, 256, 256), (0, 2, 1), lambda F, x: F.softmax(x)),
    "transpose heads": _transposed((8, 128, 8, 64), (0, 2, 1, 3)),
    "colours last": _transposed((8, 3, 224, 224), (0, 2, 3, 1)),
    "colours first": _transposed((8, 224, 224, 3), (0, 3, 1, 2)),
    "channels last": _transposed((8, 64, 56, 56), (0, 2, 3, 1)),
    "LRN": (lambda F, x: F.LRN(x, nsize=5), _normal((8, 96, 27, 27)), True),
    "L2Normalization": (lambda F, x: F.L2Normalization(x), _normal((64, 512)), True),
    "GELU": (lambda F, x: F.LeakyReLU(x, act_type="gelu"), _normal((1024, 1024)), True),
    "softmax": (lambda F, x: F.softmax(x), _normal((4096, 128)), True),
    "gammaln": (lambda F, x: F.gammaln(F.square(x) + 0.5), _normal((256, 256)), True),
    "SpatialTransformer": (
        lambda F, x, matrices: F.SpatialTransformer(x, matrices, **_AFFINE),
        lambda random: [
            *_normal((8, 3, 28, 28))(random),
            np.tile(np.array(_MATRICES, "float32"), (8, 1)),
        ],
        True,
    ),
    "BilinearSampler": (
        lambda F, x, grid: F.BilinearSampler(x, F.tanh(grid)),
        _normal((8, 16, 32, 32), (8, 2, 32, 32)),
        True,
    ),
    "batch_dot": (
        lambda F, x, y: F.batch_dot(x, y),
        _normal((32, 64, 64), (32, 64, 64)),
        True,
    ),
    "take": (
        lambda F, x, rows: F.take(x, rows),
        _with_positions((10000, 256), 10000, (2000,)),
        True,
    ),
    "pick": (
        lambda F, x, indices: F.pick(x, indices, axis=1),
        _with_positions((512, 1000), 1000, (512,)),
        True,
    ),
    "gather_nd": (
        lambda F, x, indices: F.gather_nd(x, indices),
        _with_positions((100, 200), 100, (2, 5000)),
        True,
    ),
    "argmax": (lambda F, x: F.argmax(x, axis=1), _normal((256, 1000)), False),
    "topk": (lambda F, x: F.topk(x, k=5), _normal((256, 1000)), False),
    "sort": (lambda F, x: F.sort(x, axis=1), _normal((256, 1000)), False),
    "ROIAlign": (
        lambda F, x, regions: F.contrib.ROIAlign(x, regions, *_ROI, sample_ratio=2),
        _regions(128),
        True,
    ),
    "ROIPooling": (lambda F, x, regions: F.ROIPooling(x, regions, *_ROI), _regions(128), True),
    "box_nms": (lambda F, x: F.contrib.box_nms(x, **_NMS), _detections, False),
    "box_iou": (
        lambda F, x, y: F.contrib.box_iou(x, y),
        lambda random: [_boxes(random, 5000), _boxes(random, 50)],
        False,
    ),
    "DeformableConvolution": (
        lambda F, x, offset, weight: F.contrib.DeformableConvolution(
            x, offset, weight, kernel=(3, 3), pad=(1, 1), num_filter=32, no_bias=True
        ),
        _normal((2, 32, 28, 28), (2, 18, 28, 28), (32, 32, 3, 3)),
        True,
    ),
    "linalg.trsm": (
        lambda F, x, y: F.linalg.trsm(x, y),
        lambda random: [
            np.tile(np.tri(32, dtype="float32") + np.eye(32, dtype="float32"), (8, 1, 1)),
            *_normal((8, 32, 32))(random),
        ],
        True,
    ),
}
"""Each with its arrays, and whether it has gradients."""


def calls(mx: Any, name: str) -> dict[str, Callable[[], Any]]:
    """An operator's forward call, and one with gradients."""
    expression, make, has_gradients = OPERATORS[name]

    class Alone(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, *inputs: Any) -> Any:
            return expression(F, *inputs)

    net = Alone()
    net.hybridize(static_alloc=True, static_shape=True, compile_at_once=True)
    arrays = [mx.nd.array(array) for array in make(np.random.default_rng(0))]
    for array in arrays:
        array.attach_grad()

    def step() -> None:
        with mx.autograd.record():
            output = net(*arrays)
        output.backward()
        mx.nd.waitall()

    forward = {"forward": lambda: net(*arrays).wait_to_read()}
    return {**forward, "step": step} if has_gradients else forward


if __name__ == "__main__":
    main(__file__, __doc__, OPERATORS, calls)
