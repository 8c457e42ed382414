"""Modules accept any batch that has data, and return their outputs merged or not."""

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym
from tests.measured import measure, modules

MEASURED = measure.read("modules")


def bound(**options: Any) -> Any:
    module = mx.mod.Module(sym.Variable("data") * 2, label_names=None)
    module.bind(data_shapes=[("data", (1, 4))], **options)
    module.init_params()
    return module


def test_a_batch_may_be_anything_that_has_data() -> None:
    batch = namedtuple("batch", ["data"])
    module = bound()
    for shape in ((1, 4), (3, 5)):
        module.forward(batch([nd.ones(shape)]))
        assert np.array_equal(module.get_outputs()[0].asnumpy(), 2 * np.ones(shape))


def test_unmerged_results_are_lists_with_an_array_a_context() -> None:
    module = bound(inputs_need_grad=True)
    module.forward(mx.io.DataBatch([nd.ones((1, 4))]), is_train=True)
    module.backward([nd.ones((1, 4))])
    for results in (module.get_outputs, module.get_input_grads):
        ((alone,),) = results(merge_multi_context=False)
        (merged,) = results()
        assert np.array_equal(alone.asnumpy(), merged.asnumpy())


@pytest.mark.parametrize("case", MEASURED)
def test_a_program_sees_the_executor_and_arrays_that_mxnet_shows(case: str) -> None:
    found = measure.found(mx, modules.cases(mx)[case])
    assert measure.agrees(found, MEASURED[case]), found


def test_a_monitor_can_be_installed_through_the_executors() -> None:
    module = mx.mod.Module(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), label_names=None
    )
    module.bind([("data", (1, 2))])
    module.init_params()
    monitor = mx.mon.Monitor(1)
    assert module._exec_group is not None
    module._exec_group.install_monitor(monitor)
    monitor.tic()
    module.forward(mx.io.DataBatch([nd.ones((1, 2))]))
    assert "fc_output" in [name for _, name, _ in monitor.toc()]
