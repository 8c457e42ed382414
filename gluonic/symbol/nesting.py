"""Nested lists of symbols: the arguments and results of the functions in loops and branches."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph import Entry
from gluonic.graph.errors import describe
from gluonic.symbol.symbol import Symbol

Nested = Any  # a Symbol, or a list or tuple of nested values
OutputNesting = (
    int | list[Any]
)  # 0 for one output, n for a Symbol of n outputs, a list of forms for a list


def flatten(nested: Nested, what: str) -> tuple[list[Entry], OutputNesting]:
    """List the outputs in a nested list, and describe its structure."""
    if isinstance(nested, Symbol):
        return list(nested.entries), len(nested) if len(nested) > 1 else 0
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


def regroup(entries: Sequence[Entry], form: OutputNesting) -> Nested:
    """Put outputs into the structure that `flatten` has found."""
    rest = iter(entries)

    def take(form: OutputNesting) -> Nested:
        if isinstance(form, list):
            return [take(part) for part in form]
        if form == 0:
            return Symbol([next(rest)])
        return [Symbol([next(rest)]) for _ in range(form)]

    return take(form)
