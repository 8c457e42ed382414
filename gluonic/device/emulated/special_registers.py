"""The registers that say where a thread is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gluonic.device.emulated.formats import Array
from gluonic.device.emulated.launches import BlockRange

_LANES = np.uint32(32)


def _uniform(value: int, dtype: str = "u4") -> Array:
    return np.full((1, 1), value, dtype)


def _lane_bit(blocks: BlockRange) -> Array:
    return np.left_shift(np.uint32(1), blocks.threads % _LANES)


def _coordinate(axis: int, of_block: bool) -> Callable[[BlockRange], Array]:
    """The number of a block in its grid, or of a thread in its block, along an axis."""

    def coordinate(blocks: BlockRange) -> Array:
        lengths = blocks.launch.grid if of_block else blocks.launch.block
        number = blocks.blocks if of_block else blocks.threads
        for length in lengths[:axis]:
            number = number // np.uint32(length)
        return number % np.uint32(lengths[axis])

    return coordinate


def _length(axis: int, of_grid: bool) -> Callable[[BlockRange], Array]:
    return lambda blocks: _uniform((blocks.launch.grid if of_grid else blocks.launch.block)[axis])


_MEANINGS: Mapping[str, Callable[[BlockRange], Array]] = {
    **{f"%ctaid.{name}": _coordinate(axis, True) for axis, name in enumerate("xyz")},
    **{f"%tid.{name}": _coordinate(axis, False) for axis, name in enumerate("xyz")},
    **{f"%nctaid.{name}": _length(axis, True) for axis, name in enumerate("xyz")},
    **{f"%ntid.{name}": _length(axis, False) for axis, name in enumerate("xyz")},
    "%laneid": lambda blocks: blocks.threads % _LANES,
    "%warpid": lambda blocks: blocks.threads // _LANES,
    "%nwarpid": lambda blocks: _uniform(-(-blocks.launch.threads // 32)),
    "%lanemask_eq": _lane_bit,
    "%lanemask_lt": lambda blocks: _lane_bit(blocks) - np.uint32(1),
    "%lanemask_le": lambda blocks: _lane_bit(blocks) | (_lane_bit(blocks) - np.uint32(1)),
    "%lanemask_gt": lambda blocks: ~(_lane_bit(blocks) | (_lane_bit(blocks) - np.uint32(1))),
    "%lanemask_ge": lambda blocks: ~(_lane_bit(blocks) - np.uint32(1)),
    "%smid": lambda blocks: _uniform(0),
    "%nsmid": lambda blocks: _uniform(1),
    **dict.fromkeys(
        ["%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi"], lambda _: _uniform(0)
    ),
    **dict.fromkeys(["%clock64", "%globaltimer"], lambda _: _uniform(0, "u8")),
}
"""How to compute each; clocks stand still."""


class SpecialRegisters(dict[str, Array]):
    """The special registers of some blocks, each computed when it is first read."""

    def __init__(self, blocks: BlockRange) -> None:
        super().__init__()
        self._blocks = blocks

    def __missing__(self, name: str) -> Array:
        self[name] = value = _MEANINGS[name](self._blocks)
        return value


def is_special(name: str) -> bool:
    """Whether there is a special register of a name."""
    return name in _MEANINGS
