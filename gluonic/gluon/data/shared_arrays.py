"""Arrays in shared memory, and their pickles for other processes."""

import mmap
import os
import tempfile
from collections.abc import Callable
from multiprocessing import reduction
from typing import Any

import numpy as np

from gluonic.graph.dtypes import CODE_OF, CODES
from gluonic.ndarray import NDArray


def _open_memory() -> int:
    """A file in memory, or a temporary file where the system has no memory files."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("gluonic", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def reduce_ndarray(data: NDArray) -> tuple[Callable[..., NDArray], tuple[Any, ...]]:
    """Copy an array into memory that another process can map.

    Parameters
    ----------
    data : the array

    Returns
    -------
    rebuild_ndarray, and its arguments
        In the form for `multiprocessing.reduction.ForkingPickler.register`; a process can rebuild it once.
    """
    array = np.ascontiguousarray(data.asnumpy())
    file = _open_memory()
    try:
        with os.fdopen(os.dup(file), "wb") as memory:
            memory.write(array.tobytes() or b"\0")
        given = reduction.DupFd(file)
    finally:
        os.close(file)
    return rebuild_ndarray, (os.getpid(), given, data.shape, CODE_OF[array.dtype])


def rebuild_ndarray(pid: int, fd: Any, shape: tuple[int, ...], dtype: int) -> NDArray:
    """Return an array whose elements are in memory that another process has filled.

    Parameters
    ----------
    pid : the process that has filled it
    fd : the file, as passed by `multiprocessing.reduction.DupFd`
    shape, dtype : those of the array; the dtype as a number
    """
    file = fd.detach()
    try:
        memory = mmap.mmap(file, 0)
    finally:
        os.close(file)
    count = int(np.prod(shape, dtype=np.int64))
    return NDArray(np.frombuffer(memory, CODES[dtype], count).reshape(shape))


def reduce_np_ndarray(data: NDArray) -> tuple[Callable[..., NDArray], tuple[Any, ...]]:
    """Copy an array of `mx.np` into memory that another process can map; see `reduce_ndarray`."""
    return rebuild_np_ndarray, reduce_ndarray(data)[1]


def rebuild_np_ndarray(*args: Any) -> Any:
    """Return an array of `mx.np` whose elements another process has filled; see `rebuild_ndarray`."""
    return rebuild_ndarray(*args).as_np_ndarray()
