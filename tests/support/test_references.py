"""References to arrays are counted correctly, whatever holds them."""

import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic.gluon import nn
from gluonic.support.references import hold_alone, holds_alone

HOLDERS: dict[str, Callable[[], Any]] = {
    "a namespace": lambda: SimpleNamespace(elements=np.ones(5)),
    "an NDArray": lambda: nd.ones((5,)),
    "a result": lambda: nd.ones((5,)) * 2,
    "a part that owns its memory": lambda: nd.ones((5, 5))[:, 2],
    "a buffer of gradients": lambda: with_gradient().grad,
}


def with_gradient() -> Any:
    x = nd.ones((5,))
    x.attach_grad()
    return x


OTHERS: dict[str, Callable[[Any], Any]] = {
    "a name": lambda array: array,
    "a list": lambda array: [array],
    "a view": lambda array: array[1:],
    "a view of a view": lambda array: array[1:][::2].reshape(2, 1),
    "a memory view": memoryview,
    "a function": lambda array: lambda: array.sum(),
    "a generator": lambda array: (x for x in array),
    "another NDArray": lambda array: nd.NDArray(array),
    "DLPack": lambda array: np.from_dlpack(array),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_an_array_with_one_reference_is_exclusive(holder: str) -> None:
    made = HOLDERS[holder]()
    for _ in range(3):
        assert holds_alone(made, "elements")
    members = [made.elements]
    assert not holds_alone(made, "elements")
    del made
    gc.collect()
    assert hold_alone(members)


@pytest.mark.parametrize("other", OTHERS)
def test_other_references_to_an_array_are_counted_until_released(other: str) -> None:
    holder, members = SimpleNamespace(elements=np.ones(5)), [None, np.ones(5), np.ones(3)]
    kept = OTHERS[other](holder.elements), OTHERS[other](members[1])
    assert not holds_alone(holder, "elements")
    assert not hold_alone(members)
    del kept
    gc.collect()
    assert holds_alone(holder, "elements")
    assert hold_alone(members)


def test_a_callers_reference_to_an_array_is_counted() -> None:
    holder = SimpleNamespace(elements=np.ones(5))

    def ask(array: Any) -> bool:
        return holds_alone(holder, "elements") and array is not None

    assert not ask(holder.elements)
    assert holds_alone(holder, "elements")


def test_a_gradient_buffer_that_backward_reads_is_not_overwritten() -> None:
    x, y = nd.ones((64, 64)), nd.ones((64, 64))
    net = nn.HybridLambda(lambda F, a, b, c: F.sum(F.tanh(a) * c) + F.sum(F.dot(b, c)))
    net.hybridize()
    x.attach_grad()
    y.attach_grad()
    for seed in range(3):
        read = np.random.default_rng(seed).standard_normal((64, 64))
        x.grad[:] = read
        with autograd.record():
            z = net(x, y, x.grad)
        z.backward()
        np.testing.assert_allclose(x.grad.asnumpy(), (1 - np.tanh(1) ** 2) * read, atol=1e-4)
        np.testing.assert_allclose(y.grad.asnumpy(), np.ones((64, 64)) @ read.T, atol=1e-4)
