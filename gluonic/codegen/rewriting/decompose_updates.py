"""Decompositions of operators that are steps of optimizers: the rules themselves, as graphs."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.rewriting.update_groups import UpdateGroup, groups_of
from gluonic.codegen.tracing.kernels import NotTraced, TracedArray, follow
from gluonic.graph import Entry
from gluonic.graph.dtypes import is_floating
from gluonic.graph.scalar_math import ScalarMath
from gluonic.graph.update_operators import UPDATES, Update
from gluonic.graph.updates import group_ada_grad


class _GraphMath(ScalarMath):
    """The functions of rules, where numbers may be elements of arrays."""

    times = staticmethod(lambda number, x: number * x)


_M = _GraphMath()


def updated(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The new weights; the states are overwritten."""
    if site.is_empty or not _has_own_states(site):
        return None
    update, made = UPDATES.get(site.node.operator_name), list[Entry]()
    if update is None or update.rule is group_ada_grad:
        return _followed(site)
    names = dict(zip(site.node.inputs, site.node.applied.inputs, strict=True))
    for group in groups_of(site.node, update):
        new, *others = _step(site, update, group)
        place = group.arrays[-1] if update.is_mixed else group.arrays[0]
        for entry, value in zip(group.arrays[2:], others, strict=False):
            site.update(names[entry], _as_stored(site, entry, value))
        if update.is_mixed and update.is_new_weight:
            site.update(names[place], _as_stored(site, place, new))
        made.append(_as_stored(site, group.output, new))
    return made


def both_phases(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """LAMB for each weight: a direction, then a step along it; a direction of whole numbers is not cut off."""
    if not is_floating(site.dtype) or not site.rank or site.is_empty or not _has_own_states(site):
        return None
    settings, count = dict(site.node.applied.settings), site.node.output_count
    size = len(site.inputs) // count
    is_mixed = size > 4  # a weight, its gradient and two averages; then a float32 copy
    find_direction = F.mp_lamb_update_phase1 if is_mixed else F.lamb_update_phase1
    step = F.mp_lamb_update_phase2 if is_mixed else F.lamb_update_phase2
    lasting = {name: settings.pop(name) for name in ("lower_bound", "upper_bound")}
    rates, decays, steps = (settings.pop(name) for name in ("learning_rates", "wds", "step_count"))
    del settings["num_tensors"]
    made = []
    for i in range(count):
        weight, *others = site.inputs[i * size : (i + 1) * size]
        master = others[3:]
        direction = find_direction(weight, *others, wd=decays[i], t=steps[i], **settings)
        norms = [_norm(F, site, each) for each in ((*master, weight)[0], direction)]
        if not is_mixed:
            norms = [F.Cast(norm, dtype=site.dtype.name) for norm in norms]
        made.append(step(weight, direction, *norms, *master, lr=rates[i], **lasting))
    return made


def _norm(F: Any, site: RewriteContext, array: Entry) -> Entry:
    """The norm of all elements, in one element; of float16 it is computed in float32."""
    wide = array if site.dtype.itemsize >= FLOAT32.itemsize else F.Cast(array, dtype="float32")
    norm: Entry = F.norm(wide)
    return norm


def _has_own_states(site: RewriteContext) -> bool:
    """Whether the states are variables, each of which is read once."""
    node = site.node
    named = zip(node.inputs, node.applied.inputs, strict=True)
    states = [entry for entry, name in named if name in node.applied.states]
    return all(node.inputs.count(e) == 1 and e.node.is_variable for e in states)


def _followed(site: RewriteContext) -> Sequence[Entry] | None:
    """The new weights, found by calling the kernel."""
    node, arrays = site.node, list[TracedArray]()
    for name, old, entry in zip(node.applied.inputs, node.inputs, site.inputs, strict=True):
        is_state = name in node.applied.states
        source = site.state(name) if is_state else entry
        shape, dtype = tuple(site.facts.shapes[old]), site.facts.dtypes[old]
        arrays.append(TracedArray(source, shape, dtype, is_input=not is_state))
    try:
        found = follow(node, arrays)
    except NotTraced:
        return None
    for name, array in zip(node.applied.inputs, arrays, strict=True):
        if name in node.applied.states:
            site.update(name, array.entry)
    outputs = (node.entry(i) for i in range(node.output_count))
    return [_as_stored(site, e, value) for e, value in zip(outputs, found, strict=True)]


def _as_stored(site: RewriteContext, entry: Entry, value: TracedArray) -> Entry:
    return value.astype(site.facts.dtypes[entry]).entry


def _step(site: RewriteContext, update: Update, group: UpdateGroup) -> Sequence[TracedArray]:
    """The new weight, and the new states."""
    given = dict(zip(site.node.inputs, site.inputs, strict=True))
    states = {e: site.state(name) for e, name in zip(site.node.inputs, site.node.applied.inputs, strict=True)
              if name in site.node.applied.states}  # fmt: skip

    def array(entry: Entry) -> TracedArray:
        shape, dtype = site.facts.shapes[entry], site.facts.dtypes[entry]
        return TracedArray(states.get(entry, given[entry]), tuple(shape), dtype)

    numbers = dict(group.numbers)
    for name, (entry, index) in group.elements.items():
        numbers[name] = array(entry).reshape((-1,))[index]
    if update.derived is not None:
        numbers |= update.derived(_M, **numbers)
    n = SimpleNamespace(**numbers)
    weight, grad, *others = map(array, group.arrays)
    if update.is_mixed:
        weight, grad = others.pop(), grad.astype(FLOAT32)
    found: Sequence[TracedArray] = update.rule(_M, n, weight, grad, *others)
    if update.is_usable is None:
        return found
    usable, olds = update.is_usable(_M, n), (weight, *others)
    return [_M.where(usable, a, b) for a, b in zip(found, olds, strict=True)]
