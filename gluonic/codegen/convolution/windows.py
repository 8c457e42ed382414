"""Windows in three dimensions: those of images are treated as windows of depth one."""

from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class Windows3:
    """Windows of volumes: the properties that code depends on.

    Attributes
    ----------
    kernel, stride, dilate, pad : along depth, rows and columns
    """

    kernel: Shape
    stride: Shape
    dilate: Shape
    pad: Shape

    @staticmethod
    def of(kernel: Shape, stride: Shape, dilate: Shape, pad: Shape) -> "Windows3":
        """Windows of images or volumes."""
        return Windows3(deep(kernel, 1), deep(stride, 1), deep(dilate, 1), deep(pad, 0))

    @property
    def taps(self) -> int:
        """The number of taps."""
        down, across, along = self.kernel
        return down * across * along

    @property
    def is_point(self) -> bool:
        """Whether windows are single positions."""
        return self.taps == 1 and self.stride == (1, 1, 1) and not any(self.pad)


def deep(numbers: Shape, fill: int) -> Shape:
    """Numbers along three axes.

    >>> deep((4, 5), 1)
    (1, 4, 5)
    """
    return (fill,) * (3 - len(numbers)) + tuple(numbers)
