"""Losses and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

_random = np.random.RandomState(7)


def _normal(*shape: int) -> Any:
    return _random.randn(*shape).astype(np.float32)


def _probabilities(*shape: int) -> Any:
    drawn = _random.rand(*shape).astype(np.float32) + 0.1
    return drawn / drawn.sum(-1, keepdims=True)


_SAMPLES = np.array([[0.3], [2.0], [1.5]], np.float32)
_POSITIVE = np.array([[1.0, 2.0, 0.5, 3.0]], np.float32)
_CLASSES = np.array([1, 0, 3], np.float32)
_SIGNS = np.sign(_normal(3, 4))
_COUNTS = _random.poisson(2, (3, 4)).astype(np.float32) + 1
_WORDS = np.array([[1, 0, -1, -1], [2, 1, 1, -1]], np.float32)
_TWO, _THREE = np.array([20, 20], np.float32), np.array([2, 3], np.float32)

# name: class, settings, prediction, further inputs
CASES: dict[str, Any] = {
    "l1": ("L1Loss", {}, _normal(3, 4), [_normal(3, 4)]),
    "l1 weighted": ("L1Loss", {"weight": 0.7}, _normal(3, 4), [_normal(3, 4), _SAMPLES]),
    "l2": ("L2Loss", {}, _normal(3, 4), [_normal(3, 4)]),
    "l2 reshaped": (
        "L2Loss",
        {"weight": 0.7},
        _normal(3, 2, 2),
        [_normal(3, 4), _SAMPLES.reshape(3, 1, 1)],
    ),
    "l2 batch axis 1": ("L2Loss", {"batch_axis": 1}, _normal(3, 4), [_normal(3, 4)]),
    "huber": ("HuberLoss", {"rho": 0.3}, _normal(3, 4), [_normal(3, 4)]),
    "sigmoid": ("SigmoidBCELoss", {}, _normal(3, 4), [_probabilities(3, 4), _SAMPLES]),
    "sigmoid positive": (
        "SigmoidBinaryCrossEntropyLoss",
        {},
        _normal(3, 4),
        [_probabilities(3, 4), None, _POSITIVE],
    ),
    "sigmoid probabilities": (
        "SigmoidBCELoss",
        {"from_sigmoid": True, "weight": 2.0},
        _probabilities(3, 4),
        [_probabilities(3, 4), None, _POSITIVE],
    ),
    "softmax": ("SoftmaxCELoss", {}, _normal(3, 4), [_CLASSES]),
    "softmax weighted": ("SoftmaxCELoss", {"weight": 0.3}, _normal(3, 4), [_CLASSES, _SAMPLES]),
    "softmax dense": (
        "SoftmaxCrossEntropyLoss",
        {"sparse_label": False},
        _normal(3, 4),
        [_probabilities(3, 4)],
    ),
    "softmax logits": (
        "SoftmaxCrossEntropyLoss",
        {"from_logits": True},
        np.log(_probabilities(3, 4)),
        [_CLASSES],
    ),
    "softmax axis 1": (
        "SoftmaxCELoss",
        {"axis": 1},
        _normal(3, 4, 2),
        [np.array([[1, 2], [0, 3], [1, 1]], np.float32)],
    ),
    "kl": ("KLDivLoss", {}, np.log(_probabilities(3, 4)), [_probabilities(3, 4)]),
    "kl softmax": (
        "KLDivLoss",
        {"from_logits": False},
        _normal(3, 4),
        [_probabilities(3, 4), _SAMPLES],
    ),
    "hinge": ("HingeLoss", {}, _normal(3, 4), [_SIGNS]),
    "squared hinge": ("SquaredHingeLoss", {"margin": 0.5}, _normal(3, 4), [_SIGNS, _SAMPLES]),
    "logistic": ("LogisticLoss", {}, _normal(3, 4), [_SIGNS]),
    "logistic binary": (
        "LogisticLoss",
        {"label_format": "binary"},
        _normal(3, 4),
        [(_SIGNS + 1) / 2],
    ),
    "triplet": (
        "TripletLoss",
        {"margin": 3, "weight": 0.5},
        _normal(3, 4),
        [_normal(3, 4), _normal(3, 4)],
    ),
    "poisson": ("PoissonNLLLoss", {}, _normal(3, 4), [_COUNTS]),
    "cosine": (
        "CosineEmbeddingLoss",
        {"margin": 0.2, "weight": 2},
        _normal(3, 4),
        [_normal(3, 4), np.array([-1, -1, 1], np.float32)],
    ),
    "sdml": ("SDMLLoss", {}, _normal(3, 4), [_normal(3, 4)]),
    "ctc": ("CTCLoss", {}, _normal(2, 20, 4), [_WORDS]),
    "ctc time first": (
        "CTCLoss",
        {"layout": "TNC", "label_layout": "TN"},
        _normal(20, 2, 4),
        [_WORDS.T],
    ),
    "ctc lengths": ("CTCLoss", {}, _normal(2, 20, 4), [abs(_WORDS), _TWO, _THREE]),
    "ctc label lengths": ("CTCLoss", {}, _normal(2, 20, 4), [abs(_WORDS), None, _THREE]),
}


def run(mx: Any, case: str, hybridize: bool = False) -> dict[str, Any]:
    """Compute a loss and its gradient."""
    name, settings, pred, others = CASES[case]
    loss = getattr(mx.gluon.loss, name)(**settings)
    if hybridize:
        loss.hybridize()
    x = mx.nd.array(pred)
    x.attach_grad()
    inputs = [None if other is None else mx.nd.array(other) for other in others]
    with mx.autograd.record():
        found = loss(x, *inputs)
    found.backward()
    return {"repr": repr(loss), "loss": found, "gradient": x.grad}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: run(mx, case) for case in CASES}
