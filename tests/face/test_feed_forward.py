"""The estimator before modules trains, predicts and is saved as MXNet's."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from tests.measured import feed_forward
from tests.measured.measure import agrees, numbers, read

MEASURED = read("feed_forward")
DATA, LABELS = feed_forward.DATA, feed_forward.LABELS


def trained(**settings: Any) -> Any:
    model = feed_forward.made(
        mx, num_epoch=2, arg_params=feed_forward.parameters(mx), numpy_batch_size=25, **settings
    )
    model.fit(DATA, LABELS)
    return model


@pytest.mark.parametrize("case", feed_forward.CASES)
def test_training_is_that_of_mxnet(case: str) -> None:
    found = numbers(feed_forward.run(mx, case))
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured, 1e-4), what


def test_parameters_are_made_for_inputs() -> None:
    assert numbers(feed_forward.initialized(mx)) == MEASURED["names"]


def test_a_trained_model_is_saved_and_trained_further(tmp_path: Path) -> None:
    model = trained(learning_rate=0.1)
    model.save(str(tmp_path / "net"))
    with pytest.warns(DeprecationWarning, match="mx.mod.Module"):
        again = mx.model.FeedForward.load(str(tmp_path / "net"), 2, numpy_batch_size=25)
    assert again.begin_epoch == 2
    for other in (again, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(DATA), model.predict(DATA))


def test_a_batch_is_divided_among_contexts() -> None:
    data = mx.io.NDArrayIter(DATA, LABELS, 10)
    results = []
    for contexts in (mx.cpu(), [mx.cpu(0), mx.cpu(1)]):
        model = feed_forward.made(
            mx, ctx=contexts, num_epoch=1, arg_params=feed_forward.parameters(mx), optimizer="sgd"
        )
        symbol = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=2, name="c")
        model.symbol = mx.sym.SoftmaxOutput(symbol, name="softmax")
        model.arg_params = {"c_weight": mx.nd.ones((2, 4)), "c_bias": mx.nd.zeros((2,))}
        data.reset()
        model.fit(data)
        results.append(model.arg_params["c_weight"].asnumpy())
    alone, divided = results
    np.testing.assert_allclose(alone, divided, rtol=1e-5)


def test_networks_are_made_from_the_keys_of_buckets() -> None:
    keys = []

    def network(key: Any) -> Any:
        keys.append(key)
        return feed_forward.network(mx)

    data: Any = mx.io.NDArrayIter(DATA, LABELS, 10)
    data.default_bucket_key = 4
    with pytest.warns(DeprecationWarning, match="mx.mod.Module"):
        model = mx.model.FeedForward(network, num_epoch=1, learning_rate=0.1)
    batches = list(data)
    for batch in batches:
        batch.bucket_key = 4
    data.reset()
    data.next = iter(batches).__next__
    model.fit(data)
    assert set(keys) == {4}
    assert model.arg_params is not None
    assert model.arg_params.keys() == feed_forward.SHAPES.keys()


def test_parameters_that_the_network_does_not_have_are_left_out_where_asked() -> None:
    extra = {**feed_forward.parameters(mx), "other": mx.nd.ones((2,))}
    model = feed_forward.made(mx, arg_params=extra, allow_extra_params=True)
    assert model.arg_params.keys() == feed_forward.SHAPES.keys()


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((DATA,), ValueError, "needs y="),
        ((DATA, LABELS[:3]), ValueError, r"shape \(50,\), not \(3,\)"),
        ((DATA, np.ones((50, 2))), ValueError, r"shape \(50,\), not \(50, 2\)"),
        ((DATA, [1] * 50), TypeError, "not a list"),
        (([1],), TypeError, "not a list"),
        ((DATA, LABELS, DATA), TypeError, "eval_data must be"),
        ((DATA, LABELS, (None, LABELS)), ValueError, "has no data"),
    ],
)
def test_wrong_data_is_refused(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        feed_forward.made(mx, num_epoch=1).fit(*arguments)


def test_training_requires_a_number_of_epochs() -> None:
    with pytest.raises(ValueError, match="num_epoch="):
        feed_forward.made(mx).fit(DATA, LABELS)
