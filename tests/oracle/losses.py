"""All losses with all their options: values and gradients."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

_SHAPES = {"two axes": (3, 4), "three axes": (3, 4, 5)}
_WEIGHTS: dict[str, Any] = {"": None, "weight": 0.3}
_SAMPLES = ("", "sample", "element", "constant")
_BATCH_AXES = (0, 1)

# name: the kind of labels, and options with their values
_LOSSES: dict[str, tuple[str, dict[str, tuple[Any, ...]]]] = {
    "L1Loss": ("numbers", {}),
    "L2Loss": ("numbers", {}),
    "HuberLoss": ("numbers", {"rho": (1, 0.3)}),
    "SigmoidBinaryCrossEntropyLoss": ("shares", {"from_sigmoid": (False, True)}),
    "SoftmaxCrossEntropyLoss": (
        "classes",
        {"axis": (-1, 1), "sparse_label": (True, False), "from_logits": (False, True)},
    ),
    "KLDivLoss": ("shares", {"from_logits": (True, False), "axis": (-1, 1)}),
    "HingeLoss": ("signs", {"margin": (1, 0.5)}),
    "SquaredHingeLoss": ("signs", {"margin": (1, 0.5)}),
    "LogisticLoss": ("signs", {"label_format": ("signed", "binary")}),
    "PoissonNLLLoss": (
        "counts",
        {"from_logits": (True, False), "compute_full": (False, True)},
    ),
    "TripletLoss": ("two numbers", {"margin": (1, 3)}),
    "CosineEmbeddingLoss": ("pair", {"margin": (0, 0.3)}),
    "SDMLLoss": ("numbers", {"smoothing_parameter": (0.3, 0.1)}),
    "CTCLoss": ("words", {"layout": ("NTC", "TNC"), "label_layout": ("NT", "TN")}),
}


def _cases() -> dict[str, tuple[Any, ...]]:
    found = {}
    for name, (labels, options) in _LOSSES.items():
        for chosen in itertools.product(*options.values()):
            settings = dict(zip(options, chosen))  # noqa: B905 (as many)
            rest = itertools.product(_SHAPES, _WEIGHTS, _SAMPLES, _BATCH_AXES)
            for shape, weight, sample, batch_axis in rest:
                text = " ".join(f"{k}={v}" for k, v in settings.items())
                words = (name, text, shape, weight, sample, f"batch_axis={batch_axis}")
                found[" ".join(filter(None, words))] = (
                    (name, labels, settings), _SHAPES[shape], _WEIGHTS[weight], sample, batch_axis
                )  # fmt: skip
    return found


CASES = _cases()
NAMES = list(CASES)


def _labels(kind: str, shape: tuple[int, ...], settings: dict[str, Any], draw: Any) -> list[Any]:
    """The inputs behind the prediction."""
    if kind == "classes" and settings["sparse_label"]:
        axis = settings["axis"] % len(shape)
        return [draw.randint(0, shape[axis], shape[:axis] + shape[axis + 1 :])]
    if kind in ("shares", "classes"):
        shares = draw.rand(*shape) + 0.1
        return [shares / shares.sum(settings.get("axis", -1), keepdims=True)]
    if kind == "signs":
        signs = np.sign(draw.randn(*shape))
        return [(signs + 1) / 2 if settings.get("label_format") == "binary" else signs]
    if kind == "pair":
        return [draw.randn(*shape), np.sign(draw.randn(shape[0]))]
    if kind == "words":
        words = np.array([[1, 2, -1], [0, 1, 1], [2, -1, -1]])
        return [words.T if settings["label_layout"] == "TN" else words]
    makers = {
        "numbers": lambda: [draw.randn(*shape)],
        "two numbers": lambda: [draw.randn(*shape), draw.randn(*shape)],
        "counts": lambda: [draw.poisson(2, shape) + 1],
    }
    return makers[kind]()


def run(
    mx: Any, name: str, folder: Path, hybridize: bool = False, dtype: str = "float32"
) -> dict[str, Any]:
    """Compute a loss and its gradient."""
    (loss_name, kind, settings), shape, weight, sample, batch_axis = CASES[name]
    settings = dict(settings)
    if loss_name not in ("CTCLoss", "SDMLLoss"):
        settings["batch_axis"] = batch_axis
    draw = np.random.RandomState(len(name))
    if kind == "words":
        shape = (3, 8, 4) if settings["layout"] == "NTC" else (8, 3, 4)
    loss = getattr(mx.gluon.loss, loss_name)(weight=weight, **settings)
    if hybridize:
        loss.hybridize()
    pred = draw.randn(*shape)
    if settings.get("from_sigmoid") or (kind == "counts" and not settings["from_logits"]):
        pred = 0.1 + 0.8 * draw.rand(*shape)
    inputs = [mx.nd.array(a, dtype=dtype) for a in _labels(kind, shape, settings, draw)]
    if sample:
        inputs += [None, None] if loss_name == "CTCLoss" else []  # the lengths
        inputs.append(mx.nd.array(draw.rand(*_extents(sample, shape, batch_axis)), dtype=dtype))
    x = mx.nd.array(pred, dtype=dtype)
    x.attach_grad()
    with mx.autograd.record():
        found = loss(x, *inputs)
    found.backward()
    return {"loss": found, "gradient": x.grad}


def _extents(sample: str, shape: tuple[int, ...], batch_axis: int) -> list[int]:
    """The shape of the weights of samples."""
    if sample == "constant":
        return [1] * len(shape)
    return [n if i == batch_axis or sample == "element" else 1 for i, n in enumerate(shape)]
