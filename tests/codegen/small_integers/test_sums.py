"""Sums of products of small integers in machine code are the interpreter's integers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import assembly
from gluonic.codegen.machine.target import processor
from gluonic.codegen.small_integers.operators import integer_convolution, integer_dense
from gluonic.codegen.small_integers.products import emit_products
from gluonic.codegen.small_integers.tile import IntegerTile
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.interpret import interpret
from tests.codegen.agreement import new_run
from tests.codegen.native_operators import in_python

Array = np.ndarray[Any, Any]


def _small(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    """Integers of all sizes, many of them extreme."""
    ends = np.iinfo(dtype)
    numbers = random.integers(ends.min, ends.max + 1, shape)
    extremes = random.choice([ends.min, ends.max], shape)
    return np.where(random.random(shape) < 0.5, extremes, numbers).astype(dtype)


def _check(make: Any, *arrays: Array) -> None:
    variables = [Node(None, name) for name in "xw"]
    output: Entry = make(*(node.entry() for node in variables))
    compiled = CompiledGraph(Graph([output]), variables)
    (found,) = compiled(list(arrays), new_run())
    given = dict(zip(variables, arrays, strict=True))
    (expected,) = interpret(Graph([output]), given, new_run())
    np.testing.assert_array_equal(found, expected)
    assert not in_python(compiled, arrays)


WINDOWS = [
    {"kernel": (1, 1)},
    {"kernel": (1, 1), "stride": (2, 2)},
    {"kernel": (3, 3), "pad": (1, 1)},
    {"kernel": (3, 3), "pad": (0, 1)},
    {"kernel": (3, 2), "stride": (2, 3), "pad": (1, 2)},
    {"kernel": (7, 7), "stride": (2, 2), "pad": (3, 3)},
    {"kernel": (2, 3), "dilate": (3, 2), "stride": (1, 2), "pad": (2, 0)},
    {"kernel": (3,), "pad": (1,)},
    {"kernel": (2, 3, 2), "stride": (1, 2, 1), "pad": (1, 1, 0)},
]


@pytest.mark.parametrize("windows", WINDOWS, ids=str)
@settings(max_examples=4, deadline=None)
@given(
    dtype=st.sampled_from(["int8", "uint8"]),
    channels=st.sampled_from([1, 2, 5, 17]),
    filters=st.sampled_from([1, 3, 6, 13]),
    groups=st.sampled_from([1, 1, 3]),
    extent=st.sampled_from([7, 9, 18, 37]),
    seed=st.integers(0, 99),
)
def test_a_convolution_is_exact(
    windows: Any, dtype: str, channels: int, filters: int, groups: int, extent: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    spatial = (extent, 8, 7)[: len(windows["kernel"])][::-1]
    data = _small(random, dtype, (2, channels * groups, *spatial))
    weight = _small(random, "int8", (filters * groups, channels, *windows["kernel"]))
    more: dict[str, Any] = {"num_filter": len(weight), "num_group": groups}
    _check(lambda x, w: apply(integer_convolution, x, w, **windows, **more), data, weight)


@settings(max_examples=12, deadline=None)
@given(
    dtype=st.sampled_from(["int8", "uint8"]),
    rows=st.sampled_from([1, 2, 6, 14]),
    inner=st.sampled_from([1, 4, 31, 700]),
    hidden=st.sampled_from([1, 16, 33, 70]),
    flatten=st.booleans(),
    seed=st.integers(0, 99),
)
def test_a_dense_layer_is_exact(
    dtype: str, rows: int, inner: int, hidden: int, flatten: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    data = _small(random, dtype, (rows, 3, inner))
    weight = _small(random, "int8", (hidden, inner * 3 if flatten else inner))
    more: dict[str, Any] = {"num_hidden": hidden, "flatten": flatten}
    _check(lambda x, w: apply(integer_dense, x, w, **more), data, weight)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("extents", [(7, 7), (8, 15), (3, 16), (9, 33)], ids=str)
def test_tiles_are_exact_for_extreme_numbers(extents: tuple[int, int], dtype: str) -> None:
    data = np.full((2, 18, *extents), np.iinfo(dtype).max, dtype)
    data[1] = _small(np.random.default_rng(0), dtype, data.shape[1:])
    weight = np.full((7, 18, 3, 3), -128, np.int8)
    weight[3:] = _small(np.random.default_rng(1), "int8", (4, 18, 3, 3))
    windows: dict[str, Any] = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 7}
    _check(lambda x, w: apply(integer_convolution, x, w, **windows), data, weight)


@pytest.mark.parametrize(
    ("cpu", "instruction"), [("x86-64-v3", "vpmaddwd"), ("icelake-server", "vpdpwssd")]
)
def test_one_instruction_multiplies_and_adds_neighbours(cpu: str, instruction: str) -> None:
    target = processor(cpu)
    module = LLVMModule(target)
    emit_products(module, "products", IntegerTile.of(target))
    text = assembly(module.text(), target)
    assert instruction in text
    assert "vpmulld" not in text
