"""Scopes with a current one for each thread: ``with`` sets it, and so does MXNet's ``current``."""

import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self


class Current(threading.local):
    """The current scope of a thread.

    Parameters
    ----------
    first : creates the initial scope of a thread
    """

    def __init__(self, first: Callable[[], Any]) -> None:
        self.value: Any = first()


class _WithCurrent(type):
    """Lets ``current`` be read and set on a class of scopes, as in MXNet."""

    _current: Current

    @property
    def current(cls) -> Any:
        warnings.warn(
            f"{cls.__name__}.current is deprecated; use `with {cls.__name__}(…):`",
            DeprecationWarning,
            stacklevel=2,
        )
        return cls._current.value

    @current.setter
    def current(cls, scope: Any) -> None:
        cls._current.value = scope


class Scope(metaclass=_WithCurrent):
    """A ``with`` block during which the object is its thread's current scope of its kind.

    A kind is a subclass that sets ``_current``.
    """

    _current: Current

    def __init__(self) -> None:
        self._outer: list[Any] = []

    def __enter__(self) -> Self:
        self._outer.append(self._current.value)
        self._current.value = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._current.value = self._outer.pop()
