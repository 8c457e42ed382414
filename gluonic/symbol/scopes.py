"""What surrounds the making of a symbol: attributes to add, and the Gluon block at work."""

import threading
import warnings
from collections import defaultdict
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self


class _Current(threading.local):
    def __init__(self) -> None:
        self.value = AttrScope()


class _WithCurrent(type):
    """Lets ``AttrScope.current`` be read and set, as in MXNet."""

    @property
    def current(cls) -> "AttrScope":
        warnings.warn(
            "AttrScope.current is deprecated; use `with AttrScope(…):`",
            DeprecationWarning,
            stacklevel=2,
        )
        return _current.value

    @current.setter
    def current(cls, scope: "AttrScope") -> None:
        _current.value = scope


class AttrScope(metaclass=_WithCurrent):
    """``with AttrScope(name="value"):`` gives the attributes to all symbols made in the block.

    Parameters
    ----------
    **attributes : strings by name

    Raises
    ------
    ValueError
        for a value that is not a string
    """

    _current: Any
    _subgraph_names: dict[str, int] = defaultdict(int)  # how often each name has been numbered

    def __init__(self, **attributes: str) -> None:
        for name, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError(f"AttrScope: {name} must be a string, not {value!r}")
        self._attr = attributes
        self._outer: list[AttrScope] = []

    def get(self, attr: Mapping[str, str] | None) -> dict[str, str]:
        """Return the attributes of a symbol: the scope's, overridden by its own."""
        return {**self._attr, **(attr or {})}

    def __enter__(self) -> Self:
        outer = _current.value
        self._outer.append(outer)
        self._attr = {**outer._attr, **self._attr}
        _current.value = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _current.value = self._outer.pop()


_current = _Current()
AttrScope._current = _current


def current_attributes() -> AttrScope:
    """Return the attribute scope of the present thread."""
    return _current.value


class _Path(threading.local):
    value = ""


_path = _Path()


def block_path() -> str:
    """Return the path of the Gluon block at work, outermost first: ``net0/dense0``."""
    return _path.value


class block_scope:
    """``with block_scope(name):`` symbols made inside remember the Gluon block that made them."""

    __slots__ = ("_before", "_name")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        self._before = _path.value
        _path.value = f"{self._before}/{self._name}" if self._before else self._name

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _path.value = self._before
