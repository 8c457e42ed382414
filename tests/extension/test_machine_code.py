"""Loading libraries that no compiler made: each version of the interface, by its C functions."""

import ctypes
import gc

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd, sym
from gluonic.extension.loader import ExtensionLibrary
from gluonic.graph.errors import MXNetError
from tests.extension.machine_code import make_library

VERSIONS = [7, 8, 9, 10, 11]


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    binary, _code = make_library(number)
    binary.initialize()
    ExtensionLibrary(binary).register()
    return number


def test_operators_compute_and_differentiate(version: int) -> None:
    x = nd.array(np.arange(6).reshape(2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.jit_scale(x)
    y.backward()
    assert y.asnumpy().tolist() == [[0, 2, 4], [6, 8, 10]]
    assert x.grad.asnumpy().tolist() == [[2, 2, 2], [2, 2, 2]]


def test_graphs_run_them(version: int) -> None:
    symbol = sym.jit_scale(sym.jit_scale(sym.var("x"))) + 1
    assert symbol.eval(x=nd.ones(2))[0].asnumpy().tolist() == [5, 5]


def test_states_count_their_calls(version: int) -> None:
    x = nd.ones((2, 1))
    assert nd.jit_state(x).asnumpy().tolist() == [[1], [1]]
    executor = sym.jit_state(sym.var("x")).bind(mx.cpu(), {"x": x})
    results = [executor.forward()[0].asnumpy()[0, 0] for _ in range(3)]
    assert results == [1, 2, 3]


def test_a_failure_is_reported_as_precisely_as_the_version_allows(version: int) -> None:
    with pytest.raises(
        MXNetError, match="Error calling FCompute for custom operator 'jit_scale'"
    ) as e:
        nd.jit_scale(nd.ones(1), attribute=1)
    assert ("no such way" in str(e.value)) == (version >= 8)


def test_states_are_destroyed_if_the_version_allows(version: int) -> None:
    binary, code = make_library(version, change=lambda text: text.replace("jit_", "two_"))
    ExtensionLibrary(binary).register()
    alive = ctypes.CFUNCTYPE(ctypes.c_int)(code["alive"])
    executor = sym.two_state(sym.var("x")).bind(mx.cpu(), {"x": nd.ones(1)})
    executor.forward()
    assert alive() == 1
    del executor
    gc.collect()
    assert alive() == (0 if version >= 11 else 1)


@pytest.mark.parametrize("missing", ["initialize", "_opRegGet", "_opCallFree", "_passRegSize"])
def test_a_library_without_one_of_its_functions_is_refused(missing: str) -> None:
    with pytest.raises(MXNetError, match=f"Error getting function '{missing}'"):
        make_library(11, without=missing)


@pytest.mark.parametrize("number", [1, 6, 12])
def test_other_versions_are_refused(number: int) -> None:
    with pytest.raises(MXNetError, match=f"Library version .{number}. cannot be loaded"):
        make_library(11, change=lambda text: text.replace("ret i32 11", f"ret i32 {number}"))


def test_two_operators_of_one_name_are_refused() -> None:
    binary, _code = make_library(11, change=lambda text: text.replace('c"jit_state', 'c"jit_scale'))
    with pytest.raises(MXNetError, match="two operators are called 'jit_scale'"):
        ExtensionLibrary(binary)


def test_a_name_that_python_cannot_write_is_refused() -> None:
    binary, _code = make_library(11, change=lambda text: text.replace('c"jit_state', 'c"jit state'))
    with pytest.raises(MXNetError, match="'jit state': that is no identifier"):
        ExtensionLibrary(binary)
