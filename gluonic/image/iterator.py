"""`ImageIter`: batches of images from files or records, augmented."""

import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal

from gluonic import ndarray as nd
from gluonic import recordio
from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError, describe
from gluonic.graph.files import read_bytes
from gluonic.image.decoding_ahead import DecodingAhead, broken, thread_count
from gluonic.image.reading import imdecode
from gluonic.image.sources import check_sources, listed_images, open_records, part_of
from gluonic.image.standard_augmenters import CreateAugmenter
from gluonic.io import DataBatch, DataIter

__all__ = ["ImageIter"]


class ImageIter(DataIter):
    """Batches of images from a file of records or a list of image files, changed by augmenters.

    Images are decoded by threads, as many as the variable ``MXNET_CPU_WORKER_NTHREADS`` says, or one per
    core, while the main thread augments earlier ones.

    Parameters
    ----------
    batch_size : images in a batch
    data_shape : (3, height, width) of augmented images
    label_width : length of a label
    path_imgrec : a file of records, as im2rec writes them
    path_imglist : a list of image files: lines of a number, labels and a file, with tabs between
    path_root : the folder of the image files
    path_imgidx : the index of `path_imgrec`, needed for `shuffle` and for parts of it
    shuffle : shuffle the order in each epoch
    part_index, num_parts : the part to read, and the number of parts
    aug_list : augmenters; by default those that `CreateAugmenter` makes of further arguments
    imglist : a list of images: label, or labels, and file each
    data_name, label_name : the names of the inputs
    dtype : of labels read: ``int32``, ``float32``, ``int64`` or ``float64``; those of batches are float32
    last_batch_handle : what to do with a last batch that is too small: ``"pad"`` fills it with the first
        images, ``"discard"`` leaves it out, ``"roll_over"`` puts it into the next epoch's first batch
    **augmentation : further arguments of `CreateAugmenter`

    Attributes
    ----------
    provide_data, provide_label : names and shapes of the inputs
    imgrec, imgidx : the file of records and the keys of its index, or None
    imglist : labels and files by key, or None
    seq : the keys in the order of the epoch; None if records come in the order of the file
    cur : number of keys read so far
    """

    _augmenters: ClassVar[Any] = staticmethod(CreateAugmenter)

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, int, int],
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: list[Any] | None = None,
        imglist: list[Any] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: Literal["pad", "discard", "roll_over"] = "pad",
        **augmentation: Any,
    ) -> None:
        super().__init__()
        check_sources(path_imgrec, path_imglist, imglist, dtype)
        logging.info("Using %s threads for decoding...", thread_count())
        self.imgrec, self.imgidx = open_records(path_imgrec, path_imgidx)
        images = listed_images(path_imglist, imglist, dtype)
        self.imglist = images.entries if images else None
        self.path_root = path_root
        self.check_data_shape(data_shape)
        self.provide_data = [(data_name, (batch_size, *data_shape))]
        labels = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_label: list[Any] = [(label_name, labels)]
        self.batch_size, self.data_shape, self.label_width = batch_size, data_shape, label_width
        self.shuffle, self.last_batch_handle = shuffle, last_batch_handle
        self.seq: list[Any] | None = (
            images.keys if self.imgrec is None and images else self._sequence_of_records(num_parts)
        )
        if num_parts > 1:
            self.seq = part_of(self.seq or [], part_index, num_parts)
        self.auglist = (
            self._augmenters(data_shape, **augmentation) if aug_list is None else aug_list
        )
        self.num_image = None if self.seq is None else len(self.seq)
        self.cur = 0
        self._allow_read = True
        self._ahead = DecodingAhead()
        self._rolled_over: tuple[Any, Any, int] | None = None
        self.reset()

    def _sequence_of_records(self, num_parts: int) -> list[Any] | None:
        if self.imgidx is None and (self.shuffle or num_parts > 1):
            raise AttributeValueError(
                describe(
                    f"{type(self).__name__}: records are shuffled, and divided in parts, by their index",
                    hint="path_imgidx=, a file that im2rec writes beside the records",
                )
            )
        return self.imgidx

    def reset(self) -> None:
        """Start an epoch, keeping the images left over for it."""
        if self._rolled_over is None or self.last_batch_handle != "roll_over":
            self.hard_reset()
        else:
            self._shuffle()

    def hard_reset(self) -> None:
        """Start an epoch, and drop the images left over for it."""
        self._shuffle()
        self._rewind()
        self.cur = 0
        self._allow_read = True
        self._rolled_over = None
        self._ahead.forget()

    def _rewind(self) -> None:
        """Go back to the first record of the file."""
        self._records_read = 0
        if self.imgrec is not None:
            self.imgrec.reset()

    def _shuffle(self) -> None:
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)

    def next_sample(self) -> tuple[Any, bytes]:
        """Read the next image.

        Returns
        -------
        Its label, and the contents of its file.

        Raises
        ------
        StopIteration
            after the last
        """
        if not self._allow_read:
            raise StopIteration
        if self.seq is None:
            return self._next_record()
        if self.cur >= len(self.seq):
            if self.last_batch_handle != "discard":
                self.cur = 0
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is None:
            assert self.imglist is not None
            label, file = self.imglist[key]
            return label, self.read_image(file)
        record = self.imgrec.read_idx(key)
        if record is None:
            raise FileFormatError(f"{self.latest()}: the file ends before this record")
        header, contents = recordio.unpack(record)
        return header.label if self.imglist is None else self.imglist[key][0], contents

    def _next_record(self) -> tuple[Any, bytes]:
        record = self.imgrec.read()
        if record is None:
            if self.last_batch_handle != "discard":
                self._rewind()
            raise StopIteration
        self._records_read += 1
        header, contents = recordio.unpack(record)
        return header.label, contents

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises
        ------
        StopIteration
            after the last
        """
        data, labels, count = self._rolled_over or (*self._empty_batch(), 0)
        rolled_over, self._rolled_over = self._rolled_over is not None, None
        if not rolled_over:
            count = self._batchify(data, labels)
        pad = self.batch_size - count
        if pad and not rolled_over and self.last_batch_handle == "roll_over":
            self._rolled_over = data, labels, count
        if pad and (self._rolled_over or self.last_batch_handle == "discard"):
            raise StopIteration
        if pad:
            self._batchify(data, labels, count)
            if self.last_batch_handle == "pad":
                self._allow_read = False
        return DataBatch([data], [labels], pad=pad)

    def _empty_batch(self) -> tuple[Any, Any]:
        """Arrays for the images and the labels of a batch."""
        return nd.zeros(self.provide_data[0][1]), nd.zeros(self.provide_label[0][1])

    def _batchify(self, batch_data: Any, batch_label: Any, start: int = 0) -> int:
        """Fill a batch from a position on; return the position after the last image.

        Raises
        ------
        StopIteration
            if there is no image left, and none was in it
        """
        index = start
        while index < self.batch_size:
            sample = self._next_decoded(self.batch_size - index)
            if sample is None:
                break
            try:
                image, label = self._finished(*sample)
            except InvalidSample as error:
                logging.debug("Invalid image, skipping: %s", error.__cause__)
                continue
            batch_data[index] = self.postprocess_data(image)
            self._put_label(batch_label, index, label)
            index += 1
        if not index:
            raise StopIteration
        return index

    def _next_decoded(self, wanted: int) -> tuple[Any, Any] | None:
        """The next label and image; None if there is none left.

        Parameters
        ----------
        wanted : least number of samples that will be requested, including this one
        """
        if type(self).imdecode is ImageIter.imdecode:
            return self._ahead.next(self, wanted)
        try:
            label, contents = self.next_sample()
        except StopIteration:
            return None
        return label, self.imdecode(contents)

    def _finished(self, label: Any, image: Any) -> tuple[Any, Any]:
        """An augmented image and its label.

        Raises
        ------
        InvalidSample
            if it must be skipped
        """
        with left_out():
            self.check_valid_image(image)
        return self.augmentation_transform(image), label

    def _put_label(self, batch_label: Any, index: int, label: Any) -> None:
        batch_label[index] = label

    def check_data_shape(self, data_shape: tuple[int, ...]) -> None:
        """Check the shape of images, (channels, height, width).

        Raises
        ------
        ValueError
            if it does not have three axes and three channels
        """
        if len(data_shape) != 3:
            raise AttributeValueError(
                f"data_shape should have length 3, with dimensions CxHxW, not {data_shape}"
            )
        if data_shape[0] != 3:
            raise AttributeValueError(
                f"This iterator expects inputs to have 3 channels, not data_shape={data_shape}"
            )

    def check_valid_image(self, data: Any) -> None:
        """Check a decoded image; an invalid one is skipped.

        Raises
        ------
        RuntimeError
            if it is not valid
        """
        if len(data[0].shape) == 0:
            raise MXNetError("Data shape is wrong")

    def imdecode(self, s: Any) -> Any:
        """Decode the contents of an image file that was just read.

        Raises
        ------
        FileFormatError
            naming the image, if it is damaged
        """
        try:
            return imdecode(s)
        except FileFormatError as error:
            raise broken(self.latest(), error) from error

    def latest(self) -> str:
        """The name of the latest sample, for messages."""
        if self.seq is None:
            return f"record number {self._records_read}, counted from 1, of {self.imgrec.uri}"
        key = self.seq[self.cur - 1]
        if self.imgrec is not None:
            return f"index: {key} of {self.imgrec.uri}"
        assert self.imglist is not None
        return f"filename: {self.imglist[key][1]}"

    def read_image(self, fname: str) -> bytes:
        """Return the contents of an image file in `path_root`."""
        return read_bytes(Path(self.path_root or "", fname))

    def augmentation_transform(self, data: Any) -> Any:
        """Let the augmenters change an image, (height, width, channels)."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """Put the channels of an image first, as batches have them."""
        return nd.transpose(datum, axes=(2, 0, 1))


class InvalidSample(Exception):
    """A sample must be skipped; its cause says why."""


@contextmanager
def left_out() -> Iterator[None]:
    """Skip samples for which a RuntimeError is raised."""
    try:
        yield
    except RuntimeError as error:
        raise InvalidSample from error
