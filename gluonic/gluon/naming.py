"""Names of blocks and parameters, as MXNet makes them: ``hybridsequential0_dense0_weight``."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gluonic.gluon.parameter_dict import ParameterDict, dict_of_child
from gluonic.symbol import Prefix, current_names

if TYPE_CHECKING:
    from gluonic.gluon.block import Block


class _Current(threading.local):
    value: "BlockScope | None" = None


_CURRENT = _Current()


class BlockScope:
    """The ``with net.name_scope():`` of a block: children made inside carry its prefix."""

    _current = _CURRENT

    def __init__(self, block: "Block") -> None:
        self._block = block
        self._counter: dict[str, int] = {}
        self._outer: list[tuple[BlockScope | None, Prefix]] = []

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy: a scope that is not entered."""
        return {**self.__dict__, "_outer": []}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._block, self._counter, self._outer = state["_block"], state["_counter"], []

    def __enter__(self) -> Self:
        if not self._block._empty_prefix:
            names = Prefix(self._block.prefix)
            names.__enter__()
            self._outer.append((self._current.value, names))
            self._current.value = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._block._empty_prefix:
            self._current.value, names = self._outer.pop()
            names.__exit__(kind, error, traceback)

    @staticmethod
    def create(
        prefix: str | None, params: ParameterDict | None, hint: str
    ) -> tuple[str, ParameterDict]:
        """Return the full prefix and the parameters of a new block; see `name_block`."""
        return name_block(prefix, params, hint)

    @property
    def block(self) -> "Block":
        """The block whose scope it is."""
        return self._block

    def numbered(self, hint: str) -> str:
        """The next prefix for a child of that kind, such as ``dense0_``, then ``dense1_``."""
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}_"


def name_block(
    prefix: str | None, params: ParameterDict | None, hint: str
) -> tuple[str, ParameterDict]:
    """The full prefix of a new block, and the dictionary for its parameters.

    Parameters
    ----------
    prefix : the prefix that the user gave, None to number it by `hint`
    params : parameters to share, None for new ones
    hint : the kind of block, in lower case
    """
    scope = _CURRENT.value
    if scope is None:
        if prefix is None:
            prefix = current_names().get(None, hint) + "_"
        shared = ParameterDict(prefix) if params is None else ParameterDict(params.prefix, params)
        return prefix, shared
    if prefix is None:
        prefix = scope.numbered(hint)
    parent = scope.block
    if params is None:
        return parent.prefix + prefix, dict_of_child(parent.params, prefix)
    return parent.prefix + prefix, ParameterDict(params.prefix, params)
