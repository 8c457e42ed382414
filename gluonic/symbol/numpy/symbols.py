"""`mx.sym.np._Symbol`: a symbol with NumPy's semantics."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.ndarray.keys import is_integer
from gluonic.numpy_functions.methods import check_cast
from gluonic.numpy_functions.refused_methods import REFUSED, refusal
from gluonic.symbol.numpy.operators import SYMBOLIC
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

    def __getattr__(self, name: str) -> Any:
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
        key : for an array, integers and slices, one for each of its first axes
        """
        if self.num_outputs > 1:
            return super().__getitem__(key)
        parts = key if isinstance(key, tuple) else (key,)
        for part in parts:
            if not isinstance(part, slice) and not is_integer(part):
                raise OutOfRangeError(
                    describe(
                        "a symbol of mx.sym.np is indexed with integers, slices and tuples of them, "
                        f"not {part!r}",
                        where=repr(self),
                        hint="F.np.take, F.npx.gather_nd, F.np.expand_dims",
                    )
                )
        return _part(self, parts)


def _part(symbol: _Symbol, parts: Sequence[Any]) -> Any:
    """The part of an array that integers and slices select."""
    slices = [p if isinstance(p, slice) else slice(p, p + 1 or None, None) for p in parts]
    if any(s.step == 0 for s in slices):
        raise ValueError("slice step cannot be zero")
    if not slices:
        return symbol
    begin, end, step = ([getattr(s, f) for s in slices] for f in ("start", "stop", "step"))
    found = SYMBOLIC.slice(symbol, begin=begin, end=end, step=step)
    if not any(map(is_integer, parts)):
        return found
    codes = (*[-3 if is_integer(part) else -2 for part in parts], -4)
    return SYMBOLIC._npx_reshape(found, newshape=codes)
