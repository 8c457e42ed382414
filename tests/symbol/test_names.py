import threading
from typing import Any

import pytest

from gluonic import symbol as sym
from gluonic.symbol import NameManager, Prefix


def test_automatic_names_count_by_the_function_as_called() -> None:
    x = sym.var("x")
    made: list[Any] = [
        sym.Concat(x, x),
        sym.concat(x, x),
        sym.FullyConnected(x, num_hidden=2),
        sym.tanh(x),
    ]
    assert [s.name for s in made] == ["concat0", "concat1", "fullyconnected0", "tanh0"]


def test_python_operators_have_mxnets_names() -> None:
    x, y = sym.var("x"), sym.var("y")
    made: list[Any] = [
        x + y,
        x - y,
        x * y,
        x / y,
        x % y,
        x**y,
        x == y,
        x != y,
        x > y,
        x >= y,
        x < y,
        x <= y,
    ]
    assert [s.name for s in made] == [
        "_plus0", "_minus0", "_mul0", "_div0", "_mod0", "_power0", "_equal0", "_not_equal0",
        "_greater0", "_greater_equal0", "_lesser0", "_lesser_equal0",
    ]  # fmt: skip


def test_python_operators_with_numbers_have_mxnets_names() -> None:
    x: Any = sym.var("x")
    made = [x + 1, x - 1, 1 - x, x * 2, x / 2, 2 / x, x % 2, 2 % x, x**2, 2**x, x == 1, x > 1, -x]
    assert [s.name for s in made] == [
        "_plusscalar0", "_minusscalar0", "_rminusscalar0", "_mulscalar0", "_divscalar0",
        "_rdivscalar0", "_modscalar0", "_rmodscalar0", "_powerscalar0", "_rpower_scalar0",
        "_equal_scalar0", "_greater_scalar0", "_mulscalar1",
    ]  # fmt: skip


def test_missing_inputs_become_variables_named_after_the_symbol() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=2, name="fc")
    assert net.list_arguments() == ["x", "fc_weight", "fc_bias"]


def test_inputs_excluded_by_attributes_are_not_created() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="fc")
    assert net.list_arguments() == ["x", "fc_weight"]


def test_missing_states_become_auxiliary_states() -> None:
    net = sym.BatchNorm(sym.var("x"), name="bn")
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.list_arguments() == ["x", "bn_gamma", "bn_beta"]


def test_prefix_goes_before_chosen_and_automatic_names() -> None:
    with Prefix("net_"):
        x = sym.tanh(sym.var("x"))
        y = sym.FullyConnected(x, num_hidden=2, name="fc")
    assert [x.name, y.name] == ["net_tanh0", "net_fc"]
    assert y.list_arguments() == ["x", "net_fc_weight", "net_fc_bias"]


def test_managers_nest_and_count_apart() -> None:
    x = sym.var("x")
    with NameManager():
        with NameManager():
            assert sym.tanh(x).name == "tanh0"
        assert sym.tanh(x).name == "tanh0"
        assert sym.tanh(x).name == "tanh1"


def test_each_thread_counts_for_itself() -> None:
    sym.tanh(sym.var("x"))
    names = []
    thread = threading.Thread(target=lambda: names.append(sym.tanh(sym.var("x")).name))
    thread.start()
    thread.join()
    assert names == ["tanh0"]


def test_reading_the_current_manager_warns_that_it_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match="NameManager.current"):
        manager = NameManager.current
    assert manager.get(None, "x") == "x0"
