"""Nested lists of symbols: the arguments and results of the functions in loops and branches."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import Entry
from gluonic.graph.errors import describe
from gluonic.symbol.symbol import Symbol

Nested = Any  # a Symbol, or a list or tuple of nested values
OutputNesting = tuple[type[Symbol], int] | list[Any]
"""For a symbol its class and its number of outputs, a list of forms for a list."""


def flatten(nested: Nested, what: str) -> tuple[list[Entry], OutputNesting]:
    """List the outputs in a nested list, and describe its structure."""
    if isinstance(nested, Symbol):
        return list(nested.entries), (type(nested), nested.num_outputs)
    if not isinstance(nested, (list, tuple)):
        raise AssertionError(
            describe(
                f"must be a Symbol or a (nested) list of Symbols, not {type(nested).__name__}",
                where=what,
            )
        )
    entries: list[Entry] = []
    forms: list[OutputNesting] = []
    for part in nested:
        found, form = flatten(part, what)
        entries += found
        forms.append(form)
    return entries, forms


def is_alike(form: OutputNesting, other: OutputNesting) -> bool:
    """Whether two structures are equal, whatever the classes of their symbols."""
    if isinstance(form, list) and isinstance(other, list):
        return len(form) == len(other) and all(map(is_alike, form, other))
    return not isinstance(form, list) and not isinstance(other, list) and form[1] == other[1]


def regroup(entries: Sequence[Entry], form: OutputNesting) -> Nested:
    """Put outputs into the structure that `flatten` has found."""
    rest = iter(entries)

    def take(form: OutputNesting) -> Nested:
        if isinstance(form, list):
            return [take(part) for part in form]
        kind, count = form
        parts = [kind([next(rest)]) for _ in range(count)]
        return parts[0] if count == 1 else parts

    return take(form)
