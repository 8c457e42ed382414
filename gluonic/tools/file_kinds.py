"""What a file given on the command line holds, by its first bytes and its name."""

import zipfile
from contextlib import suppress
from enum import Enum
from pathlib import Path

from gluonic.graph.archives import reading_archive
from gluonic.graph.errors import FileFormatError
from gluonic.recordio.framing import MAGIC
from gluonic.tools.command import program_name


class Held(Enum):
    """What a file holds, in words for messages."""

    NETWORK = "a network (symbol JSON)"
    PARAMETERS = "parameters (arrays)"
    RECORDS = "records (RecordIO)"
    PICTURE = "a picture"
    ARRAYS = "NumPy arrays"
    TENSORS = "arrays (safetensors)"
    ARCHIVE = "an archive without a __main__.py"
    JSON = "JSON"
    BINARY = "binary data"
    TABLE = "data"
    TEXT = "text"


_BEGINNINGS = {
    (0x112).to_bytes(8, "little"): Held.PARAMETERS,
    MAGIC: Held.RECORDS,
    b"\x89PNG\r\n\x1a\n": Held.PICTURE,
    b"\xff\xd8\xff": Held.PICTURE,
    b"\x93NUMPY": Held.ARRAYS,
}
_NAMES = {
    ".bin": Held.BINARY,
    ".csv": Held.TABLE,
    ".idx": Held.TABLE,
    ".json": Held.JSON,
    ".lst": Held.TABLE,
    ".npz": Held.ARRAYS,
    ".npy": Held.ARRAYS,
    ".params": Held.PARAMETERS,
    ".safetensors": Held.TENSORS,
    ".states": Held.BINARY,
}
_PROGRAMS = (".py", ".pyc", ".pyw")
_READ = 1 << 16
_FOR_ARRAYS = dict.fromkeys((Held.PARAMETERS, Held.ARRAYS, Held.TENSORS), ("summary",))


def held_in(file: Path) -> Held:
    """Find out what a file holds; where the bytes do not tell, as in a damaged file, its name does.

    Raises
    ------
    OSError
        if there is no such file
    """
    file.stat()  # raises the system's error for a file that is not there
    if not file.is_file():  # a pipe can be read only once
        return Held.TEXT
    with file.open("rb") as stream:
        start = stream.read(_READ)
    for beginning, held in _BEGINNINGS.items():
        if start.startswith(beginning):
            return held
    if start.lstrip().startswith(b"{") and b'"nodes"' in start:
        return Held.NETWORK
    if start[8:9] == b"{" and start[:8].endswith(bytes(3)):  # the length of a header of JSON
        return Held.TENSORS
    if file.suffix.lower() in _NAMES:
        return _NAMES[file.suffix.lower()]
    if zipfile.is_zipfile(file):
        return Held.ARRAYS if _holds_arrays(file) else Held.ARCHIVE
    return Held.BINARY if b"\0" in start else Held.TEXT


def _holds_arrays(file: Path) -> bool:
    """Whether all files in an archive are NumPy's."""
    with suppress(FileFormatError), reading_archive(f"{file}"), zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        return bool(names) and all(name.endswith(".npy") for name in names)
    return False


def why_no_program(file: Path) -> str:
    """Say why a file cannot be run, and what can be done with it; empty for what may be a program."""
    if file.suffix.lower() in _PROGRAMS or _is_runnable_archive(file):
        return ""
    held = held_in(file)
    if held is Held.TEXT:
        return ""
    told = f"{file} holds {held.value}, not a Python program"
    commands = {Held.NETWORK: ("summary", "view"), **_FOR_ARRAYS}.get(held, ())
    tried = ", or ".join(f"{program_name()} {command} {file}" for command in commands)
    return f"{told}\n  Try: {tried}" if tried else told


def _is_runnable_archive(file: Path) -> bool:
    """Whether Python runs the ``__main__`` in an archive, or the folder."""
    if file.is_dir():
        return True
    if not file.is_file() or not zipfile.is_zipfile(file):
        return False
    with suppress(FileFormatError), reading_archive(f"{file}"), zipfile.ZipFile(file) as archive:
        return not {"__main__.py", "__main__.pyc"}.isdisjoint(archive.namelist())
    return False
