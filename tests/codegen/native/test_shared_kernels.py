"""Graphs call functions that others have in memory, for as long as they need them."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gluonic import autograd, gluon, nd, random
from gluonic.gluon import nn


@pytest.fixture(autouse=True)
def _same_numbers_whatever_ran_before() -> None:
    random.seed(3)


def net_of(widths: tuple[int, ...], slope: float = 0.25) -> gluon.HybridBlock:
    net = nn.HybridSequential()
    for width in widths:
        net.add(nn.Dense(width, activation="tanh"), nn.LeakyReLU(slope), nn.LayerNorm())
    net.initialize()
    net.hybridize()
    return net


def check_against_eager(net: gluon.HybridBlock, x: nd.NDArray) -> None:
    compiled = net(x).asnumpy()
    net.hybridize(False)
    np.testing.assert_allclose(compiled, net(x).asnumpy(), rtol=1e-5, atol=1e-6)
    net.hybridize()


def code_bytes(net: gluon.HybridBlock, x: nd.NDArray) -> int:
    net(x).wait_to_read()
    return net.cache_info().code_bytes


def test_a_net_like_another_compiles_only_its_caller() -> None:
    x = nd.random.normal(shape=(3, 8))
    first, second = net_of((48, 40), 0.2875), net_of((40, 56), 0.2875)
    whole = code_bytes(first, x)
    assert code_bytes(second, x) < whole / 3
    check_against_eager(second, x)


def test_cache_info_counts_kernels_compiled_and_found_in_memory() -> None:
    x = nd.random.normal(shape=(3, 8))
    first, second = net_of((48, 40), 0.2625), net_of((48, 40), 0.2625)
    first(x).wait_to_read()
    made = first.cache_info()
    assert made.functions > 0
    assert 0 < made.code_seconds <= made.seconds
    second(x).wait_to_read()
    found = second.cache_info()
    assert found.functions == 0
    assert 0 < found.shared_functions <= made.functions + made.shared_functions
    origin = first.explain(x).code_origin
    assert origin is not None
    assert (origin.functions, origin.shared) == (made.functions, made.shared_functions)
    assert f"machine code: {origin}" in str(first.explain(x)).splitlines()


def test_functions_stay_as_long_as_another_net_calls_them() -> None:
    x = nd.random.normal(shape=(5, 8))
    first, second = net_of((24, 16), 0.3125), net_of((16, 24), 0.3125)
    first(x).wait_to_read()
    second(x).wait_to_read()
    del first
    gc.collect()
    check_against_eager(second, x)
    third = net_of((24, 24), 0.3125)
    check_against_eager(third, x)


@pytest.mark.parametrize("slope", [0.125, 0.375])
def test_functions_that_differ_in_a_constant_are_not_confused(slope: float) -> None:
    x = nd.random.normal(shape=(4, 8))
    nets = [net_of((16,), slope), net_of((16,), 2 * slope)]
    for net in nets:
        net(x).wait_to_read()
        check_against_eager(net, x)


def test_gradients_of_a_second_net_are_those_of_the_interpreter() -> None:
    x = nd.random.normal(shape=(4, 8))
    for _ in range(2):
        net = net_of((16, 16), 0.4375)
        found = []
        for hybridized in (True, False):
            net.hybridize(hybridized)
            x.attach_grad()
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            found.append(x.grad.asnumpy())
        np.testing.assert_allclose(found[0], found[1], rtol=2e-5, atol=1e-5)


_PROGRAM = """
import gc, sys
from gluonic import nd
from gluonic.gluon import nn

for layer in sys.argv[1:]:
    net = nn.HybridSequential()
    after = nn.LayerNorm() if layer == "norm" else nn.HybridLambda(lambda F, x: F.softmax(x))
    net.add(nn.Dense(72), after)
    net.initialize()
    net.hybridize()
    net(nd.ones((3, 8))).wait_to_read()
    print(net.cache_info().code_bytes)
    del net, after
    gc.collect()
"""


def _printed(tmp_path: Path, *layers: str) -> list[int]:
    """The bytes that a process compiles for nets with a product."""
    environment = {**os.environ, "GLUONIC_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _PROGRAM, *layers]
    return [*map(int, subprocess.check_output(command, env=environment, text=True).split())]


def test_a_product_is_found_in_memory_after_its_net_is_gone(
    tmp_path: Path,
) -> None:
    (alone,) = _printed(tmp_path / "alone", "softmax")
    _, second = _printed(tmp_path / "after another", "norm", "softmax")
    assert second < alone


def test_a_product_is_found_on_disk_for_any_net(tmp_path: Path) -> None:
    _printed(tmp_path, "norm")
    before = _objects(tmp_path)
    _printed(tmp_path, "softmax")
    _printed(tmp_path / "alone", "softmax")
    alone = _objects(tmp_path / "alone")
    assert alone & before, "the product and what it calls were there"
    assert len(_objects(tmp_path) - before) == len(alone - before)


def _objects(folder: Path) -> set[str]:
    """The names of the object files in a folder."""
    return {path.name for path in folder.glob("*.object")}
