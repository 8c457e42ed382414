"""``mx.safetensors``: arrays by name, in files that hold no code and that other libraries read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gluonic.graph.tensor_files import read_tensors, write_tensors
from gluonic.mxnet2.files import PathLike
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy.creation import array

__all__ = ["load_file", "save_file"]


def save_file(tensors: Mapping[str, NDArray], filename: PathLike) -> None:
    """Write arrays to a file.

    Parameters
    ----------
    tensors : the arrays by name
    filename : the file's name

    Raises
    ------
    ImportError
        if the package safetensors is not installed
    """
    write_tensors(Path(filename), {name: x.asnumpy() for name, x in tensors.items()})


def load_file(filename: PathLike, device: Any = None) -> dict[str, Any]:
    """Read the arrays of a file by name.

    Parameters
    ----------
    filename : the file's name
    device : where the arrays are made

    Raises
    ------
    ImportError
        if the package safetensors is not installed
    """
    read = read_tensors(Path(filename))
    return {name: array(x, x.dtype, device) for name, x in read.items()}
