"""How arrays of images lie, and the form that kernels take."""

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
    """How an array of images (or of filters) lies.

    Attributes
    ----------
    rank : how many axes it has
    last : whether the channels lie behind the places
    depth : how many images each volume has, if volumes are taken for images; 0 otherwise
    """

    rank: int
    last: bool
    depth: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether kernels take it as it is."""
        return self.rank > 3 and not self.last and not self.depth

    def lifted(self, places: Shape, fill: int) -> Shape:
        """Numbers along the axes of places, those of signals with one for the row."""
        return (fill, *places) if self.rank == 3 and places else places

    def made_plain(self, entry: Entry) -> Entry:
        """Channels first, two axes of places or three."""
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
        """The images of all volumes, one after the other."""
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
def images_like(data: Array, places: Array, *, channels: int) -> Any:
    """Images of which only the shape counts, as many as there are in `data`, with so many places."""
    return np.zeros((len(data), channels, *places.shape[:-1]), data.dtype)


@images_like.infer_shape
def _(n: NodeView) -> None:
    n.output = (complete(n.data)[0], n.channels, *complete(n.places)[:-1])


lower(images_like, step="convolution.as_matmul:ShapeStep.of")
