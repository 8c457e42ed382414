"""Packing of listed images into a record file by threads, in the list's order."""

import argparse
import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from gluonic.graph.errors import MXNetError
from gluonic.graph.files import read_bytes
from gluonic.graph.image_files import decode
from gluonic.graph.opencv import required_opencv
from gluonic.io.working_ahead import WorkingAhead
from gluonic.progress import progress
from gluonic.recordio import IRHeader, MXIndexedRecordIO, pack, pack_img
from gluonic.tools.image_lists import ListedImage, read_list

_AT_ONCE, _AHEAD = 64, 4  # images of a part; parts in progress


class _Part:
    """Some images of a list, which threads pack.

    Attributes
    ----------
    images : the images
    records : their records; None for images that could not be packed
    """

    def __init__(self, images: Sequence[ListedImage], options: argparse.Namespace) -> None:
        self.images, self._options = images, options
        self.count = len(images)
        self.records: list[bytes | None] = [None] * self.count

    def make(self, row: int) -> None:
        """Pack an image; damaged or missing ones are logged and left out."""
        image = self.images[row]
        try:
            self.records[row] = packed(image, self._options)
        except MXNetError as error:
            logging.error("%s is left out: %s", image.path, error)


def packed(image: ListedImage, options: argparse.Namespace) -> bytes:
    """An image as a record: unchanged, or decoded, cropped, resized and encoded."""
    several = len(image.labels) > 1 and options.pack_label
    header = IRHeader(0, list(image.labels) if several else image.labels[0], image.number, 0)
    contents = read_bytes(Path(options.root) / image.path)
    if options.pass_through:
        return pack(header, contents)
    pixels = decode(contents, options.color, to_rgb=False, turned=True)
    if options.center_crop:
        pixels = _middle(pixels)
    if options.resize:
        pixels = _shortened(pixels, options.resize)
    return pack_img(header, pixels, options.quality, options.encoding)


def _middle(pixels: Any) -> Any:
    """The central square."""
    height, width = pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return pixels[top : top + side, left : left + side]


def _shortened(pixels: Any, short: int) -> Any:
    """The image resized so that its shorter side has `short` pixels."""
    height, width = pixels.shape[:2]
    size = (short, height * short // width) if height > width else (width * short // height, short)
    return required_opencv("im2rec --resize").resize(pixels, size)


def _parts(images: Iterator[ListedImage], options: argparse.Namespace) -> Iterator[_Part]:
    while some := list(islice(images, _AT_ONCE)):
        yield _Part(some, options)


def write_records(list_path: str, options: argparse.Namespace) -> tuple[int, int]:
    """Pack the images of a list into a record file in the same folder, with an index.

    Returns
    -------
    written, left_out
        the numbers of images
    """
    prefix = str(Path(list_path).with_suffix(""))
    images = list(read_list(list_path))
    record = MXIndexedRecordIO(f"{prefix}.idx", f"{prefix}.rec", "w")
    work = WorkingAhead(_parts(iter(images), options), options.num_thread, _AHEAD)
    written = 0
    try:
        with progress(len(images), "image", [logging.getLogger()]) as bar:
            while (part := work.next()) is not None:
                for image, content in zip(part.images, part.records, strict=True):
                    if content is not None:
                        record.write_idx(image.number, content)
                        written += 1
                bar.update(part.count)
    finally:
        work.close()
        record.close()
    return written, len(images) - written
