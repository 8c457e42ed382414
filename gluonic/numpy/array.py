"""`mx.np.ndarray`: the array of `mx.np`, which is an NDArray with NumPy's semantics.

Here is what needs no operator.
"""

from typing import ClassVar

from gluonic.ndarray.array import NDArray


class ndarray(NDArray):
    """An array with NumPy's semantics; arrays are made with `mx.np.array`, `mx.np.zeros` and the like.

    Parameters
    ----------
    handle : the NumPy array that holds the elements; or the `handle` of another array, for one that shares its
        elements
    """

    __slots__ = ()

    _of_numpy: ClassVar[bool] = True

    def as_np_ndarray(self) -> "ndarray":
        """Return the array itself."""
        return self

    def as_nd_ndarray(self) -> NDArray:
        """Return an array of `mx.nd` with the same elements and the same place on the tape."""
        made: NDArray = self._of_class(NDArray)
        return made
