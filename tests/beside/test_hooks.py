"""Methods that a program overrides are called where MXNet calls them; those called beyond that are listed."""

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from tests.measured import hooks
from tests.measured.measure import read

CALLED = read("hooks")
_RATES = {"_get_lr", "_get_wd"}
MORE = {
    **{f"SGD {how}": {"update", *_RATES} for how in ("half", "momentum", "module", "updater")},
    **{f"optimizer {name}": {"update", *_RATES} for name in ("SGD", "LARS")},
    **{f"optimizer {name}": {"update"} for name in ("NAG", "LAMB")},
    "optimizer AdaDelta": {"_get_lr", "_get_lrs"},
    "metric fit": {"reset_local"},
    "metric composite": {"get_name_value", "reset_local"},
    "initializer module": {"_init_one", "_init_zero"},
    "module predict": {"get_params", "iter_predict"},
}


@pytest.mark.filterwarnings("ignore:the optimizer multiplies", "ignore:Calling an initializer")
@pytest.mark.parametrize("case", hooks.CASES)
def test_the_methods_that_mxnet_calls_are_called(case: str) -> None:
    found, expected = set(hooks.run(mx, case)), set(CALLED[case])
    assert expected - found == set()
    assert found - expected == MORE.get(case, set())


def test_an_update_of_a_programs_own_is_what_counts() -> None:
    class Halving(mx.optimizer.SGD):
        def update(self, index: int, weight: nd.NDArray, grad: nd.NDArray, state: object) -> None:
            weight *= 0.5

    weight = gluon.Parameter("w", shape=(2,))
    weight.initialize(mx.init.One())
    found = gluon.ParameterDict()
    found.update({"w": weight})
    trainer = gluon.Trainer(found, Halving(momentum=0.9))
    with mx.autograd.record():
        loss = weight.data().sum()
    loss.backward()
    trainer.step(1)
    np.testing.assert_array_equal(weight.data().asnumpy(), [0.5, 0.5])
