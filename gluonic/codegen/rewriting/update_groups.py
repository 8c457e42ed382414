"""The weights that an optimizer's operator updates, with what is updated with each."""

from __future__ import annotations

from typing import Any

from gluonic.graph import Entry, Node
from gluonic.graph.update_operators import Update, name_in_rules, numbers_in_rules
from gluonic.support.record import record


@record
class UpdateGroup:
    """A weight and all that is updated with it.

    Attributes
    ----------
    arrays : the weight, its gradient, its states, and its float32 copy if there is one
    output : what the operator returns
    numbers : the numbers of the rule, from attributes
    elements : those that are elements of arrays, each with the array and the index
    """

    arrays: tuple[Entry, ...]
    output: Entry
    numbers: dict[str, Any]
    elements: dict[str, tuple[Entry, int]]

    @property
    def places(self) -> tuple[Entry, ...]:
        """The arrays, and the output."""
        return (*self.arrays, self.output)


def groups_of(node: Node, update: Update) -> list[UpdateGroup]:
    """The weights of an operator, with what is updated with each."""
    settings = dict(node.applied.settings)
    count = settings.pop(update.count) if update.count else 1
    preloaded = [name for name in update.own.values() if name not in settings]
    named = dict(zip(node.applied.inputs, node.inputs, strict=True))
    last = {name: named.pop(name) for name in (*preloaded, *update.single)}
    inputs = tuple(named.values())
    sequences = {one: settings.pop(name, None) for one, name in update.own.items()}
    numbers = numbers_in_rules(settings)
    size, groups = len(inputs) // count, list[UpdateGroup]()
    for k in range(count):
        own = {one: values[k] for one, values in sequences.items() if values is not None}
        elements = {name_in_rules(name): (last[name], 0) for name in update.single}
        for one, name in update.own.items():
            if name in last:
                elements[one] = last[name], k
        arrays = tuple(inputs[k * size : (k + 1) * size])
        groups.append(UpdateGroup(arrays, node.entry(k), {**numbers, **own}, elements))
    return groups
