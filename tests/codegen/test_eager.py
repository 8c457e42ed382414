"""Repeated eager calls run machine code, and compute the same as NumPy."""

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.codegen import eager
from gluonic.codegen.eager_graph import EagerGraph
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.graph import REGISTRY, Application, shapes_and_dtypes
from gluonic.ndarray.invoke import invoke
from tests.graph.registry_samples import (
    DIFFERENTIABLE,
    SAMPLES,
    Array,
    application_of,
    cast,
    over_samples,
    run,
    run_of,
)
from tests.graph.samples.sample import Sample

FLAGGED = [
    (name, number)
    for name, samples in SAMPLES.items()
    if lowering_of(REGISTRY[name]).eager
    for number in range(len(samples))
]


@pytest.fixture
def small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls with few elements may run machine code, too."""
    monkeypatch.setattr(eager, "LEAST_ELEMENTS", 0)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, small_ones: None) -> None:
    """All calls that may run machine code do."""
    monkeypatch.setattr(eager, "CALLS_IN_NUMPY", 0)


@pytest.fixture
def machine_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What machine code has computed since."""
    made: list[str] = []
    plain = EagerGraph.run

    def call(self: EagerGraph, *arguments: Any) -> list[Array] | None:
        results = plain(self, *arguments)
        if results is not None:
            made.append(self.name)
        return results

    monkeypatch.setattr(EagerGraph, "run", call)
    return made


def gradients_of(application: Application, sample: Sample) -> list[Array]:
    """The gradients of a sample's floating inputs, eagerly."""
    dtype = "float32" if "float32" in sample.dtypes else None
    inputs = [mx.nd.array(array, dtype=array.dtype) for array in cast(sample, dtype)]
    wanted = [array for array in inputs if np.dtype(array.dtype).kind == "f"]
    for array in wanted:
        array.attach_grad()
    mx.random.seed(3)
    with mx.autograd.record(sample.train):
        outputs = invoke(application, inputs)[: application.visible]
    floating = [output for output in outputs if np.dtype(output.dtype).kind == "f"]
    mx.autograd.backward(floating, [output * 0.5 + 1 for output in floating])
    return [array.grad.asnumpy() for array in wanted]


def convolved(images: mx.nd.NDArray, filters: mx.nd.NDArray) -> mx.nd.NDArray:
    found: mx.nd.NDArray = mx.nd.Convolution(
        images, filters, kernel=(3, 3), num_filter=len(filters), no_bias=True
    )
    return found


def uniform(*shape: int) -> mx.nd.NDArray:
    return mx.nd.array(np.random.default_rng(sum(shape)).uniform(-1, 1, shape))


@over_samples(FLAGGED)
def test_an_operator_alone_computes_what_numpy_does(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    dtype = "float32" if "float32" in sample.dtypes else None
    alone, arrays = EagerGraph.of_operator(application), cast(sample, dtype)
    with np.errstate(all="ignore"):
        found = alone(arrays, run_of(sample), shapes_and_dtypes(arrays), lambda cost: True)
        expected_arrays = cast(sample, dtype)
        expected = run(application, expected_arrays, sample)
    for ours, numpys in zip(found or expected, expected, strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=2e-4, atol=2e-5)
    for ours, numpys in zip(arrays if found else expected_arrays, expected_arrays, strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=2e-4, atol=2e-5, err_msg="states")


@over_samples([case for case in FLAGGED if case in DIFFERENTIABLE])
def test_a_gradient_alone_is_what_eager_operators_compute(
    name: str, number: int, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    found = []
    for least in (1 << 30, 0):
        monkeypatch.setattr(eager, "LEAST_ELEMENTS", least)
        found.append(gradients_of(application, sample))
    for ours, others in zip(*found, strict=True):
        np.testing.assert_allclose(ours, others, rtol=2e-4, atol=2e-5)


def test_calls_run_machine_code_once_they_have_come_often(
    small_ones: None, machine_calls: list[str]
) -> None:
    images, filters = uniform(2, 3, 9, 9), uniform(4, 3, 3, 3)
    results = [convolved(images, filters).asnumpy() for _ in range(eager.CALLS_IN_NUMPY)]
    assert machine_calls == []
    results += [convolved(images, filters).asnumpy() for _ in range(2)]
    assert machine_calls == ["Convolution"] * 2
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-5, atol=1e-6)


def test_layers_count_their_calls_for_themselves(
    small_ones: None, machine_calls: list[str]
) -> None:
    images, layers = uniform(2, 3, 9, 8), [uniform(4, 3, 3, 3) for _ in range(3)]
    for _ in range(eager.CALLS_IN_NUMPY):
        first, *others = [convolved(images, filters).asnumpy() for filters in layers]
        assert all((first == other).all() for other in others)
    assert machine_calls == []
    convolved(images, layers[0])
    assert machine_calls == ["Convolution"]


def test_operators_without_weights_count_all_their_calls(
    small_ones: None, machine_calls: list[str]
) -> None:
    for _ in range(eager.CALLS_IN_NUMPY):
        mx.nd.softmax(uniform(3, 17))
    assert machine_calls == []
    mx.nd.softmax(uniform(3, 17))
    assert machine_calls == ["softmax"]


def test_layers_with_small_arrays_are_left_to_numpy_for_longer(
    machine_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eager, "CALLS_OF_SMALL", eager.CALLS_IN_NUMPY + 3)
    images, filters = uniform(2, 3, 10, 10), uniform(4, 3, 3, 3)
    for _ in range(eager.CALLS_OF_SMALL):
        convolved(images, filters)
    assert machine_calls == []
    convolved(images, filters)
    assert machine_calls == ["Convolution"]


def test_small_arrays_of_operators_without_weights_are_left_to_numpy(
    machine_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eager, "CALLS_OF_SMALL", 0)
    for _ in range(eager.CALLS_IN_NUMPY + 2):
        mx.nd.softmax(uniform(3, 18))
    assert machine_calls == []


def test_how_small_images_are_depends_on_the_filters(machine_calls: list[str]) -> None:
    images, few, many = uniform(1, 16, 14, 14), uniform(4, 16, 3, 3), uniform(64, 16, 3, 3)
    for _ in range(eager.CALLS_IN_NUMPY + 1):
        convolved(images, few)
    assert machine_calls == []
    for _ in range(eager.CALLS_IN_NUMPY + 1):
        convolved(images, many)
    assert machine_calls == ["Convolution"]


def test_filters_of_one_tap_are_left_to_numpy_if_images_have_many_pixels(
    machine_calls: list[str],
) -> None:
    def pointwise(extent: int, stride: int) -> None:
        filters = uniform(64, 512, 1, 1)
        for _ in range(eager.CALLS_IN_NUMPY + 1):
            mx.nd.Convolution(
                uniform(1, 512, extent, extent),
                filters,
                kernel=(1, 1),
                stride=(stride, stride),
                num_filter=64,
                no_bias=True,
            )

    pointwise(24, 1)
    assert machine_calls == []
    pointwise(7, 1)
    pointwise(24, 2)
    assert machine_calls == ["Convolution"] * 2


def test_the_environment_can_select_the_interpreter(
    at_once: None, machine_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", "interpret")
    convolved(uniform(2, 3, 11, 11), uniform(4, 3, 3, 3))
    assert machine_calls == []


def test_layers_of_one_shape_keep_their_own_filters_packed(at_once: None) -> None:
    images, layers = uniform(1, 3, 12, 12), [uniform(4, 3, 3, 3) * scale for scale in (1, 2, 3)]
    plain = convolved(images, layers[0]).asnumpy()
    for _ in range(2):
        for scale, filters in zip((1, 2, 3), layers, strict=True):
            np.testing.assert_allclose(
                convolved(images, filters).asnumpy(), scale * plain, rtol=1e-5, atol=1e-5
            )


def test_filters_that_are_written_to_are_packed_again(at_once: None) -> None:
    images, filters = uniform(1, 3, 13, 13), uniform(4, 3, 3, 3)
    plain = convolved(images, filters).asnumpy()
    filters *= 2
    np.testing.assert_allclose(convolved(images, filters).asnumpy(), 2 * plain, rtol=1e-5)
    filters[:] = 0
    assert not convolved(images, filters).asnumpy().any()


def test_filters_that_are_gone_leave_their_frame_to_others(at_once: None) -> None:
    images = uniform(1, 3, 14, 14)
    for scale in range(1, 4):
        filters = mx.nd.ones((4, 3, 3, 3)) * scale
        found = convolved(images, filters).asnumpy()
        np.testing.assert_allclose(
            found[:, 0],
            scale * convolved(images, mx.nd.ones((4, 3, 3, 3))).asnumpy()[:, 0],
            rtol=1e-5,
        )
        del filters
        gc.collect()


def test_gradients_are_those_of_numpy(at_once: None, machine_calls: list[str]) -> None:
    found = {}
    for least in (1 << 30, 0):
        eager.LEAST_ELEMENTS = least
        images, filters = uniform(2, 3, 8, 8), uniform(4, 3, 3, 3)
        for each in (images, filters):
            each.attach_grad()
        with mx.autograd.record():
            pooled = mx.nd.Pooling(
                convolved(images, filters), kernel=(2, 2), stride=(2, 2), pool_type="max"
            )
            loss = mx.nd.log_softmax(pooled.flatten()).square().sum()
        loss.backward()
        found[least] = [images.grad.asnumpy(), filters.grad.asnumpy()]
    assert {"gradient of Convolution", "gradient of Pooling"} < {*machine_calls}
    for ours, numpys in zip(*found.values(), strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=1e-4, atol=1e-4)


def test_threads_compute_side_by_side(at_once: None) -> None:
    filters = [uniform(8, 8, 3, 3) * scale for scale in range(1, 5)]
    images = uniform(2, 8, 20, 20)
    plain = convolved(images, filters[0]).asnumpy()

    def often(number: int) -> float:
        worst = 0.0
        for _ in range(20):
            found = convolved(images, filters[number]).asnumpy()
            worst = max(worst, float(abs(found - (number + 1) * plain).max()))
        return worst

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(often, range(4))) < 1e-3


def test_a_layer_takes_other_shapes_dtypes_and_biases_after_calls_that_ran_machine_code(
    at_once: None, machine_calls: list[str]
) -> None:
    filters, biases = uniform(4, 3, 3, 3), [uniform(4), uniform(4) + 5]
    for _ in range(2):
        for extent in (9, 12, 9):
            for bias in biases:
                images = uniform(2, 3, extent, extent)
                found = mx.nd.Convolution(images, filters, bias, kernel=(3, 3), num_filter=4)
                expected = convolved(images, filters) + bias.reshape((1, 4, 1, 1))
                np.testing.assert_allclose(
                    found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5
                )
    assert set(machine_calls) == {"Convolution"}
    wide = convolved(uniform(2, 3, 9, 9).astype("float64"), filters.astype("float64"))
    assert wide.dtype == np.float64


def test_a_layer_refuses_wrong_inputs_after_calls_that_ran_machine_code(at_once: None) -> None:
    filters = uniform(4, 3, 3, 3)
    for _ in range(3):
        convolved(uniform(2, 3, 9, 9), filters)
    with pytest.raises(mx.MXNetError):
        convolved(uniform(2, 5, 9, 9), filters)
    with pytest.raises(mx.MXNetError):
        mx.nd.Convolution(
            uniform(2, 3, 9, 9), filters, uniform(4), kernel=(3, 3), num_filter=4, no_bias=True
        )


def test_batch_norm_follows_the_mode_after_calls_that_ran_machine_code(at_once: None) -> None:
    layer, images = mx.gluon.nn.BatchNorm(), uniform(4, 3, 8, 8) + 2
    layer.initialize()
    plain = [layer(images).asnumpy() for _ in range(3)][-1]
    np.testing.assert_allclose(plain, images.asnumpy(), rtol=1e-4)
    with mx.autograd.train_mode():
        normalized = [layer(images).asnumpy() for _ in range(3)][-1]
    assert abs(normalized.mean()) < 1e-4
    moved = layer.running_mean.data().asnumpy()
    assert (moved > 0.2).all()
    assert (layer(images).asnumpy() < plain).all()
    assert (layer.running_mean.data().asnumpy() == moved).all()


def test_results_of_a_layer_are_recorded_after_calls_that_ran_machine_code(at_once: None) -> None:
    images, filters = uniform(2, 3, 10, 9), uniform(4, 3, 3, 3)
    for _ in range(3):
        convolved(images, filters)
    filters.attach_grad()
    with mx.autograd.record():
        total = convolved(images, filters).sum()
    total.backward()
    assert abs(filters.grad.asnumpy()).max() > 0
