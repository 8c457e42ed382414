"""Transforms that rotate and flip images."""

from typing import Any

import numpy as np

from gluonic import image
from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.graph.errors import AttributeValueError


class Rotate(Block):
    """Rotate float32 images, channels first, by a fixed angle.

    Parameters
    ----------
    rotation_degrees : the angle
    zoom_in : enlarge until nothing outside the image is visible
    zoom_out : shrink until the whole image is visible
    """

    def __init__(
        self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False
    ) -> None:
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        """Rotate; the shape stays."""
        return image.imrotate(x, *self._args)


class RandomRotation(Block):
    """Rotate float32 images, channels first, by a random angle.

    Parameters
    ----------
    angle_limits : the least and the largest angle, in degrees
    zoom_in : enlarge until nothing outside the image is visible
    zoom_out : shrink until the whole image is visible
    rotate_with_proba : the probability of a rotation
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
        self._args = (angle_limits, zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        """Rotate; the shape stays."""
        if np.random.random() > self._rotate_with_proba:
            return x
        return image.random_rotate(x, *self._args)


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
