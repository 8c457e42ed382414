"""``mx.libinfo``: the version, and the folder of the C++ header for extension libraries."""

from pathlib import Path

from gluonic._version import __version__
from gluonic.graph.errors import MXNetError, NotThereError

__all__ = ["__version__", "find_include_path", "find_lib_path"]


def find_include_path() -> str:
    """Return the folder to compile extension libraries with: ``g++ -I …``.

    It holds ``mxnet/lib_api.h`` and, for sources that know no namespace, ``lib_api.h``.

    Examples
    --------
    >>> (Path(find_include_path()) / "mxnet" / "lib_api.h").is_file()
    True
    """
    folder = Path(__file__).resolve().parent / "include"
    if not (folder / "mxnet" / "lib_api.h").is_file():
        raise MXNetError(f"the C++ headers are missing from this installation: {folder}")
    return str(folder)


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Raise: gluonic has no native library to link against, and its headers need none."""
    raise NotThereError(f"find_lib_path({prefix!r}): gluonic has no native library")
