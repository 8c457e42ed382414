"""`SVRGModule` is that of MXNet."""

from typing import Any

import pytest

import gluonic as mx
from gluonic.contrib.svrg_optimization.svrg_module import SVRGModule
from tests.measured import variance
from tests.measured.measure import agrees, numbers, read

MEASURED = read("variance")


@pytest.mark.parametrize("case", variance.CASES)
def test_training_with_reduced_variance_is_that_of_mxnet(case: str) -> None:
    assert agrees(numbers(variance.CASES[case](mx)), MEASURED[case], 1e-4)


@pytest.mark.parametrize("update_freq", [None, 0, -1, 1.5])
def test_parameters_are_kept_after_a_positive_number_of_epochs(update_freq: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="must be a positive number of epochs"):
        SVRGModule(mx.sym.Variable("x"), label_names=None, update_freq=update_freq)


def test_a_correction_by_the_gradient_of_the_only_batch_changes_nothing() -> None:
    batches, made = variance.module(mx, count=8)
    _, plain = variance.module(mx, count=8)
    for one in (made, plain):
        one.init_optimizer(optimizer_params={"learning_rate": 0.02})
    made.update_full_grads(batches)
    batches.reset()
    for batch in batches:
        for one in (made, plain):
            one.forward_backward(batch)
            one.update()
    for name, value in made.get_params()[0].items():
        assert agrees(numbers(value), numbers(plain.get_params()[0][name]))


def test_a_batch_divided_among_contexts_is_trained_with_as_one() -> None:
    # MXNet starts again from zeros there: it writes its sums of gradients over the parameters.
    settings = {"optimizer_params": {"learning_rate": 0.02}}
    alone = numbers(variance.fit(mx, 4, **settings)[:2])
    divided = numbers(variance.fit(mx, 4, contexts=2, **settings)[:2])
    assert agrees(divided, alone, 1e-4)


def test_prediction_leaves_the_parameters_alone_that_were_kept() -> None:
    batches, made = variance.module(mx)
    made.fit(batches, num_epoch=1, eval_metric="mse")
    before = made._mod_aux.get_outputs()[0].asnumpy()
    batches.reset()
    made.forward(next(batches), is_train=False)
    assert (made._mod_aux.get_outputs()[0].asnumpy() == before).all()


class NoBatches(mx.io.DataIter):
    def reset(self) -> None:
        pass

    def iter_next(self) -> bool:
        return False


def test_data_without_batches_are_refused() -> None:
    _, made = variance.module(mx)
    made.init_optimizer()
    with pytest.raises(mx.MXNetError, match="has no batches"):
        made.update_full_grads(NoBatches())
