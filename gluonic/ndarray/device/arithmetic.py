"""Python's operators on arrays of a device."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gluonic.codegen import OperatorOnDevice, operator_on_device
from gluonic.device import DeviceArray
from gluonic.graph import REGISTRY, casting
from gluonic.graph.arithmetic import OPERATORS
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.casting import cast_inputs
from gluonic.ndarray.device.arrays import DeviceNDArray, DeviceNumpyArray, method
from gluonic.ndarray.device.assigning import copy_within
from gluonic.ndarray.device.calls import EagerCall, eager_call, invoke_there
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.state import STATE, current_run
from gluonic.support.caches import Cache

_COMPARISONS = {"eq", "ne", "gt", "ge", "lt", "le"}
_with_array: dict[str, EagerCall] = {}
_with_number: Cache[tuple[str, float | str], EagerCall] = Cache()
casting.watchers.extend([_with_array.clear, _with_number.clear])


def _call_of(name: str, attributes: dict[str, Any]) -> EagerCall:
    """The function that calls an operator on arrays; its inputs are cast if mixed precision wants it."""
    application = REGISTRY[name].apply(attributes)
    if casting.concerns(name):
        return lambda *arrays: invoke_there(application, cast_inputs(application, arrays))[0]
    return eager_call(application)


def on_number(name: str, x: DeviceNDArray, number: float) -> NDArray:
    """Apply an operator to an array and a number."""
    value = number or str(number)  # 0.0 and -0.0 are equal, but different numbers
    call = _with_number.get((name, value))
    if call is None:
        call = _call_of(name, {"scalar": value})
        if not math.isnan(number):  # NaN differs from itself: it would never be found
            _with_number.remember((name, value), call)
    return call(x)


def _operator(title: str, broadcasting: str, scalar: str) -> Callable[[Any, Any], Any]:
    usual: Callable[[Any, Any], Any] = vars(NDArray)[title]
    reverse = title.startswith("__r")

    def apply(self: DeviceNDArray, other: Any) -> Any:
        kind = type(other)
        if kind is DeviceNDArray:
            call = _with_array.get(broadcasting)
            if call is None:
                call = _with_array[broadcasting] = _call_of(broadcasting, {})
            return call(other, self) if reverse else call(self, other)
        if kind is float or kind is int:
            return on_number(scalar, self, float(other))
        return usual(self, other)

    return apply


@lru_cache(maxsize=1024)
def _operator_there(name: str, number: float | str | None) -> OperatorOnDevice:
    return operator_on_device(REGISTRY[name].apply({} if number is None else {"scalar": number}))


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    compute = vars(DeviceNDArray)[f"__{name}__"]
    _, broadcasting, scalar, _ = OPERATORS[name]

    def apply(self: DeviceNDArray, other: Any) -> NDArray:
        kind, target = type(other), self.device_array
        if STATE.recording:
            check_writable(self, (self, other) if isinstance(other, NDArray) else (self,))
            result = compute(self, other).device_array
        elif casting.current is not None or type(self) is not DeviceNDArray:
            result = compute(self, other).device_array
        elif kind is DeviceNDArray and _apart(target, other.device_array):
            there = _operator_there(broadcasting, None)
            (result,) = there([target, other.device_array], current_run(), None, [target])
        elif kind is float or kind is int:
            number = float(other)
            there = _operator_there(scalar, number or str(number))
            (result,) = there([target], current_run(), None, [target])
        else:
            result = compute(self, other).device_array
        if result is not target:
            _check_fits(name, result, target)
            copy_within(result, target)
        return self

    return apply


def _apart(target: DeviceArray, other: DeviceArray) -> bool:
    """Whether elements of one array may be overwritten while those of the other are read."""
    return target.buffer is not other.buffer and target.form.device is other.form.device


def _check_fits(name: str, result: DeviceArray, target: DeviceArray) -> None:
    if result.shape != target.shape or result.dtype != target.dtype:
        raise MXNetError(
            describe(
                "the result does not fit the array that it is assigned to",
                where=OPERATORS[name][1],
                facts=[
                    f"the array: shape {target.shape}, dtype {target.dtype}",
                    f"the result: shape {result.shape}, dtype {result.dtype}",
                ],
            )
        )


def _add_operators() -> None:
    for name, (_, broadcasting, scalar, reverse_scalar) in OPERATORS.items():
        methods = {f"__{name}__": (broadcasting, scalar)}
        if name not in _COMPARISONS:
            methods[f"__r{name}__"] = (broadcasting, reverse_scalar)
        for title, operators in methods.items():
            method(title)(_operator(title, *operators))
            setattr(DeviceNumpyArray, title, getattr(ndarray, title))
        if name not in _COMPARISONS:
            method(f"__i{name}__")(_in_place(name))


_add_operators()


@method("__neg__")
def neg(self: DeviceNDArray) -> NDArray:
    """Return the negated array."""
    return on_number("_mul_scalar", self, -1.0)


DeviceNumpyArray.__neg__ = ndarray.__neg__  # type: ignore[method-assign]
