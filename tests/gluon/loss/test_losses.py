"""Losses compute the same as MXNet's, eagerly and hybridized, and refuse invalid arguments."""

import pytest

import gluonic as mx
from gluonic import gluon, nd
from tests.measured import losses
from tests.measured.measure import agrees, numbers, read

MEASURED = read("losses")


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("case", losses.CASES)
def test_a_loss_and_its_gradient_are_those_of_mxnet(case: str, hybridize: bool) -> None:
    assert agrees(numbers(losses.run(mx, case, hybridize)), MEASURED[case])


def test_every_loss_is_measured() -> None:
    covered = {getattr(gluon.loss, name) for name, *_ in losses.CASES.values()}
    offered = {getattr(gluon.loss, name) for name in gluon.loss.__all__} - {gluon.loss.Loss}
    assert offered <= covered


@pytest.mark.parametrize("samples", [0, 1, 5])
def test_softmax_cross_entropy_has_one_number_for_each_sample(samples: int) -> None:
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    assert loss(nd.ones((samples, 3)), nd.zeros((samples,))).shape == (samples,)


def test_sample_weights_are_not_confused_with_the_weight() -> None:
    with pytest.raises(mx.MXNetError, match="L1Loss: weight=<NDArray> must be a number"):
        gluon.loss.L1Loss(weight=nd.ones((3,)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("CTCLoss", {"layout": "CTN"}),
        ("CTCLoss", {"label_layout": "TNN"}),
        ("LogisticLoss", {"label_format": "one-hot"}),
    ],
)
def test_unknown_settings_are_refused(name: str, settings: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="must be"):
        getattr(gluon.loss, name)(**settings)


def test_a_hinge_loss_without_labels_of_its_size_is_refused() -> None:
    with pytest.raises(mx.MXNetError):
        gluon.loss.HingeLoss()(nd.ones((3, 4)), nd.ones((3, 5)))


def test_stirlings_formula_is_used_for_targets_above_one_only() -> None:
    loss = gluon.loss.PoissonNLLLoss(compute_full=True)
    found = loss(nd.zeros((1, 3)), nd.array([[0.0, 1.0, 2.0]])).asscalar()
    stirling = 2 * 0.6931472 - 2 + 0.5 * 2.5310242  # 2 log 2 - 2 + log(4π) / 2
    assert found == pytest.approx((3 + stirling) / 3, rel=1e-6)


def test_the_partners_of_sdml_work_for_any_batch_when_hybridized() -> None:
    loss, eager = gluon.loss.SDMLLoss(), gluon.loss.SDMLLoss()
    loss.hybridize()
    for batch in (2, 5):
        x, y = nd.random.normal(shape=(batch, 3)), nd.random.normal(shape=(batch, 3))
        assert agrees(numbers(loss(x, y)), numbers(eager(x, y)))
