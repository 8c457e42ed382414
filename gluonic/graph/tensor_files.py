"""Files of safetensors, by the package of this name, imported when one is read or written.

It checks sizes before it allocates, is audited and fuzzed, and knows all dtypes.
"""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from gluonic.graph.dtypes import bfloat16
from gluonic.graph.errors import FileFormatError, MissingModuleError, describe
from gluonic.graph.files import write_atomically
from gluonic.support.extras import how_to_install

Arrays = dict[str, np.ndarray[Any, Any]]


def read_tensors(file: Path) -> Arrays:
    """The arrays of a file by name.

    Raises
    ------
    FileFormatError
        if it is damaged
    MissingModuleError
        an ImportError, if safetensors is not installed
    """
    package = _safetensors()
    arrays = {}
    try:
        with package.safe_open(file, framework="np") as opened:
            for name in opened.keys():  # noqa: SIM118  it is no dictionary
                if opened.get_slice(name).get_dtype() == "BF16":
                    bfloat16()  # registers the dtype
                arrays[name] = opened.get_tensor(name)
    except package.SafetensorError as error:
        raise FileFormatError(f"{file} is damaged, or no file of safetensors: {error}") from error
    return arrays


def write_tensors(file: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays.

    Raises
    ------
    MissingModuleError
        an ImportError, if safetensors is not installed
    """
    in_order = {name: np.ascontiguousarray(a).reshape(a.shape) for name, a in arrays.items()}
    write_atomically(file, _safetensors().numpy.save(in_order))  # it writes memory as it lies


def _safetensors() -> ModuleType:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError as error:
        raise MissingModuleError(
            describe(
                "files that end with .safetensors need safetensors",
                hint=how_to_install("safetensors"),
            )
        ) from error
    return safetensors
