"""The switches of NumPy's semantics."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gluonic import util


@pytest.fixture(autouse=True)
def switched_off() -> Iterator[None]:
    yield
    util.reset_np()


def switches() -> tuple[bool, bool]:
    return util.is_np_shape(), util.is_np_array()


def test_set_np_and_reset_np_switch_both() -> None:
    util.set_np()
    assert switches() == (True, True)
    util.reset_np()
    assert switches() == (False, False)


def test_arrays_without_shapes_are_refused_and_nothing_is_switched() -> None:
    with pytest.raises(ValueError, match="need NumPy's shapes"):
        util.set_np(shape=False, array=True)
    assert switches() == (False, False)


def test_each_thread_has_its_own_switch() -> None:
    util.set_np()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(util.is_np_array()))
    thread.start()
    thread.join()
    assert seen == [False]


@pytest.mark.parametrize(
    ("decorate", "within"),
    [
        (util.use_np, (True, True)),
        (util.use_np_array, (False, True)),
        (util.use_np_shape, (True, False)),
    ],
)
def test_a_decorated_function_runs_within_the_scope(
    decorate: Callable[[Any], Any], within: tuple[bool, bool]
) -> None:
    assert decorate(switches)() == within
    assert decorate(switches).__name__ == "switches"
    assert switches() == (False, False)


def test_scopes_nest_and_end_with_an_error() -> None:
    with util.np_array():
        with util.np_array(False):
            assert not util.is_np_array()
        assert util.is_np_array()
    assert not util.is_np_array()
    with pytest.raises(ZeroDivisionError), util.np_array():
        _ = 1 / 0
    assert not util.is_np_array()


class Parent:
    def inherited(self) -> tuple[bool, bool]:
        return switches()


@util.use_np
class Decorated(Parent):
    def __init__(self) -> None:
        self.at_first = switches()

    @property
    def asked(self) -> tuple[bool, bool]:
        return switches()

    @staticmethod
    def unbound(value: int) -> int:
        return value

    @classmethod
    def named(cls) -> str:
        return cls.__name__


def test_all_methods_of_a_decorated_class_run_within_the_scope() -> None:
    made = Decorated()
    assert made.at_first == made.asked == made.inherited() == (True, True)
    assert Parent().inherited() == (False, False)


def test_static_and_class_methods_of_a_decorated_class_stay_what_they_are() -> None:
    assert Decorated().unbound(3) == 3
    assert Decorated().named() == "Decorated"


def test_only_functions_can_be_decorated() -> None:
    with pytest.raises(TypeError, match="use_np decorates functions and classes, not int"):
        util.use_np(3)  # type: ignore[type-var]
