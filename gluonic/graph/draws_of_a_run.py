"""Draws of each distribution from the words of one Mersenne Twister: the same numbers as in MXNet 1.9.1.

MXNet's samplers are loops that make a new libstdc++ ``uniform_real_distribution`` or ``normal_distribution``
for each element. Comparisons, rounding and precision follow theirs, and logarithms are the C library's. Machine
code does the same for many twisters at once (:mod:`gluonic.codegen.machine.twisters_code`).
"""

from collections.abc import Callable, Sequence
from math import exp, floor, log, sqrt
from typing import Any

import numpy as np

from gluonic.graph.twisters import Array, Take
from gluonic.support.c_functions import c_function

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_BELOW_ONE = {F32: np.nextafter(np.float32(1), np.float32(0)), F64: np.nextafter(1.0, 0.0)}


def uniforms(take: Take, count: int, dtype: Any) -> Array:
    """`count` numbers in [0, 1): float32 from one word each, float64 from two."""
    if dtype == F64:
        words = take(2 * count).reshape(count, 2).astype(np.uint64)
        joined = words[:, 0] | words[:, 1] << np.uint64(32)
        return np.minimum(joined.astype(np.float64) * 2.0**-64, _BELOW_ONE[F64])
    found = take(count).astype(np.float32)
    np.multiply(found, np.float32(2.0**-32), found)
    return np.minimum(found, _BELOW_ONE[F32], out=found)


def _polar(take: Take, count: int, dtype: Any) -> Array:
    """`count` pairs of standard normal numbers, by Marsaglia's polar method.

    The second coordinate of each pair comes first.
    """
    found = np.empty((count, 2), dtype)
    logarithm = c_function("logf" if dtype == F32 else "log")
    done = 0
    while done < count:  # each remaining pair takes at least one pair of uniform numbers
        pairs = uniforms(take, 2 * (count - done), dtype).reshape(-1, 2)
        pairs = pairs * found.dtype.type(2) - found.dtype.type(1)
        squares = pairs * pairs
        length = squares[:, 0] + squares[:, 1]
        inside = (length <= 1) & (length != 0)
        r = length[inside]
        logarithms = np.array(list(map(logarithm, r)), dtype)
        factor = np.sqrt(found.dtype.type(-2) * logarithms / r)
        found[done : done + r.size] = pairs[inside, ::-1] * factor[:, None]
        done += r.size
    return found


def normals(take: Take, count: int, dtype: Any) -> Array:
    """`count` standard normal numbers; one of each pair is kept."""
    return _polar(take, count, dtype)[:, 0]


def paired_normals(take: Take, count: int, dtype: Any) -> Array:
    """`count` standard normal numbers, two from each pair."""
    return _polar(take, -(-count // 2), dtype).reshape(-1)[:count]


def exponentials(take: Take, count: int, dtype: Any) -> Array:
    """`count` exponential numbers of mean 1, as float64."""
    logarithm = c_function("log")
    left = 1.0 - uniforms(take, count, dtype).astype(np.float64)
    return np.array([-logarithm(each) for each in left.tolist()])


def wide_integers(take: Take, count: int) -> Array:
    """`count` integers, from two words each, as int64."""
    words = take(2 * count).reshape(count, 2).astype(np.int64)
    return (words[:, 0] << np.int64(31)) + words[:, 1]


def gamma_table(shape: Array, scale: Array, dtype: Any) -> Array:
    """The constants of gamma distributions for the sampler (Marsaglia and Tsang, ACM TOMS 26, 2000).

    Parameters
    ----------
    shape, scale : those of each distribution; their precision affects the numbers
    dtype : the dtype of the draws, float32 or float64

    Returns
    -------
    a row of float64 for each distribution: the constants d, k and c of the method, the scale, and for a
    shape below 1 the power of a uniform number that is a further factor, else 0
    """
    small = shape < 1
    shift = np.where(small, 2.0 / 3.0, -1.0 / 3.0)
    if shape.dtype == np.float16:
        d = (shape.astype(F32) + shift.astype(F32)).astype(shape.dtype)
    else:
        d = shape.astype(F64) + shift
    with np.errstate(divide="ignore"):
        inverse = 1.0 / shape.astype(F64)
    if shape.dtype == np.float16:
        inverse = inverse.astype(shape.dtype)
    d = d.astype(dtype)
    k = np.sqrt(9.0 * d.astype(F64)).astype(dtype)
    c = (1.0 / k.astype(F64)).astype(dtype)
    power = np.where(small, inverse.astype(dtype), 0)
    return np.stack([d, k, c, scale, power], axis=1).astype(F64)


def gamma(take: Take, row: Sequence[float], dtype: Any, product: Any) -> Any:
    """One number of a gamma distribution.

    Parameters
    ----------
    row : the distribution, a row of a `gamma_table`
    dtype : the dtype of the number
    product : the dtype of its product with the scale
    """
    kind, logarithm = np.dtype(dtype).type, c_function("log")
    d, k, c = map(kind, row[:3])
    while True:
        (z,) = normals(take, 1, dtype)
        if not z > -k:
            continue
        x = kind(1.0 + float(c * z))
        v = x * x * x
        bound = 0.5 * float(z) * float(z) + float(d) * (1.0 - float(v) + logarithm(v))
        if logarithm(1.0 - float(uniforms(take, 1, dtype)[0])) < bound:
            break
    number, scale, power = d * v, row[3], row[4]
    if product == np.float16:
        number = np.float16(np.float32(number) * np.float32(scale))
    elif product == np.float64:
        number = float(number) * scale
    else:
        number = number * kind(scale)
    number = kind(number)
    if power:
        number = kind(float(number) * float(uniforms(take, 1, dtype)[0]) ** power)
    return number


_PI, _FEW = np.float32(3.1415926), 12


def poisson(take: Take, mean: Any) -> int:
    """One number of a Poisson distribution: by Knuth's method, or for means of at least 12 by rejection.

    The latter samples from a Lorentzian distribution (Numerical Recipes in C, 2nd edition, 7.3).
    """
    mean = np.float32(mean)
    if mean < _FEW:
        limit, count = np.float32(c_function("expf")(-mean)), 0
        product = uniforms(take, 1, F32)[0]
        while product > limit:
            count += 1
            product = product * uniforms(take, 1, F32)[0]
        return count
    logarithm = np.float32(c_function("logf")(mean))
    spread = np.float32(sqrt(2.0 * float(mean)))
    log_gamma, power = c_function("lgammaf"), c_function("expf")
    top = mean * logarithm - np.float32(log_gamma(float(mean) + 1.0))
    while True:
        number = np.float32(-1)
        while number < 0:
            y = np.float32(c_function("tanf")(_PI * uniforms(take, 1, F32)[0]))
            number = spread * y + mean
        number = np.floor(number)
        exponent = number * logarithm - np.float32(log_gamma(float(number) + 1.0)) - top
        bound = np.float32(0.9 * (1.0 + float(y * y)) * power(exponent))
        if not uniforms(take, 1, F32)[0] > bound:
            return int(number)


def different(take: Take, count: int, range_max: int) -> tuple[list[int], int]:
    """Draw `count` distinct classes, low ones more often; also return the number of draws."""
    found: dict[int, None] = {}
    tries = 0
    scale = log(range_max)
    while len(found) < count:
        for x in uniforms(take, count - len(found), F64).tolist():
            found[floor(exp(x * scale) + 0.5) - 1] = None
            tries += 1
    return list(found), tries


Fill = Callable[[Take, Array, int, Sequence[Any]], None]
"""Draws into a part of an array; arguments: the words, the part, the index of its first element, parameters."""


def _gammas(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    table, share, product = parameters
    for i in range(part.size):
        part[i] = gamma(take, table[(first + i) // share], part.dtype, product)


def _poissons(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    means, share = parameters
    for i in range(part.size):
        part[i] = poisson(take, means[(first + i) // share])


def _mixed(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    table, share, product = parameters
    for i in range(part.size):
        row = table[(first + i) // share]
        part[i] = poisson(take, gamma(take, row, F32, product) if row[0] else row[3])


def _affine(draw: Callable[[Take, int, Any], Array]) -> Fill:
    """Draws standard numbers, times a scale, plus an offset; the parameters are offset and scale."""

    def fill(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
        offset, scale = parameters
        found = draw(take, part.size, part.dtype)
        found *= part.dtype.type(scale)
        np.add(found, part.dtype.type(offset), part)

    return fill


def _exponential(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    rates, share = parameters
    part[:] = (
        exponentials(take, part.size, part.dtype)
        / rates[np.arange(first, first + part.size) // share]
    )


def _kept(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    np.less_equal(take(part.size), np.uint32(parameters[0]), part)


def _words(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    part[:] = take(part.size)


def _wide(take: Take, part: Array, first: int, parameters: Sequence[Any]) -> None:
    part[:] = wide_integers(take, part.size)


FILLS: dict[str, Fill] = {
    "uniform": _affine(uniforms),
    "normal": _affine(normals),
    "paired": _affine(paired_normals),
    "words": _words,
    "exponential": _exponential,
    "kept": _kept,
    "integers": _wide,
    "gamma": _gammas,
    "poisson": _poissons,
    "mixed": _mixed,
}
"""The draws by name, and their parameters.

- ``uniform``, ``normal``, ``paired``: the offset, and the scale that is applied before
- ``exponential``: rates, and the number of draws for each
- ``kept``: the largest word of an element that is kept; the result is bool
- ``words``, ``integers``: none
- ``gamma``: a `gamma_table`, the number of draws for each row, the dtype of products with the scale
- ``poisson``: means, and the number of draws for each
- ``mixed``: as ``gamma``; Poisson numbers with gamma distributed means. A row that begins with 0 has the
  mean instead of the scale
"""

WORD_BY_WORD = frozenset({"uniform", "kept", "words", "integers"})
"""The draws whose elements all take equally many words: many runs may be drawn at once."""
