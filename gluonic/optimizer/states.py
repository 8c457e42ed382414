"""Optimizer states as bytes and back.

The bytes are a pickle, as MXNet's are, and what MXNet wrote can be read. Files are untrusted: they are
parsed without running anything (`pickles`), and what it describes is made here, by closed tables: numbers,
text, arrays, and those optimizers and learning rate schedulers that this process has registered or imported.
"""

import io
import operator
import pickle
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import FileFormatError, MXNetError, describe
from gluonic.graph.memory import allocating
from gluonic.lr_scheduler import LRScheduler
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.placing import placed_if_there
from gluonic.ndarray.serialization import dump_array, load_array
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from gluonic.optimizer.attributes import checked_attributes
from gluonic.optimizer.base import Optimizer
from gluonic.optimizer.fit import require_fit, size_of
from gluonic.optimizer.pickles import Named, PickledCall, parse

_DEEPEST = 100
_SLACK = 1 << 20
_NUMPY_TYPES = (
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
_TYPES: dict[str, Any] = {
    **{f"builtins.{kind.__name__}": kind for kind in (bool, complex, float, int, str)},
    **{f"numpy.{name}": getattr(np, name) for name in _NUMPY_TYPES},
    "numpy.bool": np.bool_,
}
_SPARSE = {kind.__name__: kind for kind in (RowSparseNDArray, CSRNDArray)}
_ARRAYS: dict[str, type[NDArray]] = {"NDArray": NDArray, **_SPARSE}
_DTYPES = {dtype.str[1:]: dtype for dtype in map(np.dtype, _NUMPY_TYPES)}
_PLAIN = (OrderedDict, bytearray, complex)
_CONTEXT = re.compile(r"(?P<kind>\w+)\((?P<number>\d{1,9})\)")
_MODULES = {
    "__builtin__": "builtins",
    "copy_reg": "copyreg",
    "numpy.core.multiarray": "numpy._core.multiarray",
    "numpy.core.numeric": "numpy._core.numeric",
}
"""Modules by their names in older versions of Python and NumPy."""


# ----------------------------------------------------------------------------------------- writing


def dump(states: Any) -> bytes:
    """Write states, with or without their optimizer, as bytes.

    Raises
    ------
    MXNetError
        if they hold anything that `load` would refuse
    """
    stream = io.BytesIO()
    with allocating("the bytes of the states"):
        _Pickler(stream, protocol=4).dump(states)
        return stream.getvalue()


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, BaseSparseNDArray):
            return type(obj), (None,), {"handle": dump_array(obj)}
        if isinstance(obj, NDArray):
            elements = (
                obj.host_elements().tobytes(),
                np.dtype(obj.dtype).name,
                obj.shape,
                repr(obj.context),
            )
            return restore_array, elements
        if not _is_readable(obj):
            raise MXNetError(
                describe(
                    f"a file of states cannot hold {obj!r:.80}",
                    where="optimizer",
                    facts=[
                        "it can hold numbers, text, arrays, and lists and dictionaries of these"
                    ],
                    hint="leave it out in the optimizer's __getstate__",
                )
            )
        if isinstance(obj, (Optimizer, LRScheduler)):
            return obj.__reduce_ex__(4)
        return NotImplemented


def _is_readable(obj: Any) -> bool:
    """Whether `load` can rebuild an object, or knows a class or function."""
    if isinstance(obj, type) or (callable(obj) and hasattr(obj, "__qualname__")):
        return _is_known(obj)
    if isinstance(obj, (np.ndarray, np.generic)):
        return type(obj).__module__ == "numpy" and obj.dtype.str[1:] in _DTYPES
    if isinstance(obj, np.dtype):
        return obj.str[1:] in _DTYPES
    return isinstance(obj, (Optimizer, LRScheduler)) or type(obj) in _PLAIN


def _is_known(named: Any) -> bool:
    title = _canonical(Named(named.__module__, named.__qualname__))
    if title in _BY_NAME or title in _TYPES or named in (np.ndarray, *_SPARSE.values()):
        return True
    return isinstance(named, type) and issubclass(named, (Optimizer, LRScheduler))


# ----------------------------------------------------------------------------------------- reading


def load(data: bytes) -> Any:
    """Read the bytes written by `dump` or by MXNet.

    Raises
    ------
    FileFormatError
        if the bytes are damaged or name anything that is not data
    """
    try:
        with allocating("the states in a file"):
            return _Maker(2 * len(data) + _SLACK).make(parse(data))
    except FileFormatError as error:
        raise FileFormatError(f"these are no optimizer states: {error.args[0]}") from error


def load_states(
    data: bytes, optimizer: Optimizer, weights: Mapping[Any, NDArray]
) -> tuple[dict[Any, Any], Optimizer]:
    """Read the states of parameters, and their optimizer.

    Parameters
    ----------
    data : the bytes written by `dump` or by MXNet
    optimizer : the optimizer of the states, if they are stored without one
    weights : parameters by index, as far as they are known

    Raises
    ------
    FileFormatError
        if the bytes are damaged or name anything that is not data
    MismatchError
        if the states do not fit the optimizer and the parameters
    """
    found = load(data)
    if isinstance(found, tuple) and len(found) == 2:
        found, optimizer = found
    if not isinstance(found, dict) or not isinstance(optimizer, Optimizer):
        raise FileFormatError("these are no optimizer states")
    for index, state in found.items():
        require_fit(optimizer, index, state, weights.get(index))
    return found, optimizer


class _Maker:
    """Builds the objects that a parsed pickle describes; shared objects stay shared.

    Parameters
    ----------
    room : the most bytes of all arrays together: a file may name the same bytes thousands of times
    """

    def __init__(self, room: int) -> None:
        self._made: dict[int, Any] = {}
        self._depth, self._room = 0, room

    def make(self, described: Any) -> Any:
        """Build an object and everything that it holds."""
        key = id(described)
        if key in self._made:
            return self._made[key]
        maker = _BY_TYPE.get(type(described))
        if maker is None:
            return described
        if self._depth == _DEEPEST:
            raise FileFormatError("they contain themselves, or are nested too deeply")
        self._depth += 1
        made = self._made[key] = maker(self, described)
        self._depth -= 1
        return made

    def sequence(self, described: Any) -> Any:
        return type(described)(map(self.make, described))

    def dictionary(self, described: dict[Any, Any]) -> dict[Any, Any]:
        return {key: self.make(value) for key, value in described.items()}

    def type_named(self, named: Named) -> Any:
        found = _TYPES.get(_canonical(named))
        if found is None:
            raise _unknown(named)
        return found

    def called(self, call: PickledCall) -> Any:
        """Build the result of a call, by the table of permitted calls."""
        title = _canonical(call.called)
        maker = _BY_NAME.get(title)
        try:
            made = self.instance(call.called, call.state) if maker is None else maker(self, call)
            self._take(size_of(made))
            return made
        except FileFormatError:
            raise
        except MXNetError as error:
            raise FileFormatError(f"{title}: {error.args[0]}") from error
        except (LookupError, OverflowError, TypeError, ValueError) as error:
            raise FileFormatError(f"{title} is damaged: {error}") from error

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise FileFormatError("the arrays are larger than the file")

    def instance(self, named: Named, state: Any) -> Any:
        """Build an array, an optimizer or a scheduler from its state."""
        kind = _class_named(named)
        state = self.make(state)
        if issubclass(kind, NDArray):
            return _array_in(state["handle"], kind)
        if not (isinstance(state, dict) and all(isinstance(name, str) for name in state)):
            raise FileFormatError(f"{named} has no attributes")
        made = kind.__new__(kind)
        attributes = checked_attributes(kind, state)
        if hasattr(made, "__setstate__"):
            made.__setstate__(attributes)
        else:
            made.__dict__.update(attributes)
        return made


def _canonical(named: Named) -> str:
    return f"{_MODULES.get(named.module, named.module)}.{named.name}"


def _unknown(named: Any) -> FileFormatError:
    return FileFormatError(
        f"they name {named}, which is no array, registered optimizer or learning rate scheduler; "
        "nothing was loaded"
    )


def _class_named(named: Named) -> Any:
    """The class of arrays, or a class of optimizers or schedulers that this process has."""
    room, _, rest = named.module.partition(".")
    ours = room in ("mxnet", "gluonic")
    if ours and rest.startswith("ndarray") and named.name in _ARRAYS:
        return _ARRAYS[named.name]
    known = Optimizer.opt_registry.get(named.name.lower())
    for kind in (*([known] if known else []), *_below(LRScheduler)):
        if kind.__name__ == named.name and (ours or kind.__module__ == named.module):
            return kind
    raise _unknown(named)


def _array_in(data: Any, kind: type[NDArray]) -> NDArray:
    """An array from the form of MXNet's pickles."""
    found = load_array(data)
    if type(found) is not kind:
        raise FileFormatError(f"what is called a {kind.__name__} is a {type(found).__name__}")
    return found


def _below(kind: type) -> list[type]:
    found: list[type] = [kind]
    children: list[type] = kind.__subclasses__()
    for child in children:
        found += _below(child)
    return found


# ---------------------------------------------------------------------------- what may be called


def _object(maker: _Maker, call: PickledCall) -> Any:
    """An object of the class that is the first argument, as `object.__reduce__` describes it."""
    named = call.arguments[0] if call.arguments else None
    return maker.instance(named if isinstance(named, Named) else call.called, call.state)


def _bytes(maker: _Maker, call: PickledCall) -> bytes:
    return bytes(_elements(call.arguments[0])) if call.arguments else b""


def _elements(data: Any) -> bytes | bytearray:
    """Bytes, which old pickles store as text in Latin-1, or as a call that encodes it."""
    if isinstance(data, (bytes, bytearray)):
        return data
    if isinstance(data, PickledCall) and _canonical(data.called) == "_codecs.encode":
        data = data.arguments[0]
    if not isinstance(data, str):
        raise FileFormatError(f"elements are a {type(data).__name__}, not bytes")
    return data.encode("latin-1")


def _complex(maker: _Maker, call: PickledCall) -> complex:
    real, imaginary = map(float, call.arguments)
    return complex(real, imaginary)


def _ordered(maker: _Maker, call: PickledCall) -> OrderedDict[Any, Any]:
    return OrderedDict(maker.dictionary(call.items))


def _dtype(maker: _Maker, call: PickledCall) -> np.dtype[Any]:
    """A numeric dtype; its state holds the byte order, and fields that only other dtypes use."""
    found = _DTYPES[call.arguments[0]]
    if call.state is None:
        return found
    _, order, *rest = call.state
    if order not in ("<", ">", "=", "|") or any(one is not None for one in rest[:3]):
        raise FileFormatError("they hold an array of something other than numbers")
    return found.newbyteorder(order)


def _array_of(data: Any, dtype: Any, shape: Any) -> Array:
    """An array from the bytes of its elements."""
    elements = _elements(data)
    if not isinstance(dtype, np.dtype):
        raise FileFormatError("an array has no dtype")
    lengths = tuple(map(operator.index, shape))
    if min(lengths, default=0) < 0 or prod(lengths) * dtype.itemsize != len(elements):
        raise FileFormatError(f"there are {len(elements):,} bytes for {dtype} of shape {lengths}")
    return np.frombuffer(elements, dtype).reshape(lengths).astype(dtype.newbyteorder("="))


def _scalar(maker: _Maker, call: PickledCall) -> Any:
    dtype, data = call.arguments
    return _array_of(data, maker.make(dtype), ())[()]


def _reconstructed(maker: _Maker, call: PickledCall) -> Array:
    """A NumPy array, pickled as an empty one that is then given its state."""
    if call.arguments[0] != Named("numpy", "ndarray"):
        raise _unknown(call.arguments[0])
    _, shape, dtype, is_fortran, data = call.state
    found = _array_of(data, maker.make(dtype), shape[::-1] if is_fortran else shape)
    return found.T if is_fortran else found


def _from_buffer(maker: _Maker, call: PickledCall) -> Array:
    """A NumPy array, as protocol 5 writes it."""
    data, dtype, shape, order = call.arguments
    found = _array_of(data, maker.make(dtype), shape[::-1] if order == "F" else shape)
    return found.T if order == "F" else found


def _restored(maker: _Maker, call: PickledCall) -> NDArray:
    return restore_array(*call.arguments)


def restore_array(elements: bytes, dtype: str, shape: tuple[int, ...], context: str) -> NDArray:
    """Make an array from its form in `dump`."""
    found = _CONTEXT.fullmatch(context)
    if found is None:
        raise FileFormatError(f"{context!r:.80} is no context")
    wanted = Context(found["kind"], int(found["number"]))
    array = placed_if_there(_array_of(elements, as_dtype(dtype), shape), wanted)
    if not array.on_device:
        array.stated_context = wanted
    return array


_BY_TYPE: dict[type, Callable[[_Maker, Any], Any]] = {
    list: _Maker.sequence,
    tuple: _Maker.sequence,
    dict: _Maker.dictionary,
    Named: _Maker.type_named,
    PickledCall: _Maker.called,
}
_BY_NAME: dict[str, Callable[[_Maker, PickledCall], Any]] = {
    "_codecs.encode": _bytes,
    "builtins.bytearray": lambda maker, call: bytearray(_bytes(maker, call)),
    "builtins.bytes": _bytes,
    "builtins.complex": _complex,
    "collections.OrderedDict": _ordered,
    "copyreg.__newobj__": _object,
    "copyreg._reconstructor": _object,
    "numpy._core.multiarray._reconstruct": _reconstructed,
    "numpy._core.multiarray.scalar": _scalar,
    "numpy._core.numeric._frombuffer": _from_buffer,
    "numpy.dtype": _dtype,
    f"{__name__}.restore_array": _restored,
}
