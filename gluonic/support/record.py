"""Classes whose instances are known by the values they hold.

Defining a frozen dataclass takes a millisecond, most of it for compiling the text of its methods, and there are
dozens of them: they were a quarter of the first call of a small net. Here `__init__` alone is compiled, when
it is first called.
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

_Made = TypeVar("_Made", bound=type[Any])


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(made: _Made) -> _Made:
    """Give a class what ``dataclass(frozen=True)`` gives it, with which `dataclasses.replace` works too.

    That nobody writes to the fields is for type checkers to see to.

    Examples
    --------
    >>> @record
    ... class Place:
    ...     offset: int
    ...     size: int = 8
    >>> Place(16)
    Place(offset=16, size=8)
    >>> Place(16) == Place(offset=16, size=8)
    True
    """
    kind: Any = dataclass(init=False, repr=False, eq=False)(made)
    known = fields(kind)
    values = attrgetter("__class__", *[f.name for f in known if f.compare])

    def equal(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def initialize(self: Any, *values: Any, **named: Any) -> None:
        kind.__init__ = _initializer(known, checks=hasattr(kind, "__post_init__"))
        kind.__init__(self, *values, **named)

    kind.__init__ = initialize
    kind.__repr__ = _representation([f.name for f in known if f.repr])
    kind.__eq__, kind.__hash__ = equal, lambda self: hash(values(self))
    return made


def _initializer(known: Sequence[Field[Any]], *, checks: bool) -> Callable[..., None]:
    """The method that takes a value for each field, and has ``__post_init__`` check them."""
    names: dict[str, Any] = {"missing": MISSING}
    arguments, lines = [], []
    for f in known:
        argument, value = f.name, f.name
        if f.default is not MISSING:
            names[f"default_{f.name}"] = f.default
            argument += f"=default_{f.name}"
        elif f.default_factory is not MISSING:
            names[f"make_{f.name}"] = f.default_factory
            argument += "=missing"
            value = f"make_{f.name}() if {f.name} is missing else {f.name}"
        arguments.append(argument)
        lines.append(f"  self.{f.name} = {value}")
    lines.append("  self.__post_init__()" if checks else "  pass")
    exec("\n".join([f"def __init__(self, {', '.join(arguments)}):", *lines]), names)
    made: Callable[..., None] = names["__init__"]
    return made


def _representation(names: Sequence[str]) -> Callable[[Any], str]:
    """The method that shows the fields."""

    def representation(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return representation
