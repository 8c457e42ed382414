"""Keys: what an operator draws follows from the one it takes off the generator that `mx.random.seed` seeds."""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

_NONE = np.zeros(4, np.uint64)


def take_key(random: np.random.Generator) -> int:
    """Take the key of a draw off a generator."""
    key: int = random.bit_generator.random_raw()
    return key


def take_keys(random: np.random.Generator, count: int) -> npt.NDArray[Any]:
    """Take the keys of so many draws at once: the same as one by one, as int64."""
    keys: npt.NDArray[Any] = random.bit_generator.random_raw(count).view(np.int64)
    return keys


class _Own(threading.local):
    """A generator for each thread: to make one takes ten times as long as to set it."""

    def __init__(self) -> None:
        self.source = np.random.Philox(0)
        self.generator = np.random.Generator(self.source)


_own = _Own()


def generator_of(key: int) -> np.random.Generator:
    """A generator whose numbers follow from a key, until the thread asks for another one."""
    _own.source.state = {
        "bit_generator": "Philox",
        "state": {"counter": _NONE, "key": np.array([key % (1 << 64), 0], np.uint64)},
        "buffer": _NONE,
        "buffer_pos": len(_NONE),
        "has_uint32": 0,
        "uinteger": 0,
    }
    return _own.generator
