"""Python's operators on NDArrays, in place too, and the functions `nd.add`, `nd.maximum` and the like."""

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph import REGISTRY, Application, casting
from gluonic.graph.arithmetic import OPERATORS, is_number
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.numpy_names import is_numpy_name
from gluonic.graph.versions import mark_modified
from gluonic.ndarray.array import NDArray, NoElementsError, method
from gluonic.ndarray.casting import cast_inputs
from gluonic.ndarray.invoke import Fast, fast_call, invoke
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.placing import on_devices
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.dispatch import invoke_elsewhere
from gluonic.support.caches import Cache

Arithmetic = Callable[[Any, Any], Any]

_with_scalar: Cache[tuple[str, float | str], Fast] = Cache()
_with_array: dict[str, Fast] = {}


def on_arrays(name: str, x: NDArray, y: NDArray) -> NDArray:
    """Apply an operator without attributes to two arrays."""
    call = _with_array.get(name)
    if call is None:
        call = _with_array[name] = _call_of(name, REGISTRY[name].apply({}))
    try:
        return call(x, y)
    except NoElementsError:
        pass
    return _elsewhere(REGISTRY[name].apply({}), x, y)


def on_scalar(name: str, x: NDArray, scalar: Any) -> NDArray:
    """Apply an operator to an array and a number."""
    number = float(scalar)
    key = name, number or str(number)  # 0.0 and -0.0 are equal, but different numbers
    call = _with_scalar.get(key)
    if call is None:
        call = _call_of(name, REGISTRY[name].apply({"scalar": number or str(number)}))
        if not math.isnan(number):  # NaN differs from itself: it would never be found
            _with_scalar.remember(key, call)
    try:
        return call(x)
    except NoElementsError:
        pass
    return _elsewhere(REGISTRY[name].apply({"scalar": number or str(number)}), x)


def _elsewhere(application: Application, *arrays: NDArray) -> NDArray:
    """The result where an array is on a device, or sparse."""
    if arrays[0].on_device and casting.current is None:
        call = on_devices().eager_calls(application).get(type(arrays[0]))
        if call is not None:
            return call(*arrays)  # type: ignore[no-any-return]
    return invoke_elsewhere(application, arrays)[0]


def _call_of(name: str, application: Application) -> Fast:
    """The function that calls an operator on arrays: the fast path, if no cast is needed."""
    if casting.concerns(application.op.name):
        return lambda *arrays: invoke(application, cast_inputs(application, arrays))[0]
    kind = numpy_array() if is_numpy_name(name) else NDArray
    return fast_call(application, kind) or (lambda *arrays: invoke(application, arrays)[0])


casting.watchers.extend([_with_array.clear, _with_scalar.clear])


def _unsupported(value: Any) -> TypeError:
    return TypeError(
        describe(
            f"type {type(value)} not supported as an operand of an NDArray",
            hint="mx.nd.array(value)" if hasattr(value, "__array__") else "",
        )
    )


def _operator(broadcasting: str, scalar: str, *, reverse: bool = False) -> Arithmetic:
    def apply(self: NDArray, other: Any) -> NDArray:
        if isinstance(other, NDArray):
            return (
                on_arrays(broadcasting, other, self)
                if reverse
                else on_arrays(broadcasting, self, other)
            )
        if type(other) is float or type(other) is int or is_number(other):
            return on_scalar(scalar, self, other)
        raise _unsupported(other)

    return apply


def _in_place(broadcasting: str, scalar: str) -> Arithmetic:
    compute = _operator(broadcasting, scalar)

    def apply(self: NDArray, other: Any) -> NDArray:
        if STATE.recording:
            check_writable(self, (self, other) if isinstance(other, NDArray) else (self,))
        result, target = compute(self, other).elements, self.elements
        if result.shape != target.shape or result.dtype != target.dtype:
            raise MXNetError(
                describe(
                    "the result does not fit the array that it is assigned to",
                    where=broadcasting,
                    facts=[
                        f"the array: shape {target.shape}, dtype {target.dtype}",
                        f"the result: shape {result.shape}, dtype {result.dtype}",
                    ],
                )
            )
        np.copyto(target, result)
        mark_modified(target)
        return self

    return apply


def _add_operators() -> None:
    for name, (_, broadcasting, scalar, reverse_scalar) in OPERATORS.items():
        methods = {f"__{name}__": _operator(broadcasting, scalar)}
        if name not in ("eq", "ne", "gt", "ge", "lt", "le"):
            methods[f"__r{name}__"] = _operator(broadcasting, reverse_scalar, reverse=True)
            methods[f"__i{name}__"] = _in_place(broadcasting, scalar)
        for title, function in methods.items():
            method(title)(function)


_add_operators()
NDArray.__hash__ = object.__hash__  # type: ignore[method-assign]


@method("__neg__")
def neg(self: NDArray) -> NDArray:
    """Return the negated array."""
    return on_scalar("_mul_scalar", self, -1.0)


class _ArrayFunction(NamedTuple):
    """A row of the table: operators for two arrays, array and number, number and array; for two numbers."""

    broadcasting: str
    scalar: str
    reverse_scalar: str
    numbers: Arithmetic
    documentation: str


def _row(name: str, numbers: Arithmetic, documentation: str) -> _ArrayFunction:
    return _ArrayFunction(*OPERATORS[name][1:], numbers, documentation)


def _symmetric(name: str, numbers: Arithmetic, documentation: str) -> _ArrayFunction:
    return _ArrayFunction(
        f"broadcast_{name}", f"_{name}_scalar", f"_{name}_scalar", numbers, documentation
    )


def _logical(function: Callable[[bool, bool], bool]) -> Arithmetic:
    return lambda x, y: function(bool(x), bool(y))


FUNCTIONS: dict[str, _ArrayFunction] = {
    "add": _row("add", operator.add, "the sum"),
    "subtract": _row("sub", operator.sub, "the difference"),
    "multiply": _row("mul", operator.mul, "the product"),
    "divide": _row("truediv", operator.truediv, "the quotient"),
    "true_divide": _row("truediv", operator.truediv, "the quotient"),
    "modulo": _row("mod", operator.mod, "the remainder of the division"),
    "power": _row("pow", operator.pow, "the power"),
    "equal": _row("eq", operator.eq, "1 where the two are equal and 0 elsewhere,"),
    "not_equal": _row("ne", operator.ne, "1 where the two differ and 0 elsewhere,"),
    "greater": _row("gt", operator.gt, "1 where the first is greater and 0 elsewhere,"),
    "greater_equal": _row("ge", operator.ge, "1 where the first is no smaller and 0 elsewhere,"),
    "lesser": _row("lt", operator.lt, "1 where the first is smaller and 0 elsewhere,"),
    "lesser_equal": _row("le", operator.le, "1 where the first is no greater and 0 elsewhere,"),
    "maximum": _symmetric("maximum", max, "the greater"),
    "minimum": _symmetric("minimum", min, "the smaller"),
    "logical_and": _symmetric(
        "logical_and", _logical(operator.and_), "1 where both are true and 0 elsewhere,"
    ),
    "logical_or": _symmetric(
        "logical_or", _logical(operator.or_), "1 where one is true and 0 elsewhere,"
    ),
    "logical_xor": _symmetric(
        "logical_xor", _logical(operator.xor), "1 where just one is true and 0 elsewhere,"
    ),
}


def _alike(result: NDArray, operand: NDArray) -> NDArray:
    """A result converted to the class of an operand."""
    return result.as_np_ndarray() if operand.of_numpy else result


def _function(name: str, row: _ArrayFunction) -> Arithmetic:
    forward = _operator(row.broadcasting, row.scalar)

    def apply(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray):
            return _alike(forward(lhs, rhs), lhs)
        if not is_number(lhs):
            raise _unsupported(lhs)
        if is_number(rhs):
            return row.numbers(lhs, rhs)
        if not isinstance(rhs, NDArray):
            raise _unsupported(rhs)
        return _alike(on_scalar(row.reverse_scalar, rhs, lhs), rhs)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = (
        f"Return {row.documentation} of two arrays, broadcast together, or of an array and a number.\n\n"
        "Parameters\n----------\n"
        "lhs, rhs : NDArrays of one dtype, or numbers\n\n"
        "Returns\n-------\n"
        "NDArray\n    an array of the operands' dtype; of two numbers, a number\n"
    )
    return apply


functions: dict[str, Arithmetic] = {name: _function(name, row) for name, row in FUNCTIONS.items()}
globals().update(functions)
_power: Any = functions["power"]
_power.__code__ = _power.__code__.replace(
    co_varnames=("base", "exp")
)  # as MXNet calls its operands
_power.__annotations__ = {}
_power.__doc__ = _power.__doc__.replace("lhs, rhs", "base, exp")
