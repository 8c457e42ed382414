"""Every operator that can be written, on every sample of the registry: the same numbers in both."""

import numpy as np
import pytest

from gluonic.graph import REGISTRY
from tests.graph.registry_samples import CASES

onnx = pytest.importorskip("onnx")
from gluonic.onnx import get_operator_support  # noqa: E402
from gluonic.onnx.assembly import assemble  # noqa: E402
from gluonic.onnx.comparison import difference, draws_numbers, run_model  # noqa: E402
from gluonic.onnx.errors import OnnxExportError  # noqa: E402
from gluonic.onnx.table import LEFT_OUT  # noqa: E402
from gluonic.onnx.writing import write_graph  # noqa: E402
from tests.onnx import census, table  # noqa: E402
from tests.onnx.sampled_graphs import sampled_graph  # noqa: E402

OPSET = 20
TOLERANCE = 2e-5
RUNS_NOT = {
    ("_npi_einsum", 3): "ONNX Runtime broadcasts no ellipses of different lengths",
    ("_npi_mean", 8): "ONNX Runtime has no mean of int8",
}
"""Samples that ONNX Runtime refuses."""
SUPPORTED = {*get_operator_support()}
WRITTEN = [
    (name, number)
    for name, number in CASES
    if name in REGISTRY
    and name in SUPPORTED
    and not name.startswith("_backward")
    and (name, number) not in RUNS_NOT
]


def test_most_operators_of_mxnets_exporter_are_there() -> None:
    """Those of mx2onnx 1.9.1, by their names in symbol JSON."""
    assert set(MX2ONNX.split()) - SUPPORTED == set()


def test_what_programs_use_most_is_written_or_says_why_not() -> None:
    assert {*census.MOST_USED} - SUPPORTED <= LEFT_OUT.keys()


def test_operators_that_are_left_out_are_there_and_not_written() -> None:
    assert LEFT_OUT.keys() <= {op.name for op in REGISTRY.operators()} - SUPPORTED


def test_the_page_lists_the_table() -> None:
    assert table.PAGE.read_text() == table.page(), "python -m tests.onnx.table"


@pytest.mark.parametrize("part", range(16))
def test_an_operator_gives_the_same_numbers_in_onnx(part: int) -> None:
    compared = 0
    for name, number in WRITTEN[part::16]:
        compared += compares(name, number)
    assert compared > 40


def compares(name: str, number: int) -> bool:
    """Whether a sample can be written; then its numbers agree."""
    sampled = sampled_graph(name, number)
    try:
        written = write_graph(sampled.graph, sampled.inputs, sampled.parameters, OPSET)
    except OnnxExportError:
        return False
    expected = sampled.expected
    model = assemble(written, [f"out{i}" for i in range(len(expected))])
    if draws_numbers(model):
        return False
    read = {value.name for value in model.graph.input}
    found, _ = run_model(model, {n: a for n, a in sampled.feed.items() if n in read})
    for ours, theirs in zip(expected, map(np.asarray, found), strict=True):
        assert ours.shape == theirs.shape, (name, number)
        assert ours.dtype == theirs.dtype, (name, number)
        assert difference(ours, theirs) < TOLERANCE, (name, number)
    return True


MX2ONNX = """
    Activation BatchNorm BlockGrad Cast Concat Convolution Crop Deconvolution Dropout Embedding Flatten
    FullyConnected InstanceNorm L2Normalization LRN LayerNorm LeakyReLU LogisticRegressionOutput MakeLoss
    Pad Pooling RNN ROIPooling Reshape SequenceMask SliceChannel SoftmaxOutput SwapAxis UpSampling
    _contrib_AdaptiveAvgPooling2D _contrib_BilinearResize2D _contrib_ROIAlign
    _contrib_arange_like _contrib_box_decode _contrib_box_nms _contrib_div_sqrt_dim
    _contrib_interleaved_matmul_selfatt_qk _contrib_interleaved_matmul_selfatt_valatt _copy _div_scalar
    _equal_scalar _greater_scalar _lesser_scalar _linalg_gemm2 _maximum _maximum_scalar _minimum
    _minimum_scalar _minus_scalar _mul_scalar _ones _plus_scalar _power _power_scalar _random_normal
    _random_uniform _rdiv_scalar _rminus_scalar _zeros _arange abs add_n arccos arcsin arctan argmax argmin
    argsort batch_dot broadcast_add broadcast_axis broadcast_div broadcast_equal broadcast_greater
    broadcast_greater_equal broadcast_lesser broadcast_lesser_equal broadcast_like broadcast_logical_and
    broadcast_logical_or broadcast_logical_xor broadcast_minimum broadcast_mul broadcast_not_equal
    broadcast_power broadcast_sub broadcast_to ceil clip cos depth_to_space dot elemwise_add elemwise_div
    elemwise_mul elemwise_sub exp expand_dims floor gather_nd hard_sigmoid log log2 log_softmax
    logical_not max mean min negative norm one_hot ones_like pick prod reciprocal relu repeat
    reshape_like reverse shape_array sigmoid sin size_array slice slice_axis slice_like softmax
    space_to_depth sqrt square squeeze stack sum take tan tanh tile topk transpose where zeros_like
"""
