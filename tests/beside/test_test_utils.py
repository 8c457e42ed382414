"""The helpers for tests find exactly the faults that they should."""

import os
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic import test_utils as tu

X = sym.var("x")


def test_arrays_are_compared_by_the_tolerance_of_their_dtype() -> None:
    one = np.ones((2, 3))
    tu.assert_almost_equal(nd.array(one), nd.array(one * (1 + 1e-5)))
    with pytest.raises(AssertionError, match=r"exceeds tolerance"):
        tu.assert_almost_equal(one, one * (1 + 1e-4))
    tu.assert_almost_equal(one.astype("float16"), one.astype("float16") * np.float16(1.05))
    tu.assert_almost_equal(1.0, nd.array([1.0]))
    tu.assert_allclose(one, one)


def test_the_largest_difference_is_named_with_its_index() -> None:
    a = np.zeros((2, 3))
    b = a.copy()
    b[1, 2], b[0, 1] = 5, 1
    with pytest.raises(AssertionError) as caught:
        tu.assert_almost_equal(a, b, rtol=0, atol=0.1, names=("found", "wanted"))
    message = str(caught.value)
    assert "maximum error: (1, 2), found=0.00000000, wanted=5.00000000" in message
    assert "(0, 1): found=0.00000000, wanted=1.00000000" in message
    assert "mismatch 33.3" in message


def test_nan_is_equal_to_nan_only_if_asked_for() -> None:
    a = np.array([1.0, np.nan])
    with pytest.raises(AssertionError):
        tu.assert_almost_equal(a, a)
    tu.assert_almost_equal(a, a, equal_nan=True)
    tu.assert_almost_equal_ignore_nan(a, np.array([1.0, 7.0]))


def test_shapes_may_be_broadcast_unless_forbidden() -> None:
    tu.assert_almost_equal(np.ones((2, 3)), np.ones((3,)))
    with pytest.raises(AssertionError, match="shapes"):
        tu.assert_almost_equal(np.ones((2, 3)), np.ones((3,)), use_broadcast=False)


def test_a_part_of_the_elements_may_be_wrong() -> None:
    a, b = np.zeros(10), np.eye(1, 10)[0]
    tu.assert_almost_equal_with_err(a, b, rtol=0, atol=0.5, etol=0.1)
    with pytest.raises(AssertionError):
        tu.assert_almost_equal_with_err(a, b, rtol=0, atol=0.5, etol=0.05)


def test_sameness_is_exact() -> None:
    assert tu.same(nd.ones((2,)), np.ones(2))
    assert not tu.same(np.ones(2), np.ones(3))
    assert tu.almost_equal(np.ones(2), np.ones(2) + 1e-9)
    x = nd.ones((4,))
    assert tu.same_array(x, x[1:3])
    assert not tu.same_array(x, x.copy())


def test_random_shapes_and_arrays_are_as_asked_for() -> None:
    assert len(tu.rand_shape_nd(4, 3)) == 4
    assert all(1 <= n <= 3 for _ in range(20) for n in tu.rand_shape_nd(4, 3))
    assert all(1 <= n <= 2 for _ in range(20) for n in tu.rand_shape_2d(2, 2))
    assert 0 in {n for _ in range(200) for n in tu.rand_shape_3d(1, 1, 1, allow_zero_size=True)}
    assert tu.random_arrays((2, 3)).shape == (2, 3)
    assert [x.shape for x in tu.random_arrays((2,), ())] == [(2,), ()]
    (low,) = tu.random_uniform_arrays((50,), low=2, high=3, dtype="float64")
    assert low.dtype == np.float64
    assert ((low >= 2) & (low < 3)).all()
    x = tu.rand_ndarray((2, 3), dtype="float64", modifier_func=lambda v: 7.0)
    assert x.dtype is np.float64
    assert (x.asnumpy() == 7).all()


def test_random_sparse_arrays_are_as_asked_for() -> None:
    assert tu.rand_ndarray((2, 3), "csr", density=1).asscipy().nnz == 6
    x, (data, rows) = tu.rand_sparse_ndarray((4, 2), "row_sparse", rsp_indices=[1, 3])
    assert rows.tolist() == x.indices.asnumpy().tolist() == [1, 3]
    assert (x.data.asnumpy() == data).all()
    assert tu.rand_sparse_ndarray((4, 2), "row_sparse", density=0)[0].asnumpy().sum() == 0
    x, (starts, columns, _) = tu.rand_sparse_ndarray((5, 16), "csr", 0.5, distribution="powerlaw")
    assert np.diff(starts.asnumpy()).tolist() == [2, 4, 8, 16, 10]
    assert len(columns) == 40
    x = tu.create_sparse_array_zd((6, 3), "row_sparse", 0.9, data_init=2, rsp_indices=[4, 0])
    assert x.asnumpy().sum(axis=1).tolist() == [6, 0, 0, 0, 6, 0]
    assert tu.create_sparse_array((3, 4), "csr", density=1, shuffle_csr_indices=True).shape == (
        3,
        4,
    )
    with pytest.raises(ValueError, match="density"):
        tu.rand_sparse_ndarray((5, 5), "csr", 0.1, distribution="powerlaw")


@pytest.mark.parametrize("axis", [None, 1, (0, 2), -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_go_axis_by_axis(axis: Any, keepdims: bool) -> None:
    x = np.random.rand(2, 3, 4)
    expected = x.sum(axis=axis, keepdims=keepdims)
    assert tu.np_reduce(x, axis, keepdims, np.sum) == pytest.approx(expected)


def test_sums_collapse_to_what_was_broadcast() -> None:
    assert tu.collapse_sum_like(np.ones((2, 3, 4)), (3, 1)).tolist() == [[8], [8], [8]]


def test_a_symbol_is_run_on_arrays() -> None:
    assert tu.simple_forward(X * 2, x=np.ones(2)).tolist() == [2, 2]
    both = sym.Group([X * 2, X + 1])
    assert [out.tolist() for out in tu.simple_forward(both, x=np.ones(1))] == [[2], [2]]


def test_right_outputs_and_gradients_pass() -> None:
    x = np.random.RandomState(0).randn(3, 2)
    tu.check_symbolic_forward(sym.square(X), [x], [x**2])
    tu.check_symbolic_forward(sym.square(X, name="s"), {"x": x}, {"s_output": x**2})
    for request in ("write", "add", "null"):
        tu.check_symbolic_backward(
            sym.square(X), [x], [np.ones((3, 2))], [2 * x], grad_req=request, rtol=1e-4, atol=1e-4
        )
    tu.check_numeric_gradient(sym.square(X) * X, [x], rtol=1e-2, atol=1e-2)
    tu.check_numeric_gradient(sym.tanh(X), [x.astype("float64")], dtype=np.float64)


def test_wrong_outputs_and_gradients_are_found() -> None:
    x = np.random.RandomState(0).randn(3, 2)
    with pytest.raises(AssertionError, match="EXPECTED"):
        tu.check_symbolic_forward(sym.square(X), [x], [x])
    with pytest.raises(AssertionError, match="BACKWARD_x"):
        tu.check_symbolic_backward(sym.square(X), [x], [np.ones((3, 2))], [x])
    with pytest.raises(AssertionError, match="NUMERICAL_x"):
        tu.check_numeric_gradient(sym.BlockGrad(X) * 3 + X, [x])


def test_values_that_the_symbol_does_not_need_are_refused() -> None:
    with pytest.raises(ValueError, match=r"needed: \['x'\]"):
        tu.check_symbolic_forward(X * 2, {"y": np.ones(1)}, [np.ones(1)])


def test_auxiliary_states_take_part() -> None:
    norm = sym.BatchNorm(X, name="bn", fix_gamma=False)
    location = {"x": np.random.rand(4, 3), "bn_gamma": np.ones(3), "bn_beta": np.zeros(3)}
    states = {"bn_moving_mean": np.zeros(3), "bn_moving_var": np.ones(3)}
    tu.check_numeric_gradient(norm, location, states, rtol=0.1, atol=0.05)
    expected = location["x"] / np.sqrt(1 + 1e-3)
    tu.check_symbolic_forward(norm, location, [expected], rtol=1e-3, aux_states=states)


def test_dtypes_are_consistent_or_the_difference_is_raised() -> None:
    dense = sym.FullyConnected(X, num_hidden=3, name="fc")
    settings = [
        {"ctx": mx.cpu(), "x": (2, 4), "type_dict": {"x": d}} for d in ("float64", "float32")
    ]
    tu.check_consistency(dense, settings)
    doubled = sym.FullyConnected(X * 2, num_hidden=3, name="fc")
    with pytest.raises(AssertionError, match="exceeds tolerance"):
        tu.check_consistency([dense, doubled], settings)


def test_speed_is_a_time() -> None:
    assert tu.check_speed(X * 2, N=2, x=(2, 2)) > 0
    assert tu.check_speed(X * 2, {"x": np.ones((2, 2))}, N=2, typ="forward") > 0
    with pytest.raises(ValueError, match="'whole' or 'forward'"):
        tu.check_speed(X, typ="half")


def test_optimizers_are_compared() -> None:
    make = mx.optimizer.create
    tu.compare_optimizer(make("adam"), make("adam"), (2, 3), "float32")
    tu.compare_optimizer(
        make("sgd", momentum=0.5), make("sgd", momentum=0.5), [(2,), (3,)], "float32"
    )
    with pytest.raises(AssertionError):
        tu.compare_optimizer(make("sgd"), make("sgd", wd=0.9), (2, 3), "float32")


def test_generators_are_judged_by_their_statistics() -> None:
    buckets, probs = tu.gen_buckets_probs_with_ppf(lambda q: q, 5)
    fair, skewed = np.random.default_rng(1), np.random.default_rng(2)
    tu.verify_generator(lambda n: fair.random(n), buckets, probs, nsamples=20_000)
    with pytest.raises(AssertionError, match="chi-square"):
        tu.verify_generator(lambda n: skewed.random(n) ** 1.1, buckets, probs, nsamples=20_000)
    assert tu.mean_check(lambda n: fair.normal(1, 2, n), 1, 2, 20_000)
    assert not tu.mean_check(lambda n: fair.normal(1.2, 2, n), 1, 2, 20_000)
    assert tu.var_check(lambda n: fair.normal(1, 2, n), 2, 20_000)
    assert not tu.var_check(lambda n: fair.normal(1, 2.2, n), 2, 20_000)


def test_environment_variables_are_set_for_a_while() -> None:
    with tu.environment("GLUONIC_TEST", 3), tu.environment({"HOME": None}):
        assert os.environ["GLUONIC_TEST"] == "3"
        assert "HOME" not in os.environ
    assert "GLUONIC_TEST" not in os.environ


def test_a_test_may_fail_now_and_then() -> None:
    runs: list[int] = []

    @tu.retry(3)
    def third_time_lucky() -> None:
        runs.append(1)
        assert len(runs) == 3

    third_time_lucky()
    runs.clear()
    with pytest.raises(AssertionError):
        tu.retry(2)(third_time_lucky.__wrapped__)()  # type: ignore[attr-defined]
    assert len(runs) == 2


def test_exceptions_are_asserted() -> None:
    tu.assert_exception(int, ValueError, "x")
    with pytest.raises(AssertionError, match="ValueError was not raised"):
        tu.assert_exception(int, ValueError, "1")


def test_the_default_context_is_the_current_one() -> None:
    assert tu.default_context() == mx.cpu(0)
    with mx.cpu(1):
        assert tu.default_context() == mx.cpu(1)
    tu.set_default_context(mx.cpu(2))
    try:
        assert nd.ones((1,)).context == mx.cpu(2)
    finally:
        tu.set_default_context(mx.cpu(0))


def test_standard_error_is_discarded(capfd: pytest.CaptureFixture[str]) -> None:
    with tu.discard_stderr():
        os.write(2, b"noise")
    assert capfd.readouterr().err == ""


def test_blocks_are_compared_with_themselves_hybridized() -> None:
    data = [nd.array([[1.0, -2.0]])]
    tu.check_gluon_hybridize_consistency(lambda prefix: gluon.nn.Dense(3, prefix=prefix), data)
    tu.check_gluon_hybridize_consistency(
        lambda prefix: gluon.nn.Activation("relu", prefix=prefix),
        data,
        numpy_func=lambda x: np.maximum(x, 0),
    )

    class Changing(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            return x * (2 if F is nd else 3)

    with pytest.raises(AssertionError):
        tu.check_gluon_hybridize_consistency(lambda prefix: Changing(prefix=prefix), data)
    with pytest.raises(AssertionError):
        tu.check_gluon_hybridize_consistency(
            lambda prefix: gluon.nn.Activation("relu", prefix=prefix), data, numpy_func=np.abs
        )


def test_indices_of_differences_are_reported() -> None:
    a, b = np.array([1.0, 2.0]), np.array([1.0, 2.5])
    found = tu.locationError(a, b, (1,), ("a", "b"), maxError=True)
    assert found == "Location of maximum error: (1,), a=2.00000000, b=2.50000000"
