"""The path of the Gluon block that makes a node: a string with the calls of the blocks."""

import itertools
from typing import NamedTuple

_serials = itertools.count()


class BlockCall(NamedTuple):
    """A call of a block while it is traced.

    Attributes
    ----------
    name : the block's name
    kind : the name of its class
    serial : a number that distinguishes calls, also of the same block
    prefix : the prefix of the names of its parameters and children; empty if it is unknown
    """

    name: str
    kind: str
    serial: int
    prefix: str = ""


class BlockPath(str):
    """The names of blocks, outermost first: ``net0/dense0``.

    Attributes
    ----------
    calls : the calls of the blocks
    """

    calls: tuple[BlockCall, ...] = ()

    def inside(self, name: str, kind: str, prefix: str = "") -> "BlockPath":
        """The path of a block called in this one.

        >>> BlockPath().inside("net0", "Net").inside("dense0", "Dense")
        'net0/dense0'
        """
        made = BlockPath(f"{self}/{name}" if self else name)
        made.calls = (*self.calls, BlockCall(name, kind, next(_serials), prefix))
        return made
