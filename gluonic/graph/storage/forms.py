"""Declarations of operators on stored values: the storage kinds of their outputs, and their computation.

An operator has at most one `StorageForm`, with MXNet's kinds. Without one, or if its form has no kind for those
of the inputs, it is computed densely.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from gluonic.graph.application import Application
from gluonic.graph.operator import REGISTRY
from gluonic.graph.storage.values import DEFAULT, Value

Kinds: TypeAlias = tuple[str, ...]
Gives: TypeAlias = Callable[[Application, Kinds], str | Kinds | None]
Compute: TypeAlias = Callable[..., Value]
Read: TypeAlias = Callable[[Sequence[Value]], list[Value]]


class StorageForm(NamedTuple):
    """An operator's computation on stored values.

    Attributes
    ----------
    gives : from the application and the kinds of the inputs, the storage kind of the output, or the kinds of
        several outputs; None: it is computed densely
    compute : from the application and the values of the inputs, the value of the output
    of_dense : whether dense inputs alone may give a sparse output
    read : converts the inputs first, where MXNet accepts sparse inputs of forms that dense ones cannot have
    """

    gives: Gives
    compute: Compute
    of_dense: bool
    read: Read | None


FORMS: dict[str, StorageForm] = {}


def stored(
    *names: str, gives: Gives, of_dense: bool = False, read: Read | None = None
) -> Callable[[Compute], Compute]:
    """Declare operators on stored values: decorates ``compute(application, *values)``."""

    def enter(compute: Compute) -> Compute:
        for name in names:
            FORMS[REGISTRY[name].name] = StorageForm(gives, compute, of_dense, read)
        return compute

    return enter


def as_read(application: Application, values: list[Value]) -> list[Value]:
    """The inputs of an operator, converted for its form."""
    form = FORMS.get(application.op.name)
    return values if form is None or form.read is None else form.read(values)


def by_kinds(table: dict[str, str]) -> Gives:
    """Look up the output's kind in a table by the kinds of the inputs, separated by blanks."""
    return lambda application, kinds: table.get(" ".join(kinds))


def same_kind(application: Application, kinds: Kinds) -> str | None:
    """The kind that all inputs have, if it is sparse."""
    return kinds[0] if kinds[0] != DEFAULT and len(set(kinds)) == 1 else None


def given_kind(application: Application, kinds: Sequence[str]) -> str | Kinds | None:
    """The storage kind of an operator's output, or of several outputs; None if it is computed densely."""
    form = FORMS.get(application.op.name)
    if form is None or (not form.of_dense and set(kinds) == {DEFAULT}):
        return None
    return form.gives(application, tuple(kinds))


def is_stored(application: Application, kinds: Sequence[str]) -> bool:
    """Whether an operator works on stored values: an input or the output is sparse."""
    if any(kind != DEFAULT for kind in kinds):
        return True
    return given_kind(application, kinds) not in (None, DEFAULT)


def setting(application: Application, name: str) -> Any:
    """An attribute of an operator."""
    return application.settings[name]
