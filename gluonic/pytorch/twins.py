"""Nets of the model zoo that torchvision has, too: their parameters by torchvision's names."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

import numpy as np

from gluonic.graph import Array
from gluonic.graph.errors import AttributeValueError, describe

_Layers = Iterator[str]
"""The names of layers, in the order in which the model zoo makes them."""
_ENDINGS = {
    "gamma": "weight", "beta": "bias", "weight": "weight", "bias": "bias",
    "running_mean": "running_mean", "running_var": "running_var",
}  # fmt: skip


def _resnet(blocks: tuple[int, ...]) -> _Layers:
    yield from ("conv1", "bn1")
    for stage, count in enumerate(blocks, 1):
        for block in range(count):
            name = f"layer{stage}.{block}"
            yield from (f"{name}.conv1", f"{name}.bn1", f"{name}.conv2", f"{name}.bn2")
            if stage > 1 and block == 0:
                yield from (f"{name}.downsample.0", f"{name}.downsample.1")
    yield "fc"


def _vgg(convolutions: tuple[int, ...], step: int) -> _Layers:
    """`step` layers belong to a convolution: itself, its normalization, its activation."""
    place = 0
    for count in convolutions:
        for _ in range(count):
            yield from (f"features.{place + i}" for i in range(step - 1))
            place += step
        place += 1
    yield from ("classifier.0", "classifier.3", "classifier.6")


def _alexnet() -> _Layers:
    yield from (f"features.{i}" for i in (0, 3, 6, 8, 10))
    yield from (f"classifier.{i}" for i in (1, 4, 6))


def _squeezenet(fires: tuple[int, ...]) -> _Layers:
    yield "features.0"
    for fire in fires:
        yield from (f"features.{fire}.{part}" for part in ("squeeze", "expand1x1", "expand3x3"))
    yield "classifier.1"


def _densenet(blocks: tuple[int, ...]) -> _Layers:
    yield from ("features.conv0", "features.norm0")
    for number, count in enumerate(blocks, 1):
        for layer in range(1, count + 1):
            name = f"features.denseblock{number}.denselayer{layer}"
            yield from (f"{name}.norm1", f"{name}.conv1", f"{name}.norm2", f"{name}.conv2")
        if number < len(blocks):
            yield from (f"features.transition{number}.norm", f"features.transition{number}.conv")
    yield from ("features.norm5", "classifier")


_VGG = {"11": (1, 1, 2, 2, 2), "13": (2, 2, 2, 2, 2), "16": (2, 2, 3, 3, 3), "19": (2, 2, 4, 4, 4)}
TWINS: dict[str, Callable[[], _Layers]] = {
    "resnet18_v1": partial(_resnet, (2, 2, 2, 2)),
    "resnet34_v1": partial(_resnet, (3, 4, 6, 3)),
    **{f"vgg{depth}": partial(_vgg, counts, 2) for depth, counts in _VGG.items()},
    **{f"vgg{depth}_bn": partial(_vgg, counts, 3) for depth, counts in _VGG.items()},
    "alexnet": _alexnet,
    "squeezenet1.0": partial(_squeezenet, (3, 4, 5, 7, 8, 9, 10, 12)),
    "squeezenet1.1": partial(_squeezenet, (3, 4, 6, 7, 9, 10, 11, 12)),
    "densenet121": partial(_densenet, (6, 12, 24, 16)),
    "densenet161": partial(_densenet, (6, 12, 36, 24)),
    "densenet169": partial(_densenet, (6, 12, 32, 32)),
    "densenet201": partial(_densenet, (6, 12, 48, 32)),
}
"""The layers of torchvision's nets, by the names of the model zoo's."""


class WithParameters(Protocol):
    """A block, of the room above."""

    def collect_params(self) -> Any:
        """Its parameters, by name."""


def torchvision_state(net: WithParameters, name: str) -> dict[str, Array]:
    """The parameters of a net of the model zoo, as the state dict of torchvision's net of that name.

    Parameters
    ----------
    net : a net that ``model_zoo.vision.get_model(name)`` made, with its parameters
    name : such as ``"resnet18_v1"``; `TWINS` lists those that compute the same in torchvision

    Returns
    -------
    dict of str to numpy.ndarray
        which safetensors saves, and ``torchvision.models.resnet18().load_state_dict`` takes as tensors

    Raises
    ------
    AttributeValueError
        if torchvision has no such net, or `net` is another one
    """
    if name not in TWINS:
        raise AttributeValueError(
            describe(
                f"torchvision has no net that computes the same as {name!r}",
                where="torchvision_state",
                facts=[f"it has twins of {', '.join(TWINS)}"],
                hint="net.export_torch('net.py', x), which writes any net",
            )
        )
    layers: dict[str, dict[str, Array]] = {}
    for parameter in net.collect_params().values():
        layer, ending = _split(parameter.name)
        layers.setdefault(layer, {})[_ENDINGS[ending]] = parameter.data().asnumpy()
    names = [*TWINS[name]()]
    if len(names) != len(layers):
        raise AttributeValueError(
            describe(
                f"the net has {len(layers)} layers with parameters, {name} has {len(names)}",
                where="torchvision_state",
                hint=f"a net of model_zoo.vision.get_model({name!r})",
            )
        )
    state: dict[str, Array] = {}
    for theirs, arrays in zip(names, layers.values(), strict=True):
        state |= {f"{theirs}.{ending}": array for ending, array in arrays.items()}
        if "running_mean" in arrays:
            state[f"{theirs}.num_batches_tracked"] = np.array(0)
    return state


def _split(name: str) -> tuple[str, str]:
    """A parameter's layer and its ending."""
    ending = next(each for each in _ENDINGS if name.endswith(f"_{each}"))
    return name.removesuffix(f"_{ending}"), ending
