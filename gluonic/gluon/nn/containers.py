"""Containers of blocks."""

import warnings
from collections.abc import Iterator
from typing import Any, Self, overload

from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.summary import has_row

__all__ = ["HybridSequential", "Sequential"]


class _Stack(Block):
    """The base of both kinds of sequence: children indexed by number."""

    def add(self, *blocks: Block) -> None:
        """Append blocks.

        Inside ``with net.name_scope():`` the names of their parameters begin with the container's.
        """
        for block in blocks:
            self.register_child(block)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}("]
        for key, block in self._children.items():
            text = repr(block).replace("\n", "\n  ")
            lines.append(f"  ({key}): {text}")
        return "\n".join([*lines, ")"])

    @overload
    def __getitem__(self, key: int) -> Any: ...

    @overload
    def __getitem__(self, key: slice) -> Self: ...

    def __getitem__(self, key: int | slice) -> Any:
        """Return one child, or a container of the same kind and prefix with several."""
        layers = list(self._children.values())
        if not isinstance(key, slice):
            return layers[key]
        part = type(self)(prefix=self.prefix)
        part.add(*layers[key])
        return part

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._children.values())


class Sequential(_Stack):
    """Run blocks one after the other, each on the output of the one before.

    Parameters
    ----------
    prefix, params : see `Block`
    """

    def forward(self, x: Any) -> Any:
        """Run the children in turn."""
        for block in self:
            x = block(x)
        return x

    def hybridize(self, active: bool = True, **flags: Any) -> None:
        """Hybridize the children, each on its own."""
        if len(self) and all(isinstance(block, HybridBlock) for block in self):
            warnings.warn(
                f"All children of this Sequential layer '{self.prefix}' are HybridBlocks. "
                "A HybridSequential would be compiled as a whole.",
                stacklevel=2,
            )
        super().hybridize(active, **flags)


class HybridSequential(_Stack, HybridBlock):
    """Run hybrid blocks one after the other; can be hybridized as a whole.

    Parameters
    ----------
    prefix, params : see `Block`
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Run the children in turn."""
        for block in self:
            x = block(x)
        return x


@has_row.register
def _(block: _Stack) -> bool:
    """Its children have rows."""
    return False
