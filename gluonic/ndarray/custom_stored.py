"""`Custom` with sparse arrays: its `CustomOpProp` names the storage kinds of outputs and gradients."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import Application
from gluonic.graph.carried import carried
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.storage.forms import Kinds, stored
from gluonic.graph.storage.values import DEFAULT, KINDS, Value, kind_of, stored_as, stored_zeros
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.custom import CustomOpProp, is_registered
from gluonic.ndarray.custom_call import CustomCallRecord, backward, checked, site_of
from gluonic.ndarray.custom_node import KeptCustom, op_of, prop_of
from gluonic.ndarray.recording import put, wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arrays import made, value_of
from gluonic.ndarray.storage.dispatch import runs_in_its_own_way
from gluonic.ndarray.tape import Leaf, TapeEntry, entry_of

_METHODS = ("infer_storage_type", "infer_storage_type_backward")


def _known_kinds(kinds: Sequence[str], method: str, prop: CustomOpProp) -> list[str]:
    """Storage kinds that the user's code returned, checked."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise MXNetError(
            describe(
                f"returned {unknown[0]!r} where a storage type is wanted",
                where=f"{type(prop).__name__}.{method}",
                hint=f"one of {', '.join(KINDS)}",
            )
        )
    return list(kinds)


def forward_kinds(prop: CustomOpProp, kinds: Sequence[str]) -> list[list[str]]:
    """The storage kinds of inputs, outputs and states that `forward` expects."""
    method = _METHODS[0]
    parts = checked(prop.infer_storage_type(list(kinds)), prop, method)
    return [_known_kinds(part, method, prop) for part in parts]


def backward_kinds(prop: CustomOpProp, *kinds: Sequence[str]) -> list[list[str]]:
    """Those of heads, inputs, outputs, gradients and states that `backward` expects."""
    method = _METHODS[1]
    parts = tuple(prop.infer_storage_type_backward(*map(list, kinds)))
    if [len(part) for part in parts] != [len(part) for part in kinds]:
        raise MXNetError(
            describe(
                f"must return lists of the lengths of its arguments, not {parts}",
                where=f"{type(prop).__name__}.{method}",
            )
        )
    return [_known_kinds(part, method, prop) for part in parts]


def _is_dense(prop: CustomOpProp, count: int, kinds: Sequence[str]) -> bool:
    """Whether neither an output nor a gradient is sparse if no input is."""
    if set(kinds) - {DEFAULT}:
        return False
    kind = type(prop)
    if all(getattr(kind, name, None) is getattr(CustomOpProp, name) for name in _METHODS):
        return True
    inputs, outputs, states = forward_kinds(prop, kinds[:count])
    dense = [[DEFAULT] * len(part) for part in (outputs, inputs, outputs, inputs, states)]
    return {DEFAULT} >= {k for part in (outputs, *backward_kinds(prop, *dense)) for k in part}


def _kinds(application: Application, kinds: Kinds) -> Kinds | None:
    if not is_registered(application.settings):
        return None  # the graph can be read, but not run
    prop = prop_of(application.settings)
    count = len(prop.list_arguments())
    if _is_dense(prop, count, kinds):
        return None
    return (*forward_kinds(prop, kinds[:count])[1], DEFAULT)


@stored("Custom", gives=_kinds, of_dense=True)
def _only_on_arrays(application: Application, *values: Value) -> Value:
    raise NotImplementedError("Custom runs on arrays, not on their values")


@runs_in_its_own_way("Custom")
def invoke_custom(application: Application, inputs: Sequence[NDArray]) -> list[NDArray]:
    """Run an operator written in Python on arrays of any storage kinds; see `invoke`."""
    values = [value_of(x) for x in inputs]
    site = site_of(application.settings, values)
    kept = application.made if isinstance(application, KeptCustom) else None
    op = site.new_op() if kept is None else op_of(site, kept)
    count = site.count
    given, results, states = forward_kinds(site.prop, [kind_of(v) for v in values[:count]])
    read = [stored_as(v, kind) for v, kind in zip(values, [*given, *states], strict=True)]
    found = site.forward(op, read, STATE.training, results)
    _give_back(inputs[count:], read[count:])
    outputs = [made(value, inputs[0].stated_context if inputs else None) for value in found]
    outputs.append(wrap(carried(op)))
    if STATE.recording:
        entries = [entry_of(x) for x in inputs]
        if any(entry is not None for entry in entries):
            kept_values: list[Any] = [*read, *found, None]
            put(StoredCustomRecord(application, entries, kept_values, site, op), inputs, outputs)
    return outputs


def _give_back(states: Sequence[NDArray], values: Sequence[Value]) -> None:
    """Write states that were converted to another kind back to their arrays."""
    for state, value in zip(states, values, strict=True):
        if kind_of(value) != state.stype:
            state[:] = made(value)


class StoredCustomRecord(CustomCallRecord):
    """A recorded call with sparse arrays; its `arrays` are values of any kind."""

    __slots__ = ()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Call the user's backward with the kinds that the user's `CustomOpProp` names."""
        site, count = self.site, self.site.count
        states = len(site.shapes)
        values = self.arrays[:states]
        outputs = self.arrays[states:-1]
        heads_given = [
            stored_zeros(DEFAULT, *site.results[i]) if head is None else value_of(head)
            for i, head in enumerate(heads[: len(outputs)])
        ]
        asked = [_buffer_kind(entry) for entry in self.inputs[:count]]
        parts: tuple[Sequence[Value], ...] = (heads_given, values[:count], outputs)
        known = [[kind_of(value) for value in part] for part in parts]
        aux = [kind_of(value) for value in values[count:]]
        *kinds, wanted, aux = backward_kinds(site.prop, *known, asked, aux)
        reads = site.dependency
        numbers = (reads.heads, reads.inputs, reads.outputs)
        slopes, given, results = (
            _read(part, kind, needed)
            for part, kind, needed in zip(parts, kinds, numbers, strict=True)
        )
        found = backward(
            self.op,
            given,
            [stored_as(v, k) for v, k in zip(values[count:], aux, strict=True)],
            slopes,
            results,
            [(v.shape, v.dtype) for v in values[:count]],
            [i for i, entry in enumerate(self.inputs[:count]) if entry is not None],
            site.name,
            wanted,
        )
        gradients = [
            None if entry is None else made(value)
            for value, entry in zip(found, self.inputs[:count], strict=True)
        ]
        return [*gradients, *[None] * (states - count)]


def _read(
    values: Sequence[Value], kinds: Sequence[str], needed: Sequence[int]
) -> list[Value | None]:
    """Values in other kinds; None for those that are not read."""
    pairs = enumerate(zip(values, kinds, strict=True))
    return [stored_as(value, kind) if i in needed else None for i, (value, kind) in pairs]


def _buffer_kind(entry: TapeEntry | None) -> str:
    """The storage kind of a variable's gradient buffer; dense for everything else."""
    leaf = None if entry is None else entry[0]
    return leaf.grad.stype if isinstance(leaf, Leaf) and leaf.grad is not None else DEFAULT
