"""Transforms composed of other transforms."""

import random
from collections.abc import Sequence
from typing import Any

from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.nn import HybridSequential, Sequential


class Compose(Sequential):
    """A sequence of transforms; consecutive hybrid ones are compiled together.

    Parameters
    ----------
    transforms : the transforms
    """

    def __init__(self, transforms: Sequence[Block]) -> None:
        super().__init__()
        run: list[HybridBlock] = []
        for transform in transforms:
            if isinstance(transform, HybridBlock):
                run.append(transform)
                continue
            self._add_run(run)
            run = []
            self.add(transform)
        self._add_run(run)

    def _add_run(self, run: list[HybridBlock]) -> None:
        if len(run) > 1:
            together = HybridSequential()
            together.add(*run)
            together.hybridize()
            self.add(together)
        else:
            self.add(*run)


class RandomApply(Sequential):
    """Apply transforms at random.

    Parameters
    ----------
    transforms : the transforms, one block
    p : probability
    """

    def __init__(self, transforms: Block, p: float = 0.5) -> None:
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, x: Any) -> Any:
        """Apply the transforms, or return the input."""
        return x if self.p < random.random() else self.transforms(x)
