"""Nets as modules of PyTorch: their source and weights, and their numbers where PyTorch is installed."""

import ast
import importlib.util
import re
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.gluon import nn
from gluonic.graph.errors import AttributeValueError
from gluonic.onnx import get_operator_support
from gluonic.onnx.errors import ExportError
from gluonic.onnx.writing import write_graph
from gluonic.pytorch.exporting import PYTORCH, TorchExportError
from gluonic.pytorch.layers import RULES
from gluonic.pytorch.source import ModuleSource
from tests.graph.registry_samples import CASES
from tests.onnx.nets import NETS, uniform
from tests.onnx.sampled_graphs import sampled_graph

safetensors = pytest.importorskip("safetensors.numpy")

SMALL = """
import torch
from torch import nn
from torch.nn import functional as F


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.net_conv0 = nn.Conv2d(1, 4, 3, padding=1)
        self.net_batchnorm0 = nn.BatchNorm2d(4)
        self.net_dropout0 = nn.Dropout(0.2)
        self.net_dense0 = nn.Linear(64, 10)

    def forward(self, data):
        net_conv0 = self.net_conv0(data)
        net_conv0_relu = F.relu(net_conv0)
        net_pool0 = F.max_pool2d(net_conv0_relu, 2)
        net_batchnorm0 = self.net_batchnorm0(net_pool0)
        net_dropout0 = self.net_dropout0(net_batchnorm0)
        net_dense0 = self.net_dense0(net_dropout0.flatten(1))
        return net_dense0
"""


def small_net() -> gluon.HybridBlock:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, padding=1, activation="relu"), nn.MaxPool2D(), nn.BatchNorm())
        net.add(nn.Dropout(0.2), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    net(nd.ones((1, 1, 8, 8)))
    return net


def test_layers_become_modules_with_the_names_of_their_nodes(tmp_path: Path) -> None:
    net = small_net()
    files = net.export_torch(str(tmp_path / "digits.py"), nd.ones((1, 1, 8, 8)))
    heading, _, source = files.source.read_text().rpartition('"""\n')
    assert 'load_file("digits.safetensors")' in heading
    assert source == SMALL
    weights = safetensors.load_file(files.weights)
    values = {name: value.data().asnumpy() for name, value in net.collect_params().items()}
    assert {name: array.shape for name, array in weights.items()} == {
        "net_conv0.weight": (4, 1, 3, 3),
        "net_conv0.bias": (4,),
        "net_batchnorm0.weight": (4,),
        "net_batchnorm0.bias": (4,),
        "net_batchnorm0.running_mean": (4,),
        "net_batchnorm0.running_var": (4,),
        "net_dense0.weight": (10, 64),
        "net_dense0.bias": (10,),
    }
    assert np.array_equal(weights["net_conv0.weight"], values["net_conv0_weight"])


def check_source(text: str, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    """Check what can be checked without PyTorch: names and shapes."""
    tree = ast.parse(text)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    (made,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    init, forward = [node for node in made.body if isinstance(node, ast.FunctionDef)]
    attributes = {
        ast.unparse(line.targets[0]).removeprefix("self."): ast.unparse(line.value)
        for line in init.body
        if isinstance(line, ast.Assign)
    }
    read = set(re.findall(r"\bself\.(\w+)", ast.unparse(forward)))
    assert read == attributes.keys()
    globals_read = set(global_names(compile(text, "net.py", "exec"), "forward"))
    known = {"torch", "nn", "F", "float", "len", "max", "min", "range", "reversed", "tuple", "zip"}
    assert globals_read <= known | functions
    assert {key.split(".")[0] for key in arrays} <= attributes.keys()
    for name, constructor in attributes.items():
        shape = re.search(r"torch\.empty\((\(.*?\))", constructor)
        assert shape is None or ast.literal_eval(shape[1]) == arrays[name].shape


def global_names(code: CodeType, function: str) -> list[str]:
    """What a function reads that is neither an argument nor assigned there: names and attributes."""
    import dis

    found = []
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_name == function:
                loads = [i for i in dis.get_instructions(inner) if i.opname == "LOAD_GLOBAL"]
                found += [i.argval for i in loads]
            found += global_names(inner, function)
    return found


@pytest.mark.parametrize("name", NETS)
def test_a_net_becomes_a_whole_program(name: str, tmp_path: Path) -> None:
    mx.random.seed(1)
    net, inputs, dynamic = NETS[name]()
    net.initialize(mx.init.Xavier())
    net(*inputs)
    files = net.export_torch(
        str(tmp_path / "net.py"), *inputs, dynamic_input_shapes=dynamic, check=True
    )
    check_source(files.source.read_text(), safetensors.load_file(files.weights))
    is_there = importlib.util.find_spec("torch") is not None
    assert (files.agreement is not None) == is_there


REFUSED = {"_contrib_ROIAlign", "ROIPooling"}
"""Operators that ONNX has, and PyTorch only in torchvision."""


def test_all_operators_that_onnx_has_are_written() -> None:
    """With the first sample that ONNX has of each."""
    supported = set(get_operator_support())
    sources: dict[str, ModuleSource] = {}
    for name, number in CASES:
        if name in supported - sources.keys() and not name.startswith("_backward"):
            with suppress(ExportError):
                sources[name] = source_of_sample(name, number)
    assert len(sources) > 350
    assert {name for name, source in sources.items() if source.refused} == REFUSED
    for name in sources.keys() - REFUSED:
        check_source(sources[name].text("Net", ""), sources[name].arrays)


def source_of_sample(name: str, number: int) -> ModuleSource:
    sampled = sampled_graph(name, number)
    written = write_graph(sampled.graph, sampled.inputs, sampled.parameters, 20, PYTORCH, RULES)
    return ModuleSource(written)


class Shared(gluon.HybridBlock):
    """Two layers with one weight, and names that Python and PyTorch keep for themselves."""

    def __init__(self) -> None:
        super().__init__(prefix="")
        self.table = self.params.get("forward", shape=(4, 4), init="one")

    def hybrid_forward(self, F: Any, x: Any, **parameters: Any) -> Any:
        weight = parameters["table"]
        once = F.FullyConnected(x, weight, no_bias=True, num_hidden=4, name="class")
        return F.FullyConnected(once, weight, no_bias=True, num_hidden=4, name="torch")


def test_a_weight_that_two_layers_share_is_one_parameter(tmp_path: Path) -> None:
    net = Shared()
    net.initialize()
    files = net.export_torch(str(tmp_path / "net.py"), uniform(2, 4))
    text, weights = files.source.read_text(), safetensors.load_file(files.weights)
    check_source(text, weights)
    assert [*weights] == ["forward_1"]
    assert text.count("F.linear(") == 2


def test_sizes_that_may_differ_are_read_from_the_inputs(tmp_path: Path) -> None:
    net = nn.HybridLambda(lambda F, x: F.broadcast_like(F.zeros((1, 1, 4, 5)), x))
    net(uniform(2, 3, 4, 5))
    path = str(tmp_path / "net.py")
    text = net.export_torch(path, uniform(2, 3, 4, 5)).source.read_text()
    assert "data.shape[0]" in text
    fixed = [(2, 3, 4, 5)]
    text = net.export_torch(
        path, uniform(2, 3, 4, 5), dynamic_input_shapes=fixed
    ).source.read_text()
    assert "data.shape[0]" not in text


def test_all_that_cannot_be_written_is_listed_with_the_users_lines(tmp_path: Path) -> None:
    net = nn.HybridLambda(lambda F, x, rois: F.ROIPooling(x, rois, (2, 2), 1.0))
    net.hybridize()
    path = tmp_path / "net.py"
    with pytest.raises(TorchExportError, match=r"(?s)ROIPooling ×1: .*test_exporting\.py"):
        net.export_torch(str(path), uniform(1, 3, 8, 8), nd.array([[0, 0, 0, 4, 4]]))
    assert not path.exists()


def test_the_file_must_be_pythons(tmp_path: Path) -> None:
    with pytest.raises(AttributeValueError, match=r"ends with \.py"):
        small_net().export_torch(str(tmp_path / "net.pt"), nd.ones((1, 1, 8, 8)))
