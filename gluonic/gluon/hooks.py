"""Hooks: functions called before or after a block's forward."""

import itertools
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

_numbers = itertools.count()


class HookHandle:
    """What registering a hook returns; `detach` takes the hook away again, as does leaving a ``with``."""

    def __init__(self, hooks: "Hooks | None" = None, number: int = -1) -> None:
        self._hooks = weakref.ref(hooks) if hooks is not None else None
        self._number = number

    def attach(self, hooks: "Hooks", hook: Callable[..., Any]) -> None:
        """Add a hook to a collection; a handle serves one hook."""
        if self._hooks is not None:
            raise ValueError("a handle serves one hook; make another for the next")
        self._number = next(_numbers)
        hooks[self._number] = hook
        self._hooks = weakref.ref(hooks)

    def detach(self) -> None:
        """Take the hook away; doing so again is harmless."""
        hooks = self._hooks() if self._hooks is not None else None
        if hooks is not None:
            hooks.remove(self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.detach()


class Hooks(dict[int, Callable[..., Any]]):
    """The hooks of a block, in the order of their registration.

    Parameters
    ----------
    changed : called after each change
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed

    def __setitem__(self, number: int, hook: Callable[..., Any]) -> None:
        super().__setitem__(number, hook)
        self._changed()

    def remove(self, number: int) -> None:
        """Take a hook away, if it is there."""
        if self.pop(number, None) is not None:
            self._changed()

    def add(self, hook: Callable[..., Any]) -> HookHandle:
        """Register a hook."""
        handle = HookHandle()
        handle.attach(self, hook)
        return handle
