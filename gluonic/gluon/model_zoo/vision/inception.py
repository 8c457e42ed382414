"""Inception v3 (Szegedy et al., 2016); images should be 299 pixels wide."""

from collections.abc import Sequence
from typing import Any

from gluonic.gluon import nn
from gluonic.gluon.contrib.nn import HybridConcurrent
from gluonic.gluon.model_zoo.vision.classifier import Classifier, with_pretrained
from gluonic.graph.attributes import Positive

__all__ = ["Inception3", "inception_v3"]

# One convolution: channels, kernel, stride, padding. One branch: pooling before it, and convolutions.
Convolution = tuple[Any, ...]
Branch = tuple[str, Sequence[Convolution]]


def _conv(channels: int, kernel: Any, stride: int = 1, padding: Any = 0) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(
        nn.Conv2D(channels, kernel, stride, padding, use_bias=False),
        nn.BatchNorm(epsilon=0.001),
        nn.Activation("relu"),
    )
    return out


def _branch(pooling: str, convolutions: Sequence[Convolution]) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    if pooling == "avg":
        out.add(nn.AvgPool2D(3, 1, 1))
    elif pooling == "max":
        out.add(nn.MaxPool2D(3, 2))
    out.add(*(_conv(*convolution) for convolution in convolutions))
    return out


def _branches(prefix: str, *branches: Branch) -> HybridConcurrent:
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(*(_branch(*branch) for branch in branches))
    return out


_TALL, _FLAT = ((7, 1), 1, (3, 0)), ((1, 7), 1, (0, 3))


def _block_a(pooled: int, prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        ("", [(64, 1)]),
        ("", [(48, 1), (64, 5, 1, 2)]),
        ("", [(64, 1), (96, 3, 1, 1), (96, 3, 1, 1)]),
        ("avg", [(pooled, 1)]),
    )


def _block_b(prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        ("", [(384, 3, 2)]),
        ("", [(64, 1), (96, 3, 1, 1), (96, 3, 2)]),
        ("max", []),
    )


def _block_c(narrow: int, prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        ("", [(192, 1)]),
        ("", [(narrow, 1), (narrow, *_FLAT), (192, *_TALL)]),
        (
            "",
            [(narrow, 1), (narrow, *_TALL), (narrow, *_FLAT), (narrow, *_TALL), (192, *_FLAT)],
        ),
        ("avg", [(192, 1)]),
    )


def _block_d(prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        ("", [(192, 1), (320, 3, 2)]),
        ("", [(192, 1), (192, *_FLAT), (192, *_TALL), (192, 3, 2)]),
        ("max", []),
    )


def _block_e(prefix: str) -> HybridConcurrent:
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(_branch("", [(320, 1)]))
        for before in ([(384, 1)], [(448, 1), (384, 3, 1, 1)]):
            forked = nn.HybridSequential(prefix="")
            forked.add(_branch("", before))
            fork = HybridConcurrent(axis=1, prefix="")
            fork.add(
                _branch("", [(384, (1, 3), 1, (0, 1))]), _branch("", [(384, (3, 1), 1, (1, 0))])
            )
            forked.add(fork)
            out.add(forked)
        out.add(_branch("avg", [(192, 1)]))
    return out


class Inception3(Classifier):
    """Inception v3.

    Parameters
    ----------
    classes : number of classes
    kwargs : see `Block`
    """

    def __init__(self, classes: Positive = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                _conv(32, 3, 2),
                _conv(32, 3),
                _conv(64, 3, 1, 1),
                nn.MaxPool2D(3, 2),
                _conv(80, 1),
                _conv(192, 3),
                nn.MaxPool2D(3, 2),
                _block_a(32, "A1_"),
                _block_a(64, "A2_"),
                _block_a(64, "A3_"),
                _block_b("B_"),
                _block_c(128, "C1_"),
                _block_c(160, "C2_"),
                _block_c(160, "C3_"),
                _block_c(192, "C4_"),
                _block_d("D_"),
                _block_e("E1_"),
                _block_e("E2_"),
                nn.AvgPool2D(8),
                nn.Dropout(0.5),
            )
            self.output = nn.Dense(classes)


def make_aux(classes: Positive) -> nn.HybridSequential:
    """Make the auxiliary head, which classifies by intermediate features, 17 × 17, during training.

    Parameters
    ----------
    classes : number of classes
    """
    out = nn.HybridSequential(prefix="")
    out.add(nn.AvgPool2D(5, 3), _conv(128, 1), _conv(768, 5), nn.Flatten(), nn.Dense(classes))
    return out


def inception_v3(
    pretrained: bool = False, ctx: Any = None, root: str | None = None, **kwargs: Any
) -> Inception3:
    """Make an Inception v3.

    Parameters
    ----------
    pretrained : load parameters from a file on this machine
    ctx, root : see `with_pretrained`
    kwargs : further arguments for `Inception3`, such as `classes`
    """
    return with_pretrained(Inception3(**kwargs), "inceptionv3", pretrained, ctx, root)
