"""Transforms that crop and resize images."""

from collections.abc import Sequence
from typing import Any

from gluonic import image
from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock


def _as_size(size: int | Sequence[int]) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    width, height = size
    return int(width), int(height)


class RandomResizedCrop(Block):
    """Crop a rectangle of random area and aspect ratio, and resize it.

    Parameters
    ----------
    size : width and height of the result; a number for both
    scale : the least and the largest fraction of the image's area to cut out
    ratio : the least and the largest ratio of width to height
    interpolation : 0: nearest neighbour, 1: linear, 2: cubic
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Any = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ) -> None:
        super().__init__()
        self._args = (_as_size(size), scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        """Crop."""
        return image.random_size_crop(x, *self._args)[0]


class CropResize(HybridBlock):
    """Crop a rectangle, and resize it.

    Parameters
    ----------
    x, y : its upper left corner
    width, height : its size
    size : width and height of the result; a number for both, None for not resizing
    interpolation : 0: nearest neighbour, 1: linear (by default), 2: cubic
    """

    def __init__(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        size: int | Sequence[int] | None = None,
        interpolation: int | None = None,
    ) -> None:
        super().__init__()
        self._x, self._y, self._width, self._height = x, y, width, height
        self._size, self._interpolation = size, 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Crop one image, or a batch."""
        part = F.image.crop(x, x=self._x, y=self._y, width=self._width, height=self._height)
        if not self._size:
            return part
        return F.image.resize(part, size=self._size, keep_ratio=False, interp=self._interpolation)


class CenterCrop(Block):
    """Crop the centre; enlarge it if it is too small.

    Parameters
    ----------
    size : width and height of the result; a number for both
    interpolation : 0: nearest neighbour, 1: linear, 2: cubic
    """

    def __init__(self, size: int | Sequence[int], interpolation: int = 1) -> None:
        super().__init__()
        self._args = (_as_size(size), interpolation)

    def forward(self, x: Any) -> Any:
        """Crop."""
        return image.center_crop(x, *self._args)[0]


class Resize(HybridBlock):
    """Resize.

    Parameters
    ----------
    size : width and height of the result; a number for both, or for the shorter one if `keep_ratio`
    keep_ratio : keep the aspect ratio
    interpolation : 0: nearest neighbour, 1: linear, 2: cubic
    """

    def __init__(
        self, size: int | Sequence[int], keep_ratio: bool = False, interpolation: int = 1
    ) -> None:
        super().__init__()
        self._size, self._keep, self._interpolation = size, keep_ratio, interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Resize one image, or a batch."""
        return F.image.resize(x, size=self._size, keep_ratio=self._keep, interp=self._interpolation)
