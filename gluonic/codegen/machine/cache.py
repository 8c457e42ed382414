"""The disk cache of object files: a second process links without compiling.

An entry is named by the SHA-256 of everything that determines its contents and begins with the
SHA-256 of its name and its payload: LLVM may abort on a damaged object file, so it never sees one, and an entry
that has got another's name (in a copied or restored folder) is none. The folder
is private to the user. Whatever is wrong with it (read-only, full, foreign, damaged) costs a
compilation and nothing else.

``GLUONIC_CACHE=0`` turns the cache off, ``GLUONIC_CACHE=objects`` stores object files alone and no compiled
graphs (:mod:`gluonic.codegen.runtime.stored_bindings`), ``GLUONIC_CACHE_DIR`` moves it, ``GLUONIC_CACHE_SIZE``
caps it (bytes, default 256 MiB).
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from gluonic._version import __version__
from gluonic.codegen.machine.llvm_options import llvm_options
from gluonic.codegen.machine.target import Target, load_llvm
from gluonic.support.unfinished_files import remove_abandoned, unfinished

_MAGIC = b"gluonic object 3\n"
_DIGEST_BYTES = 32
_SUFFIX = ".object"
_DEFAULT_CAP = 256 << 20
_LOOKS = 64
"""The number of checks of the folder's size while one cap's worth of bytes is written."""


def key(text: str, target: Target) -> str:
    """Return the name of a module's entry.

    Parameters
    ----------
    text : str
        The module before optimisation.
    target : Target
        The target of the compilation.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    version = ".".join(str(part) for part in load_llvm().llvm_version_info)
    options = [f"{option}={value}" for option, value in llvm_options(target).items()]
    parts = (__version__, version, *target.names, *options, text)
    return digest(*parts)


def digest(*parts: str) -> str:
    """Return the name of an entry that some texts determine."""
    found = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        found.update(len(encoded).to_bytes(8, "little") + encoded)
    return found.hexdigest()


def fetch(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the object file called `name`, made by `make` and stored if it does not exist.

    Parameters
    ----------
    name : str
        What :func:`key` returned.
    make : callable
        Compiles the module.
    """
    found = read(name)
    if found is not None:
        return found
    made = make()
    store(name, made)
    return made


def read(name: str) -> bytes | None:
    """Return an entry, or None if it is not there."""
    folder = _private_folder()
    return None if folder is None else _read(folder / (name + _SUFFIX))


def store(name: str, content: bytes) -> None:
    """Write an entry, unless the cache is off, or the disk is full or read-only."""
    folder = _private_folder()
    if folder is not None:
        with suppress(OSError):
            _write(folder, name, content)


def keeps_graphs() -> bool:
    """Return whether compiled graphs are stored, too, not only their object files."""
    return os.environ.get("GLUONIC_CACHE", "1") not in ("0", "objects")


def folder() -> Path:
    """Return the folder of the cache: ``GLUONIC_CACHE_DIR``, or the user's cache folder."""
    chosen = os.environ.get("GLUONIC_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "gluonic"


def clear() -> None:
    """Remove every entry."""
    private = _private_folder()
    for entry in _entries(private) if private else ():
        Path(entry).unlink(missing_ok=True)


def sizes() -> dict[str, int] | None:
    """The bytes of each entry, by name; None if the cache is off or its folder is not private."""
    private = _private_folder()
    if private is None:
        return None
    return {
        entry.name.removesuffix(_SUFFIX): status.st_size
        for entry, status in _with_status(private)
        if entry.name.endswith(_SUFFIX)
    }


def _private_folder() -> Path | None:
    """Return the folder, created if necessary, or None if the cache is off or it is not private."""
    if os.environ.get("GLUONIC_CACHE", "1") == "0":
        return None
    try:
        private = folder()
        private.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = private.lstat()
    except (OSError, RuntimeError):  # RuntimeError: no home folder can be found
        return None
    ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    closed = os.name == "nt" or not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return private if stat.S_ISDIR(status.st_mode) and ours and closed else None


def _read(path: Path) -> bytes | None:
    """Return the payload of an entry, or None if it is missing or damaged."""
    try:
        if not path.is_file():  # reading a pipe would wait for a writer
            return None
        content = path.read_bytes()
        start = len(_MAGIC) + _DIGEST_BYTES
        payload = content[start:]
        if content[:start] != _head(path.stem, payload):
            path.unlink(missing_ok=True)
            return None
        os.utime(path)
    except OSError:
        return None
    return payload


def _head(name: str, payload: bytes) -> bytes:
    """The first bytes of an entry: they vouch for its name, too."""
    return _MAGIC + hashlib.sha256(name.encode() + b"\n" + payload).digest()


def _write(folder: Path, name: str, payload: bytes) -> None:
    """Write an entry atomically, so that no reader sees half of it; enforce the cap."""
    _tidy(folder)
    with unfinished(folder / (name + _SUFFIX)) as file:
        file.stream.write(_head(name, payload) + payload)
        file.put_in_place()
    if _is_time_to_look(name, len(payload)):
        _trim(folder)


@lru_cache(maxsize=16)
def _tidy(folder: Path) -> None:
    """Remove files left by killed processes; once per process, for listing takes time for every entry."""
    remove_abandoned(folder)


def _is_time_to_look(name: str, size: int) -> bool:
    """Whether an entry is one of those, selected by name, after which the cap is enforced.

    Listing takes time for every entry. The larger an entry, the likelier it is selected.
    """
    return zlib.crc32(name.encode()) * _cap() < size * _LOOKS << 32


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return [entry for entry in found if entry.name.endswith((_SUFFIX, ".part"))]


def _with_status(folder: Path) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """Yield the entries but for those that another process removes meanwhile."""
    for entry in _entries(folder):
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        yield entry, status


def _cap() -> int:
    """Return the allowed size in bytes."""
    text = os.environ.get("GLUONIC_CACHE_SIZE", "")
    return int(text) if text.isdecimal() else _DEFAULT_CAP


def _trim(folder: Path) -> None:
    """Remove the least recently used entries until the rest fits the cap."""
    found = [
        (status.st_mtime_ns, status.st_size, entry.path) for entry, status in _with_status(folder)
    ]
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= _cap():
            return
        Path(path).unlink(missing_ok=True)
        total -= size
