"""`mx.sym.np._Symbol`: a symbol with NumPy's semantics."""

from typing import Any, ClassVar

from gluonic.numpy_functions.methods import check_cast
from gluonic.symbol.symbol import Symbol


class _Symbol(Symbol):
    """Outputs of a graph, whose operators and methods are those of `mx.np.ndarray`."""

    __slots__ = ()

    _of_numpy: ClassVar[bool] = True

    def as_np_ndarray(self) -> "_Symbol":
        """Return the symbol itself."""
        return self

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """Return the elements as another dtype; the other arguments are there for NumPy's sake."""
        check_cast(order, casting, subok)
        return self.as_nd_ndarray().astype(dtype).as_np_ndarray()

    def as_nd_ndarray(self) -> Symbol:
        """Return the same outputs as a symbol of `mx.sym`."""
        return Symbol(self._entries)
