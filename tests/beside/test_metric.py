"""Metrics report the same as MXNet's."""

import json
import math
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from tests.measured import metrics
from tests.measured.measure import agrees, numbers, read

MEASURED = read("metrics")


@pytest.mark.parametrize("case", metrics.CASES)
def test_a_metric_is_that_of_mxnet(case: str) -> None:
    assert agrees(numbers(metrics.run(mx, case)), MEASURED[case])


@pytest.mark.parametrize("case", metrics.CASES)
def test_a_metric_is_made_again_from_its_configuration(case: str) -> None:
    name, settings, _ = metrics.CASES[case]
    config = mx.metric.create(name, **settings).get_config()
    assert mx.metric.create(json.dumps(config)).get_config() == config


@pytest.mark.parametrize("case", metrics.CASES)
def test_a_metric_without_samples_is_nan(case: str) -> None:
    name, settings, _ = metrics.CASES[case]
    assert all(math.isnan(v) for _, v in mx.metric.create(name, **settings).get_name_value())


def test_the_correlation_of_all_pairs_takes_updates_together() -> None:
    random = np.random.default_rng(0)
    label, pred = random.normal(size=(2, 30))
    metric = mx.metric.create("pearsonr", average="micro")
    for start in range(0, 30, 10):
        metric.update(nd.array(label[start : start + 10]), nd.array(pred[start : start + 10]))
    expected = np.corrcoef(label, pred)[0, 1]
    assert metric.get()[1] == pytest.approx(expected, abs=1e-6)
    assert metric.get_global()[1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("result", "expected"), [(2.0, 2.0), ((6.0, 4), 1.5)], ids=["number", "sum and count"]
)
def test_a_function_makes_a_metric(result: object, expected: float) -> None:
    metric = mx.metric.np(lambda label, pred: result)
    metric.update([nd.ones((2,))], [nd.ones((2,))])
    assert metric.get() == ("custom(<lambda>)", expected)
    with pytest.raises(NotImplementedError, match="cannot be serialized"):
        metric.get_config()


def test_extra_outputs_are_allowed_where_asked_for() -> None:
    def gap(label: np.ndarray, pred: np.ndarray) -> float:
        return float(abs(label - pred).sum())

    one, three = nd.ones((2,)), nd.ones((2,)) * 3
    with pytest.raises(ValueError, match="differ in their numbers"):
        mx.metric.CustomMetric(gap).update([one], [three, one])
    lenient = mx.metric.CustomMetric(gap, allow_extra_outputs=True)
    lenient.update([one], [three, one])
    assert lenient.get() == ("gap", 4)


def test_several_metrics_are_reported_and_reached_together() -> None:
    both = mx.metric.CompositeEvalMetric(["mae"])
    both.add("mse")
    both.update([nd.ones((2,))], [nd.ones((2,)) * 3])
    assert both.get() == (["mae", "mse"], [2, 4])
    assert both.get_metric(1).name == "mse"
    with pytest.raises(ValueError, match="there are 2"):
        both.get_metric(2)


def test_labels_and_outputs_are_chosen_by_name() -> None:
    metric = mx.metric.create("mae", output_names=["b"], label_names=["y"])
    zeros, ones = nd.zeros((2,)), nd.ones((2,))
    metric.update_dict({"x": zeros, "y": ones}, {"a": zeros, "b": ones})
    assert metric.get()[1] == 0


def test_a_new_metric_needs_update_only() -> None:
    class Count(mx.metric.EvalMetric):
        def update(self, labels: object, preds: object) -> None:
            self.sum_metric += 3
            self.num_inst += 1

    metric = Count("count")
    metric.update(None, None)
    assert metric.get() == metric.get_global() == ("count", 3)


def test_more_than_two_classes_are_refused_where_two_are_needed() -> None:
    with pytest.raises(ValueError, match="binary"):
        mx.metric.F1().update([nd.array([0, 1, 2])], [nd.ones((3, 2))])


def test_unknown_metrics_are_named_with_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r"no metric 'acuracy' is registered; did you mean"):
        mx.metric.create("acuracy")


_SCORES = np.round(np.random.RandomState(3).rand(8, 3), 3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, {}) for name in ("mse", "mae", "rmse", "loss", "pearsonr", "acc")),
        *((name, {}) for name in ("ce", "nll_loss", "f1", "mcc", "pcc")),
        ("top_k_accuracy", {"top_k": 2}),
        ("perplexity", {"ignore_label": None}),
    ],
)
def test_values_are_pythons_and_sums_are_of_double_precision(
    name: str, settings: dict[str, Any], dtype: str
) -> None:
    classes = name in ("ce", "nll_loss", "acc", "f1", "mcc", "pcc", "top_k_accuracy", "perplexity")
    width = 2 if name in ("f1", "mcc") else 3
    pred = nd.array(_SCORES[:, :width], dtype=dtype)
    label = nd.array(np.arange(8) % 2 if classes else _SCORES[:, ::-1][:, :width], dtype=dtype)
    metric = mx.metric.create(name, **settings)
    metric.update([label], [pred])
    once = metric.get()[1]
    for _ in range(3000):  # sums of float16 would end at 2048
        metric.update([label], [pred])
    for value in (metric.get()[1], metric.get_global()[1], metric.get_name_value()[0][1]):
        assert type(value) is float
        assert value == pytest.approx(once, rel=1e-9, nan_ok=True)


def test_metrics_of_a_program_add_up_in_double_precision() -> None:
    class Mine(mx.metric.EvalMetric):
        def update(self, labels: Any, preds: Any) -> None:
            self.sum_metric += preds[0].asnumpy().sum()
            self.num_inst += 1

    metric = Mine("mine")
    for value in (2.0**24, 1.0, 1.0):  # 2**24 + 1 is no float32
        metric.update(None, [nd.array([value])])
    assert metric.get() == ("mine", (2.0**24 + 2) / 3)
    custom = mx.metric.np(lambda label, pred: np.float32(0.1))
    custom.update(nd.ones(1), nd.ones(1))
    assert type(custom.get()[1]) is float
