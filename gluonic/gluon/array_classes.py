"""The array class of a block's outputs: arrays of `mx.np`, or of `mx.nd`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gluonic import symbol as sym
from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray import NDArray

if TYPE_CHECKING:
    from gluonic.gluon.block import Block


class ArrayClassError(MXNetError, TypeError):
    """Arrays of `mx.nd` were used where those of `mx.np` are needed, or both were mixed."""


def check_of_numpy(block: "Block", out: Any) -> None:
    """Raise an error for outputs of `mx.nd` if Gluon works on arrays of `mx.np`."""
    for one in out if isinstance(out, (list, tuple)) else (out,):
        if isinstance(one, (list, tuple)):
            check_of_numpy(block, one)
        elif isinstance(one, (NDArray, sym.Symbol)) and not one.of_numpy:
            raise ArrayClassError(
                describe(
                    f"an output is a {type(one).__name__}, where Gluon works on arrays of mx.np",
                    where=type(block).__name__,
                    hint="x.as_np_ndarray(), or npx.reset_np()",
                )
            )


def check_alike(block: "Block", symbols: Sequence[sym.Symbol]) -> None:
    """Raise an error for outputs that mix arrays of `mx.np` and of `mx.nd`."""
    if len({symbol.of_numpy for symbol in symbols}) > 1:
        raise ArrayClassError(
            describe(
                "some outputs are arrays of mx.np, others arrays of mx.nd",
                where=type(block).__name__,
                hint="x.as_np_ndarray() or x.as_nd_ndarray(), so that all are of one class",
            )
        )
