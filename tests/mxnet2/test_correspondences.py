"""The table of 1.x's names and 2.0's: both are there, and functions that are exchanged compute the same."""

import re
from typing import Any

import numpy
import pytest

import gluonic as one
import gluonic.mxnet2 as two
from gluonic.graph.array_semantics import Semantics
from gluonic.mxnet_names.correspondences import Correspondence, correspondence, correspondences
from gluonic.ndarray import NDArray

TABLE = correspondences()
FUNCTIONS = {name: row for name, row in TABLE.items() if row.parameters is not None and row.is_safe}
# Calls of functions of 1.x, where {} is the function: {x} positive, {y} of the same shape, {v} a vector.
_UNARY, _BINARY, _REDUCED = "{}(x)", "{}(x, y)", "{}(x, 1); {}(x, axis=(0, 1), keepdims=True)"
CALLS = {
    "zeros": "{}((2, 3)); {}((2, 3), mx.cpu(), 'float16')",
    "ones": "{}((2, 3)); {}(3, dtype='int32')",
    "empty": "{}((2, 0))",
    "full": "{}((2, 3), 4); {}((2,), val=1.5, ctx=mx.cpu())",
    "array": "{}([1, 2]); {}(numpy.arange(3)); {}(numpy.ones(2), mx.cpu()); {}([1], dtype='int32')",
    "arange": "{}(5); {}(1, 7, 2, dtype='int32'); {}(3, ctx=mx.cpu())",
    "eye": "{}(3); {}(2, k=1, dtype='float64')",
    "linspace": "{}(0, 1, 5); {}(0, 1, 4, endpoint=False)",
    "fix": "{}(x - 2)", "trunc": "{}(x - 2)", "rint": "{}(x * 1.7)",
    "arcsin": "{}(x / 9)", "arccos": "{}(x / 9)", "arctanh": "{}(x / 9)", "arccosh": "{}(x + 1)",
    "erfinv": "{}(x / 9)",
    "sum": _REDUCED, "mean": _REDUCED, "max": _REDUCED, "min": _REDUCED, "prod": _REDUCED,
    "sum_axis": "{}(x, axis=1)", "norm": "{}(x)",
    "argmax": "{}(x, axis=1); {}(x, 0, keepdims=True)", "argmin": "{}(x, axis=1)",
    "argsort": "{}(x, axis=0)", "sort": "{}(x); {}(x, axis=0)",
    "clip": "{}(x, 1.5, 3); {}(x, a_min=2, a_max=3)",
    "expand_dims": "{}(x, 1); {}(data=x, axis=0)", "squeeze": "{}(z); {}(z, axis=1)",
    "tile": "{}(x, (2, 1)); {}(x, reps=2)", "repeat": "{}(x, repeats=2, axis=1)",
    "transpose": "{}(x); {}(z, axes=(2, 0, 1))",
    "swapaxes": "{}(z, 0, 2); {}(z, dim1=1, dim2=2)", "SwapAxis": "{}(z, dim1=1, dim2=2)",
    "flip": "{}(x, axis=1)", "reverse": "{}(x, axis=0)",
    "where": "{}(mx.nd.greater(x, y), x, y)", "take": "{}(x, i); {}(x, i, axis=1)",
    "broadcast_to": "{}(v, shape=(2, 3))", "diag": "{}(v); {}(x, k=1)", "cumsum": "{}(x, axis=1)",
    "concat": "{}(x, y); {}(*[x, y], dim=0); {}(x, *[y, y], dim=1)", "Concat": "{}(x, y, dim=0)",
    "stack": "{}(x, y); {}(*[x, y], axis=1)", "concatenate": "{}([x, y]); {}([x, y], axis=1)",
    "split": "{}(x, 3)[1]; {}(x, num_outputs=2, axis=0)[0]; {}(x, 3, axis=1, squeeze_axis=True)[2]",
    "SliceChannel": "{}(x, num_outputs=3)[2]",
    "dot": "{}(x, y.transpose()); {}(t, u)", "batch_dot": "{}(t, u); {}(t, t, transpose_b=True)",
    "reshape": "{}(z, shape=(0, -1)); {}(x, (-1,)); {}(t, (-3, 0)); {}(x, shape=(0, -2))",
    "Reshape": "{}(x, shape=(3, 2))",
    "reshape_like": "{}(x, y)", "broadcast_like": "{}(v.expand_dims(0), x)", "slice_like": "{}(t, u)",
    "flatten": "{}(t)", "Flatten": "{}(t)", "slice_axis": "{}(x, axis=1, begin=1, end=None)",
    "softmax": "{}(x); {}(x, axis=0, temperature=2)", "log_softmax": "{}(x, axis=0)",
    "FullyConnected": "{}(x, y, num_hidden=2, no_bias=True); {}(x, y, i, num_hidden=2)",
    "Convolution": "{}(image, filters, num_filter=1, kernel=(2, 2), no_bias=True)",
    "Deconvolution": "{}(image, filters, num_filter=1, kernel=(2, 2), no_bias=True)",
    "Pooling": "{}(image, kernel=(2, 2), pool_type='avg')",
    "Activation": "{}(x - 2, act_type='relu'); {}(x, 'softrelu')", "Dropout": "{}(x, 0.5)",
    "BatchNorm": "{}(x, v, v, v, v, fix_gamma=False)", "LayerNorm": "{}(x, v, v)",
    "Embedding": "{}(i, x, input_dim=2, output_dim=3)", "LeakyReLU": "{}(x - 2, act_type='elu')",
    "SequenceMask": "{}(x, sequence_length=v - 1, use_sequence_length=True)",
    "one_hot": "{}(i, 3); {}(i, depth=2)", "pick": "{}(x, i); {}(x, v - 1, axis=0)",
    "topk": "{}(x, k=2); {}(x, axis=0, ret_typ='value')", "smooth_l1": "{}(x - 2, scalar=2.0)",
    "gather_nd": "{}(x, i.expand_dims(0))",
    "contrib.MultiBoxPrior": "{}(image, sizes=(0.5,), ratios=(1, 2))",
    "contrib.MultiBoxTarget": "{}(boxes, mx.nd.ones((1, 1, 5)), mx.nd.ones((1, 2, 1)))[0]",
    "contrib.MultiBoxDetection": "{}(mx.nd.ones((1, 2, 1)), mx.nd.ones((1, 4)), boxes)",
    "contrib.arange_like": "{}(x, axis=1)", "waitall": "{}()",
}  # fmt: skip
_TWO_INPUTS = re.compile(
    "add|sub|mul|div|mod|power|hypot|maximum|minimum|equal|greater|lesser|plus|minus"
)


def calls_of(name: str) -> list[str]:
    """Calls of a function of mx.nd, as a program of 1.x has them."""
    texts = CALLS.get(name) or (_BINARY if _TWO_INPUTS.search(name) else _UNARY)
    return texts.replace("{}", f"mx.nd.{name}").split("; ")


def value_of(call: str, mx: Any) -> Any:
    """What a call computes, in an MXNet."""
    array = (mx.np if mx is two else mx.nd).array
    names = {
        "mx": mx,
        "numpy": numpy,
        "x": array([[1.0, 3.0, 2.0], [4.5, 0.5, 2.5]]),
        "y": array([[2.0, 1.0, 2.0], [0.5, 3.0, 2.5]]),
        "v": array([1.0, 2.0, 1.5]),
        "i": array([1.0, 0.0]),
        "z": array([[[1.0, 2.0]], [[3.0, 4.0]]]),
        "t": array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]),
        "u": array([[[1.0, 0.5], [2.0, 1.0]], [[3.0, 1.0], [4.0, 2.0]]]),
        "image": array([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]),
        "filters": array([[[[1.0, 2.0], [3.0, 4.0]]]]),
        "boxes": array([[[0.1, 0.1, 0.5, 0.5]]]),
    }
    with Semantics(array=mx is two, shape=mx is two):
        return eval(call, names)


@pytest.mark.parametrize("row", TABLE.values(), ids=lambda row: row.before)
def test_both_names_are_there(row: Correspondence) -> None:
    for name, mx in ((row.before, one), (row.after, two)):
        value: Any = mx
        if name.startswith("."):
            kinds = (mx.nd.NDArray, mx.gluon.Block, mx.gluon.Parameter, mx.np.ndarray)
            assert any(hasattr(kind, name[1:]) for kind in kinds)
            continue
        for part in filter(None, name.split(".")):
            value = getattr(value, part)
    assert row.advice


def test_names_that_are_gone_are_those_that_2_0_lacks() -> None:
    for row in TABLE.values():
        if row.is_gone and "." not in row.before:
            assert not hasattr(two, row.before)


def test_the_longest_name_above_decides() -> None:
    found = [correspondence(f"mxnet.metric.{name}") for name in ("F1", "Accuracy")]
    assert [row and (row[0].before, row[1]) for row in found] == [
        ("metric.F1", ""),
        ("metric", ".Accuracy"),
    ]
    assert correspondence("mxnet.ndarray.ones") == (TABLE["nd.ones"], "")
    assert correspondence("mxnet.gluon.nn.Dense") is None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_are_exchanged_compute_the_same(name: str) -> None:
    pytest.importorskip("libcst")
    from gluonic.tools.modernizing import modernized

    for call in calls_of(name.removeprefix("nd.")):
        result = modernized(f"import mxnet as mx\n{call}\n")
        new_call = result.after.splitlines()[-1]
        assert (new_call != call, result.marks) == (True, []), call
        before, after = value_of(call, one), value_of(new_call, two)
        assert type(before) is type(None) or isinstance(after, two.np.ndarray), new_call
        if isinstance(before, NDArray):
            assert before.dtype == after.dtype, new_call
            size = (before.size, after.size)
            assert before.shape == after.shape or size == (1, 1), new_call
            numpy.testing.assert_array_max_ulp(before.asnumpy().ravel(), after.asnumpy().ravel(), 1)
