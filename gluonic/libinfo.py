"""``mx.libinfo``: the version; there is no native library to be found."""

from gluonic._version import __version__

__all__ = ["__version__", "find_include_path", "find_lib_path"]


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Raise: gluonic has no native library."""
    raise NotImplementedError(f"find_lib_path({prefix!r}): gluonic has no native library")


def find_include_path() -> str:
    """Raise: gluonic has no C headers."""
    raise NotImplementedError("find_include_path: gluonic has no C headers")
