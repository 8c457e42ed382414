"""Operators that are steps of optimizers, on a GPU: a kernel updates a weight and its states in place.

Numbers are arguments of the kernel, so that a new learning rate needs no new code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.cuda.loop_steps import chosen_elements
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch, bits_of
from gluonic.codegen.loops.kernel import Kernel, Operand, Stage, Store
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype
from gluonic.codegen.rewriting.update_groups import UpdateGroup, groups_of
from gluonic.codegen.scalar.recorder import Recorder, RunTimeNumber
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Entry, Node
from gluonic.graph.scalar_math import M
from gluonic.graph.update_operators import UPDATES, Update
from gluonic.graph.updates import group_ada_grad

_ACCESS = 16
"""The most bytes of one access."""


class UpdateStep(DeviceStep):
    """A step of an optimizer for some weights: a launch for each.

    Parameters
    ----------
    node : the operator
    update : what it computes
    """

    def __init__(self, node: Node, update: Update) -> None:
        self.update, self._groups = update, groups_of(node, update)
        operands, displaced = list[Entry](), dict[int, int]()
        for group in self._groups:
            operands += group.places
            for entry, index in group.elements.values():
                displaced[len(operands)] = index
                operands.append(entry)
        self.operands, self.displaced = tuple(operands), tuple(displaced)
        self._indices = tuple(displaced.values())
        self.outputs = tuple(group.output for group in self._groups)

    @classmethod
    def of(cls, node: Node, facts: Facts, processor: Processor) -> UpdateStep | None:
        """The step of a node; None if its rule is more than an expression of elements."""
        update = UPDATES[node.operator_name]
        return None if update.rule is group_ada_grad else cls(node, update)

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offsets of the numbers that are elements."""
        pairs = zip(self.displaced, self._indices, strict=True)
        return [facts.dtypes[self.operands[k]].itemsize * index for k, index in pairs]

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """A kernel for each weight."""
        launches, start = list[KernelLaunch](), 0
        for group in self._groups:
            end = start + len(group.places) + len(group.elements)
            launches.append(self._launch(group, range(start, end), facts, processor))
            start = end
        return launches

    def _launch(
        self, group: UpdateGroup, operands: range, facts: Facts, processor: Processor
    ) -> KernelLaunch:
        numbers, derived = group.numbers, self.update.derived
        if derived is not None and not group.elements:
            numbers, derived = {**numbers, **derived(M, **numbers)}, None
        numbers = {name: x for name, x in numbers.items() if not isinstance(x, bool)}
        given = {name: float(x) for name, x in numbers.items() if x is not None}
        absent = tuple(name for name, x in numbers.items() if x is None)
        dtypes = tuple(facts.dtypes[self.operands[k]] for k in operands)
        names = (*group.elements, *given)
        own = len(group.places)
        update = replace(self.update, derived=derived)
        kernel = _kernel(update, dtypes[:own], dtypes[own:], names, absent)
        size = facts.bytes_of(group.output) // facts.dtypes[group.output].itemsize
        width = _ACCESS // max(dtype.itemsize for dtype in dtypes)
        while size % width:
            width //= 2
        strides = [[dtype.itemsize] for dtype in dtypes[:own]] + [[0]] * len(names)
        code, sizes, blocks, threads = chosen_elements(kernel, [size], strides, width, processor)
        return KernelLaunch(
            (*code, len(given)),
            tuple(operands),
            (*sizes, *map(bits_of, given.values())),
            (blocks, 1, 1),
            (threads, 1, 1),
        )


def _kernel(
    update: Update,
    dtypes: Sequence[Dtype],
    read: Sequence[Dtype],
    names: Sequence[str],
    absent: Sequence[str],
) -> Kernel:
    """The kernel of an update.

    Parameters
    ----------
    dtypes : of the arrays and the output
    read : of the numbers that are elements
    names : the numbers; those that are elements are first
    absent : the numbers that are None
    """
    m, output = Recorder(), len(dtypes) - 1
    arrays = [m.element(k, dtype) for k, dtype in enumerate(dtypes[:output])]
    numbers: dict[str, Any] = dict.fromkeys(absent)
    for k, name in enumerate(names):
        element = m.element(output + 1 + k, (*read, *[FLOAT64] * len(names))[k])
        numbers[name] = RunTimeNumber(m, m.astype(element, FLOAT64).ref, FLOAT64, 1)
    if update.derived is not None:
        numbers |= update.derived(m, **numbers)
    n = SimpleNamespace(**numbers)
    weight, grad, *states = arrays
    if update.is_mixed:
        weight, grad = states.pop(), m.astype(grad, FLOAT32)
    updated = update.rule(m, n, weight, grad, *states)
    if update.is_usable is not None:
        usable = update.is_usable(m, n)
        olds = (weight, *states)
        updated = tuple([m.where(usable, a, b) for a, b in zip(updated, olds, strict=True)])
    new, *others = updated
    stores = {output: new, **dict(enumerate(others, 2))}
    if update.is_mixed and update.is_new_weight:
        stores[output - 1] = new
    elements = [Operand(dtype, ("unit",)) for dtype in dtypes]
    single = [Operand(dtype, ("repeat",)) for dtype in read]
    single += [Operand(FLOAT64, ("repeat",))] * (len(names) - len(read))
    stage = Stage(m.program([*stores.values()]), tuple(map(Store, stores)))
    return Kernel(1, (*elements, *single), (stage,))
