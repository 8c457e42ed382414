"""The derivatives of products, of any order and at any number of zeros: nothing is divided."""

from collections.abc import Sequence

import numpy as np

from gluonic.graph.operator import Array

# A factor with directions u₁, …, uₘ is the number x + t₁u₁ + … + tₘuₘ, where all tₛ² are 0: the coefficient of
# t₁⋯tₘ in a product of such numbers is the product's derivative along all directions. An array of them has one
# coefficient for each set of directions, in the order of the sets' bit masks, as its first axis.


def _coefficients(factors: Array, directions: Sequence[Array]) -> Array:
    found = np.zeros((1 << len(directions), *factors.shape), factors.dtype)
    found[0] = factors
    for number, direction in enumerate(directions):
        found[1 << number] = direction
    return found


def _times(a: Array, b: Array) -> Array:
    found = np.zeros_like(a)
    for left in range(len(a)):
        for right in range(len(a)):
            if not left & right:
                found[left | right] += a[left] * b[right]
    return found


def _products(numbers: Array) -> Array:
    """For each number along the second axis the product of all others.

    The numbers are multiplied in pairs: the others are those of the pair's, times the other one of the pair.
    """
    levels: list[Array] = [numbers]
    while levels[-1].shape[1] > 1:
        last = levels[-1]
        paired = last.shape[1] // 2 * 2
        pairs = _times(last[:, 0:paired:2], last[:, 1:paired:2])
        levels.append(np.concatenate([pairs, last[:, paired:]], axis=1))
    others = np.zeros_like(levels.pop())
    others[0] = 1
    while levels:
        last, around = levels.pop(), others
        count = last.shape[1] // 2
        others = np.empty_like(last)
        others[:, 0 : 2 * count : 2] = _times(around[:, :count], last[:, 1 : 2 * count : 2])
        others[:, 1 : 2 * count : 2] = _times(around[:, :count], last[:, 0 : 2 * count : 2])
        others[:, 2 * count :] = around[:, count:]
    return others


def derivatives_of_product(
    factors: Array, directions: Sequence[Array], axes: tuple[int, ...]
) -> Array:
    """The derivative of a product along some directions and, for each factor, along that one.

    Parameters
    ----------
    factors, directions : arrays of one shape
    axes : the axes along which factors are multiplied, in order

    Examples
    --------
    >>> derivatives_of_product(np.array([2.0, 3.0, 5.0]), [], (0,))
    array([15., 10.,  6.])
    >>> derivatives_of_product(np.array([0.0, 0.0, 5.0]), [np.array([7.0, 0.0, 0.0])], (0,))
    array([ 0., 35.,  0.])
    """
    kept = [axis for axis in range(factors.ndim) if axis not in axes]
    order = [*axes, *kept]
    arranged = factors.transpose(order)
    folded = (-1, *[factors.shape[axis] for axis in kept])
    if not arranged.size:
        return factors

    def fold(array: Array) -> Array:
        return array.transpose(order).reshape(folded)

    numbers = _coefficients(fold(factors), [*map(fold, directions)])
    found: Array = _products(numbers)[-1].reshape(arranged.shape)
    return found.transpose(np.argsort(order))
