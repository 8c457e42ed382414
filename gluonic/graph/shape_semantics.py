"""How unknown shapes are written where users see them: MXNet's old way, and NumPy's.

Inside the house None is unknown. In the old way (the default) an axis of length 0 and the shape
``()`` mean «unknown»; with `np_shape` active they mean what they say, and -1 and None are unknown.
"""

import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from gluonic.graph.view import PartialShape


class _Switch(threading.local):
    active: bool | None = None  # None: as the process at large


_switch = _Switch()
_process = {"active": False}


def is_np_shape() -> bool:
    """Whether 0 and ``()`` in shapes mean an empty axis and a scalar, rather than «unknown»."""
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
        what was set before
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
    """``with np_shape():`` NumPy's shapes inside the block.

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
    """Whether the user leaves an axis open, to be inferred: with -1, or 0 where shapes are not NumPy's."""
    return axis == -1 or (axis == 0 and not is_np_shape())


def inward(shape: Iterable[int | None] | None) -> PartialShape | None:
    """Read a shape as a user writes it; None, also inside, is unknown."""
    if shape is None:
        return None
    axes = tuple(None if a is None or is_open(a) else int(a) for a in shape)
    return axes if axes or is_np_shape() else None


def outward(shape: PartialShape | None) -> tuple[int, ...] | None:
    """Write a shape as a user reads it."""
    if is_np_shape():
        return None if shape is None else tuple(-1 if a is None else a for a in shape)
    return () if shape is None else tuple(0 if a is None else a for a in shape)
