"""Normalization: from the bytes of an image to the numbers of a row of a batch."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gluonic.graph.errors import FileFormatError
from gluonic.graph.opencv import required_opencv
from gluonic.io.cpp_random import CppRandom
from gluonic.ndarray.serialization import load

_BYTES = np.arange(256, dtype=np.float32)
CHANNEL_ORDER = {
    1: (0,),
    3: (2, 1, 0),
    4: (2, 1, 0, 3),
}  # OpenCV's channels, as red, green, blue, alpha


class Normalizer:
    """Subtracts means, divides by deviations, changes contrast and mirrors images; moves channels first.

    Each channel of an image is looked up in a table of the 256 normalized values.

    Parameters
    ----------
    settings : the parameters (:data:`gluonic.io.image_parameters.NORMALIZATION`)
    dtype : float32; uint8 for the bytes themselves; int8 for bytes less the means

    Attributes
    ----------
    mean_image : the image subtracted from each image, instead of one mean per channel; None if there is none
    """

    def __init__(self, settings: Any, dtype: Any) -> None:
        self._s, self._dtype = settings, np.dtype(dtype)
        self._cv2 = required_opencv("normalizing images")
        self._order = CHANNEL_ORDER[settings.data_shape[0]]
        self._changes = settings.max_random_contrast or settings.max_random_illumination
        self.mean_image: Any = None

    def __call__(self, image: Any, row: Any, random: CppRandom) -> None:
        """Write an image into a row.

        Parameters
        ----------
        image : bytes, the axes height, width, channels, blue first
        row : the axes channels, height, width, red first
        random : the random numbers
        """
        mirrored = (self._s.rand_mirror and random.coin()) or self._s.mirror
        if mirrored:
            image = self._cv2.flip(np.ascontiguousarray(image), 1).reshape(image.shape)
        channels = self._cv2.split(image)
        planes = [channels[number] for number in self._order]
        if self._dtype == np.uint8:
            for made, plane in zip(row, planes, strict=True):
                made[...] = plane
            return
        factor, offset = self._drawn(random)
        if self.mean_image is None:
            tables = self._tables if not self._changes else self._tables_for(factor, offset)
            for made, plane, table in zip(row, planes, tables, strict=True):
                self._cv2.LUT(plane, table, made)
        else:
            means = self.mean_image[:, :, ::-1] if mirrored else self.mean_image
            row[...] = self._normalized(np.stack(planes), means, factor, offset)

    def _channels(self, name: str) -> Any:
        """The values of a setting, one per channel, of shape (channels, 1, 1)."""
        values = [getattr(self._s, f"{name}_{c}") for c in "rgba"[: len(self._order)]]
        return np.array(values, np.float32)[:, None, None]

    def _drawn(self, random: CppRandom) -> tuple[Any, Any]:
        """A random factor and offset; numbers are drawn even if they have no effect."""
        drawn = np.float32(random.unit()), np.float32(random.unit())
        contrast, illumination = (
            value * np.float32(most) * 2 - np.float32(most)
            for value, most in zip(
                drawn, (self._s.max_random_contrast, self._s.max_random_illumination), strict=True
            )
        )
        scale = np.float32(self._s.scale)
        return (contrast + 1) * scale, illumination * scale

    def _normalized(self, pixels: Any, means: Any, factor: Any, offset: Any) -> Any:
        if self._dtype == np.int8:
            whole = np.trunc(means + np.copysign(np.float32(0.5), means))
            return np.clip(pixels - whole, -128, 127).astype(np.int8)
        deviations = self._channels("std")
        return (pixels - means) * (factor / deviations) + offset / deviations

    def _tables_for(self, factor: Any, offset: Any) -> Any:
        return self._normalized(_BYTES[None, None], self._channels("mean"), factor, offset)

    @cached_property
    def _tables(self) -> Any:
        return self._tables_for(np.float32(self._s.scale), np.float32(0))


def read_mean_image(name: str, shape: tuple[int, ...]) -> Any:
    """Read a file with a mean image.

    Raises
    ------
    FileFormatError
        if its contents are anything else
    """
    arrays = load(name)
    found = list(arrays.values()) if isinstance(arrays, dict) else arrays
    if len(found) != 1 or found[0].shape != shape:
        raise FileFormatError(
            f"{Path(name)}: holds arrays of shapes {[a.shape for a in found]}, not one mean image {shape}"
        )
    return found[0].asnumpy().astype(np.float32)
