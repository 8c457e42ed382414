"""Transforms of images, as blocks.

Images are ``(height, width, channels)``; `ToTensor` turns them into ``(channels, height, width)``.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gluonic.gluon.block import Block
from gluonic.gluon.data.vision import geometry
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.nn import HybridSequential, Sequential
from gluonic.graph.errors import AttributeValueError
from gluonic.ndarray.state import RANDOM

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]


def _as_size(size: int | Sequence[int]) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    width, height = size
    return int(width), int(height)


class Compose(Sequential):
    """Transforms one after the other; hybrid ones that follow each other are compiled together.

    Parameters
    ----------
    transforms : the transforms
    """

    def __init__(self, transforms: Sequence[Block]) -> None:
        super().__init__()
        run: list[HybridBlock] = []
        for transform in transforms:
            if isinstance(transform, HybridBlock):
                run.append(transform)
                continue
            self._add_run(run)
            run = []
            self.add(transform)
        self._add_run(run)

    def _add_run(self, run: list[HybridBlock]) -> None:
        if len(run) > 1:
            together = HybridSequential()
            together.add(*run)
            together.hybridize()
            self.add(together)
        else:
            self.add(*run)


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


class Rotate(Block):
    """Turn float32 images, channels first, by a fixed angle.

    Parameters
    ----------
    rotation_degrees : the angle
    zoom_in : enlarge until nothing from outside is seen
    zoom_out : shrink until all of the image is seen
    """

    def __init__(
        self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False
    ) -> None:
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """Turn; the shape stays."""
        return geometry.rotate(x, *self._args)


class RandomRotation(Block):
    """Turn float32 images, channels first, by a random angle.

    Parameters
    ----------
    angle_limits : the least and the largest angle, in degrees
    zoom_in : enlarge until nothing from outside is seen
    zoom_out : shrink until all of the image is seen
    rotate_with_proba : how often to turn at all
    """

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        if angle_limits[0] >= angle_limits[1]:
            raise AttributeValueError(f"angle_limits={angle_limits}: the first must be less")
        if not 0 <= rotate_with_proba <= 1:
            raise AttributeValueError(f"rotate_with_proba={rotate_with_proba} is no probability")
        self._limits, self._zooms = angle_limits, (zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """Turn; the shape stays."""
        if RANDOM.generator.random() > self._rotate_with_proba:
            return x
        angles = RANDOM.generator.uniform(*self._limits, size=None if x.ndim == 3 else len(x))
        return geometry.rotate(x, angles, *self._zooms)


class RandomResizedCrop(Block):
    """Cut out a rectangle of random area and proportions, and resize it.

    Parameters
    ----------
    size : width and height of the result; a number for both
    scale : the least and the largest part of the image to cut out
    ratio : the least and the largest width over height
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
        return geometry.random_size_crop(x, *self._args)


class CropResize(HybridBlock):
    """Cut out a rectangle, and resize it.

    Parameters
    ----------
    x, y : its left upper corner
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
        self._rectangle = {"x": x, "y": y, "width": width, "height": height}
        self._size, self._interpolation = size, 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Crop one image, or a batch."""
        part = F.image.crop(x, **self._rectangle)
        if not self._size:
            return part
        return F.image.resize(part, size=self._size, keep_ratio=False, interp=self._interpolation)


class CenterCrop(Block):
    """Cut out the middle; enlarge it if it is too small.

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
        return geometry.center_crop(x, *self._args)


class Resize(HybridBlock):
    """Resize.

    Parameters
    ----------
    size : width and height of the result; a number for both, or for the shorter one if `keep_ratio`
    keep_ratio : keep the proportions
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


class RandomFlipLeftRight(HybridBlock):
    """Mirror left and right, half the time."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Mirror; the shape stays."""
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Mirror top and bottom, half the time."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Mirror; the shape stays."""
        return F.image.random_flip_top_bottom(x)


class _RandomFactor(HybridBlock):
    """Change one property of colours by a random factor."""

    _operator: ClassVar[str]

    def __init__(self, amount: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - amount), 1 + amount)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Change; the shape stays."""
        return getattr(F.image, self._operator)(x, *self._args)


class RandomBrightness(_RandomFactor):
    """Change the brightness.

    Parameters
    ----------
    brightness : the factor is drawn from ``1 - brightness`` (at least 0) to ``1 + brightness``
    """

    _operator = "random_brightness"

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)


class RandomContrast(_RandomFactor):
    """Change the contrast.

    Parameters
    ----------
    contrast : the factor is drawn from ``1 - contrast`` (at least 0) to ``1 + contrast``
    """

    _operator = "random_contrast"

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)


class RandomSaturation(_RandomFactor):
    """Change the saturation.

    Parameters
    ----------
    saturation : the factor is drawn from ``1 - saturation`` (at least 0) to ``1 + saturation``
    """

    _operator = "random_saturation"

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)


class RandomHue(_RandomFactor):
    """Change the hue.

    Parameters
    ----------
    hue : the factor is drawn from ``1 - hue`` (at least 0) to ``1 + hue``
    """

    _operator = "random_hue"

    def __init__(self, hue: float) -> None:
        super().__init__(hue)


class RandomColorJitter(HybridBlock):
    """Change brightness, contrast, saturation and hue, in a random order.

    Parameters
    ----------
    brightness, contrast, saturation, hue : how much each may change
    """

    def __init__(
        self,
        brightness: float = 0,
        contrast: float = 0,
        saturation: float = 0,
        hue: float = 0,
    ) -> None:
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Change; the shape stays."""
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Add noise along the principal colours of ImageNet (Krizhevsky et al., 2012).

    Parameters
    ----------
    alpha : the standard deviation of the noise
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Change; the shape stays."""
        return F.image.random_lighting(x, self._alpha)


class RandomApply(Sequential):
    """Apply transforms now and then.

    Parameters
    ----------
    transforms : the transforms, one block
    p : how often
    """

    def __init__(self, transforms: Block, p: float = 0.5) -> None:
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, x: Any) -> Any:
        """Apply, or leave alone."""
        return self.transforms(x) if RANDOM.generator.random() < self.p else x
