"""Modules with row_sparse parameters train as MXNet's, whole or with the rows of a batch."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from tests.measured import sparse_modules
from tests.measured.measure import agrees, found, read

MEASURED = read("sparse_modules")
CASES = sparse_modules.cases(mx)


@pytest.mark.parametrize("case", MEASURED)
def test_training_is_that_of_mxnet(case: str) -> None:
    # Adam divides gradients by their size: where one is nearly zero, its last bits decide a whole step.
    tolerance = 1e-3 if case.startswith("adam") else 2e-4
    assert agrees(found(mx, CASES[case]), MEASURED[case], tolerance)


def begun(store: Any) -> Any:
    module = mx.mod.Module(sparse_modules.machine(mx))
    module.bind([("data", (4, 12))], [("softmax_label", (4, 1))])
    ones = {"v": nd.ones((12, 3)), "w": nd.ones((12, 1))}
    module.init_params(arg_params={name: x.tostype("row_sparse") for name, x in ones.items()})
    module.init_optimizer(store, "sgd", {"learning_rate": 0.1})
    return module


def test_executors_hold_the_rows_that_were_asked_for_and_copies_hold_all() -> None:
    module, batch = begun(mx.kv.create("local")), sparse_modules.batches(mx)[0]
    module.prepare(batch, lambda _: {"v": nd.array([3, 1, 3])})
    v = module._exec_group.parameters["v"][0]
    assert v.indices.asnumpy().tolist() == [1, 3]
    assert module.get_params()[0]["v"].indices.asnumpy().tolist() == list(range(12))
    module.forward_backward(batch)
    module.update()
    assert v.indices.asnumpy().tolist() == [1, 3]


def test_rows_fetched_without_need_are_reported() -> None:
    batch = sparse_modules.batches(mx)[0]
    with pytest.warns(UserWarning, match="no store updates"):
        begun(None).prepare(batch, lambda _: {"v": nd.array([1])})
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    dense = mx.mod.Module(x, label_names=None)
    dense.bind([("data", (4, 12))])
    dense.init_params()
    dense.init_optimizer(mx.kv.create("local"))
    with pytest.warns(UserWarning, match="fc_weight is not row_sparse"):
        dense.prepare(None, lambda _: {"fc_weight": nd.array([0])})


@pytest.mark.parametrize("keywords", [{"axis": 1, "keepdims": True}, {"axis": 1}, {"axis": 0}])
def test_the_gradient_of_sums_of_squares_stores_the_rows_that_the_array_stores(
    keywords: Any,
) -> None:
    rows = nd.sparse.row_sparse_array((np.array([[1.0, 2], [3, 4]], "float32"), [1, 4]), (6, 2))
    gradients = []
    for x in (rows, rows.tostype("default")):
        x.attach_grad(stype=x.stype)
        with mx.autograd.record():
            y = nd._internal._square_sum(x, **keywords)
        weights = nd.arange(1, y.asnumpy().size + 1).reshape(y.shape)
        y.backward(weights)
        gradients.append(x.grad)
    assert gradients[0].indices.asnumpy().tolist() == [1, 4]
    assert gradients[0].asnumpy().tolist() == gradients[1].asnumpy().tolist()
