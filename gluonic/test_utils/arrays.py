"""Arrays for tests."""

import random as rnd
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.memory import allocating
from gluonic.ndarray import NDArray
from gluonic.test_utils.comparison import default_dtype


@allocating("random numbers")
def random_arrays(*shapes: tuple[int, ...]) -> Any:
    """Return float32 NumPy arrays of normally distributed numbers: one, or a list for several shapes."""
    arrays = [np.asarray(np.random.randn(*shape)).astype(default_dtype()) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


@allocating("random numbers")
def random_uniform_arrays(
    *shapes: tuple[int, ...], low: float = 0.0, high: float = 1.0, dtype: Any = np.float32
) -> list[Any]:
    """Return NumPy arrays of numbers uniformly distributed between `low` and `high`."""
    return [np.random.uniform(low, high, shape).astype(dtype) for shape in shapes]


def random_sample(population: Sequence[Any], k: int) -> list[Any]:
    """Return `k` different members of a sequence, in random order."""
    if not 0 <= k <= len(population):
        raise AssertionError(f"{k} members of {len(population)} cannot be drawn")
    return rnd.sample(list(population), k)


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape with `num_dim` axes, each at most `dim` long."""
    return tuple(np.random.randint(int(not allow_zero_size), dim + 1, num_dim).tolist())


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, int]:
    """Return a random shape with two axes."""
    low = int(not allow_zero_size)
    return rnd.randint(low, dim0), rnd.randint(low, dim1)


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> tuple[int, int, int]:
    """Return a random shape with three axes."""
    low = int(not allow_zero_size)
    return rnd.randint(low, dim0), rnd.randint(low, dim1), rnd.randint(low, dim2)


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[int, int]:
    """Return two random integers, each from its own half-open range."""
    return np.random.randint(x_low, x_high), np.random.randint(y_low, y_high)


def assign_each(the_input: Any, function: Callable[[Any], Any] | None) -> Any:
    """Return the results of a function of each element; a copy for None."""
    if function is None:
        return np.array(the_input)
    return np.vectorize(function, otypes=[np.asarray(the_input).dtype])(the_input)


def assign_each2(input1: Any, input2: Any, function: Callable[[Any, Any], Any] | None) -> Any:
    """Return the results of a function of each pair of elements; a copy of the first for None."""
    if function is None:
        return np.array(input1)
    return np.vectorize(function, otypes=[np.asarray(input1).dtype])(input1, input2)


def create_2d_tensor(rows: int, columns: int, dtype: Any = np.int64) -> NDArray:
    """Return a matrix whose elements are the indices of their rows."""
    return nd.array(np.arange(rows).repeat(columns).reshape(rows, columns), dtype=dtype)


def create_vector(size: int, dtype: Any = np.int64) -> NDArray:
    """Return the integers from 0 to ``size - 1``."""
    return nd.array(np.arange(size), dtype=dtype)


def get_identity_mat(size: int) -> Any:
    """Return an identity matrix, as a NumPy array."""
    return np.identity(size)


def get_identity_mat_batch(size: int) -> Any:
    """Return a batch of two identity matrices, as a NumPy array."""
    return np.stack([np.identity(size)] * 2)


def np_reduce(
    dat: Any,
    axis: int | Sequence[int] | None,
    keepdims: bool,
    numpy_reduce_func: Callable[..., Any],
) -> Any:
    """Reduce a NumPy array along one or several axes, one after the other.

    Parameters
    ----------
    dat : the array
    axis : the axes; None for all
    keepdims : whether they remain, with length 1
    numpy_reduce_func : a NumPy function with an argument `axis`
    """
    axes = range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    result = dat
    for one in sorted((a % dat.ndim for a in axes), reverse=True):
        result = numpy_reduce_func(result, axis=one)
    if keepdims:
        kept = {a % dat.ndim for a in axes}
        result = result.reshape([1 if a in kept else n for a, n in enumerate(dat.shape)])
    return result


def collapse_sum_like(a: Any, shape: Sequence[int]) -> Any:
    """Sum an array over the axes along which `shape` would be broadcast to it."""
    extra = a.ndim - len(shape)
    repeated = tuple(extra + i for i, n in enumerate(shape) if n == 1 and a.shape[extra + i] != 1)
    return a.sum(axis=(*range(extra), *repeated)).reshape(shape)


def new_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> Any:
    """Return random square matrices with real eigenvalues."""
    sym = new_sym_matrix_with_real_eigvals_nd(shape)
    scale = np.diag(np.random.uniform(1.0, 2.0, shape[-1]))
    return np.linalg.inv(scale) @ sym @ scale


def new_matrix_with_real_eigvals_2d(n: int) -> Any:
    """Return a random square matrix with real eigenvalues."""
    return new_matrix_with_real_eigvals_nd((n, n))


def new_sym_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> Any:
    """Return random symmetric matrices."""
    drawn = np.random.uniform(-1.0, 1.0, shape)
    return (drawn + np.swapaxes(drawn, -1, -2)) / 2


def new_sym_matrix_with_real_eigvals_2d(n: int) -> Any:
    """Return a random symmetric matrix."""
    return new_sym_matrix_with_real_eigvals_nd((n, n))


def new_orthonormal_matrix_2d(n: int) -> Any:
    """Return a random orthogonal matrix."""
    return np.linalg.qr(np.random.normal(size=(n, n)))[0]
