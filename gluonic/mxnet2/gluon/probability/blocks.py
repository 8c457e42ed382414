"""Blocks that draw samples, and add to the loss."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2.gluon.hybrid import HybridBlockOfTwo as HybridBlock

__all__ = ["StochasticBlock", "StochasticSequential"]


class StochasticBlock(HybridBlock):
    """A block whose `forward` also computes losses, such as a divergence from a prior.

    `forward` is decorated by `StochasticBlock.collectLoss`, and calls `add_loss`. Afterwards `losses` has them.
    """

    _losses: list[Any]
    _added: list[Any]

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(_losses=[], _added=[])

    def add_loss(self, loss: Any) -> None:
        """Add a loss to those of the current call; to be called in `forward`."""
        self._added.append(loss)

    @staticmethod
    def collectLoss(func: Callable[..., Any]) -> Callable[..., Any]:
        """Let `forward` also return the losses that it adds (a decorator)."""

        @wraps(func)
        def inner(self: "StochasticBlock", *args: Any, **kwargs: Any) -> Any:
            self.__dict__["_added"] = []
            output = func(self, *args, **kwargs)
            added, self.__dict__["_added"] = self._added, []
            return output, added

        inner.collects = True  # type: ignore[attr-defined]
        return inner

    def __call__(self, *args: Any) -> Any:
        """Run the block, and keep its losses."""
        if not hasattr(type(self).forward, "collects"):
            raise CallError(
                describe(
                    "forward is not decorated by StochasticBlock.collectLoss",
                    where=type(self).__name__,
                )
            )
        output, added = super().__call__(*args)
        self.__dict__["_losses"] = added
        return output

    @property
    def losses(self) -> list[Any]:
        """The losses of the latest call."""
        return self._losses


class StochasticSequential(StochasticBlock):
    """Blocks one after the other, whose losses are collected."""

    def add(self, *blocks: Any) -> None:
        """Append blocks."""
        for block in blocks:
            self.register_child(block)

    @StochasticBlock.collectLoss
    def forward(self, x: Any, *args: Any) -> Any:
        """Run the children in turn."""
        for block in self._children.values():
            x = block(x, *args)
            args = ()
            if isinstance(x, (tuple, list)):
                x, *args = x  # type: ignore[assignment]
        for block in self._children.values():
            if isinstance(block, StochasticBlock):
                self.add_loss(block.losses)
        return (x, *args) if args else x

    def __repr__(self) -> str:
        lines = [f"  ({name}): {block!r}" for name, block in self._children.items()]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])

    def __getitem__(self, key: Any) -> Any:
        """Return one child, or a container of several."""
        children = list(self._children.values())[key]
        if not isinstance(key, slice):
            return children
        part = type(self)()
        part.add(*children)
        return part

    def __len__(self) -> int:
        return len(self._children)
