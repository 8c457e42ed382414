"""The layouts of arrays of images, and the one that kernels support."""

from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.codegen.lowerings.entry import lower
from gluonic.graph import Array, Entry
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.view import NodeView, complete
from gluonic.support.record import record


@record
class ImageLayout:
    """The layout of an array of images (or of filters).

    Attributes
    ----------
    rank : number of axes
    last : whether the channels come after the spatial axes
    depth : the number of images per volume, if volumes are treated as images; otherwise 0
    """

    rank: int
    last: bool
    depth: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether it is the layout that kernels support."""
        return self.rank > 3 and not self.last and not self.depth

    def lifted(self, numbers: Shape, fill: int) -> Shape:
        """Numbers along the spatial axes; those of signals get one more, `fill`, for the row."""
        return (fill, *numbers) if self.rank == 3 and numbers else numbers

    def made_plain(self, entry: Entry) -> Entry:
        """Convert an entry to channels first, with two or three spatial axes."""
        if self.depth:
            return self._folded(entry)
        if self.last:
            entry = F.transpose(entry, axes=(0, self.rank - 1, *range(1, self.rank - 1)))
        return F.expand_dims(entry, axis=2) if self.rank == 3 else entry

    def restored(self, entry: Entry) -> Entry:
        """Undo `made_plain`."""
        if self.depth:
            return self._unfolded(entry)
        if self.rank == 3:
            entry = F.squeeze(entry, axis=2)
        if self.last:
            entry = F.transpose(entry, axes=(0, *range(2, self.rank), 1))
        return entry

    def _folded(self, volumes: Entry) -> Entry:
        """The images of all volumes along the batch axis."""
        if not self.last:
            volumes = F.transpose(volumes, axes=(0, 2, 1, 3, 4))
        images: Entry = F.reshape(volumes, shape=(-3, -2))
        return F.transpose(images, axes=(0, 3, 1, 2)) if self.last else images

    def _unfolded(self, images: Entry) -> Entry:
        """Undo `_folded`."""
        if self.last:
            images = F.transpose(images, axes=(0, 2, 3, 1))
        volumes: Entry = F.reshape(images, shape=(-4, -1, self.depth, -2))
        return volumes if self.last else F.transpose(volumes, axes=(0, 2, 1, 3, 4))


@inner_operator("_images_like", reads_shapes=True)
def images_like(data: Array, spatial: Array, *, channels: int) -> Any:
    """Images of which only the shape is read: as many as in `data`, with given spatial extents."""
    return np.zeros((len(data), channels, *spatial.shape[:-1]), data.dtype)


@images_like.infer_shape
def _(n: NodeView) -> None:
    n.output = (complete(n.data)[0], n.channels, *complete(n.spatial)[:-1])


lower(images_like, step="convolution.as_matmul:ShapeStep.of")
