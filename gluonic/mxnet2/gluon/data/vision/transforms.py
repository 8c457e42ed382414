"""Transforms of images, as blocks: 1.x's, and those that MXNet 2.0 adds."""

from collections.abc import Sequence
from typing import Any

from gluonic.gluon.data.vision import transforms as of_one
from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.hybrid import HybridBlockOfTwo as HybridBlock
from gluonic.mxnet2.gluon.layers import members_of_two
from gluonic.mxnet2.gluon.nn import HybridSequential
from gluonic.mxnet2.numpy_extension import image

_members = members_of_two(of_one, __name__)
globals().update(_members)
__all__ = [*_members, "HybridCompose", "HybridRandomApply", "RandomCrop", "RandomGray"]


def _hybrid(block: Any, where: str) -> Any:
    if not isinstance(block, HybridBlock):
        raise CallError(
            describe(f"{type(block).__name__} is no HybridBlock", where=where, hint="Compose")
        )
    return block


class HybridCompose(HybridSequential):  # type: ignore[misc]
    """Transforms one after the other, compiled as a whole.

    Parameters
    ----------
    transforms : hybrid blocks
    """

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        self.add(*(_hybrid(block, "HybridCompose") for block in transforms))
        self.hybridize()


class HybridRandomApply(HybridBlock):
    """Apply a transform to some images, by chance.

    Parameters
    ----------
    transforms : a hybrid block
    p : the probability
    """

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms, self.p = _hybrid(transforms, "HybridRandomApply"), p

    def forward(self, x: Any, *args: Any) -> Any:
        """Return the image, transformed or not."""
        chance = np.random.uniform(size=())
        return np.where(chance < self.p, self.transforms(x), x)


class RandomCrop(HybridBlock):
    """Pad an image, and cut a rectangle out of it at random; one that is too small is enlarged.

    Parameters
    ----------
    size : width and height, or one number for both
    pad : how many pixels to add at each side, or before and after for both axes (rows first)
    pad_value : the value of these pixels
    interpolation : the method by which images are enlarged, as in `mx.image.imresize`
    """

    def __init__(
        self, size: Any, pad: Any = None, pad_value: float = 0, interpolation: int = 1
    ) -> None:
        super().__init__()
        width, height = (size, size) if isinstance(size, int) else size
        self._window = ((0, 1), (0, 1), width, height, interpolation)
        around = (pad,) * 4 if isinstance(pad, int) else pad
        self._pad = None if around is None else ((*around[:2],), (*around[2:4],), (0, 0))
        self._value = pad_value

    def forward(self, x: Any) -> Any:
        """Cut a (height, width, channels) image."""
        if self._pad is not None:
            x = np.pad(x, self._pad, mode="constant", constant_values=self._value)
        crop: Any = image.random_crop
        return crop(x, *self._window)


class RandomGray(HybridBlock):
    """Turn some images to grey, by chance.

    Parameters
    ----------
    p : the probability
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Any) -> Any:
        """Return a (height, width, 3) image as float32, in colour or in grey."""
        colours = x.astype("float32")
        weights = np.array([0.2989, 0.5870, 0.114])
        grey = np.sum(colours * weights, axis=-1, keepdims=True)
        chance = np.random.uniform(size=())
        return np.where(chance < self.p, grey + np.zeros_like(colours), colours)
