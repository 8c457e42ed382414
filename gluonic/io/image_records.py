"""Iterators over files of images with labels, which threads decode, augment and normalize."""

import os
from typing import Any, ClassVar

import numpy as np

from gluonic.graph.errors import AttributeValueError, NotThereError
from gluonic.graph.threads import thread_count
from gluonic.io.augmenting import DefaultAugmenter
from gluonic.io.batch import DataBatch, DataDesc
from gluonic.io.image_batches import Batches, ImageBatch, RowMaker
from gluonic.io.image_parameters import AUGMENTATION, NORMALIZATION, RECORDS
from gluonic.io.mx_data_iter import MXDataIter
from gluonic.io.normalizing import Normalizer, read_mean_image
from gluonic.io.parameters import Setting, declares, read_settings
from gluonic.io.record_order import ByteRanges, IndexedRecords, RecordFiles
from gluonic.io.working_ahead import WorkingAhead
from gluonic.ndarray import NDArray
from gluonic.ndarray.serialization import save


class ImageBatchIter(MXDataIter):
    """The base of iterators over files of images.

    A derived class is decorated with its parameters and overrides `_maker` and `_source`.
    """

    parameters: ClassVar[dict[str, Setting]]
    _dtype = "float32"

    def __init__(self, **settings: Any) -> None:
        self._settings = s = read_settings(self.parameters, settings, type(self).__name__)
        super().__init__()
        self.batch_size = s.batch_size
        if len(s.data_shape) != 3 or s.data_shape[0] not in (1, 3, 4) or 0 in s.data_shape:
            raise AttributeValueError(
                f"{type(self).__name__}: Invalid output shape data_shape={s.data_shape}: "
                "1, 3 or 4 channels, height, width"
            )
        if s.aug_seq != self.parameters["aug_seq"].default:
            raise NotThereError(
                f"{type(self).__name__}: there is no augmenter aug_seq={s.aug_seq!r} but "
                f"{self.parameters['aug_seq'].default!r}"
            )
        dtype = np.dtype(getattr(s, "dtype", None) or self._dtype)
        self._row_maker = self._maker(s, dtype)
        self._batches = Batches(s, self._row_maker, self._source(s))
        self._ahead: WorkingAhead[ImageBatch] | None = None
        self._anew = True
        self.provide_data = [DataDesc(s.data_name, (s.batch_size, *s.data_shape), dtype.type)]
        labels = _without_one_column(np.empty((s.batch_size, *self._row_maker.label_shape))).shape
        self.provide_label = [DataDesc(s.label_name, labels)]

    def _maker(self, settings: Any, dtype: Any) -> RowMaker:
        """The maker of the rows of batches."""
        raise NotImplementedError(f"{type(self).__name__}._maker")

    def _source(self, settings: Any) -> ByteRanges | IndexedRecords:
        """The source of the records."""
        raise NotImplementedError(f"{type(self).__name__}._source")

    def _with_mean_image(self, settings: Any, normalize: Any, maker: RowMaker) -> RowMaker:
        """Subtract the mean image, if one is given; its file is created if it does not exist."""
        name = settings.mean_img
        if name and maker.dtype != np.uint8:
            if not os.path.exists(name):
                _make_mean_image(settings, maker, self._source(settings))
            normalize.mean_image = read_mean_image(name, maker.shape)
        return maker

    def _work(self) -> WorkingAhead[ImageBatch]:
        """Start threads for a pass."""
        return WorkingAhead(
            self._batches.one_pass(anew=self._anew),
            min(self._settings.preprocess_threads, thread_count()),
            self._settings.prefetch_buffer,
            self._row_maker.prepare,
        )

    def go_back(self) -> None:
        """Go back to the first batch; after a padded one, to the image after its last one."""
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None

    def make_next(self) -> DataBatch | None:
        """Return the next batch; None after the last."""
        if self._ahead is None:
            self._ahead, self._anew = self._work(), True
        batch = self._ahead.next()
        if batch is None or batch.pad:
            self._anew = False
        if batch is None:
            return None
        labels = _without_one_column(batch.labels)
        return DataBatch([NDArray(batch.data)], [NDArray(labels)], batch.pad, batch.index)


def _without_one_column(labels: Any) -> Any:
    """Labels of width 1 as a vector."""
    return labels[:, 0] if labels.shape[1:] == (1,) else labels


@declares(RECORDS, AUGMENTATION, NORMALIZATION)
class ImageRecordIter(ImageBatchIter):
    """Batches of images and labels from files of records (`mx.recordio`, ``im2rec``).

    Threads decode images, augment, normalize and write them into batches that are made ahead. Augmentation
    depends on `seed_aug`, or is the same in each run of a program without it, whatever the number of
    threads; it equals MXNet's with `seed_aug`, and with ``preprocess_threads=1`` for images that are not
    shuffled within chunks.

    A record that is damaged, or no such image, raises an error with its position; the next call continues with
    the next batch.
    """

    def _maker(self, settings: Any, dtype: Any) -> RowMaker:
        normalize = Normalizer(settings, dtype)
        maker = RowMaker(settings, dtype, DefaultAugmenter(settings), normalize)
        return self._with_mean_image(settings, normalize, maker)

    def _source(self, settings: Any) -> ByteRanges | IndexedRecords:
        s, seed = settings, RowMaker.base_seed + settings.seed
        files = RecordFiles(s.path_imgrec)
        if s.path_imgidx:
            return IndexedRecords(files, s.path_imgidx, s.part_index, s.num_parts, s.shuffle, seed)
        return ByteRanges(
            files, s.part_index, s.num_parts, s.shuffle, seed,
            s.shuffle_chunk_size, s.shuffle_chunk_seed, s.batch_size,
        )  # fmt: skip


def _make_mean_image(settings: Any, maker: RowMaker, source: ByteRanges | IndexedRecords) -> None:
    """Compute the mean of all images, and write it to a file."""
    row, total = np.zeros(maker.shape, maker.dtype), np.zeros(maker.shape, np.float32)
    label, count = np.zeros(maker.label_shape, np.float32), 0
    maker.prepare()
    for record, seed in Batches(settings, maker, source).single_records():
        maker.make(record, seed, row, label)
        total += row
        count += 1
    save(settings.mean_img, {"mean_img": NDArray(total * np.float32(1 / count))})


@declares(RECORDS, AUGMENTATION, NORMALIZATION, dtype="uint8")
class ImageRecordUInt8Iter(ImageRecordIter):
    """``ImageRecordIter(dtype="uint8")``: images that are not normalized."""


@declares(RECORDS, AUGMENTATION, NORMALIZATION, dtype="int8")
class ImageRecordInt8Iter(ImageRecordIter):
    """``ImageRecordIter(dtype="int8")``: images from which rounded means are subtracted."""


@declares(RECORDS, AUGMENTATION, NORMALIZATION)
class ImageRecordIter_v1(ImageRecordIter):
    """MXNet's older `ImageRecordIter`; here both are the same."""


@declares(RECORDS, AUGMENTATION, NORMALIZATION, dtype="uint8")
class ImageRecordUInt8Iter_v1(ImageRecordIter):
    """MXNet's older `ImageRecordUInt8Iter`; here both are the same."""
