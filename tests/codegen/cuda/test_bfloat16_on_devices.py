"""Numbers of bfloat16 on a GPU: computed in float32 and rounded once by every operator, as on the host."""

from functools import partial

import numpy as np
import pytest

from gluonic.codegen import operator_on_device
from gluonic.codegen.cuda.products import plan
from gluonic.codegen.cuda.products.form import LOADED, MATRICES, WARPGROUPS, BlockTile
from gluonic.codegen.maths.values import FLOAT32
from gluonic.graph import Node
from gluonic.graph.builder import F
from gluonic.graph.draws import draws
from gluonic.graph.dtypes import bfloat16
from gluonic.graph.errors import InferenceError
from tests.codegen.cuda.devices import assert_near, computes, emulated, moved, numbers
from tests.graph.registry_samples import SAMPLES, application_of, cast, run, run_of

pytest.importorskip("ml_dtypes")
KINDS = (
    *("relu", "exp", "elemwise_add", "broadcast_mul", "_plus_scalar", "add_n", "where", "Cast"),
    *(
        "_contrib_arange_like",
        "sum",
        "mean",
        "max",
        "argmax",
        "_np_cumsum",
        "softmax",
        "log_softmax",
    ),
    *("LayerNorm", "L2Normalization", "moments", "FullyConnected", "dot", "batch_dot"),
    *(
        "Convolution",
        "Deconvolution",
        "Pooling",
        "RNN",
        "CTCLoss",
        "take",
        "Embedding",
        "transpose",
    ),
    *("Concat", "slice", "SliceChannel", "repeat", "tile", "Pad", "_sparse_retain", "sort", "topk"),
    *("Dropout", "SoftmaxOutput", "sgd_mom_update", "UpSampling", "_contrib_ROIAlign"),
)
"""An operator for each way in which kernels compute; ``--thorough`` tries all."""


def test_operators_round_as_on_the_host(thorough: bool) -> None:
    for name in SAMPLES if thorough else KINDS:
        for sample in SAMPLES[name][: None if thorough else 1]:
            application, given = application_of(name, sample), cast(sample, bfloat16().name)
            if not any(array.dtype == bfloat16() for array in given):
                continue
            node = Node(
                application, name, [Node(None, each).entry() for each in application.inputs]
            )
            try:
                expected = run(application, [array.copy() for array in given], sample)
            except InferenceError:  # the host has no such operator of bfloat16
                assert name not in KINDS
                continue
            found = operator_on_device(application)(moved(given), run_of(sample), emulated())
            for ours, theirs in zip(found, expected, strict=True):
                if draws(node, sample.train) or theirs.dtype.hasobject:
                    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
                else:
                    assert_near(ours.to_host(), theirs, given)


@pytest.mark.parametrize("tile", [LOADED[FLOAT32][-1], MATRICES[-1], WARPGROUPS[-1]], ids=str)
def test_products_are_exact_and_summed_in_float32(
    tile: BlockTile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "tiles_for", lambda *_: (tile,))
    for turns, more in (((False, True), 0), ((True, False), 5)):
        rows, columns, inner = tile.rows + more, tile.columns + more, tile.depth + more
        left, right = (rows, inner), (inner, columns)
        shapes = left[::-1] if turns[0] else left, right[::-1] if turns[1] else right
        factors = [numbers(*shape, dtype=bfloat16()) for shape in shapes]
        ours = computes(partial(F.dot, transpose_a=turns[0], transpose_b=turns[1]), *factors)
        first, second = (
            (x.T if turned else x).astype(np.float64)
            for x, turned in zip(factors, turns, strict=True)
        )
        assert_near(ours, (first @ second).astype(np.float32).astype(bfloat16()))
