"""`mx.np.ndarray`: the array of `mx.np`, which is an NDArray with NumPy's semantics.

This module has the methods that need no operator; other modules add more with `method`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from gluonic.graph.errors import CallError, describe, warn
from gluonic.ndarray import copying, shaping
from gluonic.ndarray.array import NDArray, methods_of
from gluonic.ndarray.numpy.printing import array_text
from gluonic.numpy_functions.methods import check_cast
from gluonic.numpy_functions.refused_methods import refuse_methods

if TYPE_CHECKING:
    from gluonic.ndarray.typed.numpy_methods import NumPyMethods

    class _Base(NumPyMethods, NDArray):  # type: ignore[misc] # methods take NumPy's parameters
        pass
else:
    _Base = NDArray


class UnhashableArrayError(NotImplementedError, TypeError):
    """An array cannot be a key of a dict or a member of a set."""


class ndarray(_Base):
    """An array with NumPy's semantics; arrays are made with `mx.np.array`, `mx.np.zeros` and the like.

    Parameters
    ----------
    handle : the NumPy array that holds the elements; or the `handle` of another array, for one that shares its
        elements
    """

    __slots__ = ()

    of_numpy: ClassVar[bool] = True

    def as_np_ndarray(self) -> "ndarray":
        """Return the array itself."""
        return self

    def as_nd_ndarray(self) -> NDArray:
        """Return an array of `mx.nd` with the same elements and the same entry on the tape."""
        made: NDArray = self._of_class(NDArray)
        return made

    @property
    def dtype(self) -> Any:
        """The element type, a `numpy.dtype`."""
        return self.elements.dtype

    def astype(  # type: ignore[override]
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """Return the elements as another dtype.

        Parameters
        ----------
        dtype : the dtype, by name or NumPy type
        order, casting, subok : accepted as in NumPy, with these values only (and ``order="C"``)
        copy : whether to copy even where the array already has the dtype
        """
        check_cast(order, casting, subok)
        return copying.astype(self, dtype, copy)

    def copy(self, order: str = "C") -> Any:
        """Return a copy in C order."""
        if order != "C":
            raise NotImplementedError(f"copy: only order='C' is supported, not {order!r}")
        return copying.copy(self)

    def reshape_view(self, *shape: Any, **keywords: Any) -> Any:
        """Return the elements under another shape, sharing memory; see `mx.nd.NDArray.reshape`."""
        return shaping.reshape(self, *shape, **keywords)

    def item(self, *args: Any) -> Any:
        """Return an element as a Python number.

        Parameters
        ----------
        *args : nothing, if there is only one element; its flat index; or an index for
            each axis

        Raises
        ------
        ValueError
            without an index, if there is not exactly one element

        Examples
        --------
        >>> from gluonic import nd
        >>> x = nd.array([[1, 2], [3, 4]]).as_np_ndarray()
        >>> x.item(3), x.item(1, 0)
        (4.0, 3.0)
        """
        if not args and self.elements.size != 1:
            raise CallError(
                describe(
                    "can only convert an array of size 1 to a Python scalar",
                    where="item",
                    facts=[f"the array: shape {self.shape}"],
                )
            )
        return self.elements.item(*args)

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers; for an array without axes, a number."""
        return self.elements.tolist()

    def __hash__(self) -> NoReturn:
        raise UnhashableArrayError("an array of mx.np has no hash: its elements can change")

    def __bool__(self) -> bool:
        if not self.elements.size:
            warn("The truth value of an empty array is ambiguous; False is returned")
            return False
        return super().__bool__()

    def __complex__(self) -> complex:
        return complex(self._only("complex"))

    def __index__(self) -> int:
        if self.elements.ndim or self.elements.dtype.kind not in "iu":
            raise TypeError("only an integer array without axes is an index")
        return self.elements.item()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[NDArray]:
        if not self.elements.ndim:
            raise TypeError("iteration over an array without axes")
        return (self[index] for index in range(len(self.elements)))

    def __repr__(self) -> str:
        return array_text(self.elements)

    def __str__(self) -> str:
        return str(self.elements)

    def __format__(self, spec: str) -> str:
        if not self.elements.ndim:
            return format(self.elements.item(), spec)
        if spec:
            raise TypeError(f"the format {spec!r} is for one number, not an array of {self.shape}")
        return str(self)


ndarray.derived_class = ndarray
method = methods_of(ndarray)
refuse_methods(ndarray)
