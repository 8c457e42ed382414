"""Loops, branches and graphs called with arrays."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd


def test_foreach_stacks_outputs_and_passes_states_on() -> None:
    data = [nd.array([1, 2, 3]), nd.array([10, 20, 30])]

    def body(parts: Any, states: Any) -> Any:
        total = states[0] + parts[0] + parts[1]
        return (total, [parts[0]]), [total]

    (totals, (firsts,)), (last,) = nd.contrib.foreach(body, data, [nd.zeros((1,))])
    assert totals.asnumpy().ravel().tolist() == [11, 33, 66]
    assert firsts.asnumpy().ravel().tolist() == [1, 2, 3]
    assert last.asscalar() == 66


def test_foreach_is_differentiated() -> None:
    x, weight = nd.array([1, 2, 3]), nd.array([2])
    for array in (x, weight):
        array.attach_grad()
    with autograd.record():
        _, state = nd.contrib.foreach(lambda e, s: (e, s * weight + e), x, nd.zeros((1,)))
    state.backward()
    assert x.grad.asnumpy().tolist() == [4, 2, 1]
    assert weight.grad.asscalar() == 6  # of x₀w² + x₁w + x₂


def test_while_loop_stops_and_pads() -> None:
    outputs, variables = nd.contrib.while_loop(
        lambda i, total: i < 3,
        lambda i, total: ([total], [i + 1, total + i]),
        [nd.array([0]), nd.array([5])],
        max_iterations=5,
    )
    assert outputs[0].shape == (5, 1)
    assert outputs[0].asnumpy()[:3].ravel().tolist() == [5, 5, 6]
    assert [v.asscalar() for v in variables] == [3, 8]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"max_iterations": None}, "max_iterations"),
        ({"max_iterations": "many"}, "Cannot convert"),
        ({"max_iterations": 2, "loop_vars": []}, "at least one"),
        ({"max_iterations": 2, "func": lambda i: ([], [])}, "consistent"),
        ({"max_iterations": 2, "cond": lambda i: nd.ones((2,))}, "Return value of cond"),
    ],
)
def test_wrong_loops_are_refused(arguments: dict[str, Any], words: str) -> None:
    given = {
        "cond": lambda i: i < 3,
        "func": lambda i: (i, [i + 1]),
        "loop_vars": [nd.zeros((1,))],
        **arguments,
    }
    with pytest.raises(ValueError, match=words):
        nd.contrib.while_loop(**given)


def test_cond_runs_one_branch() -> None:
    taken: list[str] = []

    def branch(name: str) -> Any:
        def run() -> Any:
            taken.append(name)
            return nd.ones((1,))

        return run

    nd.contrib.cond(nd.array([1]), branch("then"), branch("else"))
    nd.contrib.cond(nd.array([0]), branch("then"), branch("else"))
    assert taken == ["then", "else"]


def test_predicates_on_numbers() -> None:
    x = nd.array([1, np.inf, -np.inf, np.nan])
    assert nd.contrib.isinf(x).asnumpy().tolist() == [0, 1, 1, 0]
    assert nd.contrib.isnan(x).asnumpy().tolist() == [0, 0, 0, 1]
    assert nd.contrib.isfinite(x).asnumpy().tolist() == [1, 0, 0, 0]


def test_zipfian_samples_are_as_frequent_as_expected() -> None:
    mx.random.seed(4)
    samples, expected, _ = nd.contrib.rand_zipfian(nd.array([0, 3]), 20_000, 50)
    drawn = samples.asnumpy()
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert drawn.max() < 50
    for number, count in zip((0, 3), expected.asnumpy(), strict=True):
        assert abs((drawn == number).sum() - count) < 5 * np.sqrt(count)


def test_a_symbol_is_called_with_arrays() -> None:
    symbol = mx.sym.exp(mx.sym.var("a")) * mx.sym.var("b")
    call = nd.CachedOp(symbol)
    a, b, out = nd.zeros((2,)), nd.array([2, 3]), nd.zeros((2,))
    assert call(a, b).asnumpy().tolist() == [2, 3]
    assert call(a, b, out=out) is out
    assert out.asnumpy().tolist() == [2, 3]
    a.attach_grad()
    with autograd.record():
        y = call(a, b)
    y.backward()
    assert a.grad.asnumpy().tolist() == [2, 3]
    with pytest.raises(mx.MXNetError, match=r"2 inputs \(a, b\)"):
        call(a)
    with pytest.raises(TypeError, match="b must be"):
        call(a, 3)  # type: ignore[arg-type]
