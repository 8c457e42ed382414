"""Metrics of regression."""

import math
from typing import Any, Literal

import numpy

from gluonic.metric.base import (
    EvalMetric,
    Names,
    Numbers,
    PairMetric,
    alias,
    as_numbers,
    check_label_shapes,
    register,
)


class _Error(PairMetric):
    """A mean error of each update, averaged over updates."""

    def measure(self, label: Numbers, pred: Numbers) -> tuple[Any, Any]:
        """Compare; vectors count as columns."""
        label, pred = (x.reshape(-1, 1) if x.ndim == 1 else x for x in (label, pred))
        return self.error(label - pred), 1

    def error(self, gap: Numbers) -> Any:
        """Return the error for differences."""
        raise NotImplementedError


@register
class MAE(_Error):
    """The mean absolute error.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self, name: str = "mae", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def error(self, gap: Numbers) -> Any:
        """Return the mean of the absolute differences."""
        return numpy.abs(gap).mean()


@register
class MSE(_Error):
    """The mean squared error.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self, name: str = "mse", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def error(self, gap: Numbers) -> Any:
        """Return the mean of the squared differences."""
        return numpy.square(gap).mean()


@register
class RMSE(_Error):
    """The root mean squared error.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self, name: str = "rmse", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def error(self, gap: Numbers) -> Any:
        """Return the root of the mean of the squared differences."""
        return numpy.sqrt(numpy.square(gap).mean())


class _Moments:
    """Number, means and central moments of pairs, computed in one pass."""

    def __init__(self) -> None:
        self.count, self.means, self.squares = 0, numpy.zeros(2), numpy.zeros((2, 2))

    def add(self, pairs: Numbers) -> None:
        """Add pairs, of shape (2, n) (Chan et al., 1979)."""
        count = self.count + pairs.shape[1]
        if not count:
            return
        means = pairs.mean(axis=1) if pairs.shape[1] else self.means
        own, shift = pairs - means[:, None], means - self.means
        self.squares += own @ own.T + numpy.outer(shift, shift) * (
            self.count * pairs.shape[1] / count
        )
        self.means = self.means + shift * pairs.shape[1] / count
        self.count = count

    def correlation(self) -> float:
        """Return the correlation coefficient."""
        spread = math.sqrt(self.squares[0, 0] * self.squares[1, 1])
        return float(self.squares[0, 1] / spread) if spread else math.nan


@register
@alias("pearsonr")
class PearsonCorrelation(EvalMetric):
    """Pearson's correlation of labels and predictions.

    Parameters
    ----------
    average : ``"macro"``: the mean of the correlations of all updates; ``"micro"``: the correlation
        of all pairs
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Names = None,
        label_names: Names = None,
        average: Literal["macro", "micro"] = "macro",
    ) -> None:
        self.average = average
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def reset(self) -> None:
        """Forget everything."""
        self._global_moments = _Moments()
        super().reset()

    def reset_local(self) -> None:
        """Forget everything but the global figures."""
        self._moments = _Moments()
        super().reset_local()

    def update(self, labels: Any, preds: Any) -> None:
        """Update from labels and predictions of equal shapes."""
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            check_label_shapes(label, pred, shape=True)
            pairs = numpy.stack(
                [as_numbers(x).ravel().astype(numpy.float64) for x in (label, pred)]
            )
            single = _Moments()
            for moments in (single, self._moments, self._global_moments):
                moments.add(pairs)
            self._add(single.correlation(), 1)

    def get(self) -> tuple[Any, Any]:
        """Return name and value since the last reset of either kind."""
        return super().get() if self.average == "macro" else self._of(self._moments)

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since the last `reset`."""
        return super().get_global() if self.average == "macro" else self._of(self._global_moments)

    def _of(self, moments: _Moments) -> tuple[Any, Any]:
        return self.name, moments.correlation()
