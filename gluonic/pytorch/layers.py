"""Gluonic's operators that are modules in PyTorch, but several nodes, or none, in ONNX."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.onnx import families
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.families.products import transposed
from gluonic.onnx.table import WRITES, WriteRule
from gluonic.onnx.use import fixed, known, shape_of
from gluonic.onnx.writer import OnnxValue

assert families  # its files have filled the table


def _fully_connected(o: Any, n: Any) -> Any:
    data, rank = n.data, len(shape_of(n, "data"))
    if n.flatten and rank != 2:
        data = o.Flatten(data, axis=1) if rank > 2 else o.Reshape(data, [-1, 1])
    return o.Linear(data, n.weight, n.bias)


def _embedding(o: Any, n: Any) -> Any:
    return o.Embedding(n.data, n.weight, result=n.weight.dtype)


def _dropout(o: Any, n: Any) -> Any:
    if n.mode == "always" or n.axes or not n.p:
        return WRITES["Dropout"](o, n)
    return o.Dropout(n.data, ratio=n.p)


def _leaky_relu(o: Any, n: Any) -> Any:
    data, slope = shape_of(n, "data"), shape_of(n, "gamma") if n.act_type == "prelu" else ()
    if len(slope) == 1 and len(data) > 1 and slope[0] in (1, data[1]):
        return o.PReLU(n.data, n.gamma)
    return WRITES["LeakyReLU"](o, n)


def _rnn(o: Any, n: Any) -> Any:
    if n.projection_size is not None or n.sequence_length is not None:
        raise NotExportable("projection_size and use_sequence_length, which PyTorch does otherwise")
    directions = 2 if n.bidirectional else 1
    sizes = RNNSizes(n.mode, n.state_size, n.num_layers, directions, None)
    features = fixed(shape_of(n, "data")[2], "the number of features")
    weights: dict[str, Any] = {}
    for position, part in enumerate(sizes.unpack(known(n, "parameters"), features)):
        layer, direction = divmod(position, directions)
        ending = f"l{layer}{'_reverse' * direction}"
        weights |= {
            f"weight_ih_{ending}": part.inputs,
            f"weight_hh_{ending}": part.state,
            f"bias_ih_{ending}": part.inputs_bias,
            f"bias_hh_{ending}": part.state_bias,
        }
    states = [n.state, n.state_cell] if n.mode == "lstm" else [n.state]
    begin = [] if all(map(_is_zero, states)) else states
    outputs = o.Recurrent(
        n.data,
        *begin,
        outputs=len(states) + 1,
        mode=n.mode,
        features=features,
        hidden_size=n.state_size,
        num_layers=n.num_layers,
        bidirectional=bool(n.bidirectional),
        dropout=n.p,
        weights=weights,
    )
    return outputs if n.state_outputs else outputs[:1]


def _is_zero(value: OnnxValue) -> bool:
    """Whether all elements are zero, as of states that begin."""
    if value.array is None and value.maker is not None and value.maker.op_type == "Expand":
        (value, *_) = [each for each in value.maker.inputs if each is not None]
    return value.array is not None and not np.any(value.array)


def _cholesky(o: Any, n: Any) -> Any:
    return o.Cholesky(n.A, upper=not n.lower)


def _inverse_of_product(o: Any, n: Any) -> Any:
    return o.CholeskyInverse(n.A, upper=not n.lower)


def _solution(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "A"))
    matrices = transposed(o, n.A, rank) if n.transpose else n.A
    sides = n.B if n.alpha == 1 else o.Mul(n.B, n.alpha)
    return o.SolveTriangular(matrices, sides, upper=n.lower == n.transpose, left=not n.rightside)


RULES: Mapping[str, WriteRule] = {
    **WRITES,
    "FullyConnected": _fully_connected,
    "Embedding": _embedding,
    "_contrib_SparseEmbedding": _embedding,
    "Dropout": _dropout,
    "LeakyReLU": _leaky_relu,
    "RNN": _rnn,
    "_linalg_potrf": _cholesky,
    "_linalg_potri": _inverse_of_product,
    "_linalg_trsm": _solution,
}
"""How operators are written, by gluonic's names: as in ONNX, but for these."""
