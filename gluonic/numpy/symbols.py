"""`mx.sym.np._Symbol`: a symbol with NumPy's semantics."""

from typing import ClassVar

from gluonic.symbol.symbol import Symbol


class _Symbol(Symbol):
    """Outputs of a graph, whose operators and methods are those of `mx.np.ndarray`."""

    __slots__ = ()

    _of_numpy: ClassVar[bool] = True

    def as_np_ndarray(self) -> "_Symbol":
        """Return the symbol itself."""
        return self

    def as_nd_ndarray(self) -> Symbol:
        """Return the same outputs as a symbol of `mx.sym`."""
        return Symbol(self._entries)
