"""`NDArray`: an array with MXNet 1.x semantics around a NumPy array.

Methods that need no operator are here. The modules `arithmetic`, `indexing`, `shaping`, `copying`, `fluent` and
`differentiate` add the methods that do, with `method`.
"""

import ctypes
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import ref

import numpy as np

from gluonic.graph import Array
from gluonic.graph.errors import AttributeValueError, CallError, MXNetError, describe
from gluonic.graph.handles import handle_of, held_by
from gluonic.graph.memory import allocated, copied
from gluonic.ndarray.context import CPU, Context
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.tape import Leaf, Record, TapeEntry

GRADIENT_REQUESTS = ("write", "add", "null")
_Function = TypeVar("_Function", bound=Callable[..., Any])


if TYPE_CHECKING:
    from gluonic.ndarray.typed.methods import Methods
else:
    Methods = object


class NDArray(Methods):
    """A multi-dimensional array of fixed-size elements.

    Arrays are usually made with `array`, `zeros` or `ones`, not with this constructor.

    Parameters
    ----------
    handle : the NumPy array that holds the elements; it is not copied, unless it is not contiguous. Or the
        `handle` of another NDArray, for one that shares its elements
    ctx : the context that it reports
    writable : whether elements can be assigned

    Attributes
    ----------
    elements : the NumPy array that holds the elements, in C order; code that replaces it, or writes to it, must
        record that (`gluonic.graph.versions`)
    tape_entry : the record that computed the array, or the `Leaf` of a variable, and the index of the output;
        None off the tape
    stated_context : the context that it reports, None for the default one
    last_reader : the record that last used the array as a constant, so that it is not overwritten too early
    """

    __slots__ = ("__weakref__", "elements", "last_reader", "stated_context", "tape_entry")

    of_numpy: ClassVar[bool] = False
    """Whether operators on arrays of the class return arrays of `mx.np`."""
    derived_class: ClassVar[type["NDArray"]]
    """The class of views and copies of an array."""

    __array_priority__ = 1000.0  # NumPy leaves `np_scalar + x` to the NDArray

    elements: Array
    tape_entry: TapeEntry | None
    stated_context: Context | None
    last_reader: "ref[Record] | None"

    def __init__(self, handle: Any, ctx: Context | None = None, writable: bool = True) -> None:
        if not isinstance(handle, np.ndarray):
            handle, ctx, writable = _opened(handle, ctx, writable)
        self.elements = np.asarray(handle, order="C")
        self.tape_entry, self.stated_context, self.last_reader = None, ctx, None
        if not writable:
            self.elements = self.elements.view()
            self.elements.flags.writeable = False

    handle = property(handle_of)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.elements.shape

    @property
    def dtype(self) -> Any:
        """The element type, as a NumPy type such as ``numpy.float32``."""
        return self.elements.dtype.type

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.elements.size

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.elements.ndim

    @property
    def context(self) -> Context:
        """The context of the array."""
        return self.stated_context or CPU

    ctx = context

    is_sparse: ClassVar[bool] = False
    on_device: ClassVar[bool] = False
    """Whether arrays of the class are in the memory of a device, so that they have no `elements`."""

    @property
    def stype(self) -> str:
        """The storage type: ``"default"`` for dense arrays, ``"csr"`` or ``"row_sparse"`` for sparse ones."""
        return "default"

    @property
    def writable(self) -> bool:
        """Whether elements can be assigned."""
        return self.elements.flags.writeable

    def wait_to_read(self) -> None:
        """Do nothing: operators run synchronously, so the elements have been computed."""

    wait_to_write = wait_to_read

    def asnumpy(self) -> Array:
        """Return a copy as a NumPy array."""
        return copied(self.elements, "a copy for NumPy")

    def asscalar(self) -> Any:
        """Return the only element as a NumPy scalar; with several axes, as in MXNet, as a NumPy array.

        Raises
        ------
        ValueError
            if the array has not exactly one element

        Examples
        --------
        >>> from gluonic import ndarray as nd
        >>> float(nd.array([2.5]).asscalar())
        2.5
        """
        if self.elements.size != 1:
            raise CallError(
                describe(
                    f"The current array is not a scalar: its shape is {self.shape}",
                    hint="x.asnumpy(), or x.mean().asscalar()",
                )
            )
        return self.elements[0] if self.elements.ndim == 1 else self.elements.copy()[()]

    def as_nd_ndarray(self) -> "NDArray":
        """Return the array itself."""
        return self

    def as_np_ndarray(self) -> Any:
        """Return an array of `mx.np` with the same elements and the same entry on the tape.

        Raises
        ------
        ValueError
            if the array is sparse
        """
        if self.stype != "default":
            raise CallError(
                describe(
                    f"an array of mx.np is dense; this one is {self.stype}",
                    where="as_np_ndarray",
                    hint="x.tostype('default').as_np_ndarray()",
                )
            )
        return self._of_class(numpy_array())

    def _of_class(self, kind: type["NDArray"]) -> Any:
        """The array as one of another class, sharing elements and tape entry."""
        made = kind.__new__(kind)
        made.elements, made.stated_context = self.elements, self.stated_context
        made.tape_entry, made.last_reader = self.tape_entry, self.last_reader
        return made

    def host_elements(self) -> Array:
        """The elements on the host, which are not copied if they are there."""
        return self.elements

    def detach(self) -> "NDArray":
        """Return the same elements off the tape; memory is shared."""
        return self.derived_class(self.elements, self.stated_context)

    def of_program(self) -> "NDArray":
        """An array that a program has made and may keep, for the tape; see `DeviceNDArray.of_program`."""
        return self.as_nd_ndarray()

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Mark the array as a variable and give it a gradient buffer of zeros.

        The array's history on the tape is dropped.

        Parameters
        ----------
        grad_req : whether a backward overwrites the buffer (``write``), adds to it (``add``) or ignores it
            (``null``)
        stype : the storage type of the buffer; by default that of the array
        """
        if stype not in (None, "default"):
            self._attach_stored(grad_req, stype)
            return
        if grad_req not in GRADIENT_REQUESTS:
            raise GradientRequestError(
                f"grad_req={grad_req!r} must be one of {', '.join(GRADIENT_REQUESTS)}"
            )
        # Not zeros_like: the system allocates pages for these zeros only at the first write.
        zeros = allocated(
            np.zeros, self.elements.shape, self.elements.dtype, "the gradient of an array"
        )
        buffer = self.derived_class(zeros, self.stated_context)
        self.tape_entry = (Leaf(buffer, grad_req), 0)

    @property
    def grad(self) -> Any:
        """The gradient buffer; None if the array is not a variable."""
        leaf = self.leaf()
        if leaf is None or leaf.grad is None or leaf.grad.of_numpy is self.of_numpy:
            return None if leaf is None else leaf.grad
        return leaf.grad.as_np_ndarray() if self.of_numpy else leaf.grad.as_nd_ndarray()

    def leaf(self) -> Leaf | None:
        """Return the array's leaf on the tape, with its gradient buffer, if it is a variable."""
        record = self.tape_entry[0] if self.tape_entry is not None else None
        return record if isinstance(record, Leaf) else None

    @property
    def _fresh_grad(self) -> bool:
        """Whether a backward has written `grad` since the flag was last cleared."""
        leaf = self.leaf()
        return leaf is not None and leaf.fresh

    @_fresh_grad.setter
    def _fresh_grad(self, value: bool) -> None:
        leaf = self.leaf()
        if leaf is not None:
            leaf.fresh = value

    def __repr__(self) -> str:
        lengths = "x".join(map(str, self.shape))
        return f"\n{self.elements}\n<{type(self).__name__} {lengths} @{self.context}>"

    def _repr_html_(self) -> str:
        from gluonic.drawing.shown import array_html

        lengths = "×".join(map(str, self.shape)) or "scalar"
        title = f"{type(self).__name__} {lengths} {self.elements.dtype.name} @{self.context}"
        return array_html(self.elements, title)

    def __len__(self) -> int:
        if not self.elements.ndim:
            raise TypeError("len() of an NDArray without axes")
        return len(self.elements)

    def __iter__(self) -> Iterator["NDArray"]:
        if not self.elements.ndim:
            raise TypeError("iteration over an NDArray without axes")
        return (self[index] for index in range(len(self.elements)))

    def __bool__(self) -> bool:
        if self.elements.size > 1:
            raise CallError(
                describe(
                    "The truth value of an NDArray with multiple elements is ambiguous",
                    facts=[f"its shape is {self.shape}"],
                    hint="(x > 0).sum() or x.asnumpy().any(), .all(); nd.where to choose by element",
                )
            )
        return bool(self.elements.any())

    def __float__(self) -> float:
        return float(self._only("float"))

    def __int__(self) -> int:
        return int(self._only("int"))

    def _only(self, kind: str) -> Any:
        if self.elements.size != 1:
            raise TypeError(f"only an NDArray of one element makes a {kind}, not {self.shape}")
        return self.elements.item()

    if TYPE_CHECKING:  # methods that other modules add

        def _attach_stored(self, grad_req: str, stype: str) -> None: ...

        # Arrays of sparse storage, and of ``mx.np``, also where the type is not known to be theirs.
        indices: Any
        indptr: Any
        check_format: Any
        asscipy: Any
        tolist: Any
        item: Any

        def __getitem__(self, key: Any) -> "NDArray": ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __add__(self, other: Any) -> "NDArray": ...
        def __radd__(self, other: Any) -> "NDArray": ...
        def __sub__(self, other: Any) -> "NDArray": ...
        def __rsub__(self, other: Any) -> "NDArray": ...
        def __mul__(self, other: Any) -> "NDArray": ...
        def __rmul__(self, other: Any) -> "NDArray": ...
        def __truediv__(self, other: Any) -> "NDArray": ...
        def __rtruediv__(self, other: Any) -> "NDArray": ...
        def __mod__(self, other: Any) -> "NDArray": ...
        def __pow__(self, other: Any) -> "NDArray": ...
        def __neg__(self) -> "NDArray": ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...
        def __lt__(self, other: Any) -> "NDArray": ...
        def __le__(self, other: Any) -> "NDArray": ...
        def __gt__(self, other: Any) -> "NDArray": ...
        def __ge__(self, other: Any) -> "NDArray": ...


def _opened(handle: Any, ctx: Any, writable: bool) -> tuple[Array, Context | None, bool]:
    """The elements of a new NDArray, if they are not given as a NumPy array."""
    if handle is None:  # as MXNet's pickles create an array, before they set its state
        return np.zeros((0,), np.float32), ctx, writable
    if not isinstance(handle, ctypes.c_void_p):
        raise TypeError(
            describe(
                f"an NDArray is made around a NumPy array, not {type(handle).__name__}",
                hint="mx.nd.array(value)",
            )
        )
    array = held_by(handle, NDArray)
    if isinstance(ctx, bool):  # by position, `writable` is MXNet's second parameter
        ctx, writable = None, ctx
    return array.elements, array.stated_context if ctx is None else ctx, writable and array.writable


NDArray.derived_class = NDArray


class NoElementsError(AttributeError):
    """An array has no `elements`: only a part of them is stored, or they are on a device."""


class GradientRequestError(AttributeValueError, KeyError):
    """`grad_req` is none of write, add and null."""

    __str__ = MXNetError.__str__  # KeyError would show the message's repr


def methods_of(kind: type[NDArray]) -> Callable[[str], Callable[[_Function], _Function]]:
    """Make the decorator that makes a function of an array (its first parameter) a method of a class."""

    def method(name: str) -> Callable[[_Function], _Function]:
        def add(function: _Function) -> _Function:
            function.__name__, function.__qualname__ = name, f"{kind.__name__}.{name}"
            setattr(kind, name, function)
            return function

        return add

    return method


method = methods_of(NDArray)
