"""Reshaping: the elements are shared, not copied, and the operation is recorded."""

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

from gluonic.graph import REGISTRY, Array
from gluonic.graph.errors import InferenceError
from gluonic.graph.reshaping import reshaped, reshaped_backwards
from gluonic.ndarray.array import NDArray, NoElementsError, method
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.placing import on_devices
from gluonic.ndarray.recording import OperatorRecord, put, wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import entry_of


class ReshapeError(InferenceError):
    """An array's elements do not fit the requested shape."""


def view(source: NDArray, array: Array, name: str, attributes: dict[str, Any]) -> NDArray:
    """An NDArray around a NumPy view of `source`, recorded as the operator that computes the same.

    Parameters
    ----------
    array : the view
    name, attributes : the operator, and its attributes, that compute it from `source`
    """
    made = wrap(array, None, source.stated_context, source.derived_class)
    if STATE.recording and source.tape_entry is not None:
        entry = entry_of(source)
        if entry is not None:
            application = REGISTRY[name].apply(attributes)
            record = OperatorRecord(application, [entry], [source.elements, array], STATE.training)
            put(record, (source,), (made,))
    return made


def with_shape(source: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Reshape to a shape without codes."""
    try:
        part = source.elements.reshape(shape)
    except NoElementsError:
        if not source.on_device:
            raise
    else:
        return view(source, part, "Reshape", {"shape": shape})
    return on_devices().with_shape(source, shape)  # type: ignore[no-any-return]


@method("reshape")
def reshape(self: NDArray, *shape: Any, **keywords: Any) -> NDArray:
    """Return the elements under another shape; memory is shared.

    Parameters
    ----------
    shape : the lengths of the axes, as one sequence or one by one. 0 keeps the axis at that position, -1 is
        inferred, -2 stands for all remaining axes, -3 merges the next two axes, -4 splits the next
        axis into the two lengths that follow
    reverse : read the codes and the axes from right to left

    Raises
    ------
    ValueError
        if the number of elements would change

    Examples
    --------
    >>> from gluonic import ndarray as nd
    >>> nd.zeros((2, 3, 4)).reshape((-3, 0)).shape
    (6, 4)
    """
    unknown = keywords.keys() - {"shape", "reverse"}
    if unknown:
        raise TypeError(
            f"reshape: unknown keywords {', '.join(sorted(unknown))}; it takes shape and reverse"
        )
    codes = _codes(shape if shape else keywords.get("shape"))
    read = reshaped_backwards if keywords.get("reverse", False) else reshaped
    if not codes:
        target: tuple[Any, ...] = ()
    elif any(code <= 0 for code in codes):
        target = read(self.shape, codes, "reshape")
    else:
        target = codes
    try:
        size = self.elements.size
    except NoElementsError:
        size = self.size
    if prod(target) != size:
        raise ReshapeError(
            f"Cannot reshape array of size {size} into shape {tuple(codes)}; "
            f"its shape is {self.shape}"
        )
    return with_shape(self, target)


def _codes(shape: Any) -> tuple[int, ...]:
    if shape is None:
        raise AssertionError("Shape must be provided: x.reshape((2, 3)) or x.reshape(shape=(2, 3))")
    if isinstance(shape, tuple) and len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0]
    if isinstance(shape, (list, tuple)) or hasattr(shape, "__iter__"):
        return tuple(map(index, shape))
    return (index(shape),)


@method("flatten")
def flatten(self: NDArray, inplace: bool = False) -> NDArray:
    """Return the array with all axes but the first merged.

    Parameters
    ----------
    inplace : share memory instead of copying
    """
    if inplace:
        return with_shape(self, (len(self), prod(self.shape[1:])))
    return invoke(REGISTRY["Flatten"].apply({}), (self,))[0]


def _axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise AssertionError(f"axis {axis} is out of range for {rank}d array")
    return axis % rank


@method("expand_dims")
def expand_dims(self: NDArray, axis: int, inplace: bool = False) -> NDArray:
    """Return the array with a new axis of length one at position `axis`.

    Parameters
    ----------
    inplace : share memory instead of copying
    """
    if not inplace:
        return invoke(REGISTRY["expand_dims"].apply({"axis": axis}), (self,))[0]
    position = _axis(axis, self.ndim + 1)
    return with_shape(self, (*self.shape[:position], 1, *self.shape[position:]))


@method("squeeze")
def squeeze(self: NDArray, axis: Any = None, inplace: bool = False) -> NDArray:
    """Return the array without axes of length one.

    Parameters
    ----------
    axis : the axes to drop; by default all of length one
    inplace : share memory instead of copying
    """
    if not inplace:
        return invoke(REGISTRY["squeeze"].apply({"axis": axis}), (self,))[0]
    if axis is None:
        dropped: set[int] = {i for i, length in enumerate(self.shape) if length == 1}
    else:
        axes: Sequence[int] = axis if isinstance(axis, (list, tuple)) else (axis,)
        dropped = {_axis(one, self.ndim) for one in axes}
        if len(dropped) != len(axes):
            raise AssertionError(f"axis {axis} contains duplicate which is not allowed.")
        for one in sorted(dropped):
            if self.shape[one] != 1:
                raise AssertionError(
                    f"Squeeze target axis {one} must be size 1, got {self.shape[one]}."
                )
    kept = tuple(length for i, length in enumerate(self.shape) if i not in dropped)
    return with_shape(self, kept or (1,))


@method("broadcast_to")
def broadcast_to(self: NDArray, shape: Sequence[int]) -> NDArray:
    """Return the array repeated along axes of length one to fill `shape`.

    Parameters
    ----------
    shape : the lengths of the axes; 0 keeps the length; the array may have fewer axes, which are its last ones
    """
    target = tuple(int(length) for length in shape)
    lacking = len(target) - self.ndim
    source = with_shape(self, (1,) * lacking + self.shape) if lacking > 0 else self
    fits = len(target) == source.ndim and all(
        want in (have, 0) or have == 1 for have, want in zip(source.shape, target, strict=True)
    )
    if not fits:
        raise ReshapeError(
            f"operands could not be broadcast together: shape {self.shape} cannot become {target}"
        )
    return invoke(REGISTRY["broadcast_to"].apply({"shape": target}), (source,))[0]


@property  # type: ignore[misc]
def _transposed(self: NDArray) -> NDArray:
    """The array with its axes in reverse order (a copy); one of fewer than two axes is itself."""
    return self if self.ndim < 2 else invoke(REGISTRY["transpose"].apply({}), (self,))[0]


NDArray.T = _transposed  # type: ignore[assignment, method-assign]
