"""Gamma distributed numbers of `np.random`: the same numbers that MXNet 1.9.1 draws on CPUs."""

from typing import Any

import numpy as np

from gluonic.graph.draws_of_a_run import F32, F64, gamma_table
from gluonic.graph.operator import Array
from gluonic.graph.random_source import Draws


def gamma_numbers(random: Draws, shape: Any, dtype: Any, alpha: Array, beta: Array) -> Array:
    """Draw by Marsaglia and Tsang's method (ACM TOMS 26, 2000), a whole array at a time until all are accepted.

    Each round draws two uniform and two normal numbers for each element, whether accepted already or not. The
    second uniform number is for shapes below 1; the second normal one is not used.

    Parameters
    ----------
    shape : the shape of the result
    dtype : the dtype to which the result is rounded at the end
    alpha, beta : shapes and scales, of one dtype, broadcast to `shape` or of one element
    """
    found = np.empty(shape, F64).reshape(-1)
    d, _, c, scale, power = gamma_table(alpha.reshape(-1), beta.reshape(-1), F64).T
    left: Any = np.arange(found.size)
    rows: Any = slice(None)
    while left.size:
        uniforms = random.uniforms((found.size, 2), F64)[left]
        z = random.normals((found.size, 2), F64)[left, 0]
        accepted, v = _tried(uniforms[:, 0], z, d[rows], c[rows])
        sample = d[rows] * v * scale[rows]
        if power.any():
            powers = np.power(uniforms[:, 1].astype(F32), power[rows].astype(F32))
            sample = np.where(power[rows] > 0, sample * powers, sample)
        found[left] = sample
        left = left[~accepted]
        if d.size > 1:
            rows = left
    return found.reshape(shape).astype(dtype)


def _tried(u: Array, z: Array, d: Array, c: Array) -> tuple[Array, Array]:
    """Whether numbers are accepted, with logarithms in float32, and the numbers without `d` and the scale."""
    x = 1 + c * z
    v = x * x * x
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = 0.5 * (z * z) + d * (1 - v + np.log(v.astype(F32)))
        close = (u <= 1 - 0.0331 * (z * z) * (z * z)) | (np.log(u.astype(F32)) < bound)
    return (v > 0) & close, v
