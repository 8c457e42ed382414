"""Parts of the array that a symbol stands for: integers, slices, new axes and an ellipsis."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.ndarray.keys import is_integer
from gluonic.symbol.numpy.operators import SYMBOLIC as F


def part_of(symbol: Any, key: Any) -> Any:
    """The part that a key selects.

    Parameters
    ----------
    symbol : a symbol of `mx.sym.np` with one output, whose number of axes need not be known
    key : integers, slices, None for new axes, and at most one Ellipsis
    """
    parts = key if isinstance(key, tuple) else (key,)
    for part in parts:
        if part is not None and part is not ... and not isinstance(part, slice):
            _require_integer(symbol, part)
    places = [i for i, part in enumerate(parts) if part is ...]
    if len(places) > 1:
        raise IndexError(f"{symbol!r}: an index can only have a single ellipsis ('...')")
    split = places[0] if places else len(parts)
    first, last = parts[:split], parts[split + 1 :]
    found = _at_the_end(_at_the_front(symbol, _without_new(first)), _without_new(last))
    return _with_new_axes(found, first, last)


def _require_integer(symbol: Any, part: Any) -> None:
    if not is_integer(part):
        raise OutOfRangeError(
            describe(
                "a symbol of mx.sym.np is indexed with integers, slices, None, ... and tuples of them, "
                f"not {part!r}",
                where=repr(symbol),
                hint="F.np.take, F.npx.gather_nd",
            )
        )


def _without_new(parts: Sequence[Any]) -> list[Any]:
    return [part for part in parts if part is not None]


def _as_slices(parts: Sequence[Any]) -> list[slice]:
    """Slices of one element in place of integers."""
    slices = [p if isinstance(p, slice) else slice(p, p + 1 or None, None) for p in parts]
    if any(s.step == 0 for s in slices):
        raise ValueError("slice step cannot be zero")
    return slices


def _at_the_front(symbol: Any, parts: Sequence[Any]) -> Any:
    """Select from the first axes."""
    slices = _as_slices(parts)
    if not slices:
        return symbol
    begin, end, step = ([getattr(s, f) for s in slices] for f in ("start", "stop", "step"))
    found = F.slice(symbol, begin=begin, end=end, step=step)
    if not any(map(is_integer, parts)):
        return found
    codes = (*[-3 if is_integer(part) else -2 for part in parts], -4)
    return F._npx_reshape(found, newshape=codes)


def _at_the_end(symbol: Any, parts: Sequence[Any]) -> Any:
    """Select from the last axes, which are counted from the end."""
    found, dropped = symbol, []
    for i, (part, cut) in enumerate(zip(parts, _as_slices(parts), strict=True)):
        axis = i - len(parts)
        if is_integer(part):
            found = F.slice_axis(found, axis=axis, begin=cut.start, end=cut.stop)
            dropped.append(axis)
        elif cut != slice(None):  # may select nothing, which slice_axis refuses
            turned = F._npi_swapaxes(found, dim1=0, dim2=axis)
            found = F._npi_swapaxes(_at_the_front(turned, [cut]), dim1=0, dim2=axis)
    return F._np_squeeze(found, axis=tuple(dropped)) if dropped else found


def _with_new_axes(symbol: Any, first: Sequence[Any], last: Sequence[Any]) -> Any:
    """Insert axes of length one where a key has None; integers have removed theirs."""
    found, kept = symbol, 0
    for part in first:
        if part is None:
            found = F._npi_expand_dims(found, axis=kept)
        kept += not is_integer(part)
    kept = 0
    for part in reversed(last):
        if part is None:
            found = F._npi_expand_dims(found, axis=-1 - kept)
        kept += not is_integer(part)
    return found
