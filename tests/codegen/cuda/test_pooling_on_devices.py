"""Pooling on a GPU, whatever the windows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.graph.builder import F
from tests.codegen.cuda.devices import computes, numbers


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.sampled_from(["max", "avg", "sum", "lp"]),
    st.sampled_from(["valid", "full", "same"]),
    st.booleans(),
    st.data(),
)
@settings(max_examples=12, deadline=None)
def test_pooling_of_any_windows_and_its_gradients_are_those_of_the_host(
    kernel: list[int], kind: str, convention: str, counts_padding: bool, data: st.DataObject
) -> None:
    rank = len(kernel)
    strides, pads, more = (
        data.draw(st.tuples(*[st.integers(low, high)] * rank))
        for low, high in ((1, 3), (0, 1), (0, 4))
    )
    attributes = {
        "kernel": tuple(kernel), "stride": strides, "pool_type": kind, "p_value": 2,
        "pooling_convention": convention, "count_include_pad": counts_padding,
        "pad": (0,) * rank if convention == "same" else pads,
    }  # fmt: skip
    size = [k + extra for k, extra in zip(kernel, more, strict=True)]
    images = np.round(numbers(2, 3, *size))  # with equal elements in many windows
    pooled = computes(lambda x: F.Pooling(x, **attributes), images)
    grad = numbers(*pooled.shape)
    if kind == "max":
        pairs = ((F._backward_Pooling_max, grad), (F._take_maxima, numbers(*images.shape)))
        for back, values in pairs:
            computes(lambda *x, back=back: back(*x, **attributes), values, images, pooled)
    else:
        computes(lambda *x: F._backward_Pooling_sum(*x, **attributes), grad, images)


@pytest.mark.parametrize("kind", ["max", "avg", "sum", "lp"])
@pytest.mark.parametrize("size", [(7, 7), (4, 8), (1, 97)], ids=str)
def test_channels_are_pooled_as_a_whole_by_a_warp_each(kind: str, size: tuple[int, int]) -> None:
    images = numbers(3, 5, *size)
    pool = {"global_pool": True, "kernel": (1, 1), "pool_type": kind, "p_value": 2}
    for dtype in ("float32", "float64"):
        computes(lambda x: F.Pooling(x, **pool), images.astype(dtype))
