"""Functions of ``sym.contrib`` that are more than operators compute as those of ``nd.contrib`` do."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym

ARRAYS = {
    "weight": [1.0, -2.0],
    "grad": [0.5, 0.25],
    "mean": [0.1, 0.2],
    "var": [0.3, 0.4],
    "weight32": [1.0, -2.0],
}
STEPS = {
    "adamw_update": ("weight", "grad", "mean", "var"),
    "mp_adamw_update": ("weight", "grad", "mean", "var", "weight32"),
}


@pytest.mark.parametrize("scale", [0.5, "scale", float("inf")])
@pytest.mark.parametrize("step", STEPS)
def test_steps_of_adamw_are_those_of_arrays(step: str, scale: Any) -> None:
    names = STEPS[step]
    mixed = step.startswith("mp")
    settings = {"lr": 0.1, "eta": 0.9, "wd": 0.01}
    dtypes = {"weight": "float16", "grad": "float16"} if mixed else {}
    ours = {name: nd.array(ARRAYS[name], dtype=dtypes.get(name, "float32")) for name in names}
    given = nd.array([0.5]) if scale == "scale" else scale
    expected = getattr(nd.contrib, step)(*ours.values(), given, **settings)

    inputs = {name: sym.Variable(name) for name in names}
    factor = sym.Variable("scale") if scale == "scale" else scale
    made = getattr(sym.contrib, step)(*inputs.values(), factor, **settings)
    bound = {name: nd.array(ARRAYS[name], dtype=dtypes.get(name, "float32")) for name in names}
    bound["scale"] = nd.array([0.5])
    executor = made.bind(
        mx.cpu(),
        {name: bound[name] for name in made.list_arguments()},
        aux_states={name: bound[name] for name in made.list_auxiliary_states()},
    )
    (found,) = executor.forward()
    assert found.asnumpy().tolist() == expected.asnumpy().tolist()
    for name in ("mean", "var"):
        assert bound[name].asnumpy().tolist() == ours[name].asnumpy().tolist()


def test_zipfian_samples_come_with_the_counts_that_are_expected() -> None:
    mx.random.seed(4)
    three = sym.contrib.rand_zipfian(sym.Variable("classes"), 20_000, 50)
    executor = sym.Group(three).bind(mx.cpu(), {"classes": nd.array([0, 3], dtype="int64")})
    samples, expected, expected_of_samples = (found.asnumpy() for found in executor.forward())
    assert samples.dtype == np.int64
    assert (samples.min(), samples.max()) == (0, 49)
    for number, count in zip((0, 3), expected, strict=True):
        assert abs((samples == number).sum() - count) < 5 * np.sqrt(count)
    share = np.log((samples + 2) / (samples + 1)) / np.log(51)
    assert np.allclose(expected_of_samples, 20_000 * share, rtol=1e-12)
