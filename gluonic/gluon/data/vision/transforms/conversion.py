"""Transforms that convert dtypes and normalize."""

from collections.abc import Sequence
from typing import Any

from gluonic.gluon.hybrid import HybridBlock


class Cast(HybridBlock):
    """Convert to another dtype.

    Parameters
    ----------
    dtype : the dtype
    """

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Convert; the shape stays."""
        return F.cast(x, dtype=self._dtype)


class ToTensor(HybridBlock):
    """Turn bytes ``(height, width, channels)`` into floats from 0 to 1, channels first."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Convert one image, or a batch."""
        return F.image.to_tensor(x)


class Normalize(HybridBlock):
    """Subtract a mean and divide by a standard deviation, after `ToTensor`.

    Parameters
    ----------
    mean, std : a number, or one for each channel
    """

    def __init__(
        self, mean: float | Sequence[float] = 0.0, std: float | Sequence[float] = 1.0
    ) -> None:
        super().__init__()
        self._mean, self._std = mean, std

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Normalize; the shape stays."""
        return F.image.normalize(x, mean=self._mean, std=self._std)
