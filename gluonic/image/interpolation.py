"""MXNet's numbers for interpolation methods, including those that choose by size or at random."""

import random
from collections.abc import Sequence

from gluonic.graph.errors import AttributeValueError, describe
from gluonic.graph.interpolation import AT_RANDOM, BY_SIZES, CUBIC, KINDS, LANCZOS, NEAREST, suiting


def _get_interp_method(interp: int, sizes: Sequence[int] = ()) -> int:
    """Return the interpolation method of a number.

    Parameters
    ----------
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    sizes : height and width before and after

    Raises
    ------
    ValueError
        for any other number
    """
    if interp == BY_SIZES:
        return _by_sizes(sizes)
    if interp == AT_RANDOM:
        return random.randint(NEAREST, LANCZOS)
    if interp not in KINDS:
        raise AttributeValueError(f"Unknown interp method {interp}: there are 0 to 4, 9 and 10")
    return interp


def _by_sizes(sizes: Sequence[int]) -> int:
    """The method for sizes: area to shrink both sides, bicubic to enlarge or if sizes are unknown."""
    if not sizes:
        return CUBIC
    if len(sizes) != 4:
        raise AttributeValueError(
            describe(
                f"sizes={sizes!r} are not four numbers",
                where="_get_interp_method",
                hint="height and width before, height and width after",
            )
        )
    return suiting(sizes[:2], sizes[2:])
