"""What the `forward` of a hybridized block computes with while it is traced: symbols that know their shapes.

``forward(self, x)`` is written for arrays: it may ask for ``x.shape``, and combine `x` with other arrays.
A trace
runs it once with `ArrayInTrace`. Shapes and dtypes are inferred when they are asked for, and the trace then
counts
for inputs of these shapes alone; other arrays become constants of the graph.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, NoReturn

import numpy as np

from gluonic.graph.errors import CallError, describe
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import CPU, Context
from gluonic.ndarray.numpy.creation import array as new_array
from gluonic.numpy_functions.methods import operators
from gluonic.symbol import Symbol, var
from gluonic.symbol import numpy as functions_of_symbols
from gluonic.symbol.numpy.operators import SYMBOLIC
from gluonic.symbol.numpy.symbols import _Symbol
from gluonic.symbol.numpy_class import CHOSEN


class ForwardTrace:
    """The trace of a block in progress.

    Parameters
    ----------
    inputs : the arrays that are passed to the block, by the names of their variables

    Attributes
    ----------
    constants : the arrays that became variables, by name
    reads_shapes : whether a shape or a dtype has been asked for
    """

    def __init__(self, inputs: Mapping[str, NDArray]) -> None:
        self._arrays = dict(inputs)
        self.constants: dict[str, NDArray] = {}
        self.reads_shapes = False
        self.device = next((x.context for x in inputs.values()), CPU)

    def constant(self, array: NDArray) -> Symbol:
        """The variable that stands for an array which is no input."""
        for name, held in self.constants.items():
            if held is array:
                return self._variable(name, array)
        name = f"constant{len(self.constants)}"
        self.constants[name] = self._arrays[name] = array
        return self._variable(name, array)

    def _variable(self, name: str, array: NDArray) -> Symbol:
        made: Symbol = var(name)
        return made.as_np_ndarray() if array.of_numpy else made

    def shape_of(self, symbol: Symbol) -> tuple[int, ...]:
        """The shape of a symbol with one output.

        Raises
        ------
        CallError
            if it does not follow from those of the inputs
        """
        self.reads_shapes = True
        given = {name: array.shape for name, array in self._arrays.items()}
        _, shapes, _ = symbol.infer_shape_partial(**self._read_by(symbol, given))
        shape = shapes[0] if shapes else None
        if shape is None or any(axis is None or axis < 0 for axis in shape):
            raise _unknown(symbol, "shape")
        return tuple(shape)

    def dtype_of(self, symbol: Symbol) -> np.dtype[Any]:
        """The dtype of a symbol with one output; see `shape_of`."""
        self.reads_shapes = True
        given = {name: array.dtype for name, array in self._arrays.items()}
        _, dtypes, _ = symbol.infer_type_partial(**self._read_by(symbol, given))
        if not dtypes or dtypes[0] is None:
            raise _unknown(symbol, "dtype")
        return np.dtype(dtypes[0])

    @staticmethod
    def _read_by(symbol: Symbol, given: Mapping[str, Any]) -> dict[str, Any]:
        names = {node.name for node in symbol.graph().variables}
        return {name: value for name, value in given.items() if name in names}


class _Current(threading.local):
    tracer: ForwardTrace | None = None


_CURRENT = _Current()


def tracer() -> ForwardTrace | None:
    """The trace that the current thread is making of a block of MXNet 2.0; None if there is none."""
    return _CURRENT.tracer


@contextmanager
def tracing(inputs: Mapping[str, NDArray]) -> Iterator[ForwardTrace]:
    """Let symbols of `mx.np` know their shapes within a ``with``; see `ForwardTrace`."""
    before = _CURRENT.tracer, CHOSEN.kind
    made = _CURRENT.tracer = ForwardTrace(inputs)
    CHOSEN.kind = ArrayInTrace
    try:
        yield made
    finally:
        _CURRENT.tracer, CHOSEN.kind = before


def as_symbols(value: Any) -> Any:
    """The value with its arrays as constants of the trace in progress, also in lists and tuples."""
    current = _CURRENT.tracer
    if current is None:
        return value
    if isinstance(value, NDArray):
        return current.constant(value)
    if type(value) in (list, tuple):
        return type(value)([as_symbols(one) for one in value])
    return value


def while_traced(eager: Callable[..., Any], symbolic: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that is one of symbols while a block of MXNet 2.0 is traced."""

    @wraps(eager)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if _CURRENT.tracer is None:
            return eager(*arguments, **keywords)
        return symbolic(
            *map(as_symbols, arguments), **{key: as_symbols(v) for key, v in keywords.items()}
        )

    return call


_SELECTING = (list, NDArray, np.ndarray, Symbol)
"""Keys that select elements by their indices."""


class ArrayInTrace(_Symbol):
    """An array of `mx.np` in a trace: a symbol that knows its shape."""

    __slots__ = ()

    def _tracer(self) -> ForwardTrace:
        if _CURRENT.tracer is None:
            raise CallError(
                describe(
                    "the array belongs to a trace that is over",
                    where=repr(self),
                    hint="return it from forward, and keep it then",
                )
            )
        return _CURRENT.tracer

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._tracer().shape_of(self)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self._tracer().dtype_of(self)

    @property
    def device(self) -> Context:
        """The device of the block's first input."""
        return self._tracer().device

    ctx = context = device
    stype = "default"

    def __len__(self) -> int:
        return self.shape[0] if self.num_outputs == 1 and _CURRENT.tracer else super().__len__()

    def __iter__(self) -> Iterator[Any]:
        if self.num_outputs > 1:
            return super().__iter__()
        return (self[index] for index in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """Return a part of the array; arrays of integers in a key select from one axis."""
        if self.num_outputs > 1:
            return super().__getitem__(key)
        if isinstance(key, _SELECTING):
            return _taken(self, key)
        if isinstance(key, tuple) and key and all(isinstance(one, _SELECTING) for one in key):
            return _gathered(self, key)
        return super().__getitem__(key)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compose as a symbol; without arguments, return the array itself: arrays cannot be called."""
        return super().__call__(*args, **kwargs) if args or kwargs else self

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        """Call the function of `mx.np` that NumPy's corresponds to."""
        function = functions_of_symbols.functions.get(ufunc.__name__)
        if function is None or method != "__call__":
            return super().__array_ufunc__(ufunc, method, *inputs, **settings)
        operands = [x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs]
        return function(*map(as_symbols, operands), **settings)

    def detach(self) -> Any:
        """Return the same elements, through which no gradient flows."""
        return SYMBOLIC.BlockGrad(self)

    def copy(self) -> "ArrayInTrace":
        """Return the array itself: nothing writes into a traced array."""
        return self

    def to_device(self, device: Any) -> "ArrayInTrace":
        """Return the array itself: a graph runs on the device of its inputs."""
        return self

    as_in_ctx = as_in_context = copyto = to_device

    def _no_value(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise CallError(
            describe(
                "forward asks for the elements of an array, which are not known while it is traced",
                where=repr(self),
                facts=[f"shape {self.shape}"],
                hint="npx.cond, npx.while_loop or np.where; or net.hybridize(False) for this block",
            )
        )

    asnumpy = item = tolist = _no_value
    __bool__ = __float__ = __int__ = __index__ = __setitem__ = _no_value


def _taken(array: ArrayInTrace, key: Any) -> Any:
    """The parts of the first axis at integers, or where a mask is true."""
    if isinstance(key, Symbol):
        is_mask = isinstance(key, ArrayInTrace) and key.dtype == np.bool_
    else:
        is_mask = np.dtype(getattr(key, "dtype", np.int64)) == np.bool_
    if is_mask:
        raise CallError(
            describe(
                "a mask selects a number of elements that is not known while forward is traced",
                where=repr(array),
                hint="np.where(mask, x, 0); or net.hybridize(False) for this block",
            )
        )
    return functions_of_symbols.functions["take"](array, _as_indices(key), axis=0, mode="wrap")


def _gathered(array: ArrayInTrace, keys: tuple[Any, ...]) -> Any:
    """The elements, or parts, at positions given by an array of indices for each of the first axes."""
    functions = functions_of_symbols.functions
    indices = [_as_indices(key) for key in keys]
    shape = np.broadcast_shapes(*(index.shape for index in indices))
    whole = [
        functions["broadcast_to"](functions["mod"](index, length), shape)
        for index, length in zip(indices, array.shape, strict=False)
    ]
    return SYMBOLIC.gather_nd(array, functions["stack"](whole))


def _as_indices(key: Any) -> Any:
    return as_symbols(key if isinstance(key, (NDArray, Symbol)) else _array(key))


def _array(values: Any) -> NDArray:
    return new_array(values, "int64")


def _with_constants(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator between symbols that also takes an array."""

    @wraps(function)
    def operate(self: ArrayInTrace, *others: Any) -> Any:
        return function(self, *map(as_symbols, others))

    operate.__name__ = name
    return operate


def _unknown(symbol: Symbol, what: str) -> CallError:
    return CallError(
        describe(
            f"its {what} does not follow from those of the inputs",
            where=repr(symbol),
            hint=f"give the parameters their shapes, or ask for the {what} in an earlier layer",
        )
    )


for _name, _operator in operators(functions_of_symbols.functions, in_place=False).items():
    setattr(ArrayInTrace, _name, _with_constants(_name, _operator))
ArrayInTrace.__hash__ = _Symbol.__hash__  # type: ignore[method-assign]
