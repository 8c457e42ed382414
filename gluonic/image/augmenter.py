"""The base of augmenters: functions of images that draw random numbers and can describe themselves."""

import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.constructors import CheckedArguments
from gluonic.ndarray import NDArray

__all__ = ["Augmenter", "RandomOrderAug", "SequentialAug"]


class Described(CheckedArguments):
    """An object that can describe its class and arguments.

    Parameters
    ----------
    **kwargs : its arguments: numbers, text, lists, arrays
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = {name: _plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """Return its name in lower case and its arguments, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def _with_parts(self, parts: Sequence[Any]) -> list[Any]:
        """The class's name in lower case, and the descriptions of the parts."""
        return [type(self).__name__.lower(), [part.dumps() for part in parts]]


def _plain(value: Any) -> Any:
    value = value.asnumpy() if isinstance(value, NDArray) else value
    return value.tolist() if isinstance(value, np.ndarray) else value


class RandomlyApplied(Described):
    """An augmenter that changes images with a probability.

    Parameters
    ----------
    p : probability of changing an image
    """

    def __init__(self, p: float) -> None:
        super().__init__(p=p)
        self.p = p

    def _is_due(self) -> bool:
        """Draw whether to change an image."""
        return random.random() < self.p


class Augmenter(Described):
    """The base of augmenters.

    Parameters
    ----------
    **kwargs : the arguments that `dumps` reports

    Examples
    --------
    >>> import gluonic as mx
    >>> mx.image.HorizontalFlipAug(0.5).dumps()
    '["horizontalflipaug", {"p": 0.5}]'
    """

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels), in place or not.

        Parameters
        ----------
        src : the image; it may be changed
        """
        raise NotImplementedError(f"{type(self).__name__}.__call__")


class SequentialAug(Augmenter):
    """Augmenters one after the other.

    Parameters
    ----------
    ts : the augmenters
    """

    def __init__(self, ts: list[Augmenter]) -> None:
        super().__init__()
        self.ts = ts

    def dumps(self) -> list[Any]:
        """Return its name in lower case, and the descriptions of its augmenters."""
        return self._with_parts(self.ts)

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        for augmenter in self.ts:
            src = augmenter(src)
        return src


class RandomOrderAug(SequentialAug):
    """Augmenters in a new random order for each image.

    Parameters
    ----------
    ts : the augmenters; the list is shuffled
    """

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        random.shuffle(self.ts)
        return super().__call__(src)
