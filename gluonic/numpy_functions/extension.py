"""``mx.npx``: operators under their own names, and functions written over them."""

from typing import Any

from gluonic.graph import REGISTRY
from gluonic.numpy_functions.table import Operators, function

_PREFIXES = {"npx.image": "_npx__image_", "npx": "_npx_", "np._internal": "_npi_"}
_OF_OTHERS = ("_npx_reshape", "_npx_nonzero", "_npx_constraint_check")


def operators_of(room: str) -> dict[str, str]:
    """The operators that a namespace has as they are, by their names there."""
    prefix = _PREFIXES.get(room)
    if prefix is None:
        return {}
    return {
        name.removeprefix(prefix): name
        for name in REGISTRY
        if name.startswith(prefix) and not (room == "npx" and name.startswith("_npx__"))
        if name not in _OF_OTHERS
    }


@function("npx", "reshape")
def npx_reshape(
    F: Operators, a: Any, newshape: Any, reverse: bool = False, order: str = "C"
) -> Any:
    """Return the elements under another shape, which may refer to that of `a`.

    Parameters
    ----------
    a : any array
    newshape : extents; -1 follows from the number of elements, -2 keeps the axis of `a` at this position, -3
        drops it (of length one), -4 keeps all that are left, -5 joins the next two, -6 splits the next into
        the two that follow
    reverse : read from the end
    order : "C"
    """
    return F._npx_reshape(a, newshape=newshape, reverse=reverse, order=order)


@function("npx")
def constraint_check(F: Operators, x: Any, msg: str) -> Any:
    """Return True where all elements are true.

    Raises
    ------
    ValueError
        saying `msg`, if one is not
    """
    return F._npx_constraint_check(x, msg=msg)
