"""Statistical checks of random generators."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import describe
from gluonic.test_utils.comparison import as_numpy


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Return intervals of equal probability, and their probabilities.

    Parameters
    ----------
    ppf : the quantiles of the distribution
    nbuckets : number of intervals
    """
    ends = [float(ppf(i / nbuckets)) for i in range(nbuckets + 1)]
    return list(itertools.pairwise(ends)), [1.0 / nbuckets] * nbuckets


def _drawn(generator: Callable[[int], Any], nsamples: int) -> Any:
    return as_numpy(generator(nsamples)).astype(np.float64).ravel()


def mean_check(
    generator: Callable[[int], Any], mu: float, sigma: float, nsamples: int = 1_000_000
) -> bool:
    """Return whether the mean of many numbers is within three standard errors of `mu`."""
    gap = _drawn(generator, nsamples).mean() - mu
    return bool(abs(gap) < 3 * sigma / np.sqrt(nsamples))


def var_check(generator: Callable[[int], Any], sigma: float, nsamples: int = 1_000_000) -> bool:
    """Return whether the variance of many numbers is within three standard errors of `sigma` ²."""
    drawn = _drawn(generator, nsamples)
    gap = drawn.var(ddof=1) - sigma**2
    return bool(abs(gap) < 3 * np.sqrt(2 * sigma**4 / (nsamples - 1)))


def chi_square_check(
    generator: Callable[[int], Any],
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = 1_000_000,
) -> tuple[float, Any, Any]:
    """Test the number of samples in each bucket by Pearson's chi-square test.

    Parameters
    ----------
    generator : from a number of samples to the samples
    buckets : intervals ``(from, to)``, or single values
    probs : the probability of each
    nsamples : number of draws

    Returns
    -------
    float, numpy.ndarray, numpy.ndarray
        the p-value, and the found and expected counts
    """
    import scipy.stats

    drawn = _drawn(generator, nsamples)
    found = np.array([_count(drawn, bucket) for bucket in buckets], np.float64)
    expected = np.asarray(probs, np.float64) * nsamples
    expected *= found.sum() / expected.sum()
    return float(scipy.stats.chisquare(found, expected).pvalue), found, expected


def _count(drawn: Any, bucket: Any) -> int:
    if isinstance(bucket, (tuple, list)):
        return int(((drawn >= bucket[0]) & (drawn < bucket[1])).sum())
    return int((drawn == bucket).sum())


def verify_generator(
    generator: Callable[[int], Any],
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = 1_000_000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Repeat `chi_square_check` and return the p-values.

    Raises
    ------
    AssertionError
        if less than the fraction `success_rate` of them exceeds `alpha`
    """
    checks = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values = [value for value, _, _ in checks]
    passed = sum(value > alpha for value in values)
    if passed < nrepeat * success_rate:
        _, found, expected = checks[-1]
        raise AssertionError(
            describe(
                f"the generator fails the chi-square test: p-values {values}",
                facts=[f"buckets: {buckets}", f"found: {found}", f"expected: {expected}"],
            )
        )
    return values
