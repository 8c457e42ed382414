"""The monitor records an executor's arrays every few batches."""

import logging
from typing import Any

import pytest

import gluonic as mx
from gluonic import nd, sym
from tests.measured import monitors
from tests.measured.measure import agrees, numbers, read

MEASURED = read("monitors")
CASES = monitors.cases(mx)


def bound() -> Any:
    net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    arguments = {"data": nd.ones((1, 3)), "fc_weight": nd.ones((2, 3)), "fc_bias": nd.zeros((2,))}
    return sym.Activation(net, act_type="relu", name="act").bind(mx.cpu(), arguments)


def watched(monitor: Any) -> list[Any]:
    executor = bound()
    monitor.install(executor)
    found = []
    for _ in range(3):
        monitor.tic()
        executor.forward()
        found.append(monitor.toc())
    return found


def test_outputs_and_arguments_are_noted_every_few_batches() -> None:
    first, second, third = watched(mx.monitor.Monitor(2, sort=True))
    assert [name for _, name, _ in first] == [
        "act_output",
        "data",
        "fc_bias",
        "fc_output",
        "fc_weight",
    ]
    assert second == []
    assert [(step, text) for step, name, text in third if name == "fc_output"] == [(3, "3.0\t")]


def test_names_are_selected_by_pattern_and_statistics_are_user_defined() -> None:
    found, *_ = watched(mx.monitor.Monitor(1, lambda x: [x.max(), x.min()], "fc_w"))
    assert found == [(1, "fc_weight", "1.0\t1.0\t")]


def test_inputs_of_operators_are_noted_if_asked_for() -> None:
    found, *_ = watched(mx.monitor.Monitor(1, monitor_all=True))
    plain, *_ = watched(mx.monitor.Monitor(1))
    assert len(found) > len(plain)


def test_statistics_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    monitor, executor = mx.monitor.Monitor(1, pattern="act"), bound()
    monitor.install(executor)
    monitor.tic()
    executor.forward()
    monitor.toc_print()
    assert "act_output" in caplog.text


def test_monitors_have_a_short_name() -> None:
    assert mx.mon is mx.monitor


@pytest.mark.parametrize("case", MEASURED)
def test_rows_are_those_of_mxnet(case: str) -> None:
    found = numbers(CASES[case]())
    assert agrees(found, MEASURED[case]), found


def test_gradients_that_are_not_asked_for_are_rows_of_zeros() -> None:
    monitor, net = mx.mon.Monitor(1), sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    requests = {"data": "null", "fc_weight": "write", "fc_bias": "null"}
    executor = net.simple_bind(mx.cpu(), grad_req=requests, data=(2, 3))
    executor.forward(data=nd.ones((2, 3)))
    monitor.install(executor)
    monitor.tic()
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    found = {name: text for _, name, text in monitor.toc() if "backward" in name}
    assert found == {
        "fc_backward_output0": "0.0\t",
        "fc_backward_output1": "2.0\t",
        "fc_backward_output2": "0.0\t",
    }
    assert executor.grad_dict["fc_weight"].asnumpy().tolist() == [[2, 2, 2], [2, 2, 2]]
