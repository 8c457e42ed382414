"""MXNet's default augmenter of the image iterators: it turns an image into a row of a batch.

Images are in OpenCV's order, blue first. Numbers are drawn in MXNet's order, so a seed gives the same crops.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.colours import LIGHT
from gluonic.graph.errors import AttributeValueError, InferenceError
from gluonic.graph.interpolation import AT_RANDOM, BY_SIZES, KINDS, LANCZOS, NEAREST, suiting
from gluonic.graph.opencv import required_opencv
from gluonic.io.cpp_random import CppRandom
from gluonic.io.warping import warp

_METHODS = (*KINDS, BY_SIZES, AT_RANDOM)
_TRIES = 10
_BYTES = np.arange(256, dtype=np.float32)
_LIMITS = np.array([180, 255, 255])  # of hue, lightness, saturation


class InterpolationMethod:
    """Resizes by the interpolation method with a number.

    Parameters
    ----------
    method : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """

    def __init__(self, method: int) -> None:
        if method not in _METHODS:
            raise AttributeValueError(f"inter_method={method} must be one of {_METHODS}")
        self._method = method

    def choose(self, old: tuple[int, int], new: tuple[Any, Any], random: CppRandom) -> int:
        """The method for two sizes; a random choice draws a number even if nothing is resized."""
        if self._method == AT_RANDOM:
            return random.integer(NEAREST, LANCZOS)
        return suiting(old, new) if self._method == BY_SIZES else self._method

    def resize(self, image: Any, height: int, width: int, random: CppRandom) -> Any:
        """Resize an image."""
        method = self.choose(image.shape[:2], (height, width), random)
        return resized(image, height, width, method)

    def shorten(self, image: Any, short: int, random: CppRandom) -> Any:
        """Resize an image so that its shorter side has a length."""
        height, width = image.shape[:2]
        if height > width:
            return self.resize(image, short * height // width, short, random)
        return self.resize(image, short, short * width // height, random)


def resized(image: Any, height: int, width: int, method: int) -> Any:
    """Resize an image; a single channel stays an axis."""
    made = required_opencv("resizing").resize(image, (width, height), interpolation=method)
    return made if made.ndim == 3 else made[:, :, None]


class DefaultAugmenter:
    """MXNet's ``aug_default``.

    Parameters
    ----------
    settings : its parameters (:data:`gluonic.io.image_parameters.AUGMENTATION`)
    """

    def __init__(self, settings: Any) -> None:
        self._s = s = settings
        _, self._height, self._width = s.data_shape
        self._cv2 = required_opencv("augmenting images")
        self._interpolation = InterpolationMethod(s.inter_method)
        relative = s.min_aspect_ratio is None
        self._least_ratio = 1 - s.max_aspect_ratio if relative else s.min_aspect_ratio
        self._greatest_ratio = 1 + s.max_aspect_ratio if relative else s.max_aspect_ratio
        if s.random_resized_crop:
            self._check_random_resized_crop()
        self._steps = self._chosen_steps()

    def _check_random_resized_crop(self) -> None:
        s = self._s
        neutral = (1.0, 1.0, -1, -1, False)
        names = (
            "min_random_scale",
            "max_random_scale",
            "min_crop_size",
            "max_crop_size",
            "rand_crop",
        )
        for name, value in zip(names, neutral, strict=True):
            if getattr(s, name) != value:
                raise AttributeValueError(f"random_resized_crop does not go with {name}")
        if self._least_ratio <= 0 or self._least_ratio > self._greatest_ratio:
            raise AttributeValueError(
                "random_resized_crop: 0 < min_aspect_ratio <= max_aspect_ratio"
            )
        if s.min_random_area > s.max_random_area:
            raise AttributeValueError("random_resized_crop: min_random_area <= max_random_area")

    def _chosen_steps(self) -> list[Callable[[Any, CppRandom], Any]]:
        """The steps that have an effect, in order."""
        s = self._s
        chosen = {
            self._shorten: s.resize != -1,
            self._warp: self._warps(),
            self._pad: s.pad > 0,
            self._crop: True,
            self._jitter: max(s.brightness, s.contrast, s.saturation) > 0,
            self._shift_colours: bool(s.random_h or s.random_s or s.random_l),
            self._add_noise: s.pca_noise > 0,
        }
        return [step for step, does in chosen.items() if does]

    def __call__(self, image: Any, random: CppRandom) -> Any:
        """Augment an image: an array of bytes, the axes height, width, channels.

        Raises
        ------
        ValueError
            if it is too small to be cropped
        """
        for step in self._steps:
            image = step(image, random)
        return image

    def _shorten(self, image: Any, random: CppRandom) -> Any:
        """Resize the shorter side to its length."""
        return self._interpolation.shorten(image, self._s.resize, random)

    # ------------------------------------------------------------------------------------ warping

    def _warps(self) -> bool:
        s = self._s
        aspects = not s.random_resized_crop and (self._least_ratio, self._greatest_ratio) != (1, 1)
        return bool(
            s.max_rotate_angle > 0
            or s.max_shear_ratio > 0
            or s.rotate > 0
            or s.rotate_list
            or (s.min_random_scale, s.max_random_scale) != (1, 1)
            or aspects
            or s.max_img_size != _NO_LIMIT
            or s.min_img_size != 0
        )

    def _warp(self, image: Any, random: CppRandom) -> Any:
        """Shear, rotate, scale and stretch."""
        s, single = self._s, np.float32
        rows, columns = image.shape[:2]
        shear = single(random.unit()) * single(s.max_shear_ratio) * 2 - single(s.max_shear_ratio)
        angle = self._angle(random)
        a, b = (single(f(angle / 180 * math.pi)) for f in (math.cos, math.sin))
        scale = ratio = single(1)
        if not s.random_resized_crop:
            scale = _between(random, s.min_random_scale, s.max_random_scale)
            ratio = _between(random, self._least_ratio, self._greatest_ratio)
        hs = 2 * scale / (1 + ratio)
        ws = ratio * hs
        width, height = (
            max(single(s.min_img_size), min(single(s.max_img_size), scale * single(n)))
            for n in (columns, rows)
        )
        m = np.array(
            [[hs * a - shear * b * ws, hs * b + shear * a * ws, 0], [-b * ws, a * ws, 0]], single
        )
        m[:, 2] = (
            np.array([width, height]) - (m[:, 0] * single(columns) + m[:, 1] * single(rows))
        ) / 2
        method = self._interpolation.choose((rows, columns), (height, width), random)
        return warp(image, m, int(height), int(width), method, s.fill_value)

    def _angle(self, random: CppRandom) -> int:
        s = self._s
        angle = random.integer(-s.max_rotate_angle, s.max_rotate_angle)
        if s.rotate > 0:
            angle = s.rotate
        return s.rotate_list[random.integer(0, len(s.rotate_list) - 1)] if s.rotate_list else angle

    def _pad(self, image: Any, random: CppRandom) -> Any:
        """Pad with one colour."""
        s = self._s
        made = self._cv2.copyMakeBorder(
            image, s.pad, s.pad, s.pad, s.pad, self._cv2.BORDER_CONSTANT, value=(s.fill_value,) * 3
        )
        return made.reshape(*made.shape[:2], image.shape[2])

    # ----------------------------------------------------------------------------------- cropping

    def _crop(self, image: Any, random: CppRandom) -> Any:
        """Crop to the size of a row."""
        s = self._s
        made = None
        if s.random_resized_crop:
            made = self._crop_of_random_area(image, random)
        elif s.max_crop_size != -1 or s.min_crop_size != -1:
            made = self._crop_of_random_size(image, random)
        return self._crop_as_it_is(image, random) if made is None else made

    def _crop_of_random_area(self, image: Any, random: CppRandom) -> Any | None:
        """A part of random area and aspect ratio, resized; None if no such part was found that fits."""
        s = self._s
        if (s.min_random_area, s.max_random_area, self._least_ratio, self._greatest_ratio) == (
            1,
        ) * 4:
            return None
        rows, columns = image.shape[:2]
        area = np.float32(rows * columns)
        for _ in range(_TRIES):
            share = np.float32(random.uniform(s.min_random_area, s.max_random_area))
            ratio = np.float32(random.uniform(self._least_ratio, self._greatest_ratio))
            target = area * share
            height, width = (_rounded(np.sqrt(x)) for x in (target / ratio, target * ratio))
            if random.unit() > 0.5:
                height, width = width, height
            if height <= rows and width <= columns:
                y = random.integer(0, rows - height)
                x = random.integer(0, columns - width)
                part = image[y : y + height, x : x + width]
                return self._interpolation.resize(part, self._height, self._width, random)
        return None

    def _crop_of_random_size(self, image: Any, random: CppRandom) -> Any:
        """A square of random size, resized."""
        s, shortest = self._s, min(image.shape[:2])
        if not s.min_crop_size <= s.max_crop_size <= shortest:
            raise InferenceError(
                f"an image of {image.shape[1]}x{image.shape[0]} has no square of "
                f"min_crop_size={s.min_crop_size} to max_crop_size={s.max_crop_size}"
            )
        size = random.integer(s.min_crop_size, s.max_crop_size)
        part = self._cut(image, size, size, random)
        return self._interpolation.resize(part, self._height, self._width, random)

    def _crop_as_it_is(self, image: Any, random: CppRandom) -> Any:
        """A part of the size of a row; images that are too small are enlarged first."""
        height, width = self._height, self._width
        method = self._interpolation.choose(image.shape[:2], (height, width), random)
        rows, columns = image.shape[:2]
        if rows < height:
            image = resized(
                image,
                height,
                int(np.float32(height) / np.float32(rows) * np.float32(columns)),
                method,
            )
        rows, columns = image.shape[:2]
        if columns < width:
            image = resized(
                image,
                int(np.float32(width) / np.float32(columns) * np.float32(rows)),
                width,
                method,
            )
        if image.shape[0] < height or image.shape[1] < width:
            raise InferenceError(
                f"an image of {image.shape[1]}x{image.shape[0]} is smaller than {width}x{height}"
            )
        return self._cut(image, height, width, random)

    def _cut(self, image: Any, height: int, width: int, random: CppRandom) -> Any:
        """A part at a random position, or in the middle."""
        y, x = image.shape[0] - height, image.shape[1] - width
        if self._s.rand_crop:
            y = random.integer(0, y)
            x = random.integer(0, x)
        else:
            y, x = y // 2, x // 2
        return image[y : y + height, x : x + width]

    # ------------------------------------------------------------------------------------ colours

    def _jitter(self, image: Any, random: CppRandom) -> Any:
        """Change brightness, contrast and saturation, in random order."""
        s, cv2 = self._s, self._cv2
        brightness, contrast, saturation = (
            np.float32(1 + random.uniform(-most, most))
            for most in (s.brightness, s.contrast, s.saturation)
        )
        order = [0, 1, 2]
        random.shuffle(order)
        for step in order:
            if step == 0:
                image = scaled(image, brightness, 0.0)
            elif step == 1:
                grey = np.float32(cv2.mean(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))[0])
                image = scaled(image, contrast, (1 - contrast) * grey)
            else:
                grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2BGR)
                image = cv2.addWeighted(image, float(saturation), grey, float(1 - saturation), 0)
        return image

    def _shift_colours(self, image: Any, random: CppRandom) -> Any:
        """Shift hue, saturation and lightness."""
        s = self._s
        h, saturation, lightness = (
            _shift(random, most) for most in (s.random_h, s.random_s, s.random_l)
        )
        return shifted_colours(image, h, lightness, saturation)

    def _add_noise(self, image: Any, random: CppRandom) -> Any:
        """Shift colours along their principal components."""
        drawn = np.array(random.normals(self._s.pca_noise, 3), np.float32)
        red, green, blue = (
            row[0] * drawn[0] + row[1] * drawn[1] + row[2] * drawn[2] for row in LIGHT
        )
        shifted = np.trunc(_BYTES[:, None] + np.array([blue, green, red]))
        return self._cv2.LUT(image, np.clip(shifted, 0, 255).astype(np.uint8)[None])


_NO_LIMIT = 1e10


def _between(random: CppRandom, low: float, high: float) -> Any:
    """A uniform random number, with the arithmetic of the warp."""
    return np.float32(random.unit()) * (np.float32(high) - np.float32(low)) + np.float32(low)


def _rounded(value: Any) -> int:
    """The nearest integer; halves round away from zero."""
    return int(value + np.float32(0.5))


def shifted_colours(image: Any, hue: int, lightness: int, saturation: int) -> Any:
    """Shift the colours of an image."""
    cv2 = required_opencv("shifting colours")
    hls = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2HLS)
    shifted = np.clip(hls + np.array([hue, lightness, saturation]), 0, _LIMITS)
    return cv2.cvtColor(shifted.astype(np.uint8), cv2.COLOR_HLS2BGR)


def scaled(image: Any, factor: Any, offset: Any) -> Any:
    """Scale bytes and round them."""
    table = np.rint(_BYTES * np.float32(factor) + np.float32(offset))
    bytes_of = np.clip(table, 0, 255).astype(np.uint8)
    return required_opencv("scaling bytes").LUT(image, bytes_of)


def _shift(random: CppRandom, most: int) -> int:
    """A random integer at most `most` away from 0; small ones are more frequent."""
    first, second = np.float32(random.unit()), np.float32(random.unit())
    drawn = (first + 4 * second) / np.float32(5) * np.float32(most) * 2 - np.float32(most)
    return int(drawn)
