"""Scopes in which symbols are made: attributes to add, and the current Gluon block."""

import threading
from collections import defaultdict
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from gluonic.graph.block_path import BlockPath
from gluonic.symbol.current import Current, Scope


class AttrScope(Scope):
    """``with AttrScope(name="value"):`` gives the attributes to all symbols made in the block.

    Parameters
    ----------
    **attributes : strings by name

    Raises
    ------
    ValueError
        for a value that is not a string
    """

    _subgraph_names: dict[str, int] = defaultdict(int)  # the latest number of each name

    def __init__(self, **attributes: str) -> None:
        super().__init__()
        for name, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError(f"AttrScope: {name} must be a string, not {value!r}")
        self._attr = attributes

    def get(self, attr: Mapping[str, str] | None) -> dict[str, str]:
        """Return the attributes of a symbol: the scope's, overridden by its own."""
        return {**self._attr, **(attr or {})}

    def __enter__(self) -> Self:
        self._attr = self._current.value.get(self._attr)
        return super().__enter__()


AttrScope._current = Current(AttrScope)


def current_attributes() -> AttrScope:
    """Return the attribute scope of the current thread."""
    scope: AttrScope = AttrScope._current.value
    return scope


def number_subgraph(name: str, outer: str | None) -> str:
    """Number the name of a subgraph, which is traced in another if `outer` names one.

    Parameters
    ----------
    name : the name
    outer : the name of the subgraph around it, or None
    """
    full, counts = f"{outer}${name}" if outer else name, AttrScope._subgraph_names
    counts[full] += 1
    return f"{full}{counts[full] - 1}"


class _Path(threading.local):
    value = BlockPath()


_path = _Path()


def block_path() -> BlockPath:
    """Return the path of the current Gluon block, outermost first: ``net0/dense0``."""
    return _path.value


class block_scope:
    """``with block_scope(name, kind):`` symbols made inside remember the Gluon block that made them.

    Parameters
    ----------
    name : the block's
    kind : the name of its class
    prefix : the prefix of the names in it
    """

    __slots__ = ("_before", "_kind", "_name", "_prefix")

    def __init__(self, name: str, kind: str = "", prefix: str = "") -> None:
        self._name, self._kind, self._prefix = name, kind, prefix

    def __enter__(self) -> None:
        self._before = _path.value
        _path.value = self._before.inside(self._name, self._kind, self._prefix)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _path.value = self._before
