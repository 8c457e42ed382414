"""Nets of the model zoo by torchvision's names: the names are those of torchvision, measured with 0.29."""

import hashlib

import numpy as np
import pytest

import gluonic as mx
from gluonic.gluon.model_zoo import vision
from gluonic.graph.errors import AttributeValueError
from gluonic.onnx.comparison import difference
from gluonic.pytorch import torchvision_state
from gluonic.pytorch.twins import TWINS

MODULES = {
    "resnet18_v1": (41, "1bb0068aa5e70897"),
    "resnet34_v1": (73, "e0ad9cc6229af085"),
    "vgg11": (11, "1b8de862767989b2"),
    "vgg13": (13, "4a915a28651c81ee"),
    "vgg16": (16, "ade9bc5f4bb414a8"),
    "vgg19": (19, "98b52b7a80da7ce6"),
    "vgg11_bn": (19, "9eaf26d8e522054c"),
    "vgg13_bn": (23, "39f56652610efcd3"),
    "vgg16_bn": (29, "11ed443e97b0634f"),
    "vgg19_bn": (35, "6759e8b2e5cc95db"),
    "alexnet": (8, "6b25e2f396329b37"),
    "squeezenet1.0": (26, "8a729a3ec6019a71"),
    "squeezenet1.1": (26, "bd7fdc0be3f13b48"),
    "densenet121": (242, "15361915edf0830a"),
    "densenet161": (322, "c2a26664b57c4300"),
    "densenet169": (338, "2ce38c260e5de206"),
    "densenet201": (402, "1887e279ab27edf8"),
}
"""The number of torchvision's modules with parameters, and the beginning of a digest of their sorted names."""
STATES = {
    "resnet18_v1": (122, "475ae55b6d26f3f5"),
    "squeezenet1.1": (52, "79bb81aee0794396"),
}
"""The same of the names and shapes in state dicts, for ten classes."""


def digest(lines: list[str], between: str) -> str:
    return hashlib.sha256(between.join(sorted(lines)).encode()).hexdigest()[:16]


def squeezenet(name: str = "squeezenet1.1") -> mx.gluon.HybridBlock:
    mx.random.seed(1)
    net: mx.gluon.HybridBlock = vision.get_model(name, classes=10)
    net.initialize(mx.init.Xavier())
    net(mx.nd.ones((1, 3, 224, 224)))
    return net


@pytest.mark.parametrize("name", TWINS)
def test_modules_are_torchvisions(name: str) -> None:
    names = [*TWINS[name]()]
    assert (len(names), digest(names, " ")) == MODULES[name]


@pytest.mark.parametrize("name", STATES)
def test_states_have_torchvisions_names_and_shapes(name: str) -> None:
    state = torchvision_state(squeezenet(name), name)
    lines = [f"{key} {array.shape}" for key, array in state.items()]
    assert (len(lines), digest(lines, "\n")) == STATES[name]


def test_torchvision_computes_the_same() -> None:
    torch, models = pytest.importorskip("torch"), pytest.importorskip("torchvision.models")
    net = squeezenet()
    x = np.random.RandomState(0).uniform(-1, 1, (1, 3, 224, 224)).astype(np.float32)
    twin = models.squeezenet1_1(num_classes=10).eval()
    state = torchvision_state(net, "squeezenet1.1")
    twin.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})
    with torch.no_grad():
        theirs = twin(torch.from_numpy(x)).numpy()
    assert difference(net(mx.nd.array(x)).asnumpy(), theirs) < 1e-5


@pytest.mark.parametrize("name", ["resnet50_v1", "squeezenet1.0", "vgg11"])
def test_other_nets_are_refused(name: str) -> None:
    net = mx.gluon.nn.Dense(3, in_units=2)
    net.initialize()
    with pytest.raises(AttributeValueError, match=r"torchvision|layers"):
        torchvision_state(net, name)
