"""Automatic names of symbols: ``fullyconnected0``, ``_plus1``, …, counted for each kind."""

import threading
import warnings
from types import TracebackType
from typing import Any, Self


class _Current(threading.local):
    def __init__(self) -> None:
        self.value = NameManager()


class _WithCurrent(type):
    """Lets ``NameManager.current`` be read and set, as in MXNet."""

    @property
    def current(cls) -> "NameManager":
        warnings.warn(
            "NameManager.current is deprecated; use `with NameManager():`",
            DeprecationWarning,
            stacklevel=2,
        )
        return _current.value

    @current.setter
    def current(cls, manager: "NameManager") -> None:
        _current.value = manager


class NameManager(metaclass=_WithCurrent):
    """Gives names to symbols that the user does not name; ``with`` makes it the present one.

    Each thread has managers of its own.

    Examples
    --------
    >>> names = NameManager()
    >>> names.get(None, "dense"), names.get(None, "dense"), names.get("mine", "dense")
    ('dense0', 'dense1', 'mine')
    """

    _current: Any

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}
        self._outer: list[NameManager] = []

    def get(self, name: str | None, hint: str) -> str:
        """Return the name a symbol gets.

        Parameters
        ----------
        name : the user's choice, None to number it
        hint : the kind of symbol
        """
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"

    def __enter__(self) -> Self:
        self._outer.append(_current.value)
        _current.value = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _current.value = self._outer.pop()


class Prefix(NameManager):
    """A name manager that puts a prefix before all names, chosen ones too.

    Parameters
    ----------
    prefix : the prefix
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the prefix and the name."""
        return self._prefix + super().get(name, hint)


_current = _Current()
NameManager._current = _current


def current_names() -> NameManager:
    """Return the name manager of the present thread."""
    return _current.value
