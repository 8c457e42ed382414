"""Architectures of the model zoo, and a detector, compute on a GPU what they compute on the CPU."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen import FALLBACKS
from gluonic.gluon import nn
from gluonic.gluon.model_zoo import vision
from gluonic.ndarray import Context, NDArray

FAMILIES = (
    *("mobilenet0.25", "mobilenetv2_0.25", "resnet18_v1", "resnet50_v2", "squeezenet1.0"),
    *("squeezenet1.1", "vgg11", "vgg11_bn", "alexnet", "densenet121", "inceptionv3"),
)
"""The smallest nets of the zoo's families; the emulator takes long for all but the first."""
SIZES = {"alexnet": 96, "densenet": 224, "inception": 299, "squeezenet": 224}
"""The sides of the smallest images that families of the zoo take, where that is not 32."""


class Detector(gluon.HybridBlock):
    """A single-shot detector with two scales."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.stages, self.classes, self.boxes = (nn.HybridSequential() for _ in range(3))
            for _ in range(2):
                stage = nn.HybridSequential()
                stage.add(nn.Conv2D(6, 3, 2, 1, use_bias=False), nn.BatchNorm())
                stage.add(nn.Activation("relu"))
                self.stages.add(stage)
                self.classes.add(nn.Conv2D(3 * 3, 3, padding=1))
                self.boxes.add(nn.Conv2D(3 * 4, 3, padding=1))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The anchors, the scores of their classes, and the offsets of their boxes."""
        anchors, scores, offsets = [], [], []
        for size, stage, classes, boxes in zip(
            (0.3, 0.6), self.stages, self.classes, self.boxes, strict=True
        ):
            x = stage(x)
            anchors.append(F.contrib.MultiBoxPrior(x, sizes=(size, size * 1.2), ratios=(1, 2)))
            scores.append(F.flatten(F.transpose(classes(x), (0, 2, 3, 1))))
            offsets.append(F.flatten(F.transpose(boxes(x), (0, 2, 3, 1))))
        joined = F.concat(*scores, dim=1).reshape((0, -1, 3))
        return F.concat(*anchors, dim=1), joined, F.concat(*offsets, dim=1)


def _detection_loss(net: gluon.HybridBlock, x: NDArray) -> Any:
    anchors, scores, offsets = net(x)
    objects = [[[0, 0.1, 0.1, 0.5, 0.4]], [[1, 0.4, 0.3, 0.9, 0.9]]]
    with autograd.pause():
        goals, mask, classes = nd.contrib.MultiBoxTarget(
            anchors, nd.array(objects, ctx=x.context), scores.transpose((0, 2, 1))
        )
    loss = gluon.loss.SoftmaxCrossEntropyLoss()(scores, classes)
    return loss + gluon.loss.HuberLoss()(offsets * mask, goals * mask)


def _classification_loss(net: gluon.HybridBlock, x: NDArray) -> Any:
    return gluon.loss.SoftmaxCrossEntropyLoss()(net(x), nd.array([1, 2], ctx=x.context))


def _resnet() -> gluon.HybridBlock:
    """ResNet-18 with few channels."""
    return vision.ResNetV1(
        vision.BasicBlockV1, [2, 2, 2, 2], [4, 4, 6, 8, 10], classes=5, thumbnail=True
    )


@pytest.mark.parametrize(
    ("make", "loss"), [(_resnet, _classification_loss), (Detector, _detection_loss)]
)
def test_a_training_step_changes_parameters_as_on_the_cpu(
    gpu: Context, make: Callable[[], gluon.HybridBlock], loss: Any
) -> None:
    results, images = [], np.random.default_rng(0).random((2, 3, 16, 16), np.float32)
    for ctx in (mx.cpu(), gpu):
        mx.random.seed(1)
        net, x = make(), nd.array(images, ctx=ctx)
        net.initialize(mx.init.Xavier(), ctx=ctx)
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        FALLBACKS.clear()
        with autograd.record():
            value = loss(net, x)
        value.backward()
        trainer.step(2)
        results.append([value, *[p.data() for p in net.collect_params().values()]])
    assert not FALLBACKS
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other.asnumpy(), one.asnumpy(), rtol=2e-3, atol=2e-4)


def test_nets_of_the_zoo_give_the_cpus_scores(gpu: Context, thorough: bool) -> None:
    for name in FAMILIES if thorough else FAMILIES[:1]:
        side = next((s for family, s in SIZES.items() if name.startswith(family)), 32)
        images, scores = np.random.default_rng(0).random((1, 3, side, side), np.float32), []
        for ctx in (mx.cpu(), gpu):
            mx.random.seed(1)
            net = vision.get_model(name, classes=5)
            net.initialize(mx.init.Xavier(), ctx=ctx)
            net.hybridize()
            FALLBACKS.clear()
            scores.append(net(nd.array(images, ctx=ctx)).asnumpy())
            assert not FALLBACKS
        expected, ours = scores
        near = 1e-4 * np.abs(expected).max()
        np.testing.assert_allclose(ours, expected, rtol=1e-3, atol=near, err_msg=name)
