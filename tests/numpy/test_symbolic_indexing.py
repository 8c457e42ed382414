"""Hybridized nets index symbols of `mx.np` as arrays, and their loops and branches give arrays of `mx.np`."""

from collections.abc import Callable, Iterator
from typing import Any

import hypothesis.strategies as st
import numpy
import pytest
from hypothesis import given, settings

from gluonic import autograd, gluon, np, util
from gluonic.graph.errors import OutOfRangeError

SHAPE = (3, 4, 5)


@pytest.fixture(autouse=True, scope="module")
def switched_on() -> Iterator[None]:
    """Gluon works on arrays of `mx.np`."""
    util.set_np()
    yield
    util.reset_np()


class _Net(gluon.HybridBlock):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, *arrays: Any) -> Any:
        return self.function(F, *arrays)


def _results(function: Callable[..., Any], *inputs: Any, hybridize: bool) -> list[Any]:
    """The outputs and the gradients of all inputs."""
    net = _Net(function)
    if hybridize:
        net.hybridize(compile_at_once=True)
    arrays = [np.array(value, dtype="float32") for value in inputs]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        outputs = net(*arrays)
        listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        loss = sum((y * y).sum() for y in listed)
    loss.backward()
    assert all(type(y) is np.ndarray for y in listed)
    return [*(y.asnumpy() for y in listed), *(x.grad.asnumpy() for x in arrays)]


def _slice_or_integer(size: int) -> st.SearchStrategy[Any]:
    return st.one_of(st.integers(-size, size - 1), st.slices(size), st.just(slice(None)))


@st.composite
def _keys(draw: st.DrawFn) -> Any:
    """Keys of one to three axes with new axes in between, with or without an Ellipsis."""
    count = draw(st.integers(0, 3))
    from_the_end = draw(st.integers(0, count))
    sizes = [*SHAPE[: count - from_the_end], *SHAPE[3 - from_the_end :]]
    parts: list[Any] = [draw(_slice_or_integer(size)) for size in sizes]
    if draw(st.booleans()) or from_the_end:
        parts.insert(count - from_the_end, ...)
    for _ in range(draw(st.integers(0, 2))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


@settings(deadline=None)  # the first call imports
@given(key=_keys())
def test_symbols_are_indexed_as_arrays_are(key: Any) -> None:
    data = numpy.arange(60, dtype=numpy.float32).reshape(SHAPE)
    net = _Net(lambda F, x: x[key] * 2)
    net.hybridize()
    found = net(np.array(data)).asnumpy()
    assert found.shape == data[key].shape
    numpy.testing.assert_array_equal(found, data[key] * 2)


@pytest.mark.parametrize(
    "key", [(..., -1), (None,), (..., None, slice(None, None, -2)), (0, ..., 1)]
)
def test_gradients_flow_back_through_parts(key: Any) -> None:
    data = numpy.arange(60).reshape(SHAPE)
    eager, compiled = (_results(lambda F, x: x[key], data, hybridize=h) for h in (False, True))
    for one, other in zip(eager, compiled, strict=True):
        numpy.testing.assert_array_equal(one, other)


def test_two_ellipses_and_arrays_are_refused() -> None:
    for key, error in (((..., ...), IndexError), ([0, 1], OutOfRangeError)):
        net = _Net(lambda F, x, key=key: x[key])
        net.hybridize()
        with pytest.raises(error, match=r"single ellipsis|F\.np\.take"):
            net(np.ones(SHAPE))


_LOOPS: dict[str, Callable[..., Any]] = {
    "foreach": lambda C, F, x, s: C.foreach(lambda d, s: (d * s, d + s), x, s),
    "foreach of lists": lambda C, F, x, s: C.foreach(
        lambda d, s: ([d[0] * s[0], F.np.sin(d[0])], [d[0] + s[0]]), [x], [s]
    )[0],
    "while_loop": lambda C, F, x, s: C.while_loop(
        lambda i: i.sum() < 50, lambda i: (i * 2, [i * 2]), [s], max_iterations=4
    )[0] + x[:1],
    "cond": lambda C, F, x, s: C.cond(s.sum() < 50, lambda: F.np.exp(s) * x, lambda: x[..., ::-1]),
    "loop in a branch": lambda C, F, x, s: C.cond(
        s.sum() < 50, lambda: C.foreach(lambda d, s: (d * s, d + s), x, s)[0], lambda: x
    ),
}  # fmt: skip


@pytest.mark.parametrize("room", ["npx", "contrib"])
@pytest.mark.parametrize("case", _LOOPS)
def test_loops_and_branches_run_hybridized(case: str, room: str) -> None:
    def function(F: Any, x: Any, s: Any) -> Any:
        found = _LOOPS[case](getattr(F, room), F, x, s)
        return found if not isinstance(found, tuple) else list(found)

    data, state = numpy.arange(6).reshape(3, 2) / 4, numpy.array([0.5, 2])
    eager, compiled = (_results(function, data, state, hybridize=h) for h in (False, True))
    for one, other in zip(eager, compiled, strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-6)
