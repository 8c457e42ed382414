"""Private members of parameters that programs written for MXNet lean on, and copies of parameters."""

import copy
import pickle
from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import Parameter, nn
from tests.measured import parameters
from tests.measured.measure import agrees, numbers, read

MEASURED = read("parameters")


@pytest.mark.parametrize("case", [case for case in parameters.CASES if case != "errors"])
def test_the_members_of_a_parameter_are_those_of_mxnet(case: str) -> None:
    found = numbers(parameters.CASES[case](mx))
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured), what


def test_what_mxnet_refuses_is_refused_with_an_error_of_its_kinds() -> None:
    found = parameters.CASES["errors"](mx)
    for what, kinds in MEASURED["errors"].items():
        assert set(kinds) <= set(found[what]), what


def both(copied: Any) -> Any:
    """A way of copying, by name."""
    return {"deep copy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}[copied]


COPIES = pytest.mark.parametrize("copied", ["deep copy", "pickle"])


@COPIES
def test_a_copy_of_a_parameter_is_trained_independently(copied: str) -> None:
    made = Parameter("w", shape=(2,), grad_req="add")
    made.initialize(mx.init.One())
    other = both(copied)(made)
    trainer = gluon.Trainer([other], "sgd", {"learning_rate": 1.0})
    for _ in range(2):
        with autograd.record():
            y = (other.data() * 3).sum()
        y.backward()
    assert other.grad().asnumpy().tolist() == [6, 6]
    trainer.step(1)
    assert other.data().asnumpy().tolist() == [-5, -5]
    assert made.data().asnumpy().tolist() == [1, 1]
    assert made.grad().asnumpy().tolist() == [0, 0]


@COPIES
def test_copies_of_parameters_share_what_the_parameters_share(copied: str) -> None:
    first = Parameter("w", shape=(2,))
    first.initialize(mx.init.One())
    second = Parameter("w", shape=(2,))
    second._data, second._grad = first._data, first._grad
    one, two = both(copied)([first, second])
    one._data[0] = nd.zeros((2,))
    assert two.data().asnumpy().tolist() == [0, 0]
    assert second.data().asnumpy().tolist() == [1, 1]


@COPIES
def test_a_copy_of_a_parameter_waits_for_its_shape_as_the_parameter_does(copied: str) -> None:
    net = nn.Dense(2)
    net.initialize(mx.init.One(), ctx=mx.cpu(1))
    other = both(copied)(net.weight)
    other.shape = (2, 3)
    other._finish_deferred_init()
    assert other.data(mx.cpu(1)).asnumpy().tolist() == [[1, 1, 1]] * 2
    with pytest.raises(gluon.DeferredInitializationError):
        net.weight.data()


def test_a_parameter_takes_what_a_pickle_of_mxnet_holds() -> None:
    made = Parameter("w", shape=(2,))
    made.initialize(mx.init.One())
    state = {**made.__getstate__(), "_data": [nd.ones((2,))], "_grad": [nd.zeros((2,))]}
    other = Parameter.__new__(Parameter)
    other.__setstate__(state)
    with autograd.record():
        y = (other.data() * 3).sum()
    y.backward()
    assert other.grad().asnumpy().tolist() == [3, 3]


def test_methods_that_make_a_parameters_value_can_be_overridden() -> None:
    """Horovod broadcasts the first value of a parameter that waits for its shape so."""
    net, seen = nn.Dense(2, weight_initializer="ones"), []
    net.initialize()
    whole = net.weight._init_impl

    def wrapped(*args: Any, **kwargs: Any) -> None:
        whole(*args, **kwargs)
        seen.append(net.weight.data().shape)

    net.weight._init_impl = wrapped  # type: ignore[method-assign]
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    assert seen == [(2, 3)]


def test_parameter_dictionaries_are_equal_only_if_identical() -> None:
    first, second = gluon.ParameterDict("a_"), gluon.ParameterDict("a_")
    assert first != second
    assert len({first, second}) == 2
    assert first
    weight = first.get("w", shape=(1,))
    assert first._get_impl("a_w") is first._params["a_w"] is weight
    assert gluon.ParameterDict("a_", shared=first)._get_impl("a_w") is weight
    assert second._get_impl("a_w") is None
