"""The 150 operators that programs use most, to ONNX and back; the result is a table in docs/onnx.md.

python -m tests.onnx.census               # writes it
python -m tests.onnx.census take Custom   # prints what becomes of some operators' samples

The names are those of the most uses in 16 code bases that use MXNet. Each of an operator's samples
(tests/graph/samples) becomes a net, with the sample's numbers as inputs.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gluonic.graph import Array, Graph, Run
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from gluonic.onnx.assembly import assemble
from gluonic.onnx.comparison import difference, draws_numbers, run_model
from gluonic.onnx.errors import OnnxExportError
from gluonic.onnx.importing import read_model
from gluonic.onnx.reading import OnnxImportError
from gluonic.onnx.table import LEFT_OUT
from gluonic.onnx.writing import write_graph
from tests.graph.registry_samples import SAMPLES
from tests.onnx.sampled_graphs import SampledGraph, sampled_graph

PAGE = Path(__file__).parent.parent.parent / "docs" / "onnx.md"
OPSET, TOLERANCE = 20, 1e-5
_BETWEEN = re.compile(r"(?<=<!-- census -->\n).*(?=<!-- end of the census -->)", re.DOTALL)
_REASON = re.compile(r" ×\d+: (.*); for example", re.DOTALL)

_NAMES = """
    Activation Concat _zeros sum Convolution FullyConnected Reshape BatchNorm _random_normal dot broadcast_mul
    expand_dims Pooling _ones log slice_axis ones_like where transpose mean _random_uniform zeros_like _arange
    broadcast_add Dropout _linalg_gemm2 SoftmaxOutput stack square softmax broadcast_div Flatten SliceChannel
    exp Cast relu sqrt clip batch_dot Embedding argmax BlockGrad squeeze broadcast_sub _maximum abs max one_hot
    take _contrib_BilinearResize2D MakeLoss Custom _full _linalg_trsm sigmoid tile SwapAxis _eye LeakyReLU
    _linalg_potrf add_n pick repeat Crop norm log_softmax _power gather_nd L2Normalization _contrib_arange_like
    broadcast_like topk elemwise_add UpSampling smooth_l1 gammaln _linalg_syrk broadcast_to
    _contrib_AdaptiveAvgPooling2D LinearRegressionOutput min reverse SoftmaxActivation slice _image_to_tensor
    tanh Pad Deconvolution _image_normalize ROIPooling SequenceMask nansum diag _copy elemwise_mul
    _contrib_SyncBatchNorm broadcast_lesser broadcast_minimum argsort sign _sample_multinomial
    IdentityAttachKLSparseReg _minimum floor broadcast_greater _linalg_trmm _linalg_sumlogdiag broadcast_axis
    broadcast_maximum slice_like reshape_like cos sin prod broadcast_lesser_equal _contrib_DeformableConvolution
    _contrib_MultiBoxDetection _contrib_box_nms _contrib_ROIAlign broadcast_logical_or broadcast_greater_equal
    broadcast_logical_and arccos argmax_channel LogisticRegressionOutput broadcast_equal _contrib_box_iou log1p
    _sample_gamma _random_randint _contrib_MultiBoxPrior _contrib_MultiBoxTarget _sample_normal
    _contrib_Proposal SequenceReverse _random_uniform_like gamma _random_gamma broadcast_power _linalg_gemm
    _contrib_MultiProposal LRN cast_storage shape_array _linspace broadcast_mod GroupNorm argmin _np_cumsum
    _random_normal_like
"""
MOST_USED = _NAMES.split()


class Outcome(NamedTuple):
    """What became of a sample.

    Attributes
    ----------
    problem : why it does not agree; empty if it does
    apart : the largest difference, relative to the largest number of an output
    """

    problem: str
    apart: float = 0.0


def outcome(name: str, number: int) -> Outcome:
    """Write a sample, compute it, read it, and compute it again."""
    sampled = sampled_graph(name, number)
    try:
        written = write_graph(sampled.graph, sampled.inputs, sampled.parameters, OPSET)
    except OnnxExportError as error:
        return Outcome(_reason(error))
    model = assemble(written, [f"out{i}" for i in range(len(sampled.expected))])
    read = {value.name for value in model.graph.input}
    feed = {name: array for name, array in sampled.feed.items() if name in read}
    try:
        computed, _ = run_model(model, feed)
    except Exception as error:  # ONNX Runtime's classes have no common base
        return Outcome(f"ONNX Runtime refuses it: {_first_line(error)}")
    if draws_numbers(model):
        return _of_random_numbers(sampled, computed)
    apart = _apart(sampled.expected, computed)
    if apart > TOLERANCE:
        return Outcome(f"ONNX Runtime's numbers differ by {apart:.1g}")
    try:
        again = _apart(sampled.expected, _read_again(model.SerializeToString(), feed))
    except OnnxImportError as error:
        return Outcome(f"cannot be read again: {_reason(error)}")
    if again > TOLERANCE:
        return Outcome(f"read again, the numbers differ by {again:.1g}")
    return Outcome("", max(apart, again))


def _of_random_numbers(sampled: SampledGraph, computed: Sequence[Array]) -> Outcome:
    """Of random numbers, the shapes and dtypes must agree."""
    for ours, theirs in zip(sampled.expected, map(np.asarray, computed), strict=True):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return Outcome(f"ONNX Runtime returns {theirs.dtype}{list(theirs.shape)}")
    return Outcome("")


def _read_again(model: bytes, feed: dict[str, Array]) -> list[Array]:
    imported = read_model(model)
    graph = Graph(imported.entries)
    arrays = {**imported.parameters, **feed}
    given = {node: np.array(arrays[node.name]) for node in graph.variables}
    return interpret(graph, given, Run(False, RandomSource()))


def _apart(expected: Sequence[Array], computed: Sequence[Array]) -> float:
    worst = 0.0
    for ours, theirs in zip(expected, map(np.asarray, computed), strict=True):
        same = ours.shape == theirs.shape and ours.dtype == theirs.dtype
        worst = max(worst, difference(ours, theirs) if same else float("inf"))
    return worst


def _reason(error: MXNetError) -> str:
    """The first reason that an error states."""
    stated = _REASON.search(str(error))
    return " ".join(stated[1].split()) if stated else _first_line(error)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def outcomes(names: Iterable[str]) -> dict[str, list[Outcome]]:
    """What became of the samples of each operator."""
    return {
        name: [outcome(name, i) for i in range(len(SAMPLES.get(name, ())))]
        or [Outcome(LEFT_OUT[name])]
        for name in names
    }


def table(found: dict[str, list[Outcome]]) -> str:
    """The operators all of whose samples agree, and the others, with the reason of each."""
    agree = [name for name, each in found.items() if not any(one.problem for one in each)]
    count = sum(len(found[name]) for name in agree)
    worst = max(one.apart for each in found.values() for one in each)
    rows = []
    for name in found.keys() - agree:
        counts = Counter(one.problem for one in found[name])
        passed = counts.pop("", 0)
        why = "; ".join(f"{reason} ({n})" for reason, n in counts.most_common())
        agreeing = f"{passed} of {len(found[name])}" if name in SAMPLES else "none"
        rows.append((MOST_USED.index(name), f"| `{name}` | {agreeing} | {why} |"))
    return "\n".join(
        [
            "| operator | samples that agree | the others |",
            "|---|--:|---|",
            f"| the other {len(agree)} | {count} of {count}, within {worst:.1g} | |",
            *(row for _, row in sorted(rows)),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    names = parser.parse_args().names
    found = outcomes(names or MOST_USED)
    if names:
        for name, each in found.items():
            print(name, *each, sep="\n    ")
    else:
        PAGE.write_text(_BETWEEN.sub(lambda _: table(found), PAGE.read_text()))


if __name__ == "__main__":
    main()
