"""Updates by row_sparse gradients are those of MXNet 1.9.1, and change no other rows."""

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from tests.measured import sparse_updates
from tests.measured.measure import agrees, found, read

CASES = sparse_updates.cases(mx)
MEASURED = read("sparse_updates")


@pytest.mark.parametrize("case", CASES)
def test_updates_are_those_of_mxnet(case: str) -> None:
    ours = found(mx, CASES[case])
    assert agrees(ours, MEASURED[case]), (ours, MEASURED[case])


def test_a_dense_parameter_beside_a_sparse_one_is_updated_as_alone() -> None:
    grad = nd.sparse.row_sparse_array(([[1.0, 2.0]], [2]), shape=(4, 2))
    alone = nd.ones((3,))
    mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))(1, nd.ones((3,)), alone)
    table, beside = nd.ones((4, 2)), nd.ones((3,))
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    updater([0, 1], [grad, nd.ones((3,))], [table, beside])
    assert (beside.asnumpy() == alone.asnumpy()).all()
    assert (table.asnumpy()[[0, 1, 3]] == 1).all()
    assert np.allclose(table.asnumpy()[2], [0.99, 0.98])


@pytest.mark.parametrize("name", ["adagrad", "groupadagrad"])
def test_weight_decay_is_refused_where_mxnets_sparse_rule_has_none(name: str) -> None:
    updater = mx.optimizer.get_updater(mx.optimizer.create(name, wd=0.1))
    grad = nd.sparse.row_sparse_array(([[1.0, 2.0]], [2]), shape=(4, 2))
    with pytest.raises(mx.MXNetError, match="weight decay"):
        updater(0, grad, nd.ones((4, 2)))


@pytest.mark.parametrize("name", ["rmsprop", "nag", "adadelta", "adamax", "signum"])
def test_an_optimizer_without_a_lazy_rule_takes_the_gradient_as_dense(name: str) -> None:
    grad = nd.sparse.row_sparse_array(([[1.0, -2.0]], [2]), shape=(4, 2))
    results = []
    for one in (grad, grad.tostype("default")):
        weight = nd.array(np.arange(1, 9).reshape(4, 2))
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, wd=0.1))
        updater(0, one, weight)
        updater(0, one, weight)
        results.append(weight.asnumpy())
    assert np.allclose(results[0], results[1])


def test_a_csr_weight_stays_csr() -> None:
    start = np.array([[0, 1.0], [2, 0]], np.float32)
    weight, dense = nd.array(start).tostype("csr"), nd.array(start)
    grad = nd.array([[1.0, 0], [0, 2]])
    for one, g in ((weight, grad.tostype("csr")), (dense, grad)):
        updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9, learning_rate=0.5))
        updater(0, g, one)
        updater(0, g, one)
    assert weight.stype == "csr"
    assert np.allclose(weight.asnumpy(), dense.asnumpy())
