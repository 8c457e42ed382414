"""``mx.library``: operators, partitioners and graph passes from compiled C++ libraries."""

import os

from gluonic.extension.loader import load_library

__all__ = ["compiled_with_gcc_cxx11_abi", "load"]


def load(path: str | os.PathLike[str], verbose: bool = True) -> None:
    """Load an extension library, made with gluonic's headers or with those of MXNet 1.7 to 1.9.

    Its operators then are in `mx.nd`, `mx.sym` and F, its partitioners and passes available to
    `optimize_for`. Everything is checked before anything is registered. Libraries stay loaded; loading one
    again is harmless. An operator replaces an earlier one of the same name.

    Parameters
    ----------
    path : the file, ending in ``.so``, ``.dylib`` or ``.dll``; relative to the working directory or absolute
    verbose : print what was found

    Raises
    ------
    MXNetError
        if there is no such file, it is no extension library, it is of an unknown version, it refuses to
        work with this version of MXNet, or what it registers is incomplete
    """
    load_library(path, verbose)


def compiled_with_gcc_cxx11_abi() -> int:
    """Return -1: there is no compiled MXNet, and libraries of either C++ ABI can be loaded."""
    return -1
