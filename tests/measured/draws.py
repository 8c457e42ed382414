"""Random numbers after a seed, bit by bit: samplers, choices, masks, initial weights."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

FLOATS = "float16", "float32", "float64"
SIZES = 5, 100, 70_000
# name of a function of nd.random: parameters
NUMBERS: dict[str, list[dict[str, float]]] = {
    "uniform": [{"low": -1, "high": 3}],
    "normal": [{"loc": 1, "scale": 2}],
    "exponential": [{"scale": 2.5}],
    "gamma": [{"alpha": 2.5, "beta": 0.7}, {"alpha": 0.4, "beta": 2.0}],
    "poisson": [{"lam": 3.3}, {"lam": 40.0}],
    "negative_binomial": [{"k": 3, "p": 0.4}],
    "generalized_negative_binomial": [{"mu": 2.0, "alpha": 0.3}, {"mu": 3.0, "alpha": 0.0}],
}
ARRAYS: dict[str, tuple[list[float], ...]] = {
    "uniform": ([0.0, 1.5], [1.0, 3.0]),
    "normal": ([0.0, 1.5], [1.0, 3.0]),
    "exponential": ([0.5, 4.0],),
    "gamma": ([0.3, 2.7], [1.25, 0.25]),
    "poisson": ([2.5, 30.0],),
    "negative_binomial": ([3.0, 2.0], [0.5, 0.75]),
    "generalized_negative_binomial": ([3.0, 2.5], [0.5, 0.75]),
}


def summary(array: Any) -> dict[str, Any]:
    """Return what identifies an array."""
    values = array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)
    return {
        "dtype": str(values.dtype),
        "shape": str(values.shape),
        "first": values.reshape(-1)[:3].astype(np.float64),
        "crc": zlib.crc32(np.ascontiguousarray(values).tobytes()),
    }


def _seeded(mx: Any, seed: int, *draws: Callable[[], Any]) -> list[Any]:
    """Return what is drawn one after the other."""
    mx.random.seed(seed)
    return [summary(draw()) for draw in draws]


def _numbers(mx: Any, name: str, given: dict[str, float], dtype: str) -> Callable[[], Any]:
    draw = getattr(mx.nd.random, name)
    return lambda: _seeded(
        mx, 3, *(lambda n=n: draw(**given, shape=(n,), dtype=dtype) for n in SIZES)
    )


def _arrays(mx: Any, name: str, given: str, dtype: str) -> Callable[[], Any]:
    draw = getattr(mx.nd, f"sample_{name}")
    values = [mx.nd.array(each, dtype=given) for each in ARRAYS[name]]
    return lambda: _seeded(
        mx, 4, *(lambda n=n: draw(*values, shape=(n,), dtype=dtype) for n in (3, 120))
    )


def _dropped(mx: Any, dtype: str, shape: tuple[int, ...], **settings: Any) -> Any:
    with mx.autograd.train_mode():
        return mx.nd.Dropout(mx.nd.ones(shape, dtype=dtype), **settings)


def _chosen(mx: Any) -> dict[str, Any]:
    nd = mx.nd
    one, rows = nd.array([0.1, 0.2, 0.3, 0.4]), nd.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])
    found: dict[str, Any] = {
        "categories": (lambda: nd.random.multinomial(one, shape=1000),),
        "categories of rows": (
            lambda: nd.random.multinomial(rows, shape=(2, 4)),
            lambda: nd.random.multinomial(rows, get_prob=True)[1],
            lambda: nd.random.multinomial(rows.astype("float16"), shape=100),
            lambda: nd.random.multinomial(rows.astype("float64"), shape=100, dtype="float32"),
        ),
        "orders": tuple(
            lambda n=n: nd.random.shuffle(nd.arange(n, dtype="int32")) for n in (1, 2, 30, 5000)
        ),
        "orders of rows": tuple(
            lambda n=n: nd.random.shuffle(nd.arange(3 * n).reshape((n, 3))) for n in (1, 20, 3000)
        ),
        "candidates": tuple(
            lambda i=i: nd._internal._sample_unique_zipfian(range_max=1000, shape=(3, 8))[i]
            for i in (0, 1)
        ),
    }
    for dtype in ("int32", "int64"):
        found[f"integers {dtype}"] = tuple(
            lambda n=n, dtype=dtype: nd.random.randint(-5, 1000, shape=(n,), dtype=dtype)
            for n in SIZES
        )
    return found


def _masks(mx: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for dtype in FLOATS:
        found[f"dropout {dtype}"] = (
            lambda dtype=dtype: _dropped(mx, dtype, (7, 11), p=0.3),
            lambda dtype=dtype: _dropped(mx, dtype, (300, 300), p=0.5),
            lambda dtype=dtype: _dropped(mx, dtype, (40, 6, 5), p=0.5, axes=(1,)),
            lambda dtype=dtype: _dropped(mx, dtype, (40, 6), p=0.9, mode="always"),
        )
    return found


def _initialized(mx: Any, init: Any, name: str, shape: tuple[int, ...], dtype: str) -> Any:
    array = mx.nd.zeros(shape, dtype=dtype)
    init(mx.init.InitDesc(name), array)
    return array


def _initializers(mx: Any) -> dict[str, Any]:
    init = mx.init
    made = {
        "Uniform": init.Uniform(0.3),
        "Normal": init.Normal(0.2),
        "Xavier": init.Xavier(),
        "Xavier gaussian": init.Xavier("gaussian", "in", 2),
        "MSRAPrelu": init.MSRAPrelu("out", 0.1),
        "Mixed": init.Mixed(["bias", ".*"], [init.Zero(), init.Uniform()]),
    }
    return {
        name: tuple(
            lambda each=each, dtype=dtype: _initialized(mx, each, "fc_weight", (30, 40), dtype)
            for dtype in FLOATS
        )
        for name, each in made.items()
    }


def drawings(mx: Any) -> dict[str, Callable[[], Any]]:
    """Return what is compared bit by bit."""
    found: dict[str, Callable[[], Any]] = {}
    for dtype in FLOATS:
        for name, rows in NUMBERS.items():
            for i, given in enumerate(rows):
                found[f"{name} {i} {dtype}"] = _numbers(mx, name, given, dtype)
        for name in ARRAYS:
            for precision in FLOATS:
                found[f"{name} of {precision} {dtype}"] = _arrays(mx, name, precision, dtype)
    for group in (_chosen, _masks, _initializers):
        for name, draws in group(mx).items():
            found[name] = partial(_seeded, mx, 5, *draws)
    found["seeded by a context"] = lambda: _by_context(mx)
    found["many seeds"] = lambda: [
        _seeded(mx, seed, lambda: mx.nd.random.uniform(shape=(3,)))
        for seed in (0, 1, -1, 2**31, 2**40 + 3)
    ]
    return found


def _by_context(mx: Any) -> list[Any]:
    mx.random.seed(9, ctx=mx.cpu(2))
    probabilities = mx.nd.array([0.1, 0.2, 0.3, 0.4])
    return [
        summary(mx.nd.random.uniform(shape=(5,))),
        summary(mx.nd.random.multinomial(probabilities, shape=20)),
    ]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return drawings(mx)
