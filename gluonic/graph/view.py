"""A node as a rule sees it: names give values of the current interpretation.

In a shape rule `n.data` is a shape, in a dtype rule a dtype, in a gradient rule an NDArray or a graph
entry. During inference, *reading an unknown raises* `Unknown`, and *assigning unifies*.

All attributes of a `NodeView` belong to the operator, whose inputs may be called `label`, `index` or `grad`.
Functions such as `title_of(n)` and `peek(n, name)` return all else about a node.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from gluonic.graph.errors import InferenceError

PartialShape = tuple[int | None, ...]


class Unknown(Exception):
    """A rule read a fact that is not known yet."""


def complete(shape: PartialShape) -> tuple[int, ...]:
    """The shape, if it is fully known; otherwise raise `Unknown`."""
    if None in shape:
        raise Unknown
    return shape  # type: ignore[return-value]


def unify(old: Any, new: Any, where: str | Callable[[], str]) -> Any:
    """The most specific value compatible with both; None, also inside a shape, is unknown.

    Parameters
    ----------
    where : the place of the value, or a function that returns it for a message

    Examples
    --------
    >>> unify((None, 3), (2, None), "fc1: data")
    (2, 3)
    """
    if old is None or new is None:
        return new if old is None else old
    if isinstance(old, tuple) and isinstance(new, tuple):
        if len(old) == len(new) and all(
            a == b or a is None or b is None for a, b in zip(old, new, strict=True)
        ):
            return tuple(b if a is None else a for a, b in zip(old, new, strict=True))
    elif old == new:
        return old
    where = where if isinstance(where, str) else where()
    error = InferenceError(f"{where} is {written(old)} but must be {written(new)}")
    error.conflict = where.rpartition(": ")[2], old, new
    raise error


def written(fact: Any) -> str:
    """A shape or dtype in the notation of messages; an unknown axis is a question mark.

    >>> written((None, 3))
    '(?, 3)'
    """
    if isinstance(fact, tuple):
        inner = ", ".join("?" if axis is None else str(axis) for axis in fact)
        return f"({inner},)" if len(fact) == 1 else f"({inner})"
    return "unknown" if fact is None else getattr(fact, "name", str(fact))


class Titled(Protocol):
    """A subject of messages, whose title is computed only for a message."""

    @property
    def title(self) -> str:
        """Its name."""
        ...


class NodeView:
    """One use of an operator, by the names of its inputs, outputs and attributes.

    Parameters
    ----------
    slots : values of the inputs and outputs by name; None is unknown
    settings : the attributes
    declared : names that the operator has but this use does not (an absent bias)
    groups : the names of the members of variadic inputs and outputs
    title : the node's name in messages
    train : whether the node runs in training mode (in gradient rules)
    wanted : for each input, whether its gradient is requested (in gradient rules)
    """

    __slots__ = ("_declared", "_groups", "_settings", "_slots", "_titled", "_train", "_wanted")

    _slots: dict[str, Any]
    _settings: dict[str, Any]
    _titled: str | Titled
    _train: bool
    _wanted: Sequence[bool]
    _groups: dict[str, list[str]]

    def __init__(
        self,
        slots: dict[str, Any],
        settings: dict[str, Any],
        *,
        declared: Sequence[str] = (),
        groups: dict[str, list[str]] | None = None,
        title: "str | Titled" = "",
        train: bool = False,
        wanted: Sequence[bool] = (),
    ) -> None:
        set_own = object.__setattr__
        set_own(self, "_slots", slots)
        set_own(self, "_settings", settings)
        set_own(self, "_declared", declared)
        set_own(self, "_groups", groups or {})
        set_own(self, "_titled", title)
        set_own(self, "_train", train)
        set_own(self, "_wanted", wanted)

    def __getattr__(self, name: str) -> Any:
        slots = self._slots
        if name in slots:
            value = slots[name]
            if value is None:
                raise Unknown
            return value
        if name in self._settings:
            return self._settings[name]
        if name in self._groups:
            return [slots[member] for member in self._groups[name]]
        if name in self._declared:
            return None
        raise AttributeError(f"{title_of(self)} has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        slots = self._slots
        if name in slots:
            old = slots[name]
            if old is None:
                slots[name] = value
            elif value is not None and value is not old:
                slots[name] = unify(old, value, lambda: f"{title_of(self)}: {name}")
        elif name in self._groups:
            members = self._groups[name]
            if len(members) != len(value):
                raise InferenceError(
                    f"{title_of(self)}: {len(members)} of {name}, not {len(value)}"
                )
            for member, one in zip(members, value, strict=True):
                slots[member] = unify(slots[member], one, f"{title_of(self)}: {member}")
        elif name not in self._declared:
            raise AttributeError(f"{title_of(self)} has no {name!r}")


def title_of(n: NodeView) -> str:
    """The name of a node in messages."""
    titled = n._titled
    return titled if isinstance(titled, str) else titled.title


def peek(n: NodeView, name: str) -> Any:
    """The value of an input or output, or None while it is unknown or absent."""
    return n._slots.get(name)


def put(n: NodeView, name: str, value: Any) -> None:
    """Assign to an input or output by name; this unifies."""
    setattr(n, name, value)


def slots_of(n: NodeView) -> Mapping[str, Any]:
    """The values of all inputs and outputs by name; None is unknown."""
    return n._slots


def settings_of(n: NodeView) -> dict[str, Any]:
    """The attributes by name."""
    return n._settings


def is_training(n: NodeView) -> bool:
    """Whether a node runs in training mode, in gradient rules."""
    return n._train


def wanted_of(n: NodeView) -> Sequence[bool]:
    """For each input, whether its gradient is requested, in gradient rules."""
    return n._wanted


def run_on(
    n: NodeView,
    rule: Callable[[NodeView], None],
    names: Iterable[str],
    groups: dict[str, list[str]] | None = None,
) -> None:
    """Apply another operator's rule to some inputs and outputs.

    Parameters
    ----------
    names : the inputs and outputs that the rule sees
    groups : as for `NodeView`
    """
    slots = {name: n._slots[name] for name in names}
    rule(NodeView(slots, n._settings, groups=groups, title=n._titled))
    for name, value in slots.items():
        put(n, name, value)
