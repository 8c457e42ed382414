"""The declaration of how an operator works on stored values: what kinds it gives, and how it computes them.

An operator has one `StorageForm`, and MXNet's kinds stand in it. What has none, or whose form gives nothing
for the kinds of some inputs, is computed densely.
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
    """How an operator works on stored values.

    Attributes
    ----------
    gives : the storage kind of the output by the application and the kinds of the inputs, or the kinds of
        several; None: it is computed densely
    compute : the value of the output from the application and the values of the inputs
    of_dense : whether dense inputs alone may give something sparse
    read : the inputs as the operator is to see them, where MXNet allows sparse ones what it does not allow
        dense ones
    """

    gives: Gives
    compute: Compute
    of_dense: bool
    read: Read | None


FORMS: dict[str, StorageForm] = {}


def stored(
    *names: str, gives: Gives, of_dense: bool = False, read: Read | None = None
) -> Callable[[Compute], Compute]:
    """Declare how operators work on stored values: decorates ``compute(application, *values)``."""

    def enter(compute: Compute) -> Compute:
        for name in names:
            FORMS[REGISTRY[name].name] = StorageForm(gives, compute, of_dense, read)
        return compute

    return enter


def as_read(application: Application, values: list[Value]) -> list[Value]:
    """The inputs of an operator as its form sees them."""
    form = FORMS.get(application.op.name)
    return values if form is None or form.read is None else form.read(values)


def by_kinds(table: dict[str, str]) -> Gives:
    """Read the output's kind from a table by the kinds of the inputs, written with blanks between."""
    return lambda application, kinds: table.get(" ".join(kinds))


def same_kind(application: Application, kinds: Kinds) -> str | None:
    """The kind that all inputs have, if it is sparse."""
    return kinds[0] if kinds[0] != DEFAULT and len(set(kinds)) == 1 else None


def given_kind(application: Application, kinds: Sequence[str]) -> str | Kinds | None:
    """The storage kind of an operator's output, or those of several; None if it is computed densely."""
    form = FORMS.get(application.op.name)
    if form is None or (not form.of_dense and set(kinds) == {DEFAULT}):
        return None
    return form.gives(application, tuple(kinds))


def is_stored(application: Application, kinds: Sequence[str]) -> bool:
    """Whether an operator must be given values: an input is sparse, or the output is."""
    if any(kind != DEFAULT for kind in kinds):
        return True
    return given_kind(application, kinds) not in (None, DEFAULT)


def setting(application: Application, name: str) -> Any:
    """An attribute of an operator."""
    return application.settings[name]
