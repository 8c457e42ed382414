"""The networks of the model zoo: scores, and one training step, with parameters that MXNet has saved."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

NAMES = [
    *[f"resnet{layers}_v{version}" for layers in (18, 34, 50, 101, 152) for version in (1, 2)],
    *[f"vgg{layers}{bn}" for layers in (11, 13, 16, 19) for bn in ("", "_bn")],
    *[f"densenet{layers}" for layers in (121, 161, 169, 201)],
    *["alexnet", "squeezenet1.0", "squeezenet1.1", "inceptionv3"],
    *[f"mobilenet{part}" for part in ("1.0", "0.75", "0.5", "0.25")],
    *[f"mobilenetv2_{part}" for part in ("1.0", "0.75", "0.5", "0.25")],
]
_MOST = 4096  # numbers that are kept of an array


def _sample(array: Any) -> Any:
    """Some of an array's numbers, and the root of the sum of all squares."""
    flat = array.asnumpy().astype(np.float64).ravel()
    return np.append(flat[:: max(1, flat.size // _MOST)], np.linalg.norm(flat))


def _image_size(name: str) -> int:
    """The extent of images; less than usual where many layers make a network slow and it takes any extent."""
    if name == "inceptionv3":
        return 299
    return 96 if name.startswith(("resnet101", "resnet152", "vgg")) else 224


def _without_dropout(block: Any) -> None:
    if hasattr(block, "_rate"):
        block._rate = 0


def _loaded(mx: Any, name: str, image: Any, folder: Path) -> tuple[Any, str]:
    """The network with MXNet's parameters, and the digest of its own file of them."""
    net = mx.gluon.model_zoo.vision.get_model(name, classes=10, prefix="net_")
    net.apply(_without_dropout)
    file, own = folder / f"{name}.params", folder / f"{name}.own.params"
    if file.exists():
        net.load_parameters(str(file))
    else:
        mx.random.seed(7)
        net.initialize(mx.init.Xavier())
        net(image)
        net.save_parameters(str(file))
    net.save_parameters(str(own))
    digest = hashlib.sha256(own.read_bytes()).hexdigest()
    own.unlink()
    return net, digest


def run(
    mx: Any, name: str, folder: Path, hybridize: bool = False, dtype: str = "float32"
) -> dict[str, Any]:
    """Compute scores of one image and of two; then train on two."""
    size = _image_size(name)
    images = mx.nd.array(np.random.RandomState(3).rand(2, 3, size, size)).astype(dtype)
    first = images[:1].astype("float32")
    net, digest = _loaded(mx, name, first, folder)
    net.cast(dtype)
    if hybridize:
        net.hybridize()
    found = {"saved": digest, "one": net(images[:1]), "two": net(images)}
    parameters = net.collect_params()
    trainer = mx.gluon.Trainer(
        parameters, "sgd", {"learning_rate": 0.01, "momentum": 0.9, "wd": 1e-4}
    )
    images.attach_grad()  # MXNet updates moving averages on the way back, and only where it comes by
    with mx.autograd.record():
        scores = net(images)
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()(scores, mx.nd.array([3, 8]))
    loss.backward()
    found.update(trained=scores, loss=loss, image=_sample(images.grad))
    trainer.step(2)
    for key, parameter in sorted(parameters.items()):
        if parameter.grad_req != "null":
            found[f"gradients/{key}"] = _sample(parameter.grad())
        kind = "averages" if "running" in key else "updated"
        found[f"{kind}/{key}"] = _sample(parameter.data())
    return found
