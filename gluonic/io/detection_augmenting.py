"""MXNet's default augmenter for object detection."""

from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError
from gluonic.graph.opencv import required_opencv
from gluonic.io.augmenting import InterpolationMethod, scaled, shifted_colours
from gluonic.io.cpp_random import CppRandom
from gluonic.io.detection_labels import ImagePart, Limits, Objects

_LEAST_PAD_SCALE = 1.05
_LEAST_CONTRAST = 1e-3
_SAMPLED = (
    *(
        f"{end}_crop_{what}"
        for what in ("scales", "aspect_ratios", "overlaps", "sample_coverages", "object_coverages")
        for end in ("min", "max")
    ),
    "max_crop_trials",
)
_SHARES = ("overlaps", "sample_coverages", "object_coverages")


class DetectionAugmenter:
    """MXNet's ``det_aug_default``.

    Parameters
    ----------
    settings : its parameters (:data:`gluonic.io.image_parameters.DETECTION`)
    """

    def __init__(self, settings: Any) -> None:
        self._s = settings
        _, self._height, self._width = settings.data_shape
        self._interpolation = InterpolationMethod(settings.inter_method)
        self._samplers = {name: self._by_sampler(name) for name in _SAMPLED}
        self._check_samplers()

    def _by_sampler(self, name: str) -> tuple[Any, ...]:
        """The values of a setting, one per sampler; a single one is that of all."""
        values: tuple[Any, ...] = getattr(self._s, name)
        count = self._s.num_crop_sampler
        if len(values) not in (1, max(count, 1)):
            raise AttributeValueError(
                f"{name}={values} has not one value, nor {count} (num_crop_sampler)"
            )
        return values * count if len(values) == 1 else values

    def _check_samplers(self) -> None:
        least_scales, most_scales = (self._samplers[f"{end}_crop_scales"] for end in ("min", "max"))
        for least, most in zip(least_scales, most_scales, strict=True):
            if not 0 <= least < most <= 1:
                raise AttributeValueError(
                    f"min_crop_scales={least} and max_crop_scales={most} must be 0 <= min < max <= 1"
                )
        for what in ("aspect_ratios", *_SHARES):
            ends = (self._samplers[f"{end}_crop_{what}"] for end in ("min", "max"))
            if any(least > most for least, most in zip(*ends, strict=True)):
                raise AttributeValueError(
                    f"min_crop_{what} must not be larger than max_crop_{what}"
                )

    def __call__(self, image: Any, label: Any, random: CppRandom) -> tuple[Any, Any]:
        """Augment an image and its label.

        Parameters
        ----------
        image : bytes, the axes height, width, channels, blue first
        label : the objects (:class:`gluonic.io.detection_labels.Objects`)
        random : the random numbers
        """
        s = self._s
        if s.resize != -1:
            image = self._interpolation.shorten(image, s.resize, random)
        objects = Objects(label)
        if max(
            s.random_hue_prob, s.random_saturation_prob,
            s.random_illumination_prob, s.random_contrast_prob,
        ) > 0:  # fmt: skip
            image = self._change_colours(image, random)
        if s.rand_mirror_prob > 0 and random.unit() < s.rand_mirror_prob:
            objects.mirror()
            flipped = required_opencv("mirroring").flip(np.ascontiguousarray(image), 1)
            image = flipped.reshape(image.shape)
        if s.rand_pad_prob > 0 and s.max_pad_scale > 1 and random.unit() < s.rand_pad_prob:
            image = self._pad(image, objects, random)
        if s.rand_crop_prob > 0 and s.num_crop_sampler > 0 and random.unit() < s.rand_crop_prob:
            image = self._crop(image, objects, random)
        return self._fit(image, random), objects.label()

    def _change_colours(self, image: Any, random: CppRandom) -> Any:
        """Shift hue, saturation and lightness, and change contrast, each with its probability."""
        s = self._s
        most = s.max_random_hue, s.max_random_saturation, s.max_random_illumination
        shifts = [int(np.float32(random.uniform(-1, 1)) * np.float32(m)) for m in most]
        contrast = np.float32(random.uniform(-1, 1)) * np.float32(s.max_random_contrast)
        chances = s.random_hue_prob, s.random_saturation_prob, s.random_illumination_prob
        hue, saturation, lightness = (
            shift if random.unit() < np.float32(chance) else 0
            for shift, chance in zip(shifts, chances, strict=True)
        )
        changes_contrast = random.unit() < np.float32(s.random_contrast_prob)
        if hue or saturation or lightness:
            image = shifted_colours(image, hue, lightness, saturation)
        if changes_contrast and abs(contrast) > _LEAST_CONTRAST:
            image = scaled(image, contrast + 1, 0)
        return image

    def _pad(self, image: Any, objects: Objects, random: CppRandom) -> Any:
        """Pad the image, to at most `max_pad_scale` times its size."""
        scale = np.float32(random.uniform(1, self._s.max_pad_scale))
        if scale < _LEAST_PAD_SCALE:
            return image
        x, y = (np.float32(random.uniform(0, float(scale - 1))) for _ in range(2))
        objects.project(ImagePart(-x, -y, scale, scale))
        rows, columns, channels = image.shape
        left, right = int(x * columns), int((scale - x - 1) * columns)
        top, bottom = int(y * rows), int((scale - y - 1) * rows)
        cv2 = required_opencv("padding")
        fill = (self._s.fill_value,) * 3
        made = cv2.copyMakeBorder(image, top, bottom, left, right, cv2.BORDER_CONSTANT, value=fill)
        return made.reshape(*made.shape[:2], channels)

    def _crop(self, image: Any, objects: Objects, random: CppRandom) -> Any:
        """Cut out a part that satisfies a sampler; the whole image if none is found."""
        s, (rows, columns) = self._s, image.shape[:2]
        order = list(range(s.num_crop_sampler))
        random.shuffle(order)
        for sampler in order:
            limits = Limits(*(self._ends(sampler, what) for what in _SHARES))
            for _ in range(self._samplers["max_crop_trials"][sampler]):
                box = self._drawn_box(sampler, np.float32(columns) / np.float32(rows), random)
                if objects.crop(box, limits, s.crop_emit_mode == "center", s.emit_overlap_thresh):
                    left, top = int(box.x * columns), int(box.y * rows)
                    width, height = int(box.width * columns), int(box.height * rows)
                    return image[top : top + height, left : left + width]
        return image

    def _ends(self, sampler: int, what: str) -> tuple[float, float]:
        least, most = (self._samplers[f"{end}_crop_{what}"][sampler] for end in ("min", "max"))
        return least, most

    def _drawn_box(self, sampler: int, ratio_of_image: Any, random: CppRandom) -> ImagePart:
        """A part of random scale and aspect ratio."""
        scale = np.float32(random.uniform(*self._ends(sampler, "scales"))) + np.float32(1e-12)
        least, most = self._ends(sampler, "aspect_ratios")
        least = max(np.float32(least) / ratio_of_image, scale * scale)
        most = min(np.float32(most) / ratio_of_image, np.float32(1 / float(scale * scale)))
        ratio = np.sqrt(np.float32(random.uniform(float(least), float(most))))
        width, height = (min(np.float32(1), side) for side in (scale * ratio, scale / ratio))
        x, y = (np.float32(random.uniform(0, float(1 - side))) for side in (width, height))
        return ImagePart(x, y, width, height)

    def _fit(self, image: Any, random: CppRandom) -> Any:
        """Resize an image to the shape of a row, or so that it fits into a row."""
        rows, columns = image.shape[:2]
        height, width = self._height, self._width
        if self._s.resize_mode != "force":
            ratio = min(
                np.float32(height) / np.float32(rows), np.float32(width) / np.float32(columns)
            )
            if self._s.resize_mode == "shrink" and rows <= height and columns <= width:
                return image
            height, width = int(ratio * rows), int(ratio * columns)
        return self._interpolation.resize(image, height, width, random)
