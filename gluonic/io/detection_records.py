"""An iterator over files of images with objects."""

from typing import Any

import numpy as np

from gluonic.graph.errors import AttributeValueError, FileFormatError
from gluonic.graph.opencv import required_opencv
from gluonic.io.cpp_random import CppRandom
from gluonic.io.detection_augmenting import DetectionAugmenter
from gluonic.io.image_batches import RowMaker
from gluonic.io.image_parameters import DETECTION, DETECTION_MEANS, DETECTION_RECORDS
from gluonic.io.image_records import ImageBatchIter
from gluonic.io.normalizing import CHANNEL_ORDER
from gluonic.io.parameters import declares
from gluonic.io.record_order import ByteRanges, RecordFiles
from gluonic.recordio import IRHeader

_BYTES = np.arange(256, dtype=np.float32)
_BEFORE = (
    4  # numbers before a label: channels, height and width of its image, and the label's length
)
_CHUNK = 8  # mebibytes


class _Normalizer:
    """Subtracts means, if any is positive, or else the mean image; divides by positive deviations; scales."""

    def __init__(self, settings: Any) -> None:
        names = "rgba"[: settings.data_shape[0]]
        means, deviations = (
            np.array([getattr(settings, f"{what}_{c}") for c in names], np.float32)[:, None]
            for what in ("mean", "std")
        )
        self._has_means = bool((means > 0).any())
        self._deviations = np.where(deviations > 0, deviations, np.float32(1))
        self._scale = np.float32(settings.scale)
        self._tables = (_BYTES - means * self._has_means) / self._deviations * self._scale
        self._order = CHANNEL_ORDER[len(names)]
        self.mean_image: Any = None

    def __call__(self, image: Any, row: Any) -> None:
        """Write an image into the upper left corner of a row."""
        cv2 = required_opencv("normalizing images")
        planes = cv2.split(image)
        height, width = image.shape[:2]
        row[:, height:] = row[:, :, width:] = 0
        for number, channel in enumerate(self._order):
            target = row[number, :height, :width]
            if self.mean_image is None or self._has_means:
                target[...] = cv2.LUT(planes[channel], self._tables[number])
            else:
                less = planes[channel] - self.mean_image[number, :height, :width]
                target[...] = less / self._deviations[number] * self._scale


class _DetectionRows(RowMaker):
    base_seed = 233

    def label_of(self, header: IRHeader) -> Any:
        """The label of an image: that in the list, or else that in the record."""
        if self._labels is not None:
            return self.listed_label(header.id)
        if header.flag == 0:
            raise FileFormatError("Not enough label packed in img_list or rec file")
        return header.label

    def write(self, image: Any, label: Any, random: CppRandom, row: Any, label_row: Any) -> None:
        """Write image and label into their rows."""
        if self.settings.label_width not in (-1, len(label)):
            raise AttributeValueError(
                f"an image has a label of {len(label)} numbers, but label_width is {self.settings.label_width}"
            )
        image, label = self.augment(image, label, random)
        self.normalize(image, row)
        label_row[...] = self.settings.label_pad_value
        height, width, channels = image.shape
        label_row[:_BEFORE] = channels, height, width, len(label)
        label_row[_BEFORE : _BEFORE + len(label)] = label


@declares(DETECTION_RECORDS, DETECTION, DETECTION_MEANS)
class ImageDetRecordIter(ImageBatchIter):
    """Batches of images with objects from files of records.

    A label is a row of numbers: channels, height and width of the image in its row, and the number of further
    values; then the width of the header, the width of an object, the rest of the header, and for each object
    its class, left, top, right and bottom, as fractions of the image, and further values. See
    `ImageRecordIter` for threads and damaged records.
    """

    def _maker(self, settings: Any, dtype: Any) -> RowMaker:
        normalize = _Normalizer(settings)
        maker = _DetectionRows(settings, dtype, DetectionAugmenter(settings), normalize)
        maker.label_shape = (_BEFORE + self._padded_width(settings, maker),)
        return self._with_mean_image(settings, normalize, maker)

    def _padded_width(self, settings: Any, maker: RowMaker) -> int:
        """The length that labels are padded to."""
        widest = max(maker.label_widths(self._source(settings).one_pass()), default=0)
        if widest > settings.label_pad_width > 0:
            raise AttributeValueError(
                f"label_pad_width={settings.label_pad_width} is less than the {widest} numbers of a label"
            )
        return max(widest, int(settings.label_pad_width))

    def _source(self, settings: Any) -> ByteRanges:
        s = settings
        return ByteRanges(
            RecordFiles(s.path_imgrec), s.part_index, s.num_parts, s.shuffle,
            _DetectionRows.base_seed + s.seed, s.shuffle_chunk_size, s.shuffle_chunk_seed, 0, _CHUNK,
        )  # fmt: skip
