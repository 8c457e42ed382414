"""`ImageDetIter`: batches of images with the boxes around their objects."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from gluonic.graph.errors import AttributeValueError, MXNetError, describe
from gluonic.image.drawn_boxes import drawn, shown, unnormalized
from gluonic.image.iterator import ImageIter, InvalidSample, left_out
from gluonic.image.standard_detection import CreateDetAugmenter
from gluonic.ndarray import NDArray

__all__ = ["ImageDetIter"]

_LEAST_LABEL = 7  # a header of two numbers, and one object
_LEAST_OBJECT = 5  # a class and the edges of a box


class ImageDetIter(ImageIter):
    """Batches of images and their objects, changed by augmenters.

    The label of an image in a file or a list is: the length of this header (2 or more), the number of values
    per object (5 or more), the rest of the header; and for each object its class, the left, top, right and
    bottom edge of its box in fractions of the image's width and height, and further values. In a batch
    labels are (batch, most objects of an image, values per object), padded with rows of -1.

    Parameters
    ----------
    batch_size : images in a batch
    data_shape : (3, height, width) of augmented images
    path_imgrec : a file of records, as im2rec writes them
    path_imglist : a list of image files: lines of a number, a label and a file, with tabs between
    path_root : the folder of the image files
    path_imgidx : the index of `path_imgrec`, needed for `shuffle` and for parts of it
    shuffle : shuffle the order in each epoch
    part_index, num_parts : the part to read, and the number of parts
    aug_list : augmenters; by default those that `CreateDetAugmenter` makes of further arguments
    imglist : a list of images: label and file each
    data_name, label_name : the names of the inputs
    last_batch_handle : what to do with a last batch that is too small: ``"pad"`` fills it with the first
        images, ``"discard"`` leaves it out, ``"roll_over"`` puts it into the next epoch's first batch
    **augmentation : further arguments of `CreateDetAugmenter`

    Attributes
    ----------
    label_shape : (most objects of an image, numbers of an object)
    """

    _augmenters: ClassVar[Any] = staticmethod(CreateDetAugmenter)

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, int, int],
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
        label_name: str = "label",
        last_batch_handle: Literal["pad", "discard", "roll_over"] = "pad",
        **augmentation: Any,
    ) -> None:
        super().__init__(
            batch_size,
            data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=aug_list,
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
            **augmentation,
        )
        self.label_shape = self._estimate_label_shape()
        self.provide_label = [(label_name, (batch_size, *self.label_shape))]

    def _estimate_label_shape(self) -> tuple[int, int]:
        """The largest number of objects in an image, and the number of values per object, from all labels."""
        most, width = 0, 0
        self.reset()
        while True:
            try:
                label = self._parse_label(self.next_sample()[0])
            except StopIteration:
                break
            most, width = max(most, len(label)), label.shape[1]
        self.reset()
        return most, width

    def _parse_label(self, label: Any) -> Any:
        """The objects of a label, (objects, numbers), those whose boxes have an area.

        Raises
        ------
        MXNetError
            if there is none, or the label has no header, or contradicts it
        """
        raw = np.ravel(label.asnumpy() if isinstance(label, NDArray) else label)
        if raw.size < _LEAST_LABEL:
            raise MXNetError(f"Label shape is invalid: {raw.shape}")
        if not np.isfinite(raw[:2]).all():
            raise MXNetError(f"Label header is invalid: {raw[0]}, {raw[1]}")
        header, width = int(raw[0]), int(raw[1])
        if width < _LEAST_OBJECT or (raw.size - header) % width:
            raise MXNetError(
                describe(
                    f"Label shape {raw.shape} inconsistent with annotation width {width}",
                    facts=[f"its header has {header} numbers, an object {width}"],
                )
            )
        objects = raw[header:].reshape(-1, width)
        valid = (objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])
        if not valid.any():
            raise MXNetError("Encounter sample with no valid label.")
        return objects[valid]

    def _check_valid_label(self, label: Any) -> None:
        """Check the label of an augmented image.

        Raises
        ------
        MXNetError
            if its shape is wrong, or no object has a known class and a valid box
        """
        if label.ndim != 2 or label.shape[1] < _LEAST_OBJECT:
            raise MXNetError(f"Label with shape (1+, 5+) required, {label} received.")
        if not ((label[:, 0] >= 0) & (label[:, 3] > label[:, 1])).any():
            raise MXNetError("Invalid label occurs.")

    def _finished(self, label: Any, image: Any) -> tuple[Any, Any]:
        with left_out():
            self.check_valid_image([image])
            image, label = self.augmentation_transform(image, self._parse_label(label))
            self._check_valid_label(label)
        return image, label

    def _empty_batch(self) -> tuple[Any, Any]:
        data, labels = super()._empty_batch()
        labels[:] = -1
        return data, labels

    def _put_label(self, batch_label: Any, index: int, label: Any) -> None:
        rows = np.full(batch_label.shape[1:], -1, np.float32)
        rows[: len(label)] = label
        batch_label[index] = rows

    def reshape(
        self,
        data_shape: tuple[int, int, int] | None = None,
        label_shape: tuple[int, int] | None = None,
    ) -> None:
        """Change the shapes of batches.

        Parameters
        ----------
        data_shape : (3, height, width); the augmenters must make such images
        label_shape : (most objects of an image, numbers of an object); large enough for all labels
        """
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.provide_data = [(self.provide_data[0][0], (self.batch_size, *data_shape))]
            self.data_shape = data_shape
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.provide_label = [(self.provide_label[0][0], (self.batch_size, *label_shape))]
            self.label_shape = label_shape

    def check_label_shape(self, label_shape: tuple[int, ...]) -> None:
        """Check a shape for labels.

        Raises
        ------
        ValueError
            if it has not two axes, too few objects, or another number of values per object
        """
        if len(label_shape) != 2:
            raise AttributeValueError(f"label_shape should have length 2, not {label_shape}")
        if label_shape[0] < self.label_shape[0]:
            raise AttributeValueError(
                f"Attempts to reduce label count from {self.label_shape[0]} to {label_shape[0]}, not allowed."
            )
        if label_shape[1] != self.label_shape[1]:
            raise AttributeValueError(
                f"label_shape object width inconsistent: {self.label_shape[1]} vs {label_shape[1]}."
            )

    def sync_label_shape(self, it: "ImageDetIter", verbose: bool = False) -> "ImageDetIter":
        """Set a common shape of labels for two iterators, such as those for training and validation.

        Parameters
        ----------
        it : the other one, which is returned
        verbose : log the change
        """
        if not isinstance(it, ImageDetIter):
            raise AttributeValueError(
                f"Synchronize with invalid iterator: {type(it).__name__} is no ImageDetIter"
            )
        (own, width), (other, other_width) = self.label_shape, it.label_shape
        if width != other_width:
            raise AttributeValueError(f"object width mismatch: {width} and {other_width}")
        most = max(own, other)
        for iterator in (self, it):
            if iterator.label_shape[0] < most:
                iterator.reshape(None, (most, width))
        if verbose and own != other:
            logging.info("Resized label_shape to (%d, %d).", most, width)
        return it

    def augmentation_transform(self, data: Any, label: Any) -> tuple[Any, Any]:  # type: ignore[override]
        """Let the augmenters change an image, (height, width, channels), and its label."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def draw_next(
        self,
        color: tuple[float, float, float] | None = None,
        thickness: int = 2,
        mean: Any = None,
        std: Any = None,
        clip: bool = True,
        waitKey: int | None = None,
        window_name: str = "draw_next",
        id2labels: Mapping[int, str] | None = None,
    ) -> Iterator[Any]:
        """Yield augmented images with their boxes drawn into them; needs OpenCV.

        Parameters
        ----------
        color : the boxes' colour: red, green, blue; random by default
        thickness : the width of their lines, in pixels
        mean, std : the mean subtracted by the augmenters, and their divisor; True: those of ImageNet
        clip : clip values to 0 … 255
        waitKey : show each image in a window for this many milliseconds (0: until a key is pressed)
        window_name : the window's name
        id2labels : names of classes, to be written into the boxes

        Yields
        ------
        numpy.ndarray
            (height, width, 3), uint8, blue first as OpenCV has it
        """
        while (sample := self._next_decoded(1)) is not None:
            try:
                image, label = self._finished(*sample)
            except InvalidSample as error:
                logging.debug("Invalid image, skipping: %s", error.__cause__)
                continue
            pixels = unnormalized(image.asnumpy(), mean, std, clip)
            picture = drawn(pixels, label, color, thickness, id2labels or {})
            if waitKey is not None:
                shown(picture, window_name, waitKey)
            yield picture
