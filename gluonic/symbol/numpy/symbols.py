"""`mx.sym.np._Symbol`: a symbol with NumPy's semantics."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from gluonic.graph.errors import describe
from gluonic.numpy_functions.methods import check_cast
from gluonic.numpy_functions.refused_methods import REFUSED, refusal
from gluonic.symbol.numpy.parts import part_of
from gluonic.symbol.symbol import Symbol


class _Symbol(Symbol):
    """Outputs of a graph, whose operators and methods are those of `mx.np.ndarray`."""

    __slots__ = ()

    of_numpy: ClassVar[bool] = True

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
        """Return the elements as another dtype; the other arguments are accepted as in NumPy."""
        check_cast(order, casting, subok)
        return self.as_nd_ndarray().astype(dtype).as_np_ndarray()

    def as_nd_ndarray(self) -> Symbol:
        """Return the same outputs as a symbol of `mx.sym`."""
        return Symbol(self.entries)

    if not TYPE_CHECKING:  # a checker would believe that a symbol has every attribute

        def __getattr__(self, name):
            if name in REFUSED:
                raise refusal(name, self)
            return super().__getattr__(name)

    def __repr__(self) -> str:
        if self.num_outputs > 1:
            return f"<_Symbol group [{', '.join(map(repr, self))}]>"
        return f"<_Symbol {self.name}>"

    def __len__(self) -> int:
        self._require_list("len()")
        return self.num_outputs

    def __iter__(self) -> Iterator[Self]:
        self._require_list("iteration")
        return iter(self.each_output())

    def _require_list(self, what: str) -> None:
        """Raise an error for the use as a list: Python would iterate over the first axis of an array."""
        if self.num_outputs == 1:
            raise TypeError(
                describe(
                    f"{what}: a symbol with one output is no list; it stands for an array of any length",
                    where=repr(self),
                    hint="mx.sym.np.split(x, parts, axis) for its parts",
                )
            )

    def __getitem__(self, key: Any) -> Any:
        """Return one of several outputs by index, or some by a slice; for a single output, a part of its array.

        Parameters
        ----------
        key : for an array, integers, slices, None and an Ellipsis
        """
        if self.num_outputs > 1:
            return super().__getitem__(key)
        return part_of(self, key)
