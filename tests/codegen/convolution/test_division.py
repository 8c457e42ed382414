"""Units of convolutions for several threads: enough of them, the same for symbolic batches, the same sums."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import nd
from gluonic.codegen.convolution.division import divided
from gluonic.codegen.convolution.filters import Filters, lanes_of
from gluonic.codegen.convolution.form import SIZES, numbers_of
from gluonic.codegen.convolution.geometry import Geometry, Strides
from gluonic.codegen.convolution.tiling import tiling_of
from gluonic.codegen.machine.target import cross
from gluonic.codegen.shapes.symbolic import ShapeEnv
from gluonic.codegen.shapes.valuation import Valuation
from gluonic.gluon import nn

WIDE = cross("x86_64-unknown-linux-gnu", "x86-64-v4")
"""A processor with long registers: a tile has many filters, so there are few units."""


def geometry(batch: Any, side: int) -> Geometry:
    """Outputs of this size, without what their images look like."""
    return Geometry(batch, side, side, Strides(0, 0, 0), Strides(0, 0, 0))


convolutions = st.builds(
    Filters,
    channels=st.sampled_from([16, 64, 512]),
    filters=st.sampled_from([16, 80, 512, 2048]),
    groups=st.sampled_from([1, 2]),
    kernel=st.sampled_from([(1, 1), (3, 3)]),
)


@settings(deadline=None)
@given(
    filters=convolutions,
    side=st.integers(1, 60),
    batches=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    threads=st.integers(1, 64),
)
def test_units_of_any_batch_are_those_of_a_symbolic_one(
    filters: Filters, side: int, batches: tuple[int, int], threads: int
) -> None:
    lanes, tiling = lanes_of(WIDE), tiling_of(filters, side, side, WIDE)
    hint, batch = batches
    env = ShapeEnv(hint)
    one, units = divided(filters, tiling, geometry(env.size, side), lanes, threads)
    evaluate = Valuation(env, ([one.band, one.depth, one.segment, units],))
    other, expected = divided(filters, tiling, geometry(batch, side), lanes, threads)
    assert evaluate(batch) == ([other.band, other.depth, other.segment, expected],)
    assert geometry(batch, side).units(filters, other, lanes) == expected


@settings(deadline=None)
@given(
    filters=convolutions,
    side=st.integers(1, 60),
    hint=st.integers(1, 40),
    threads=st.integers(1, 64),
)
def test_numbers_for_one_batch_are_for_others_too(
    filters: Filters, side: int, hint: int, threads: int
) -> None:
    lanes, tiling, env = lanes_of(WIDE), tiling_of(filters, side, side, WIDE), ShapeEnv(hint)
    shape = geometry(env.size, side)
    one, _ = divided(filters, tiling, shape, lanes, threads)
    rows = env.value(numbers_of(filters, one, shape, lanes, (0, side))[SIZES + 1])
    assert rows == (1 if tiling.segment else side)
    assert env.is_general


@pytest.mark.parametrize("filters", [(256, 1024), (1024, 256), (2048, 512), (512, 512)])
@pytest.mark.parametrize("side", [7, 14])
def test_a_small_image_has_units_for_sixteen_threads(filters: tuple[int, int], side: int) -> None:
    own = Filters(*filters, 1, (1, 1))
    tiling, lanes = tiling_of(own, side, side, WIDE), lanes_of(WIDE)
    _, units = divided(own, tiling, geometry(1, side), lanes, 16)
    assert units >= 16
    usual, one = divided(own, tiling, geometry(1, side), lanes, 1)
    assert usual is tiling
    assert one < units


@pytest.mark.usefixtures("many_processors")
@pytest.mark.parametrize(("batch", "side"), [(1, 7), (3, 7), (1, 43)])
def test_the_number_of_threads_changes_no_bit(
    batch: int, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(96, 1), nn.Conv2D(64, 3, padding=1), nn.Conv2D(200, 1, groups=2))
    net.add(nn.Conv2D(32, 3, padding=1), nn.Conv2D(32, 5, padding=2, strides=2))
    net.initialize(mx.init.Xavier())
    x = nd.array(np.random.default_rng(0).normal(size=(batch, 128, side, side + 2)))
    results = []
    for threads in (1, 2, 5, 16):
        monkeypatch.setenv("GLUONIC_NUM_THREADS", str(threads))
        net.hybridize(compile_at_once=True)
        results.append(net(x).asnumpy())
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
