"""Files of named arrays: ``.params``, ``.npz`` and ``.safetensors``, told by content and ending."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.gluon.npz_files import read_npz, write_npz
from gluonic.graph.dtypes import CODE_OF, is_bfloat16
from gluonic.graph.errors import FileFormatError, describe
from gluonic.graph.tensor_files import read_tensors, write_tensors
from gluonic.ndarray import NDArray
from gluonic.support.record import record
from gluonic.tools.command import CommandError
from gluonic.tools.file_kinds import Held, held_in

Arrays = dict[str, NDArray]


def load_arrays(file: Path) -> Arrays:
    """Load the arrays of a file by name; those without names are ``arr_0``, ``arr_1``, …, as in NumPy's files.

    Raises
    ------
    CommandError
        if the file holds no arrays
    FileFormatError
        if it is damaged, or holds an array of a dtype that MXNet does not have
    """
    held = held_in(file)
    if held not in ARRAY_FILES:
        raise CommandError(
            f"{file} holds {held.value}, not arrays", hint=f"a file that ends with {ENDINGS}"
        )
    return ARRAY_FILES[held].read(file)


def kind_by_ending(file: Path) -> Held:
    """The kind of file that a name asks for.

    Raises
    ------
    CommandError
        if it is none of arrays
    """
    for held, kind in ARRAY_FILES.items():
        if kind.ending == file.suffix.lower():
            return held
    raise CommandError(
        f"the ending of {file} does not say what to write", hint=f"a name that ends with {ENDINGS}"
    )


def save_arrays(file: Path, arrays: Mapping[str, NDArray]) -> None:
    """Save arrays in the format that the file's ending names; an interruption leaves an old file unharmed.

    Raises
    ------
    CommandError
        if the ending names none, or the format cannot hold one of the arrays
    """
    ARRAY_FILES[kind_by_ending(file)].write(file, arrays)


@record
class _Kind:
    """A format.

    Attributes
    ----------
    ending : how names of such files end
    read, write : read and write a file
    """

    ending: str
    read: Callable[[Path], Arrays]
    write: Callable[[Path, Mapping[str, NDArray]], None]


# ------------------------------------------------------------------------------------- .params


def _read_params(file: Path) -> Arrays:
    loaded = nd.load(file)
    return loaded if isinstance(loaded, dict) else _numbered(loaded)


def _numbered(arrays: list[NDArray]) -> Arrays:
    return {f"arr_{number}": array for number, array in enumerate(arrays)}


def _write_params(file: Path, arrays: Mapping[str, NDArray]) -> None:
    nd.save(file, dict(arrays))


# ------------------------------------------------------------------------------------- .npz


def _read_npz(file: Path) -> Arrays:
    return {name: _wrapped(name, array, file) for name, array in read_npz(file).items()}


def _write_npz(file: Path, arrays: Mapping[str, NDArray]) -> None:
    dense = _dense(file, arrays)
    for name, array in dense.items():
        if is_bfloat16(array.dtype):
            raise CommandError(
                f"{name} is bfloat16, which NumPy's files cannot hold",
                hint="a .safetensors or .params file, or --dtype float32",
            )
    write_npz(file, dense)


def _wrapped(name: str, array: np.ndarray[Any, Any], file: Path) -> NDArray:
    """An array of the file as one of MXNet's."""
    dtype = array.dtype.newbyteorder("=")
    if dtype not in CODE_OF:
        raise FileFormatError(
            describe(
                f"{name} is {dtype}, a dtype that MXNet does not have",
                where=str(file),
                hint="array.astype(…) in NumPy; MXNet has " + ", ".join(d.name for d in CODE_OF),
            )
        )
    return NDArray(np.ascontiguousarray(array, dtype).reshape(array.shape))


def _dense(file: Path, arrays: Mapping[str, NDArray]) -> dict[str, np.ndarray[Any, Any]]:
    """The elements of arrays; sparse ones are refused."""
    for name, array in arrays.items():
        if array.stype != "default":
            raise CommandError(
                f"{name} is a {array.stype} array, which {file.suffix} files cannot hold",
                hint="--dense",
            )
    return {name: array.asnumpy() for name, array in arrays.items()}


# ------------------------------------------------------------------------------------- .safetensors


def _read_safetensors(file: Path) -> Arrays:
    return {name: _wrapped(name, array, file) for name, array in read_tensors(file).items()}


def _write_safetensors(file: Path, arrays: Mapping[str, NDArray]) -> None:
    write_tensors(file, _dense(file, arrays))


ARRAY_FILES = {
    Held.PARAMETERS: _Kind(".params", _read_params, _write_params),
    Held.ARRAYS: _Kind(".npz", _read_npz, _write_npz),
    Held.TENSORS: _Kind(".safetensors", _read_safetensors, _write_safetensors),
}
ENDINGS = ", ".join(kind.ending for kind in ARRAY_FILES.values())
