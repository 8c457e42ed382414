"""Random numbers on a GPU: those of Philox4x32-10, the same from eager calls and graphs."""

from typing import Any

import numpy as np
import pytest

from gluonic.codegen import operator_on_device
from gluonic.codegen.loops.draws import kept_elements
from gluonic.graph import Graph, Node, Run
from gluonic.graph.random_source import RandomSource
from tests.codegen.cuda.devices import Array, computed, emulated, moved
from tests.graph.applying import application

MOMENTS = {
    "uniform": ({"low": -1.0, "high": 3.0}, 1.0, 4 / 12**0.5),
    "normal": ({"loc": 1.0, "scale": 2.0}, 1.0, 2.0),
    "exponential": ({"lam": 2.0}, 0.5, 0.5),
}


def words(group: int, seed: tuple[int, int]) -> list[int]:
    """The four words of a group, as Salmon and others define Philox4x32-10."""
    counter, key = [group, 0, 0, 0], [*seed]
    for _ in range(10):
        one, other = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (other >> 32) ^ counter[1] ^ key[0],
            other & 0xFFFFFFFF,
            (one >> 32) ^ counter[3] ^ key[1],
            one & 0xFFFFFFFF,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


def drawn(name: str, source: RandomSource, **attributes: Any) -> Array:
    """What an operator without inputs draws on the device."""
    run = Run(train=True, random=source)
    (found,) = operator_on_device(application(name, 0, attributes))([], run, emulated())
    return found.to_host()


def test_the_words_are_those_of_the_published_generator() -> None:
    assert words(0, (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    low, high = (int(word) for word in RandomSource(7).words(2))
    expected = [(word >> 8) * 2.0**-24 for group in range(3) for word in words(group, (low, high))]
    found = drawn("_random_uniform", RandomSource(7), shape=(10,))
    np.testing.assert_array_equal(found, np.array(expected[:10], np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", MOMENTS)
def test_numbers_have_the_moments_of_their_distribution(kind: str, dtype: str) -> None:
    attributes, mean, deviation = MOMENTS[kind]
    source = RandomSource(3)
    found = drawn(f"_random_{kind}", source, shape=(40_001,), dtype=dtype, **attributes)
    numbers = found.astype(np.float64)
    assert found.dtype == dtype
    assert numbers.mean() == pytest.approx(mean, abs=5 * deviation / 200)
    assert numbers.std() == pytest.approx(deviation, rel=0.03)


def test_draws_differ_until_the_seed_is_set_again() -> None:
    source = RandomSource(5)
    first, second = (drawn("_random_normal", source, shape=(50,)) for _ in range(2))
    source.seed(5)
    assert (first != second).all()
    np.testing.assert_array_equal(drawn("_random_normal", source, shape=(50,)), first)


def test_a_graph_draws_what_eager_calls_draw() -> None:
    uniform = application("_random_uniform", 0, {"shape": (64,)})
    nodes = [Node(uniform, name, []) for name in ("one", "other")]
    run = Run(train=False, random=RandomSource(5))
    together = computed(Graph([node.entry() for node in nodes]), [], run)
    source = RandomSource(5)
    for numbers in together:
        np.testing.assert_array_equal(numbers, drawn("_random_uniform", source, shape=(64,)))


def test_dropout_keeps_the_part_that_it_should() -> None:
    run = Run(train=True, random=RandomSource(2))
    kept = kept_elements.apply({"p": 0.3})
    (found,) = operator_on_device(kept)(moved([np.zeros((200, 251), np.float32)]), run)
    assert found.to_host().mean() == pytest.approx(0.7, abs=0.01)
