"""Augmenters that resize, crop and mirror images."""

from typing import Any

from gluonic import ndarray as nd
from gluonic.image.augmenter import Augmenter, RandomlyApplied
from gluonic.image.cropping import center_crop, random_crop, random_size_crop, renamed_area
from gluonic.image.interpolation import _get_interp_method
from gluonic.image.resizing import Size, imresize, resize_short

__all__ = [
    "CenterCropAug",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "RandomCropAug",
    "RandomSizedCropAug",
    "ResizeAug",
]


class _ToSize(Augmenter):
    """The base of augmenters to a fixed size."""

    def __init__(self, size: Any, interp: int = 2) -> None:
        super().__init__(size=size, interp=interp)
        self.size, self.interp = size, interp


class ResizeAug(_ToSize):
    """Resize so that the shorter edge has a given length; keep the aspect ratio.

    Parameters
    ----------
    size : the length
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """

    def __call__(self, src: Any) -> Any:
        """Resize an image, (height, width, channels)."""
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(_ToSize):
    """Resize to a size, whatever the aspect ratio.

    Parameters
    ----------
    size : width and height
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """

    def __call__(self, src: Any) -> Any:
        """Resize an image, (height, width, channels)."""
        width, height = self.size
        interp = _get_interp_method(self.interp, (*src.shape[:2], height, width))
        return imresize(src, width, height, interp)


class RandomCropAug(_ToSize):
    """Cut out a rectangle at a random position, as `random_crop` does.

    Parameters
    ----------
    size : width and height
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """

    def __call__(self, src: Any) -> Any:
        """Crop an image, (height, width, channels)."""
        return random_crop(src, self.size, self.interp)[0]


class CenterCropAug(_ToSize):
    """Cut out the centre, as `center_crop` does.

    Parameters
    ----------
    size : width and height
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """

    def __call__(self, src: Any) -> Any:
        """Crop an image, (height, width, channels)."""
        return center_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """Cut out a rectangle of random area and aspect ratio and resize it, as `random_size_crop` does.

    Parameters
    ----------
    size : width and height of the result
    area : the least fraction of the image's area to cut out; or the least and the largest
    ratio : the least and the largest ratio of width to height
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    min_area : an old name of `area`
    """

    def __init__(
        self,
        size: Size,
        area: float | tuple[float, float],
        ratio: tuple[float, float],
        interp: int = 2,
        **kwargs: Any,
    ) -> None:
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size, self.ratio, self.interp = size, ratio, interp
        self.area = renamed_area(area, kwargs, "RandomSizedCropAug")

    def __call__(self, src: Any) -> Any:
        """Crop an image, (height, width, channels)."""
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class HorizontalFlipAug(RandomlyApplied, Augmenter):
    """Mirror left and right with a probability.

    Parameters
    ----------
    p : probability
    """

    def __call__(self, src: Any) -> Any:
        """Mirror an image, (height, width, channels), or leave it alone."""
        return nd.flip(src, axis=1) if self._is_due() else src
