"""The encoding of gradients in messages: none, float16, or two bits per element."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gluonic.graph import Array
from gluonic.graph.errors import AttributeValueError, MXNetError, NotThereError, describe

_LEVELS = np.array([0, 1, -1, 0], np.int8)
_PER_BYTE = 4


class Codec(Protocol):
    """An encoding of values."""

    def encoded(self, name: Any, values: Array) -> Array:
        """The encoded float32 values as bytes; the error may be stored under the name for the next time."""

    def total(self, parts: Sequence[Array], length: int) -> Array:
        """The sum of the encoded values of several ranks, in the order of the ranks, as float32."""


class Half:
    """Send float16; sums are computed in float32."""

    def encoded(self, name: Any, values: Array) -> Array:
        """The bytes of the nearest float16."""
        return values.astype(np.float16).view(np.uint8)

    def total(self, parts: Sequence[Array], length: int) -> Array:
        """The sum."""
        found = parts[0].view(np.float16).astype(np.float32)
        for part in parts[1:]:
            found += part.view(np.float16)
        return found


class TwoBit:
    """Send, for each element, whether it is at least a threshold, at most minus the threshold, or neither.

    The error, the residual, is added to the next gradient of the same name. Like MXNet's
    ``{"type": "2bit", "threshold": 0.5}``.

    Parameters
    ----------
    threshold : above 0
    """

    def __init__(self, threshold: float) -> None:
        self.threshold = np.float32(threshold)
        self._residuals: dict[Any, Array] = {}

    def encoded(self, name: Any, values: Array) -> Array:
        """Four elements per byte."""
        waiting = self._residuals.setdefault(name, np.zeros(values.size, np.float32))
        waiting += values.reshape(-1)
        above, below = waiting >= self.threshold, waiting <= -self.threshold
        waiting -= self.threshold * above
        waiting += self.threshold * below
        codes = np.zeros(-(-values.size // _PER_BYTE) * _PER_BYTE, np.uint8)
        codes[: values.size] = above + 2 * below.view(np.uint8)
        quads = codes.reshape(-1, _PER_BYTE)
        packed: Array = quads[:, 0] | quads[:, 1] << 2 | quads[:, 2] << 4 | quads[:, 3] << 6
        return packed

    def total(self, parts: Sequence[Array], length: int) -> Array:
        """For each element, the number of ranks above minus the number below, times the threshold."""
        counts = np.zeros(len(parts[0]) * _PER_BYTE, np.int32)
        for part in parts:
            for position in range(_PER_BYTE):
                counts[position::_PER_BYTE] += _LEVELS[part >> (2 * position) & 3]
        found: Array = counts[:length] * self.threshold
        return found


def codec_of(parameters: Mapping[str, Any]) -> Codec | None:
    """Return the codec for ``kv.set_gradient_compression``; None for ``{"type": "none"}``.

    Raises
    ------
    MXNetError
        if there is no such compression, or its threshold is not above 0
    """
    given = dict(parameters)
    kind = given.pop("type", "none")
    threshold = given.pop("threshold", 0.5) if kind == "2bit" else 0.5
    where = "kvstore.set_gradient_compression"
    if given:
        raise AttributeValueError(describe(f"{kind!r} takes no {', '.join(given)}", where=where))
    if kind not in ("none", "fp16", "2bit"):
        raise NotThereError(
            describe(
                f"there is no compression {kind!r}", where=where, hint="'2bit', 'fp16' or 'none'"
            )
        )
    try:
        positive = float(threshold) > 0
    except (TypeError, ValueError):
        positive = False
    if not positive:
        raise MXNetError(describe(f"threshold={threshold!r} must be greater than 0", where=where))
    return None if kind == "none" else Half() if kind == "fp16" else TwoBit(float(threshold))
