"""NumPy's constants."""

from numpy import e, inf, nan, newaxis, pi

NAN = NaN = nan
PINF, NINF = inf, -inf
PZERO, NZERO = 0.0, -0.0

__all__ = ["NAN", "NINF", "NZERO", "PINF", "PZERO", "NaN", "e", "inf", "nan", "newaxis", "pi"]
