"""Hooks: functions called before or after a block's forward."""

import itertools
import weakref
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

_numbers = itertools.count()


class HookHandle:
    """The handle of a registered hook; `detach` removes the hook, as does leaving a ``with``."""

    def __init__(self, hooks: "Hooks | None" = None, number: int = -1) -> None:
        self._hooks = weakref.ref(hooks) if hooks is not None else None
        self._number = number

    def attach(self, hooks_dict: "Hooks", hook: Callable[..., Any]) -> None:
        """Add a hook to a collection; a handle serves one hook."""
        if self._hooks is not None:
            raise ValueError("a handle serves one hook; make another for the next")
        # Hooks that come from another process have its numbers.
        self._number = next(number for number in _numbers if number not in hooks_dict)
        hooks_dict[self._number] = hook
        self._hooks = weakref.ref(hooks_dict)

    def detach(self) -> None:
        """Remove the hook; a second call is harmless."""
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

    def __getstate__(self) -> tuple["Hooks | None", int]:
        return None if self._hooks is None else self._hooks(), self._number

    def __setstate__(self, state: tuple["Hooks | None", int]) -> None:
        hooks, self._number = state
        self._hooks = None if hooks is None else weakref.ref(hooks)


def _unchanged() -> None:
    """The callback of hooks that belong to no block yet."""


class Hooks(dict[int, Callable[..., Any]]):
    """The hooks of a block, in the order of their registration.

    Parameters
    ----------
    changed : called after each change
    hooks : the initial hooks
    """

    def __init__(
        self,
        changed: Callable[[], None] = _unchanged,
        hooks: Mapping[int, Callable[..., Any]] | None = None,
    ) -> None:
        super().__init__(hooks or {})
        self._changed = changed

    def __setitem__(self, number: int, hook: Callable[..., Any]) -> None:
        super().__setitem__(number, hook)
        self._changed()

    def __delitem__(self, number: int) -> None:
        super().__delitem__(number)
        self._changed()

    def clear(self) -> None:
        """Remove all hooks."""
        super().clear()
        self._changed()

    def pop(self, number: int, *default: Any) -> Any:
        """Remove a hook and return it."""
        hook = super().pop(number, *default)
        self._changed()
        return hook

    def popitem(self) -> tuple[int, Callable[..., Any]]:
        """Remove the latest hook and return it with its number."""
        item = super().popitem()
        self._changed()
        return item

    def remove(self, number: int) -> None:
        """Remove a hook, if it is registered."""
        self.pop(number, None)

    def add(self, hook: Callable[..., Any]) -> HookHandle:
        """Register a hook."""
        handle = HookHandle()
        handle.attach(self, hook)
        return handle

    def __reduce__(self) -> Any:
        # Unpickling must need neither: both may refer to the block that refers to them.
        return Hooks, (), (self._changed, dict(self))

    def __setstate__(self, state: tuple[Callable[[], None], dict[int, Callable[..., Any]]]) -> None:
        self._changed, hooks = state
        self.update(hooks)
