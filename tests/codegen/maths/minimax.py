"""The minimax fits behind the maths library, to be repeated or improved.

``fit`` finds the polynomial with (nearly) the smallest largest weighted error by Lawson's
iteration, least squares whose weights grow where the error is large, in 50 digits. It rounds one
coefficient after the other to the wanted format and refits the rest, so that rounding costs
almost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mpmath import lu_solve, matrix, mp, mpf

mp.dps = 50
Real = Callable[[mpf], mpf]


def fit(
    function: Real,
    low: float,
    high: float,
    powers: Sequence[int],
    weight: Real = lambda x: mpf(1),
    dtype: type[np.floating] = np.float64,
) -> tuple[list[float], float]:
    """Return coefficients (in the order of `powers`) and the largest weighted error."""
    points = 6 * len(powers) + 1
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    xs = [middle - half * mp.cos(mp.pi * k / (points - 1)) for k in range(points)]
    weights = [weight(x) for x in xs]
    rest = [function(x) for x in xs]
    found: list[float] = []
    for done, power in enumerate(powers):
        value = _nearest(_lawson(xs, rest, weights, powers[done:])[0], dtype)
        found.append(value)
        rest = [y - mpf(value) * x**power for x, y in zip(xs, rest, strict=True)]
    return found, float(max(abs(y * w) for y, w in zip(rest, weights, strict=True)))


def _nearest(value: mpf, dtype: type[np.floating]) -> float:
    with mp.workprec(53 if dtype is np.float64 else 24):
        return float(+value)


def _lawson(
    xs: list[mpf], ys: list[mpf], weights: list[mpf], powers: Sequence[int], rounds: int = 8
) -> list[mpf]:
    """Return the coefficients of one weighted minimax fit."""
    share = [mpf(1)] * len(xs)
    rows = [[w * x**p for p in powers] for x, w in zip(xs, weights, strict=True)]
    right = [w * y for y, w in zip(ys, weights, strict=True)]
    size = len(powers)
    best: tuple[mpf, list[mpf]] = (mpf("inf"), [])
    for _ in range(rounds):
        normal, target = matrix(size, size), matrix(size, 1)
        for row, value, part in zip(rows, right, share, strict=True):
            for i in range(size):
                target[i] += part * row[i] * value
                for j in range(i, size):
                    normal[i, j] += part * row[i] * row[j]
        for i in range(size):
            for j in range(i):
                normal[i, j] = normal[j, i]
        found = list(lu_solve(normal, target))
        errors = [
            abs(value - sum(a * c for a, c in zip(row, found, strict=True)))
            for row, value in zip(rows, right, strict=True)
        ]
        worst = max(errors)
        best = min(best, (worst, found), key=lambda pair: pair[0])
        share = [
            max(part * error / worst, mpf("1e-12"))
            for part, error in zip(share, errors, strict=True)
        ]
    return best[1]


def fit_quotient(
    function: Real, low: float, high: float, above: int, below: int, rounds: int = 20
) -> tuple[list[float], list[float], float]:
    """Return a quotient of polynomials of these degrees, and its largest relative error before rounding.

    Each round makes the error linear by the divisor of the round before.
    """
    points = 10 * (above + below + 2)
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    xs = [middle - half * mp.cos(mp.pi * k / (points - 1)) for k in range(points)]
    ys = [function(x) for x in xs]
    share, divisors = [mpf(1)] * points, [mpf(1)] * points
    best: tuple[mpf, list[mpf], list[mpf]] = (mpf("inf"), [], [])
    for _ in range(rounds):
        rows = [
            [w / (q * y) * x**p for p in range(above + 1)]
            + [-w / q * x**p for p in range(1, below + 1)]
            for x, y, q, w in zip(xs, ys, divisors, map(mp.sqrt, share), strict=True)
        ]
        right = [mp.sqrt(w) / q for q, w in zip(divisors, share, strict=True)]
        found = list(lu_solve(matrix(rows), matrix(right)))
        upper, lower = found[: above + 1], [mpf(1), *found[above + 1 :]]
        divisors = [mp.polyval(lower[::-1], x) for x in xs]
        errors = [
            abs(mp.polyval(upper[::-1], x) / (q * y) - 1)
            for x, y, q in zip(xs, ys, divisors, strict=True)
        ]
        worst = max(errors)
        best = min(best, (worst, upper, lower), key=lambda found: found[0])
        share = [
            max(part * error / worst, mpf("1e-14"))
            for part, error in zip(share, errors, strict=True)
        ]
    worst, upper, lower = best
    return [float(c) for c in upper], [float(c) for c in lower], float(worst)
