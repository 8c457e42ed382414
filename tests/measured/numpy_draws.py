"""What `np.random` and `npx.random` draw after a seed, and which number follows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

SIZES = (), (7,), (3, 40)
# Parameters of a function of np.random, in order: as numbers, and as lists of three.
DISTRIBUTIONS: dict[str, list[tuple[Any, ...]]] = {
    "uniform": [(-1.0, 3.0), ([0.0, 1.0, 2.0], 4.0), ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])],
    "normal": [(1.0, 2.0), (0.5, [1.0, 2.0, 3.0]), ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])],
    "gumbel": [(1.0, 2.0), (0.5, [1.0, 2.0, 3.0]), ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])],
    "logistic": [(1.0, 2.0), ([1.0, 2.0, 3.0], 0.5), ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])],
    "exponential": [(2.5,), ([0.5, 1.0, 4.0],)],
    "rayleigh": [(2.5,), ([0.5, 1.0, 4.0],)],
    "weibull": [(2.5,), ([0.5, 1.0, 4.0],)],
    "pareto": [(2.5,), ([0.5, 1.0, 4.0],)],
    "power": [(2.5,), ([0.5, 1.0, 4.0],)],
    "gamma": [(2.5, 0.7), (0.4, 2.0), ([0.3, 1.0, 9.0], 2.0), (0.7, [0.5, 1.0, 4.0])],
    "beta": [(2.5, 0.7), ([0.3, 1.0, 9.0], 2.0), ([0.3, 1.0, 9.0], [0.5, 1.0, 4.0])],
    "chisquare": [(3.0,), ([0.5, 1.0, 4.0],)],
    "lognormal": [(1.0, 0.5), ([0.0, 1.0, 2.0], 0.5)],
}
TYPED = "uniform", "normal", "gamma", "beta", "chisquare", "lognormal"


def _seeded(mx: Any, *draws: Callable[[], Any]) -> list[Any]:
    """What is drawn one after the other, then a number of each of the two kinds of generators."""
    with mx.util.np_shape(True), mx.util.np_array(True):
        mx.random.seed(5)
        found = [draw() for draw in draws]
        found += [mx.np.random.choice(1000, 2), mx.np.random.randint(0, 1000, (2,))]
        return [value.astype("float64") for value in found]


def _distribution(
    mx: Any, name: str, given: tuple[Any, ...], **settings: Any
) -> Callable[[], list[Any]]:
    draw = getattr(mx.np.random, name)

    def run() -> list[Any]:
        values = [mx.np.array(one) if isinstance(one, list) else one for one in given]
        vectors = any(isinstance(one, list) for one in given)
        sizes: Any = (None, (2, 3), (30, 3)) if vectors else SIZES
        if name == "power":
            sizes = sizes[1:]
        return _seeded(
            mx, *(lambda size=size: draw(*values, size=size, **settings) for size in sizes)
        )

    return run


def _choices(mx: Any) -> dict[str, Any]:
    np = mx.np

    def weights(count: int) -> Any:
        return np.arange(1, count + 1) / (count * (count + 1) / 2)

    found: dict[str, Any] = {}
    for count, wanted in (
        (10, 3),
        (10, 5),
        (10, 8),
        (10, 10),
        (10, 1),
        (1, 1),
        (50, (5, 4)),
        (400, 30),
    ):
        for replace in (True, False):
            found[f"{wanted} of {count}, replace {replace}"] = lambda c=count, w=wanted, r=replace: (
                np.random.choice(c, w, replace=r)
            )
            found[f"{wanted} of {count} weighted, replace {replace}"] = (
                lambda c=count, w=wanted, r=replace: np.random.choice(c, w, replace=r, p=weights(c))
            )
    found["one"] = lambda: np.random.choice(6)
    found["of an array"] = lambda: np.random.choice(np.array([2.5, 3.5, 4.5]), 2, replace=False)
    found["with no chance for some"] = lambda: np.random.choice(
        5, 3, replace=False, p=np.array([0.5, 0.0, 0.25, 0.0, 0.25])
    )
    return found


def _others(mx: Any) -> dict[str, Any]:
    np, npx = mx.np, mx.npx
    chances = [0.2, 0.3, 0.5]
    return {
        "multinomial": lambda: np.random.multinomial(10, chances),
        "multinomial of several": lambda: np.random.multinomial(20, chances, size=(3, 2)),
        "multinomial of one": lambda: np.random.multinomial(20, [0.1, 0.2], size=4),
        "multinomial of an array": lambda: np.random.multinomial(20, np.array(chances), size=(4,)),
        "multinomial of a wide array": lambda: np.random.multinomial(
            20, np.array(chances, dtype="float64"), size=4
        ),
        "rand": lambda: np.random.rand(3, 4),
        "randn": lambda: np.random.randn(3, 5),
        "randint": lambda: np.random.randint(100),
        "randint of two limits": lambda: np.random.randint(-5, 10, (3, 4), dtype="int32"),
        "permutation": lambda: np.random.shuffle(x := np.arange(20)) or x,
        "permutation of rows": lambda: np.random.shuffle(x := np.arange(20).reshape(10, 2)) or x,
        "bernoulli": lambda: npx.random.bernoulli(prob=0.3, size=(30,)),
        "bernoulli of logits": lambda: npx.random.bernoulli(logit=-0.3, size=(30,)),
        "bernoulli of an array": lambda: npx.random.bernoulli(np.array(chances), size=(9, 3)),
        "bernoulli of an array of logits": lambda: npx.random.bernoulli(logit=np.array(chances)),
        "uniform_n": lambda: npx.random.uniform_n(np.array(chances), 2.0, batch_shape=(4,)),
        "normal_n": lambda: npx.random.normal_n(
            np.array(chances), np.array(chances), batch_shape=4
        ),
    }


def drawings(mx: Any) -> dict[str, Callable[[], Any]]:
    """Return what is compared number by number."""
    found: dict[str, Callable[[], Any]] = {}
    for name, rows in DISTRIBUTIONS.items():
        for given in rows:
            found[f"{name} of {given}"] = _distribution(mx, name, given)
            for dtype in ("float16", "float64") if name in TYPED else ():
                found[f"{name} of {given} {dtype}"] = _distribution(mx, name, given, dtype=dtype)
    for name, draw in {**_choices(mx), **_others(mx)}.items():
        found[name] = partial(_seeded, mx, draw, draw)
    return found


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return drawings(mx)
