"""Functions of `nd` that MXNet writes in Python: joining, moving and splitting axes, counting by bins."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph import REGISTRY
from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import NotThereError
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import array
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.recording import check_writable


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Join arrays along an axis.

    Parameters
    ----------
    arrays : arrays of one dtype, whose shapes differ along `axis` at most
    axis : the axis, counted from the end if negative
    always_copy : if False, a single array is returned itself, not copied
    """
    if not (
        isinstance(arrays, (list, tuple)) and arrays and all(isinstance(a, NDArray) for a in arrays)
    ):
        raise AssertionError("concatenate takes a list of at least one NDArray")
    if not always_copy and len(arrays) == 1:
        return arrays[0]
    attributes = {"num_args": len(arrays), "dim": axis}
    return invoke(REGISTRY["Concat"].apply(attributes), arrays)[0]


def moveaxis(tensor: NDArray, source: Any, destination: Any) -> NDArray:
    """Return the array with axes moved to other positions.

    Parameters
    ----------
    tensor : the array, of any shape and dtype
    source, destination : an axis, or several, and their new positions

    Raises
    ------
    ValueError
        for an axis that does not exist, or is given twice
    """
    moved = _axes(source, tensor.ndim, "source"), _axes(destination, tensor.ndim, "destination")
    if len(moved[0]) != len(moved[1]):
        raise ValueError(f"moveaxis: {len(moved[0])} axes cannot move to {len(moved[1])} positions")
    order = [axis for axis in range(tensor.ndim) if axis not in moved[0]]
    for position, axis in sorted(zip(*reversed(moved), strict=True)):
        order.insert(position, axis)
    return invoke(REGISTRY["transpose"].apply({"axes": tuple(order)}), (tensor,))[0]


def _axes(axes: Any, rank: int, what: str) -> list[int]:
    given = [axes] if is_number(axes) else list(axes)
    for axis in given:
        if not -rank <= axis < rank:
            raise ValueError(f"moveaxis: {what} {axis} is out of range for {rank} axes")
    found = [axis % rank for axis in given]
    if len(set(found)) != len(found):
        raise ValueError(f"moveaxis: {what} {given} names an axis twice")
    return found


def split_v2(
    ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Split an array along an axis.

    Parameters
    ----------
    ary : the array
    indices_or_sections : the number of equal parts, or a tuple of the indices where parts begin
    axis : the axis that is divided
    squeeze_axis : drop the axis, if the parts have length one along it

    Raises
    ------
    ValueError
        if the parts would not be equal
    """
    length = ary.shape[axis]
    if isinstance(indices_or_sections, int):
        if length % indices_or_sections:
            raise ValueError(
                f"array split does not result in an equal division: {length} by {indices_or_sections}"
            )
        size = length // indices_or_sections
        indices = tuple(i * size for i in range(indices_or_sections))
    elif isinstance(indices_or_sections, (tuple, list)):
        indices = (0, *indices_or_sections)
    else:
        raise ValueError("indices_or_sections must either int or tuple of ints")
    attributes = {"indices": indices, "axis": axis, "squeeze_axis": squeeze_axis}
    parts = invoke(REGISTRY["_split_v2"].apply(attributes), (ary,))
    return parts[0] if len(parts) == 1 else parts


def histogram(a: NDArray, bins: Any = 10, range: Any = None) -> Any:
    """Count the elements of an array in bins.

    Parameters
    ----------
    a : the array
    bins : the number of bins, or an NDArray of their edges
    range : the lowest and the highest edge; by default the smallest and the largest element

    Returns
    -------
    list of NDArray
        the counts and the edges
    """
    if isinstance(bins, NDArray):
        return invoke(REGISTRY["_histogram"].apply({}), (a, bins))
    if not isinstance(bins, int):
        raise ValueError("bins argument should be either an integer or an NDArray")
    if range is None:
        counts, edges = np.histogram(a.asnumpy(), bins)
        return array(counts, a.context), array(edges, a.context)
    return invoke(REGISTRY["_histogram"].apply({"bin_cnt": bins, "range": range}), (a,))


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Write the one-hot rows of `indices` into `out`, of shape (number of indices, depth).

    Parameters
    ----------
    indices : array of shape (n,), of whole numbers from 0 to depth - 1
    out : array of shape (n, depth) that is written, and returned
    """
    check_writable(out)
    rows = np.zeros(out.shape, out.dtype)
    rows[np.arange(len(rows)), indices.asnumpy().astype(np.int64)] = 1
    overwrite(out, rows)
    return out


def waitall() -> None:
    """Wait for the GPUs that are in use; on the CPU operators run synchronously."""
    if "gluonic.device.devices" in sys.modules:
        sys.modules["gluonic.device.devices"].synchronize()


def imdecode(*arguments: Any, **keywords: Any) -> NDArray:
    """Raise an error: images are decoded by `mx.image`."""
    raise NotThereError("nd.imdecode: use mx.image.imdecode")
