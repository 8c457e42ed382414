"""Fourier transforms and count sketches, along the last axis."""

from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.axes import divided, require_rank, scaled
from gluonic.graph.indices import add_rows, positions
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of


@operator("_contrib_fft", dtype=floating())
def fft(data: Array, *, compute_size: int = 128) -> Any:
    """Find the discrete Fourier transform of real numbers along the last axis.

    Parameters
    ----------
    data : (..., n)
    compute_size : accepted for compatibility

    Returns
    -------
    array
        (..., 2n): real and imaginary parts, interleaved
    """
    found = np.fft.fft(data.astype(np.float64), axis=-1)
    return np.stack([found.real, found.imag], -1).reshape(*data.shape[:-1], -1)


@fft.infer_shape
def _(n: NodeView) -> None:
    n.output = (*n.data[:-1], scaled(n.data[-1], 2))
    n.data = (*n.output[:-1], None)


@operator("_contrib_ifft", dtype=floating())
def ifft(data: Array, *, compute_size: int = 128) -> Any:
    """Find the real parts of the inverse Fourier transform, not divided by its length.

    Parameters
    ----------
    data : (..., 2n): real and imaginary parts, interleaved
    compute_size : accepted for compatibility

    Returns
    -------
    array
        (..., n); the inverse of `fft` times n
    """
    length = data.shape[-1] // 2
    parts = data.reshape(*data.shape[:-1], length, 2)
    return np.fft.ifft(parts @ np.array([1, 1j]), axis=-1).real * length


@ifft.infer_shape
def _(n: NodeView) -> None:
    n.output = (*n.data[:-1], divided(n.data[-1], 2, f"{title_of(n)}: the last axis"))
    n.data = (*n.output[:-1], None)


fft.gradient(data=lambda F, n, g: F._contrib_ifft(g))
ifft.gradient(data=lambda F, n, g: F._contrib_fft(g))


@operator("_contrib_count_sketch", dtype=floating(like("data", "s", "output")))
def count_sketch(
    data: Array, h: Array, s: Array, *, out_dim: int, processing_batch_size: int = 32
) -> Any:
    """Hash columns to fewer ones: ``output[..., h[i]] += s[i] * data[..., i]``.

    Parameters
    ----------
    data : (..., columns)
    h : the output column of each column, (1, columns)
    s : the sign of each column, 1 or -1, (1, columns)
    out_dim : the number of columns of the result
    processing_batch_size : accepted for compatibility
    """
    index = positions(h.ravel(), out_dim, "raise", "count_sketch")
    columns = (data * s.ravel()).reshape(-1, data.shape[-1]).T
    return add_rows(out_dim, index, columns).T.reshape(*data.shape[:-1], out_dim)


@count_sketch.infer_shape
def _(n: NodeView) -> None:
    n.h = n.s = (1, n.data[-1])
    require_rank(n.h, (2,), f"{title_of(n)}: h")
    n.output = (*n.data[:-1], n.out_dim)
    n.data = (*n.output[:-1], None)


@adjoint(count_sketch)
def _(grad: Array, data: Array, h: Array, s: Array, *, out_dim: int, **ignored: Any) -> Any:
    """Read the gradients of the output columns."""
    return grad[..., positions(h.ravel(), out_dim, "raise", "count_sketch")] * s.ravel()
