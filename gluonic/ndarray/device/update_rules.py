"""Update rules on arrays of a device: by a kernel, or with operators as the rule's functions."""

import math
from collections.abc import Callable, Container, Sequence
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen import (
    DeviceUpdates,
    NotLowered,
    Updated,
    finite_on_device,
    updates_on_device,
)
from gluonic.device import DeviceArray
from gluonic.graph.dtypes import is_floating, is_half_width
from gluonic.ndarray import arithmetic
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.device.arrays import DeviceNDArray
from gluonic.ndarray.invoke import EAGER
from gluonic.ndarray.state import Flags

Rule: TypeAlias = Callable[..., tuple[Any, ...]]
Member: TypeAlias = Sequence[Any]
_SINGLE = np.dtype(np.float32)


class _OfArrays:
    """``m`` of update rules, whose elements are arrays and whose numbers are Python's."""

    abs = staticmethod(EAGER.abs)
    sign = staticmethod(EAGER.sign)
    maximum = staticmethod(arithmetic.functions["maximum"])
    minimum = staticmethod(arithmetic.functions["minimum"])

    @staticmethod
    def sqrt(x: Any) -> Any:
        return EAGER.sqrt(x) if isinstance(x, NDArray) else math.sqrt(x)

    @staticmethod
    def times(number: float, x: NDArray) -> NDArray:
        return x * number

    @staticmethod
    def where(condition: NDArray, x: NDArray, y: NDArray) -> Any:
        return EAGER.where(condition, x, y)

    @staticmethod
    def mean(x: NDArray, **axes: Any) -> Any:
        return EAGER.mean(x, **axes)


class RulesOnDevice:
    """A rule that updates some parameters on a device: by a kernel, if it can, else by operators.

    Parameters
    ----------
    rule : the rule
    members : for each parameter its weight, its gradient, a float32 copy of the weight if there is one, and
        its states, on a device
    mixed : which of them have such a copy, by their places among all; it is updated in place of the weight
    """

    def __init__(
        self, rule: Rule, members: Sequence[Member], mixed: Container[int] = frozenset()
    ) -> None:
        self._rule, self._members, self._mixed = rule, members, mixed
        self._updates: DeviceUpdates | None = None
        self._device = members[0][0].device_array.device
        if all(_is_plain(member, k in mixed) for k, member in enumerate(members)):
            forms = [
                Updated(m[0].size, tuple([x.device_array.dtype for x in m]), k in mixed)
                for k, m in enumerate(members)
            ]
            self._updates = updates_on_device(rule, tuple(forms))

    def __call__(self, numbers: Sequence[SimpleNamespace], flag: DeviceArray | None = None) -> None:
        """Write the new weights and states in place.

        Parameters
        ----------
        numbers : those of each parameter
        flag : an int32 on the device; if it is 0, nothing is changed
        """
        if self._updates is not None:
            addresses = tuple([tuple([x.device_array.address for x in m]) for m in self._members])
            guard = None if flag is None else flag.address
            try:
                self._updates(self._device, numbers, addresses, guard)
            except NotLowered:
                self._updates = None
            else:
                return
        if flag is not None and not flag.to_host().all():
            return
        for k, (own, member) in enumerate(zip(numbers, self._members, strict=True)):
            if k in self._mixed:
                weight, grad, master, *states = member
                _run_by_operators(self._rule, own, master, grad.astype(np.float32), *states)
                assign_array(weight, master)
            else:
                _run_by_operators(self._rule, own, *member)


def _is_plain(member: Member, is_mixed: bool) -> bool:
    """Whether a kernel can update a parameter."""
    shape, dtype = member[0].shape, np.dtype(member[0].dtype)
    rest = _SINGLE if is_mixed else dtype
    return is_floating(dtype) and all(
        x.on_device and x.shape == shape and x.device_array.dtype == (dtype if k < 2 else rest)
        for k, x in enumerate(member)
    )


def _run_by_operators(
    rule: Rule, numbers: SimpleNamespace, weight: NDArray, grad: NDArray, *states: NDArray
) -> None:
    """Run a rule with operators as its functions; numbers of 16 bits are computed in float32."""
    with Flags(False, None):
        arrays = [x.detach().as_nd_ndarray() for x in (weight, grad, *states)]
        if is_half_width(np.dtype(arrays[0].dtype)):
            arrays = [x.astype(np.float32) for x in arrays]
        results = rule(_OfArrays, numbers, *arrays)
        for target, value in zip((weight, *states)[::-1], results[::-1], strict=True):
            assign_array(target, value)  # the weight last: a state may be its old value


def finite_flag(arrays: Sequence[NDArray]) -> DeviceArray:
    """An int32 on the device of some arrays, which is 0 if one of their elements is not finite."""
    found = [x.device_array for x in arrays if isinstance(x, DeviceNDArray)]
    return finite_on_device(found[0].device, found)
