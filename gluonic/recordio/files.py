"""Files of records, written and read one after the other, or by an index."""

import ctypes
import os
from collections.abc import Callable
from typing import IO, Any

from gluonic.graph.errors import (
    AttributeValueError,
    CallError,
    FileAccessError,
    FileFormatError,
    MXNetError,
)
from gluonic.graph.files import accessing
from gluonic.graph.handles import handle_of
from gluonic.recordio.framing import Frames, framed
from gluonic.support.locks import lock

_LARGEST = 1 << 63  # an offset in a file


class OpenRecords:
    """A file of records that is open.

    Parameters
    ----------
    uri : the file
    flag : ``"w"`` to write it, ``"r"`` to read it

    Raises
    ------
    MXNetError
        if the file cannot be opened
    """

    def __init__(self, uri: str, flag: str) -> None:
        path = uri.removeprefix("file://")
        with accessing(uri):
            self.stream: IO[bytes] = open(path, flag + "b")  # noqa: SIM115
        self.frames = Frames(self.stream.read, path, 0, self.stream.seek)


class MXRecordIO:
    """A file of records, which are bytes.

    A file belongs to its process: a forked child has to `reset` it before using it. It can be pickled; the
    copy opens the file again, at its beginning. A file being written is closed by that, and the copy starts the
    file afresh.

    Parameters
    ----------
    uri : the file
    flag : ``"w"`` to write it, ``"r"`` to read it

    Attributes
    ----------
    writable : whether it is written
    is_open : whether it is open
    handle : what the functions ``MXRecordIO…`` of `mx.base._LIB` take, which a derived class may open itself

    Raises
    ------
    MXNetError
        if the file cannot be opened

    Examples
    --------
    >>> record = MXRecordIO("numbers.rec", "w")
    >>> for i in range(3):
    ...     record.write(b"number %d" % i)
    >>> record.close()
    >>> record = MXRecordIO("numbers.rec", "r")
    >>> record.read(), record.read()
    (b'number 0', b'number 1')
    >>> record.reset()
    >>> record.read()
    b'number 0'
    """

    is_open = False

    def __init__(self, uri: str, flag: str) -> None:
        self.uri, self.flag = os.fspath(uri), flag
        self.pid: int | None = None
        self.handle = ctypes.c_void_p()
        self.open()

    def open(self) -> None:
        """Open the file; in mode ``"w"`` it is truncated."""
        if self.flag not in ("r", "w"):
            raise AttributeValueError(f"Invalid flag {self.flag}: 'r' to read, 'w' to write")
        self.writable = self.flag == "w"
        self.handle = handle_of(OpenRecords(self.uri, self.flag))
        self.pid, self.is_open = os.getpid(), True

    @property
    def _records(self) -> OpenRecords:
        records: OpenRecords = self.handle.held  # type: ignore[attr-defined]
        return records

    def close(self) -> None:
        """Close the file."""
        if self.is_open:
            self.is_open, self.pid = False, None
            self._records.stream.close()

    def __del__(self) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        was_open = self.is_open
        if self.writable:
            self.close()
        hidden = ("handle", "_reading")
        state = {name: value for name, value in vars(self).items() if name not in hidden}
        return {**state, "is_open": was_open}

    def __setstate__(self, state: dict[str, Any]) -> None:
        was_open = state["is_open"]
        vars(self).update(state, is_open=False, handle=ctypes.c_void_p())
        if was_open:
            self.open()

    def _check_pid(self, allow_reset: bool = False) -> None:
        """Check that the file is open, and was opened by this process."""
        if self.pid == os.getpid():
            return
        if allow_reset:
            self.reset()
        elif self.pid is None:
            raise CallError(f"{self.uri} is closed; reset() opens it again")
        else:
            raise MXNetError(
                f"Forbidden operation in multiple processes: {self.uri} was opened by another; "
                "reset() opens it here"
            )

    def _check_mode(self, writes: bool) -> None:
        if self.writable is not writes:
            able, asked = ("written", "read") if self.writable else ("read", "written")
            raise AssertionError(f"{self.uri} was opened to be {able}; it cannot be {asked}")

    def reset(self) -> None:
        """Go back to the first record; a file that is written becomes empty."""
        self.close()
        self.open()

    def write(self, buf: Any) -> None:
        """Append a record.

        Parameters
        ----------
        buf : its bytes

        Raises
        ------
        ValueError
            if it is longer than 512 MiB
        """
        self._check_mode(writes=True)
        self._check_pid()
        if not isinstance(buf, (bytes, bytearray, memoryview)):
            raise TypeError(f"a record must be bytes, not {type(buf).__name__}")
        self._records.stream.write(framed(bytes(buf)))

    def read(self) -> bytes | None:
        """Return the next record; None after the last.

        Raises
        ------
        FileFormatError
            if the file is damaged; it names the byte
        """
        self._check_mode(writes=False)
        self._check_pid()
        return self._records.frames.next()


class MXIndexedRecordIO(MXRecordIO):
    r"""A file of records with keys, and an index: a text file with lines ``key\toffset``.

    Parameters
    ----------
    idx_path : the index
    uri : the file of records
    flag : ``"w"`` to write them, ``"r"`` to read them
    key_type : makes a key of a text

    Attributes
    ----------
    keys : the keys, in the order of the index
    idx : the offsets, in bytes, of their records

    Examples
    --------
    >>> record = MXIndexedRecordIO("numbers.idx", "numbers.rec", "w")
    >>> for i in range(3):
    ...     record.write_idx(i, b"number %d" % i)
    >>> record.close()
    >>> record = MXIndexedRecordIO("numbers.idx", "numbers.rec", "r")
    >>> record.keys
    [0, 1, 2]
    >>> record.read_idx(2)
    b'number 2'
    """

    def __init__(
        self, idx_path: str, uri: str, flag: str, key_type: Callable[[Any], Any] = int
    ) -> None:
        self.idx_path, self.key_type = idx_path, key_type
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.fidx: IO[str] | None = None
        self._reading = lock()
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open the file and its index; in mode ``"w"`` both are truncated."""
        super().open()
        self.idx, self.keys = {}, []
        try:
            with accessing(self.idx_path):
                self.fidx = open(self.idx_path, self.flag)  # noqa: SIM115
        except FileAccessError:
            super().close()
            raise
        if not self.writable:
            self._read_index(self.fidx)

    def _read_index(self, lines: IO[str]) -> None:
        try:
            for line in lines:
                key, offset = line.strip().split("\t")[:2]
                if not 0 <= int(offset) < _LARGEST:
                    raise ValueError(f"there is no byte {offset}")
                self._note(self.key_type(key), int(offset))
        except ValueError as error:  # also of bytes that are no text
            self.close()
            raise FileFormatError(
                f"{self.idx_path}: after {len(self.keys)} keys comes a line without key and offset: {error}"
            ) from error

    def _note(self, key: Any, offset: int) -> None:
        self.idx[key] = offset
        self.keys.append(key)

    def close(self) -> None:
        """Close the file and its index."""
        super().close()
        if self.fidx is not None:
            self.fidx.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "fidx": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._reading = lock()
        super().__setstate__(state)

    def seek(self, idx: Any) -> None:
        """Go to the record of a key; the next `read` returns it.

        Raises
        ------
        KeyError
            if there is no such key
        """
        self._check_mode(writes=False)
        self._check_pid(allow_reset=True)
        self._records.frames.seek(self.idx[idx])

    def tell(self) -> int:
        """Return the offset, in bytes, of the next record to be written."""
        self._check_mode(writes=True)
        self._check_pid()
        return self._records.stream.tell()

    def read_idx(self, idx: Any) -> bytes | None:
        """Return the record of a key; see `read`. Several threads may do so at a time.

        Raises
        ------
        KeyError
            if there is no such key
        """
        with self._reading:
            self.seek(idx)
            return self.read()

    def write_idx(self, idx: Any, buf: Any) -> None:
        """Append a record with a key; see `write`."""
        key, offset = self.key_type(idx), self.tell()
        self.write(buf)
        assert self.fidx is not None
        self.fidx.write(f"{key}\t{offset}\n")
        self._note(key, offset)
