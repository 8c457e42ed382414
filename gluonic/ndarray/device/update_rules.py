"""Update rules on arrays of a device: by a kernel, or with operators as the rule's functions."""

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen import DeviceUpdates, NotLowered, Updated, updates_on_device
from gluonic.ndarray import arithmetic
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.copying import assign_array
from gluonic.ndarray.invoke import EAGER
from gluonic.ndarray.state import Flags

Rule: TypeAlias = Callable[..., tuple[Any, ...]]
Member: TypeAlias = Sequence[Any]
_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


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
    members : for each parameter its weight, its gradient and its states, on a device
    """

    def __init__(self, rule: Rule, members: Sequence[Member]) -> None:
        self._rule, self._members = rule, members
        self._updates: DeviceUpdates | None = None
        self._device = members[0][0].device_array.device
        if all(map(_is_plain, members)):
            forms = [Updated(m[0].size, np.dtype(m[0].dtype), len(m)) for m in members]
            self._updates = updates_on_device(rule, tuple(forms))

    def __call__(self, numbers: Sequence[SimpleNamespace]) -> None:
        """Write the new weights and states in place; `numbers` are those of each parameter."""
        if self._updates is not None:
            addresses = tuple([tuple([x.device_array.address for x in m]) for m in self._members])
            try:
                self._updates(self._device, numbers, addresses)
            except NotLowered:
                self._updates = None
            else:
                return
        for own, member in zip(numbers, self._members, strict=True):
            _run_by_operators(self._rule, own, *member)


def _is_plain(member: Member) -> bool:
    """Whether a kernel can update a parameter."""
    shape, dtype = member[0].shape, member[0].dtype
    return np.dtype(dtype) in _DTYPES and all(
        x.on_device and x.shape == shape and x.dtype == dtype for x in member
    )


def _run_by_operators(
    rule: Rule, numbers: SimpleNamespace, weight: NDArray, grad: NDArray, *states: NDArray
) -> None:
    """Run a rule with operators as its functions; float16 is computed in float32."""
    with Flags(False, None):
        arrays = [x.detach().as_nd_ndarray() for x in (weight, grad, *states)]
        if arrays[0].dtype == np.float16:
            arrays = [x.astype(np.float32) for x in arrays]
        results = rule(_OfArrays, numbers, *arrays)
        for target, value in zip((weight, *states)[::-1], results[::-1], strict=True):
            assign_array(target, value)  # the weight last: a state may be its old value
