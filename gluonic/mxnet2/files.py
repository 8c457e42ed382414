"""Files of arrays as MXNet 2.0 writes them: NumPy's ``.npz``, whatever their ending."""

import io
import os
import zipfile
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gluonic import ndarray as nd
from gluonic.gluon.npz_files import read_npz, write_npz
from gluonic.gluon.parameter_dict import read_named
from gluonic.graph.errors import CallError, describe
from gluonic.graph.files import opened, write_atomically
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy.creation import array
from gluonic.ndarray.numpy.serialization import load as load_of_one

PathLike: TypeAlias = str | os.PathLike[str]


def savez(file: PathLike, *args: Any, **kwargs: Any) -> None:
    """Write arrays to a file in NumPy's format ``.npz``; the file is named as given.

    Parameters
    ----------
    file : its name
    *args : arrays, which are named ``arr_0``, ``arr_1``, …
    **kwargs : arrays by name
    """
    named = {f"arr_{i}": x for i, x in enumerate(args)}
    twice = named.keys() & kwargs.keys()
    if twice:
        raise CallError(describe(f"{min(twice)} is the name of two arrays", where="npx.savez"))
    arrays = {**named, **kwargs}
    for name, value in arrays.items():
        if not isinstance(value, NDArray):
            raise CallError(
                describe(
                    f"{name} must be an array of mx.np, not {type(value).__name__}",
                    where="npx.savez",
                    hint="np.array(value)",
                )
            )
    write_npz(Path(file), {name: x.asnumpy() for name, x in arrays.items()})


def save(file: PathLike, arr: NDArray) -> None:
    """Write an array to a file in NumPy's format ``.npy``; the file is named as given.

    Parameters
    ----------
    file : its name
    arr : an array
    """
    if not isinstance(arr, NDArray):
        raise ValueError(
            describe(
                f"an array of mx.np is needed, not {type(arr).__name__}",
                where="npx.save",
                hint="npx.savez(file, *arrays) for several arrays",
            )
        )
    stream = io.BytesIO()
    np.lib.format.write_array(stream, arr.asnumpy(), allow_pickle=False)
    write_atomically(Path(file), stream.getvalue())


def save_named(file: PathLike, **arrays: NDArray) -> None:
    """Write arrays by name, in the format of `mx.nd.save`."""
    nd.save(file, arrays)


def load(file: PathLike) -> Any:
    """Read the array or the arrays of a file that `npx.save`, `npx.savez`, NumPy or MXNet 1.x has written.

    Parameters
    ----------
    file : its name

    Returns
    -------
    array, list or dict
        the array of a file ``.npy``, or the arrays, by name if they have names
    """
    with opened(file) as stream:
        is_one = stream.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
    if is_one:
        (one,) = read_npz(Path(file)).values()
        return array(one, one.dtype)
    if not zipfile.is_zipfile(file):
        return load_of_one(file)
    return {name: array(x, x.dtype) for name, x in read_npz(Path(file)).items()}


def read_parameters(file: PathLike) -> dict[str, NDArray]:
    """The arrays of a file of parameters, of MXNet 1.x or 2.0, by name."""
    if not zipfile.is_zipfile(file):
        return read_named(file)
    return {name: nd.array(x, dtype=x.dtype) for name, x in read_npz(Path(file)).items()}
