"""Rules as machine code on some rows: NumPy's results on these rows, and no other changes."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.row_updates import update_rows
from gluonic.graph import updates
from gluonic.graph.scalar_math import M

ADAM = {
    "lr": 0.1,
    "wd": 0.01,
    "rescale": 0.5,
    "clip": None,
    "beta1": 0.9,
    "beta2": 0.999,
    "epsilon": 1e-8,
    "bias1": 1.0,
    "bias2": 1.0,
}
MOMENTUM = {"lr": 0.1, "wd": 0.01, "rescale": 0.5, "clip": 0.75, "momentum": 0.9}
RULES: dict[str, tuple[Any, dict[str, Any], int]] = {
    "adam": (updates.adam, ADAM, 2),
    "momentum": (updates.sgd_momentum, MOMENTUM, 1),
}


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_rows_are_updated_as_numpy_would_and_others_stay(name: str, data: st.DataObject) -> None:
    rule, numbers, count = RULES[name]
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    columns = data.draw(st.sampled_from([(1,), (3,), (16,), (5, 7), (400,)]))
    chosen = data.draw(st.sets(st.integers(0, 11), max_size=12))
    rows = np.array(sorted(chosen), np.int64)
    random = np.random.default_rng(data.draw(st.integers(0, 9)))
    targets = [np.abs(random.normal(size=(12, *columns))).astype(dtype) for _ in range(count + 1)]
    gradient = random.normal(size=(len(rows), *columns)).astype(dtype)
    before = [x.copy() for x in targets]
    expected = rule(
        M, SimpleNamespace(**numbers), before[0][rows], gradient, *[x[rows] for x in before[1:]]
    )
    update_rows(rule, numbers, targets, rows, gradient)
    others = np.setdiff1d(np.arange(12), rows)
    for old, new, wanted in zip(before, targets, expected, strict=True):
        np.testing.assert_array_equal(new[rows], wanted)
        np.testing.assert_array_equal(new[others], old[others])
