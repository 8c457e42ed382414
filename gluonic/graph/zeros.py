"""Gradients where the numbers that they divide by are zero, in hybrid code."""

from collections.abc import Callable
from typing import Any


def is_zero(F: Any, value: Any) -> Any:
    """1 where an array is 0, else 0, in its dtype."""
    return F._equal_scalar(value, scalar=0.0)


def ones_for_zeros(F: Any, value: Any) -> Any:
    """An array with 1 in the place of each 0: a divisor of what is 0 there, too."""
    return value + is_zero(F, value)


def product_of_the_others(
    F: Any,
    factors: Any,
    product: Callable[[Any], Any],
    count: Callable[[Any], Any],
    spread: Callable[[Any], Any],
) -> Any:
    """For each factor the product of the others: the derivative of their product.

    Parameters
    ----------
    factors : the array whose elements are multiplied
    product, count : products and sums over the axes that are reduced
    spread : repeats a result along these axes
    """
    zeros = is_zero(F, factors)
    others = factors + zeros
    found = spread(product(others)) / others
    is_only_zero = F._equal(spread(count(zeros)), zeros)  # no factor is 0, except perhaps this one
    return F.where(is_only_zero, found, F.zeros_like(factors))
