"""What an array on a GPU is to a program: its class, its text, its copies, its errors."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.ndarray import Context, NDArray

VALUES = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@pytest.fixture
def x(gpu: Context) -> NDArray:
    """An array on the GPU."""
    return nd.array(VALUES, ctx=gpu)


def test_it_is_an_ndarray(x: NDArray, gpu: Context) -> None:
    assert isinstance(x, nd.NDArray)
    assert type(x).__name__ == "NDArray"
    assert (x.shape, x.dtype, x.size, x.ndim, x.stype) == ((2, 3), np.float32, 6, 2, "default")
    assert x.context == x.ctx == gpu
    assert repr(x) == "\n[[1. 2. 3.]\n [4. 5. 6.]]\n<NDArray 2x3 @gpu(0)>"
    assert len(x) == 2
    assert [row.asnumpy().tolist() for row in x] == VALUES.tolist()


def test_an_array_of_np_is_one_there(gpu: Context) -> None:
    x = mx.np.array([[1, 2], [3, 4]], ctx=gpu)
    assert isinstance(x, mx.np.ndarray)
    assert repr(x) == "array([[1., 2.],\n       [3., 4.]], ctx=gpu(0))"
    assert str(x[0]) == "[1. 2.] @gpu(0)"
    assert (x.item(3), x.tolist(), x.sum().item()) == (4.0, [[1.0, 2.0], [3.0, 4.0]], 10.0)
    total = mx.np.exp(x).sum()
    assert isinstance(total, mx.np.ndarray)
    assert total.ctx == gpu
    assert x.as_nd_ndarray().as_np_ndarray().ctx == gpu


@pytest.mark.parametrize(
    "make",
    [
        lambda ctx: nd.zeros((2, 3), ctx=ctx),
        lambda ctx: nd.ones((2, 3), ctx, "int64"),
        lambda ctx: nd.full((2, 3), 2.5, ctx),
        lambda ctx: nd.arange(6, ctx=ctx),
        lambda ctx: nd.eye(3, ctx=ctx),
        lambda ctx: nd.linspace(0, 1, 5, ctx=ctx),
        lambda ctx: nd.array([1, 2], ctx, "float16"),
        lambda ctx: mx.np.zeros((2,), ctx=ctx),
        lambda ctx: mx.np.arange(5, ctx=ctx),
        lambda ctx: nd.full((2,), 1e300, ctx, "float64"),
    ],
)
def test_a_function_that_makes_an_array_makes_it_there(gpu: Context, make: object) -> None:
    there, here = make(gpu), make(mx.cpu())  # type: ignore[operator]
    assert there.context == gpu
    assert there.dtype == here.dtype
    np.testing.assert_array_equal(there.asnumpy(), here.asnumpy())
    with gpu:
        assert make(None).context == gpu  # type: ignore[operator]


def test_random_numbers_are_made_there(gpu: Context) -> None:
    drawn = nd.random.uniform(2, 3, shape=(100,), ctx=gpu)
    assert drawn.context == gpu
    assert ((drawn >= 2) * (drawn < 3)).sum().asscalar() == 100
    with gpu:
        assert nd.random.normal(shape=(3,)).context == gpu
        assert mx.np.random.uniform(size=(3,)).ctx == gpu


def test_copies_go_between_contexts(x: NDArray, gpu: Context) -> None:
    here = x.as_in_context(mx.cpu())
    assert here.context == mx.cpu()
    there = here.as_in_ctx(gpu)
    assert there.context == gpu
    assert x.as_in_context(gpu) is x
    target = nd.zeros((2, 3), gpu, "float64")
    assert here.copyto(target) is target
    assert x.copyto(here) is here
    elements = [y.asnumpy() for y in (here, there, target, x.copyto(mx.cpu()), x.copy())]
    for one in elements:
        np.testing.assert_array_equal(one, VALUES)
    x[:] = 0
    np.testing.assert_array_equal(there.asnumpy(), VALUES)


def test_copies_and_pickles_stay_there(x: NDArray, gpu: Context) -> None:
    for one in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert one.context == gpu
        np.testing.assert_array_equal(one.asnumpy(), VALUES)


def test_a_file_says_where_its_arrays_were(
    x: NDArray, gpu: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nd.save(str(tmp_path / "x"), {"x": x, "y": x.as_in_context(mx.cpu())})
    loaded = nd.load(str(tmp_path / "x"))
    assert (loaded["x"].context, loaded["y"].context) == (gpu, mx.cpu())
    monkeypatch.setenv("GLUONIC_GPU", "cpu")  # another machine
    alone = nd.load(str(tmp_path / "x"))["x"]
    assert alone.context == mx.cpu()
    np.testing.assert_array_equal(alone.asnumpy(), VALUES)


def test_slices_and_reshaped_arrays_share_memory(x: NDArray) -> None:
    row, flat = x[1], x.reshape((-1,))
    row[:] = 0
    flat[0] = 9
    assert x.asnumpy().tolist() == [[9, 2, 3], [0, 0, 0]]
    x += 1
    assert row.asnumpy().tolist() == [1, 1, 1]


def test_operators_write_into_out_and_states(x: NDArray, gpu: Context) -> None:
    out = nd.zeros((2, 3), gpu)
    assert nd.exp(x, out=out) is out
    np.testing.assert_allclose(out.asnumpy(), np.exp(VALUES), rtol=1e-6)
    weight, momentum = nd.ones((2, 3), gpu), nd.ones((2, 3), gpu)
    nd.sgd_mom_update(weight, x, momentum, lr=0.5, momentum=0.5, out=weight)
    np.testing.assert_allclose(momentum.asnumpy(), 0.5 - 0.5 * VALUES)
    np.testing.assert_allclose(weight.asnumpy(), 1.5 - 0.5 * VALUES)


def test_arrays_of_two_contexts_are_refused_by_name(x: NDArray) -> None:
    with pytest.raises(mx.base.MXNetError, match="same context") as refused:
        x + nd.ones((2, 3))
    text = str(refused.value)
    assert "first argument is on gpu(0) while argument 2 is on cpu(0)" in text
    assert re.search(r"broadcast_add.*test_arrays.py", text, re.DOTALL)
    with pytest.raises(mx.base.MXNetError, match="same context"):
        nd.exp(x, out=nd.ones((2, 3)))
    with pytest.raises(mx.base.MXNetError, match="same context"):
        x + nd.ones((2, 3), mx.gpu(1))


def test_numpy_gets_no_silent_copy(x: NDArray) -> None:
    for use in (np.asarray, np.exp, lambda y: np.add(y, 1)):
        with pytest.raises(Exception, match=r"on gpu\(0\).*\n.*\n.*asnumpy"):
            use(x)


def test_a_gpu_that_is_not_there_is_refused(gpu: Context) -> None:
    with pytest.raises(mx.base.MXNetError, match=r"gpu\(9\)"):
        nd.zeros((2,), mx.gpu(9))


def test_sparse_arrays_are_on_the_cpu_alone(x: NDArray, gpu: Context) -> None:
    with pytest.raises(NotImplementedError, match=r"no csr arrays on a GPU"):
        x.tostype("csr")
    with pytest.raises(NotImplementedError, match=r"no sparse arrays on gpu\(0\)"):
        nd.sparse.zeros("csr", (2, 3), ctx=gpu)


def test_waiting_is_possible(x: NDArray) -> None:
    x.wait_to_read()
    nd.waitall()
    assert bool(x.sum())
    assert float(x[0, 1]) == 2.0
    assert nd.array([2], x.context).asscalar() == 2


def test_an_operator_without_outputs_changes_its_inputs(gpu: Context) -> None:
    x, y = nd.ones((3,), ctx=gpu), nd.ones((2, 2), ctx=gpu)
    nd.reset_arrays(x, y[1:], num_arrays=2)
    assert x.asnumpy().tolist() == [0, 0, 0]
    assert y.asnumpy().tolist() == [[1, 1], [0, 0]]
