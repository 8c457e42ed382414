"""Reading archives that may be damaged, or something else, or become larger than they should."""

import errno
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.graph.unpacking import check_unpacked, unpacking

_OF_DAMAGE = (None, errno.EINVAL)  # of bz2; of places before a file's beginning
_DAMAGE: list[type[Exception]] = [
    BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    KeyError,  # a file is missing
    IndexError,  # a file has no name
    NotImplementedError,  # it says that it is compressed in an unknown way
    UnicodeDecodeError,  # it says that a file's name is UTF-8
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
    except MXNetError:
        raise
    except tuple(_DAMAGE) as error:
        raise FileFormatError(f"{gist}: {error}") from error
    except OSError as error:
        if error.errno not in _OF_DAMAGE:
            raise
        raise FileFormatError(f"{gist}: {error}") from error


def read_from_zip(path: Path, name: str) -> bytes:
    """Read the first file of a name, in any folder of a ZIP archive; nothing is written to the disk."""
    with reading_archive(f"{path}: damaged"), ZipFile(path) as archive:
        for member in archive.infolist():
            if Path(member.filename).name == name:
                check_members(path, [member])
                return archive.read(member)
    raise _not_there(path, name)


def unpack_from_zip(path: str | PathLike[str], member: str, target: str, source: str) -> None:
    """Write a file of a ZIP archive to a path.

    Parameters
    ----------
    path : the archive
    member : the file in it, with its folder there
    target : where to write it
    source : the archive's name in messages
    """
    with reading_archive(f"{source} is damaged, or holds no {member}"), ZipFile(path) as archive:
        check_members(path, [archive.getinfo(member)], source)
        with archive.open(member) as content, open(target, "wb") as out:
            shutil.copyfileobj(content, out)


def check_members(path: str | PathLike[str], members: list[ZipInfo], source: str = "") -> None:
    """Check that files of a ZIP archive do not become too large; no more is read than they say."""
    size = sum(member.file_size for member in members)
    check_unpacked(size, Path(path).stat().st_size, source or f"{path}")


def read_from_tar(path: Path, name: str) -> bytes:
    """Read the first file of a name, in any folder of a TAR archive; nothing is written to the disk."""
    with (
        reading_archive(f"{path}: damaged"),
        unpacking(path) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,  # type: ignore[call-overload]
    ):
        for member in archive:
            check_unpacked(member.offset_data + member.size, path.stat().st_size, f"{path}")
            content = archive.extractfile(member) if member.isreg() else None
            if content is not None and Path(member.name).name == name:
                found: bytes = content.read()
                return found
    raise _not_there(path, name)


def _not_there(path: Path, name: str) -> FileFormatError:
    return FileFormatError(f"{path}: there is no {name} in this archive")
