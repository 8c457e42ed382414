"""Reading ZIP archives that may be damaged, or something else."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from zipfile import BadZipFile

from gluonic.graph.errors import FileFormatError

_DAMAGE: list[type[Exception]] = [
    BadZipFile,
    zlib.error,
    EOFError,
    KeyError,  # a file is missing
    NotImplementedError,  # it says that it is compressed in an unknown way
    RuntimeError,  # it says that it is encrypted
]
try:
    import lzma
except ImportError:  # Python may be built without it
    pass
else:
    _DAMAGE.append(lzma.LZMAError)


@contextmanager
def reading_archive(gist: str) -> Iterator[None]:
    """Raise damage that is found in the ``with`` block as an error of gluonic.

    Parameters
    ----------
    gist : what cannot be read
    """
    try:
        yield
    except tuple(_DAMAGE) as error:
        raise FileFormatError(f"{gist}: {error}") from error
    except OSError as error:
        if error.errno is not None:  # the system's; others come from bz2
            raise
        raise FileFormatError(f"{gist}: {error}") from error
