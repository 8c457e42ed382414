"""Attributes that are computed when they are first asked for."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:
        """That of Python 3.12. Earlier ones hold a lock for all instances while one computes.

        So no two nets were compiled at once, and the child of a fork waited for a thread that it did not have.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = self._compute(instance)
            return instance.__dict__.setdefault(self._name, value)


__all__ = ["cached_property"]
