"""Files of arrays as MXNet 2.0 writes them: NumPy's ``.npz``, whatever their ending."""

import os
import zipfile
from pathlib import Path
from typing import Any, TypeAlias

from gluonic import ndarray as nd
from gluonic.gluon.npz_files import read_npz, write_npz
from gluonic.gluon.parameter_dict import read_named
from gluonic.graph.errors import CallError, describe
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


def save_named(file: PathLike, **arrays: NDArray) -> None:
    """Write arrays by name, in the format of `mx.nd.save`."""
    nd.save(file, arrays)


def load(file: PathLike) -> Any:
    """Read the arrays of a file that `npx.savez`, `npx.save`, or NumPy has written.

    Parameters
    ----------
    file : its name

    Returns
    -------
    list or dict
        the arrays, by name if they have names
    """
    if not zipfile.is_zipfile(file):
        return load_of_one(file)
    return {name: array(x, x.dtype) for name, x in read_npz(Path(file)).items()}


def read_parameters(file: PathLike) -> dict[str, NDArray]:
    """The arrays of a file of parameters, of MXNet 1.x or 2.0, by name."""
    if not zipfile.is_zipfile(file):
        return read_named(file)
    return {name: nd.array(x, dtype=x.dtype) for name, x in read_npz(Path(file)).items()}
