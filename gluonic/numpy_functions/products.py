"""Products of arrays, summed over axes."""

from typing import Any

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import NotThereError
from gluonic.numpy_functions.shapes import axes_of
from gluonic.numpy_functions.table import Operators, function


@function()
def dot(F: Operators, a: Any, b: Any, out: Any = None) -> Any:
    """Return the product summed over the last axis of `a` and the second to last of `b`, or its only one."""
    return F._np_dot(a, b, out=out)


@function()
def matmul(F: Operators, a: Any, b: Any, out: Any = None, **kwargs: Any) -> Any:
    """Return the products of matrices in the last two axes; the axes before are broadcast."""
    if kwargs:
        raise TypeError(f"np.matmul takes no {next(iter(kwargs))}=")
    for operand in (a, b):
        if is_number(operand):
            raise ValueError("matmul: operands are no numbers: multiply by numbers with *")
    return F._npi_matmul(a, b, out=out)


@function()
def tensordot(F: Operators, a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the product summed over pairs of axes.

    Parameters
    ----------
    a, b : arrays
    axes : the number of last axes of `a` and first axes of `b` to sum over; or the axes of each
    """
    if is_number(axes):
        return F._npi_tensordot_int_axes(a, b, axes=int(axes))
    if len(axes) != 2:
        raise ValueError("np.tensordot: axes must be a number, or the axes of either array")
    first, second = map(axes_of, axes)
    if len(first) != len(second):
        raise ValueError("np.tensordot: as many axes of either array go together")
    if not first:
        return F._npi_tensordot_int_axes(a, b, axes=0)
    return F._npi_tensordot(a, b, a_axes_summed=first, b_axes_summed=second)


@function()
def inner(F: Operators, a: Any, b: Any) -> Any:
    """Return the product summed over the last axes."""
    if not F.is_symbolic and 0 in (a.ndim, b.ndim):
        return F._npi_multiply(a, b)
    return F._npi_tensordot(a, b, a_axes_summed=(-1,), b_axes_summed=(-1,))


@function()
def outer(F: Operators, a: Any, b: Any) -> Any:
    """Return the outer product of the flattened arrays, a matrix."""
    flat = (F._np_reshape(x, newshape=(-1,)) for x in (a, b))
    return F._npi_tensordot_int_axes(*flat, axes=0)


@function()
def vdot(F: Operators, a: Any, b: Any) -> Any:
    """Return the sum of the elementwise products."""
    flat = (F._np_reshape(x, newshape=(-1,)) for x in (a, b))
    return F._npi_tensordot_int_axes(*flat, axes=1)


@function()
def einsum(F: Operators, *operands: Any, **kwargs: Any) -> Any:
    """Return a product of arrays, summed over axes by Einstein's notation.

    Parameters
    ----------
    operands : the letters, ``"ij,jk->ik"``, then the arrays
    kwargs : ``optimize=True`` to find the fastest order; ``out=``
    """
    optimize, out = kwargs.pop("optimize", False), kwargs.pop("out", None)
    if kwargs:
        raise TypeError(f"np.einsum takes no {next(iter(kwargs))}=")
    subscripts, *arrays = operands
    if not isinstance(subscripts, str):
        raise NotThereError("np.einsum: with lists of numbers; it takes letters: 'ij,jk->ik'")
    return F._npi_einsum(*arrays, subscripts=subscripts, optimize=int(bool(optimize)), out=out)
