"""Batches of the images in files of records: the choice of the records, and the creation of rows."""

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from gluonic.graph.errors import (
    AttributeValueError,
    FileFormatError,
    InferenceError,
    MXNetError,
    describe,
)
from gluonic.graph.files import read_text
from gluonic.graph.image_files import decode
from gluonic.graph.opencv import required_opencv
from gluonic.io.cpp_random import CppRandom
from gluonic.io.record_order import ByteRanges, IndexedRecords, LocatedRecord
from gluonic.io.recycled import RecycledArrays
from gluonic.recordio import IRHeader, unpack

_FLAGS = {1: 0, 3: 1, 4: -1}  # how to decode, by the number of channels


class ImageBatch:
    """A batch in construction.

    Attributes
    ----------
    count : number of rows to make; the others are 0
    pad : number of padding rows
    data, labels, index : its arrays
    """

    def __init__(
        self,
        maker: "RowMaker",
        rows: Sequence[tuple[LocatedRecord, int | None]],
        size: int,
        pad: int,
    ) -> None:
        self._maker, self._rows = maker, rows
        self.count, self.pad = len(rows), pad
        self.data = maker.images.array()
        self.data[self.count :] = 0
        self.labels = np.zeros((size, *maker.label_shape), np.float32)
        self.index = np.zeros(size, np.uint64)

    def make(self, row: int) -> None:
        """Write a row.

        Raises
        ------
        MXNetError
            if the record is damaged, or is no such image; it names the file and the offset
        """
        record, seed = self._rows[row]
        try:
            self.index[row] = self._maker.make(record, seed, self.data[row], self.labels[row])
        except MXNetError as error:
            error.facts.append(_position(record))
            raise
        except required_opencv("decoding images").error as error:
            raise InferenceError(
                describe(f"OpenCV refuses this image: {error.err}", facts=[_position(record)])
            ) from error


def _position(record: LocatedRecord) -> str:
    return f"the record at byte {record.offset} of {record.file}"


class RowMaker:
    """Writes the row of a batch that belongs to a record.

    A derived class with other labels overrides `label_of` and `write`.

    Parameters
    ----------
    settings : the iterator's parameters
    dtype : of images
    augment : changes a decoded image, given the random numbers
    normalize : writes the image into its row

    Attributes
    ----------
    shape, label_shape : the shapes of a row
    images : allocates the arrays of batches
    base_seed : the seed of the random numbers
    """

    base_seed = 111

    def __init__(self, settings: Any, dtype: Any, augment: Any, normalize: Any) -> None:
        self.settings, self.dtype, self.augment, self.normalize = (
            settings,
            dtype,
            augment,
            normalize,
        )
        self.shape: tuple[int, ...] = settings.data_shape
        self.label_shape: tuple[int, ...] = (settings.label_width,)
        self.images = RecycledArrays((settings.batch_size, *self.shape), dtype)
        self._labels = read_labels(settings.path_imglist) if settings.path_imglist else None
        self._local = threading.local()
        # one thread draws from one stream, as each of MXNet's threads does; several would not be reproducible
        self._only = CppRandom(self.base_seed) if settings.preprocess_threads == 1 else None

    def prepare(self) -> None:
        """Prepare a thread that writes rows: OpenCV runs without IPP, as MXNet's does."""
        required_opencv("decoding images").ipp.setUseIPP(False)

    def make(self, record: LocatedRecord, seed: int | None, row: Any, label_row: Any) -> int:
        """Decode, augment and normalize an image; return its number."""
        header, contents = unpack(record.content)
        image = self._decoded(header, contents)
        self.write(image, self.label_of(header), self._random(seed), row, label_row)
        return header.id

    def _decoded(self, header: IRHeader, contents: bytes) -> Any:
        channels = self.shape[0]
        image = decode(contents, _FLAGS[channels], to_rgb=False, turned=True)
        if image.shape[2] != channels:
            raise FileFormatError(
                f"Invalid image with index {header.id}: it has {image.shape[2]} channels, not {channels}"
            )
        return image

    def write(self, image: Any, label: Any, random: CppRandom, row: Any, label_row: Any) -> None:
        """Write image and label into their rows."""
        self.normalize(self.augment(image, random), row, random)
        label_row[...] = label

    def label_of(self, header: IRHeader) -> Any:
        """The label of an image: that in the list, or else that in the record.

        Raises
        ------
        ValueError
            if its width differs from the iterator's `label_width`
        """
        label = (
            np.atleast_1d(header.label) if self._labels is None else self.listed_label(header.id)
        )
        if len(label) != self.label_shape[0]:
            raise AttributeValueError(
                f"image {header.id} has {len(label)} labels, but label_width is {self.label_shape[0]}"
            )
        return label

    def listed_label(self, number: int) -> Any:
        """The label of an image in the list."""
        assert self._labels is not None
        if number not in self._labels:
            raise MXNetError(f"{self.settings.path_imglist} has no label for image {number}")
        return self._labels[number]

    def label_widths(self, records: Iterator[LocatedRecord]) -> Iterator[int]:
        """The number of labels of each image."""
        if self._labels is not None:
            yield from map(len, self._labels.values())
            return
        for record in records:
            yield len(np.atleast_1d(unpack(record.content)[0].label))

    def _random(self, seed: int | None) -> CppRandom:
        """The random numbers for an image."""
        if seed is None:
            assert self._only is not None
            return self._only
        if not hasattr(self._local, "random"):
            self._local.random = CppRandom(seed)
        random: CppRandom = self._local.random
        random.seed(seed)
        return random


def read_labels(name: str) -> dict[int, Any]:
    """Read a list of images: each line has a number, labels and a path, separated by white space.

    Raises
    ------
    FileFormatError
        naming the line that is malformed
    """
    labels = {}
    for number, line in enumerate(read_text(name).splitlines(), 1):
        words = line.split("\t") if "\t" in line else line.split()
        try:
            if "\0" in line:
                raise ValueError("it has NUL bytes")
            if words:
                labels[int(words[0])] = np.array(words[1:-1], np.float32)
        except ValueError as error:
            raise FileFormatError(
                f"{name}: line {number}: Bad ImageList format: {error}"
            ) from error
    return labels


class Batches:
    """Creates batches, pass after pass.

    Parameters
    ----------
    settings : the iterator's parameters
    maker : writes their rows
    source : the source of the records
    """

    def __init__(self, settings: Any, maker: RowMaker, source: ByteRanges | IndexedRecords) -> None:
        self._settings, self._maker, self._source = settings, maker, source
        self._rest: Iterator[LocatedRecord] | None = None
        self._seeds = CppRandom(maker.base_seed)
        self._first_row = 0  # the number of the chunk that is being read

    def one_pass(self, *, anew: bool) -> Iterator[ImageBatch]:
        """Yield the batches of a pass.

        The last may be padded with the first records of the next pass, which then skips them.

        Parameters
        ----------
        anew : whether to start from the first record in any case
        """
        size, fills_up = self._settings.batch_size, self._settings.round_batch
        records = self._source.one_pass() if anew or self._rest is None else self._rest
        self._rest = None
        while rows := list(islice(records, size)):
            pad = size - len(rows)
            if pad and fills_up:
                self._rest = self._source.one_pass()
                rows += islice(self._rest, pad)
                if len(rows) < size:
                    raise MXNetError(
                        describe(
                            "number of input images must be bigger than the batch size",
                            facts=[
                                f"{size - pad} images do not fill a batch of {size}, even twice"
                            ],
                        )
                    )
            seeds = [self._seed(row, record) for row, record in enumerate(rows)]
            yield ImageBatch(self._maker, list(zip(rows, seeds, strict=True)), size, pad)
            if pad:
                return

    def single_records(self) -> Iterator[tuple[LocatedRecord, int | None]]:
        """Yield all records once, each with the seed of its random numbers."""
        for record in self._source.one_pass():
            yield record, self._seed(self._settings.batch_size, record)

    def _seed(self, row: int, record: LocatedRecord) -> int | None:
        """The seed of an image's random numbers: as in MXNet, its index in the chunk that was read counts."""
        if record.number == 0:
            self._first_row = row
        s = self._settings
        if s.seed_aug is not None:
            return int(s.seed_aug + self._first_row + record.number + self._maker.base_seed)
        return None if s.preprocess_threads == 1 else self._seeds.word()
