"""Normally and exponentially distributed numbers, made of random bits by the inverse of the distribution.

Bits are read as a signed integer. It says in which half of the distribution an element lies, and how far from
the median: `q`, between -1/2 and 1/2, is the probability between them. In the middle the number is a function
of `q`, in the tails one of the probability `p` that is left beyond. Both keep all their digits, so that 32 bits
reach 6.3 standard deviations, and 64 bits 9.2. The functions have two readers, NumPy and the compiler's
emitter; their coefficients are minimax fits (``tests/codegen/maths/minimax.py``).
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.operator import Array
from gluonic.graph.random_words import drawn

Coefficients = tuple[float, ...]


class Curves(NamedTuple):
    """The inverse of the normal distribution for one format: above and below the line of a quotient.

    Attributes
    ----------
    middle : what `q` is multiplied by, of ``MIDDLE**2 - q**2``
    tail : of ``sqrt(-log(p)) - TAIL``
    bits : how many bits an element takes
    """

    middle: tuple[Coefficients, Coefficients]
    tail: tuple[Coefficients, Coefficients]
    bits: int


MIDDLE = 0.4375
"""How far the middle reaches."""
TAIL = 1.625
CURVES = {
    np.dtype(np.float32): Curves(
        (
            (3.506560802459717, 59.815670013427734, 211.50721740722656, 85.03890991210938),
            (1.0, 20.503225326538086, 101.2948989868164, 94.14242553710938),
        ),
        (
            (1.4660552740097046, 2.768252372741699, 1.2910014390945435, 0.16605883836746216),
            (1.0, 0.7275069952011108, 0.11726058274507523),
        ),
        32,
    ),
    np.dtype(np.float64): Curves(
        (
            (
                3.50656124423439,
                158.88651682435787,
                2695.4232323478163,
                21335.965136973933,
                80278.94752695852,
                130673.04517941992,
                71131.75561651132,
                5756.099577220558,
            ),
            (
                1.0,
                48.756329629307665,
                906.9733423344535,
                8092.955929462858,
                35833.70909960572,
                73880.5512680435,
                59256.005310436165,
                11648.606180690182,
            ),
        ),
        (
            (
                1.466054773701408,
                5.15620542597902,
                7.203996357637212,
                5.2186555009691356,
                2.0805551816379837,
                0.44187124019166113,
                0.04423872597306769,
                0.0015107661104443973,
            ),
            (
                1.0,
                2.356328738250723,
                2.2599507763626967,
                1.0913575763369607,
                0.2672795643051238,
                0.029557874405808076,
                0.001068125150754671,
                1.4262698532251179e-09,
            ),
        ),
        64,
    ),
}


def in_the_middle(m: Any, q: Any, room: Any) -> tuple[Any, Any]:
    """The number of an element in the middle, above and below the line; `room` is left to its end."""
    above, below = CURVES[q.dtype].middle
    return q * m.horner(room, above), m.horner(room, below)


def in_a_tail(m: Any, root: Any) -> tuple[Any, Any]:
    """How large the number of an element in a tail is, likewise; `root` is ``sqrt(-log(p))``."""
    above, below = CURVES[root.dtype].tail
    return m.horner(root - TAIL, above), m.horner(root - TAIL, below)


@cache
def _constants(numbers: tuple[float, ...], dtype: Any) -> list[Array]:
    """Numbers as arrays, which NumPy takes faster."""
    return [np.array(number, dtype) for number in numbers]


class _Arrays:
    """What reads the functions above for NumPy."""

    @staticmethod
    def horner(x: Array, coefficients: Coefficients) -> Array:
        """Evaluate a polynomial; `coefficients` begin with the constant term."""
        *others, last = _constants(coefficients, x.dtype)
        result: Array = np.multiply(x, last)
        for number in others[:0:-1]:
            np.add(result, number, result)
            np.multiply(result, x, result)
        return np.add(result, others[0], result)


def _scaled(integers: Array, found: Array) -> Array:
    """Integers as probabilities, in the middle of what each stands for."""
    half, unit = _constants((0.5, 2.0 ** -CURVES[found.dtype].bits), found.dtype)
    found[:] = integers
    np.add(found, half, found)
    return np.multiply(found, unit, found)


def _left(bits: Array, found: Array) -> Array:
    """The probability `p` that is left beyond each element."""
    last = 8 * bits.itemsize - 1
    sign, most = _constants((last, (1 << last) - 1), bits.dtype)
    distance = np.right_shift(bits, sign)
    np.bitwise_xor(distance, bits, distance)
    return _scaled(np.subtract(most, distance, distance), found)


def fill_normally(bits: Array, found: Array) -> None:
    """Write numbers with mean 0 and variance 1."""
    end, zero = _constants((MIDDLE**2, 0.0), found.dtype)
    q = _scaled(bits, found)
    room = np.multiply(q, q)
    np.subtract(end, room, room)
    far = np.less(room, zero).nonzero()[0]
    above, below = in_the_middle(_Arrays, q, room)
    if far.size:
        left = _left(bits[far], np.empty(far.size, q.dtype))
        root = np.sqrt(np.negative(np.log(left, left), left), left)
        ends = np.copysign(np.divide(*in_a_tail(_Arrays, root)), q[far])
        np.divide(above, below, found)
        found[far] = ends
    else:
        np.divide(above, below, found)


def fill_exponentially(bits: Array, found: Array) -> None:
    """Write exponentially distributed numbers with mean 1: minus the logarithm of twice `p`."""
    two, zero = _constants((2.0, 0.0), found.dtype)
    left = _left(bits, found)
    np.log(np.multiply(left, two, left), left)
    np.subtract(zero, left, left)


def normal(key: int, shape: Shape, dtype: Any) -> Array:
    """Normally distributed numbers, of 32 random bits as float32, of 64 as float64."""
    return drawn(key, shape, dtype, fill_normally)


def exponential(key: int, shape: Shape, dtype: Any) -> Array:
    """Exponentially distributed numbers, of 31 random bits as float32, of 63 as float64."""
    return drawn(key, shape, dtype, fill_exponentially)
