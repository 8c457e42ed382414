"""The notation of unknown shapes in the public interface: MXNet's legacy one, and NumPy's.

Internally None is unknown. In the legacy notation (the default) an axis of length 0 and the shape
``()`` mean "unknown"; with `np_shape` active they are literal, and -1 and None are unknown.
"""

import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from gluonic.graph.view import PartialShape


class _Switch(threading.local):
    active: bool | None = None  # None: the process-wide setting


_switch = _Switch()
_process = {"active": False}


def is_np_shape() -> bool:
    """Whether 0 and ``()`` in shapes mean an empty axis and a scalar, not "unknown"."""
    active = _switch.active
    return _process["active"] if active is None else active


def set_np_shape(active: int | bool) -> bool:
    """Switch NumPy's shapes on or off.

    Parameters
    ----------
    active : True or False for the current thread; 2 for all threads

    Returns
    -------
    bool
        the previous setting
    """
    before = is_np_shape()
    if active is not True and active == 2:
        _process["active"] = True
        _switch.active = None
    else:
        if not active and _switch.active is None:
            _process["active"] = False
        _switch.active = bool(active)
    return before


class np_shape:
    """``with np_shape():`` switches NumPy's shapes on inside the block.

    Examples
    --------
    >>> with np_shape():
    ...     outward((None, 3)), inward((0, 3))
    ((-1, 3), (0, 3))
    >>> outward((None, 3)), inward((0, 3))
    ((0, 3), (None, 3))
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool | None] = []

    def __enter__(self) -> Self:
        self._before.append(_switch.active)
        _switch.active = self._active
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _switch.active = self._before.pop()


def is_open(axis: int) -> bool:
    """Whether the user leaves an axis to be inferred: with -1, or with 0 in the legacy notation."""
    return axis == -1 or (axis == 0 and not is_np_shape())


def inward(shape: Iterable[int | None] | None) -> PartialShape | None:
    """Convert a shape from the user's notation; None, also for an axis, is unknown."""
    if shape is None:
        return None
    axes = tuple(None if a is None or is_open(a) else int(a) for a in shape)
    return axes if axes or is_np_shape() else None


def outward(shape: PartialShape | None) -> tuple[int, ...] | None:
    """Convert a shape to the user's notation."""
    if is_np_shape():
        return None if shape is None else tuple(-1 if a is None else a for a in shape)
    return () if shape is None else tuple(0 if a is None else a for a in shape)
