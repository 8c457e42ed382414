"""Augmenters of images with labels, which are NumPy arrays with a row for each object.

A row is (class, left, top, right, bottom, …), the edges in fractions of the image's width and height.
"""

import random
from typing import Any

from gluonic import ndarray as nd
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.image.augmenter import Augmenter, Described, RandomlyApplied

__all__ = ["DetAugmenter", "DetBorrowAug", "DetHorizontalFlipAug", "DetRandomSelectAug"]

Labelled = tuple[Any, Any]


class DetAugmenter(Described):
    """The base of augmenters of images with objects.

    Parameters
    ----------
    **kwargs : the arguments that `dumps` reports
    """

    def __call__(self, src: Any, label: Any) -> Labelled:
        """Change an image, (height, width, channels), and its label, in place or not.

        Parameters
        ----------
        src : the image; it may be changed
        label : (objects, 5 or more); it may be changed
        """
        raise NotImplementedError(f"{type(self).__name__}.__call__")


class DetBorrowAug(DetAugmenter):
    """Apply to the image an augmenter that does not move the objects.

    Parameters
    ----------
    augmenter : the augmenter
    """

    def __init__(self, augmenter: Augmenter) -> None:
        if not isinstance(augmenter, Augmenter):
            raise AttributeValueError(
                describe(
                    f"DetBorrowAug: {type(augmenter).__name__} is no Augmenter",
                    hint="augmenters that change labels, too, are used as they are",
                )
            )
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> list[Any]:
        """Return its name in lower case, and the description of its augmenter."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: Any, label: Any) -> Labelled:
        """Change an image, (height, width, channels); the label is unchanged."""
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """Apply a random one of several augmenters to each image, or none.

    Parameters
    ----------
    aug_list : the augmenters, or one; a list is shuffled
    skip_prob : probability of using none
    """

    def __init__(self, aug_list: Any, skip_prob: float = 0) -> None:
        super().__init__(skip_prob=skip_prob)
        given = aug_list if isinstance(aug_list, (list, tuple)) else [aug_list]
        for augmenter in given:
            if not isinstance(augmenter, DetAugmenter):
                raise AttributeValueError(
                    describe(
                        f"DetRandomSelectAug: {type(augmenter).__name__} is no DetAugmenter",
                        hint="DetBorrowAug(augmenter) makes one of an Augmenter",
                    )
                )
        self.aug_list = list(given)
        self.skip_prob = skip_prob if given else 1

    def dumps(self) -> list[Any]:
        """Return its name in lower case, and the descriptions of its augmenters."""
        return self._with_parts(self.aug_list)

    def __call__(self, src: Any, label: Any) -> Labelled:
        """Change an image, (height, width, channels), and its label, or leave them alone."""
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        return self.aug_list[0](src, label)  # type: ignore[no-any-return]


class DetHorizontalFlipAug(RandomlyApplied, DetAugmenter):
    """Mirror left and right with a probability.

    Parameters
    ----------
    p : probability
    """

    def __call__(self, src: Any, label: Any) -> Labelled:
        """Mirror an image, (height, width, channels), and its label in place, or leave them alone."""
        if not self._is_due():
            return src, label
        label[:, (1, 3)] = 1.0 - label[:, (3, 1)]
        return nd.flip(src, axis=1), label
