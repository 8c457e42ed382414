"""All parameters of a step in one native call, for optimizers defined by a rule."""

import sys
from collections.abc import Hashable, Sequence
from functools import lru_cache
from time import perf_counter_ns
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from gluonic import codegen
from gluonic.graph import Array
from gluonic.graph.dtypes import is_half_width
from gluonic.graph.events import EVENTS
from gluonic.graph.versions import mark_all_modified
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.placing import on_devices
from gluonic.optimizer.base import Optimizer, RuleOptimizer, as_states, run_rule_on_all

if TYPE_CHECKING:
    from gluonic.codegen import BoundUpdate

_DTYPES = (np.float32, np.float64)
_NOT_ARRAYS = 2  # a rule's first parameters: m, the functions, and n, the numbers

# Rough costs in nanoseconds: of a parameter's update in NumPy; and from which sum on machine code pays off.
_A_PARAMETER, _COMPILING = 20_000, 20_000_000
_AN_ELEMENT, _AN_ELEMENT_OF_LARGE, _LARGE = 0.5, 5, 1 << 17
"""Rough costs per element, in nanoseconds, of arrays in the cache and of large ones; and where these begin."""
_LOADING_THE_COMPILER = 40_000_000
SPENT: dict[Any, int] = {}
"""The cost of updates in NumPy so far, by rule. Machine code gives the same bits, so it may start anytime."""


class _Group(NamedTuple):
    """Parameters of one dtype: their positions among all parameters, and the function that updates them."""

    members: list[int]
    update: "BoundUpdate"


class _Plan(NamedTuple):
    """What is reused from step to step, and the conditions for that.

    `late` holds the indices of the parameters whose copies machine code does not write.
    """

    rule: Any
    names: list[str]
    seen: "list[ref[Array] | None]"
    groups: list[_Group]
    late: list[int]


class FusedUpdate:
    """Updates lists of parameters, equivalent to `Optimizer.update_multi_precision` on each.

    The addresses of the arrays are kept from step to step.
    """

    def __init__(self) -> None:
        self._plan: _Plan | None = None
        self._not_lowered: Any = None
        self._executor = codegen.executor()

    def __reduce__(self) -> Any:
        return FusedUpdate, ()

    @property
    def is_native(self) -> bool:
        """Whether the last step ran as machine code."""
        return self._plan is not None

    def __call__(
        self,
        optimizer: Optimizer,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        copies: Sequence[NDArray | None] = (),
    ) -> bool:
        """Update the parameters and return True; or do nothing, if each needs a separate call.

        If `copies` has an array for a parameter, the new weight is also written there.
        """
        rule = None if self._executor == "interpret" else _rule_of(optimizer)
        if rule is None or rule is self._not_lowered or not indices:
            return False
        arrays, plan = _arrays(weights, grads, states, copies), self._plan
        if plan is not None and not (plan.rule is rule and _are_same(plan.seen, arrays)):
            plan = self._plan = None
        members = [] if plan is not None else _members(weights, grads, states)
        if not all(_is_plain(member, rule) for member in members):
            return False
        numbers = _counted(optimizer, indices)
        names = [name for name, x in vars(numbers[0]).items() if x is not None]
        if plan is None or plan.names != names:
            members = members or _members(weights, grads, states)
            if self._executor == "compile" or _is_worth_compiling(rule, arrays, members):
                plan = self._plan = self._planned(rule, vars(numbers[0]), members, copies, arrays)
        if plan is None:
            run_rule_on_all(rule, numbers, members)
            copy_weights(weights, copies)
            return True
        begin = perf_counter_ns()
        _run(plan, numbers)
        mark_all_modified(arrays)
        if plan.late:
            copy_weights([weights[i] for i in plan.late], [copies[i] for i in plan.late])
        if EVENTS.imperative:
            EVENTS.eager(f"{type(optimizer).__name__}.update", begin, parameters=len(weights))
        return True

    def _planned(
        self,
        rule: Any,
        numbers: dict[str, Any],
        members: Sequence[Sequence[NDArray]],
        copies: Sequence[NDArray | None],
        arrays: Sequence[Array | None],
    ) -> _Plan | None:
        """Machine code for the parameters; None if there can be none for the rule."""
        names = [name for name, x in numbers.items() if x is not None]
        absent = tuple(name for name, x in numbers.items() if x is None)
        direct = _copied_directly(members, copies)
        alike: dict[Any, list[int]] = {}
        for i, member in enumerate(members):
            alike.setdefault((member[0].elements.dtype, i in direct), []).append(i)
        groups = []
        for (dtype, is_copied), indices in alike.items():
            try:
                kernel = codegen.update_kernel(
                    *(rule, dtype, len(members[0]), tuple(names), absent, is_copied)
                )
            except codegen.NotLowered:
                self._not_lowered = rule
                return None
            found = [
                [x.elements for x in (*members[i], *([direct[i]] if is_copied else []))]
                for i in indices
            ]
            groups.append(_Group(indices, codegen.BoundUpdate(kernel, found)))
        seen: list[ref[Array] | None] = [ref(x) if x is not None else None for x in arrays]
        late = [i for i, copy in enumerate(copies) if copy is not None and i not in direct]
        return _Plan(rule, names, seen, groups, late)


class DeviceUpdate:
    """Updates lists of parameters on a device, equivalent to `Optimizer.update_multi_precision` on each."""

    def __init__(self) -> None:
        self._known: tuple[Any, list[int]] | None = None
        self._update: Any = None
        self._kept: Any = None

    def __reduce__(self) -> Any:
        return DeviceUpdate, ()

    def __call__(
        self,
        optimizer: Optimizer,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
        flag: Any = None,
    ) -> bool:
        """Update the parameters and return True; or do nothing, if each needs a separate call.

        Parameters
        ----------
        flag : an array on the device; if it is 0 when its turn comes there, nothing is changed
        """
        rule = _rule_of(optimizer)
        if rule is None or (flag is not None and getattr(optimizer, "numbers_advance", False)):
            return False
        known = rule, [*map(id, weights), *map(id, grads), *map(id, states)]
        if known != self._known:
            mixed = {k for k, w in enumerate(weights) if optimizer.multi_precision and _is_half(w)}
            own = [
                _with_copy_first(optimizer, s) if k in mixed else s for k, s in enumerate(states)
            ]
            members = _members(weights, grads, own)
            count = rule.__code__.co_argcount - _NOT_ARRAYS
            for k, member in enumerate(members):
                if len(member) != count + (k in mixed) or not all(map(_is_on_device, member)):
                    return False
            self._known, self._update = known, on_devices().RulesOnDevice(rule, members, mixed)
            self._kept = [*weights], [*grads], [*states]  # so that their ids remain theirs
        self._update(_counted(optimizer, indices), flag)
        return True


def _is_half(weight: NDArray) -> bool:
    return is_half_width(np.dtype(weight.dtype))


def _with_copy_first(optimizer: Optimizer, state: Any) -> list[Any]:
    """The float32 copy of a weight, then the states of the rule."""
    copy, own = optimizer.parts_of_state(state)
    return [copy, *as_states(own)]


def _is_on_device(x: Any) -> bool:
    return isinstance(x, NDArray) and x.on_device


def _run(plan: _Plan, numbers: Sequence[SimpleNamespace]) -> None:
    """Run the machine code of a plan."""
    for group in plan.groups:
        own = numbers if len(plan.groups) == 1 else [numbers[i] for i in group.members]
        group.update(_rows(own, plan.names))


def copy_weights(weights: Sequence[NDArray], copies: Sequence[NDArray | None]) -> None:
    """Write weights to the arrays given for some of them."""
    for weight, copy in zip(weights, copies, strict=False):
        if copy is not None:
            copy[:] = weight.as_in_context(copy.context)


def _copied_directly(
    members: Sequence[Sequence[NDArray]], copies: Sequence[NDArray | None]
) -> dict[int, NDArray]:
    """The copies that machine code can write, by the indices of their parameters."""
    found = {}
    for i, (member, copy) in enumerate(zip(members, copies, strict=False)):
        if copy is not None and _owns_memory_like(copy, member[0]):
            found[i] = copy
    return found if len(set(map(id, found.values()))) == len(found) else {}


def _owns_memory_like(copy: NDArray, weight: NDArray) -> bool:
    """Whether an array has the shape and dtype of a weight, and owns its memory."""
    array, like = copy.elements, weight.elements
    return (
        not copy.is_sparse
        and array.base is None
        and array.shape == like.shape
        and array.dtype == like.dtype
        and array.flags.carray
    )


def _is_worth_compiling(rule: Any, arrays: Sequence[Array], members: Sequence[Any]) -> bool:
    """Whether the total cost of updates in NumPy, including this one, justifies compiling."""
    sizes = [array.size for array in arrays if array is not None]
    elements = sum([n * (_AN_ELEMENT if n < _LARGE else _AN_ELEMENT_OF_LARGE) for n in sizes])
    SPENT[rule] = SPENT.get(rule, 0) + _A_PARAMETER * len(members) + int(elements)
    is_loaded = "llvmlite" in sys.modules  # machine code computes the same bits
    return SPENT[rule] > _COMPILING + (0 if is_loaded else _LOADING_THE_COMPILER)


def _arrays(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    states: Sequence[Any],
    copies: Sequence[NDArray | None],
) -> list[Any]:
    """All arrays of a step; None for states that are not arrays."""
    arrays: list[Any] = [x.elements for x in (*weights, *grads)]
    for state in states:
        arrays += [getattr(x, "elements", None) for x in as_states(state)]
    arrays += [None if copy is None else copy.elements for copy in copies]
    return arrays


def _members(
    weights: Sequence[NDArray], grads: Sequence[NDArray], states: Sequence[Any]
) -> list[Sequence[NDArray]]:
    """The weight, the gradient and the states of each parameter."""
    return [(w, g, *as_states(s)) for w, g, s in zip(weights, grads, states, strict=True)]


def _rule_of(optimizer: Optimizer) -> FunctionType | None:
    """The rule of an optimizer that does nothing but apply it, if it is a plain function."""
    kind = type(optimizer)
    if (
        not isinstance(optimizer, RuleOptimizer)
        or kind.update is not RuleOptimizer.update
        or kind.update_multi_precision is not Optimizer.update_multi_precision
    ):
        return None
    rule = optimizer.rule
    return rule if isinstance(rule, FunctionType) and rule.__closure__ is None else None


def _counted(optimizer: Any, indices: Sequence[Any]) -> list[SimpleNamespace]:
    """Count an update of each parameter; return their numbers, one object for equal ones."""
    numbers: list[SimpleNamespace] = []
    kind: Any = type(optimizer)
    if optimizer.numbers_advance or not _computes_numbers_as_usual(kind):
        for index in indices:
            optimizer._update_count(index)
            numbers.append(optimizer.numbers_of(index))
        return numbers
    known: dict[Any, SimpleNamespace] = {}
    parameters, counting = optimizer.param_dict, optimizer.count_update
    for index in indices:
        count = counting(index)
        parameter = parameters.get(index)
        if parameter is not None:
            key = parameter.lr_mult, parameter.wd_mult, count, optimizer.num_update
        else:
            key = index, None, count, optimizer.num_update
        found = known.get(key)
        if found is None:
            found = known[key] = optimizer.numbers_of(index)
        numbers.append(found)
    return numbers


def _rows(numbers: Sequence[SimpleNamespace], names: Sequence[str]) -> list[list[float]]:
    """The numbers with the given names for each parameter; consecutive parameters often share them."""
    rows: list[list[float]] = []
    latest = None
    for n in numbers:
        rows.append(rows[-1] if n is latest else [getattr(n, name) for name in names])
        latest = n
    return rows


@lru_cache(maxsize=256)
def _computes_numbers_as_usual(kind: Hashable) -> bool:
    """Whether numbers follow from a parameter's multipliers and its number of updates."""
    names = (
        "_get_lr",
        "_get_lrs",
        "_get_wd",
        "_get_wds",
        "_multiplier",
        "_update_count",
        "count_update",
        "numbers_of",
    )
    return all(getattr(kind, name) is getattr(RuleOptimizer, name) for name in names)


def _is_plain(member: Sequence[NDArray], rule: FunctionType) -> bool:
    """Whether machine code can update a weight with such a gradient and states."""
    if not all(isinstance(x, NDArray) for x in member):
        return False
    shape, dtype = member[0].elements.shape, member[0].elements.dtype
    return (
        dtype in _DTYPES
        and dtype.isnative
        and len(member) == rule.__code__.co_argcount - _NOT_ARRAYS
        and all(
            x.elements.shape == shape and x.elements.dtype == dtype and x.elements.flags.carray
            for x in member
        )
    )


def _are_same(seen: "Sequence[ref[Array] | None]", arrays: Sequence[Array | None]) -> bool:
    """Whether the arrays are those seen before."""
    if len(seen) != len(arrays):
        return False
    for known, array in zip(seen, arrays, strict=True):
        if (known if known is None else known()) is not array:
            return False
    return True
