"""`Layer`: a hybrid block that makes one array of one, for type checkers; else a `HybridBlock`."""

from typing import TYPE_CHECKING, Any, TypeVar

from gluonic.gluon.hybrid import HybridBlock

if TYPE_CHECKING:
    from gluonic.ndarray import NDArray
    from gluonic.symbol import Symbol

    _Data = TypeVar("_Data", bound=NDArray | Symbol)

    class Layer(HybridBlock):
        """A block whose result is of the class of its input."""

        def __call__(self, x: _Data, *args: Any) -> _Data:
            """Run the block."""
else:
    Layer = HybridBlock
