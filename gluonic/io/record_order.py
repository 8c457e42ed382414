"""The order in which the records of files are read: parts of them, shuffled or not, pass after pass.

It is MXNet's order, seed by seed: a part of files without an index is a range of bytes, of files with one a
range of records; without an index, records are shuffled within chunks, as many as are read at once.
"""

import bisect
import itertools
import math
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError
from gluonic.graph.files import accessing, read_bytes
from gluonic.io.cpp_random import CppRandom
from gluonic.recordio.framing import Frames, next_begin

_CHUNK_SEED = 666
_MEBIBYTE = 1 << 20
_SMALLEST_CHUNK = 8 * _MEBIBYTE
_BUFFER = 1 << 18
_HEADER = 8


class LocatedRecord(NamedTuple):
    """A record and its position.

    Attributes
    ----------
    content : its bytes
    file, offset : the file, and the record's offset there
    number : its index in the chunk in which it was read
    """

    content: bytes
    file: str
    offset: int
    number: int


class RecordFiles:
    """Files of records, one after the other.

    Parameters
    ----------
    names : files, or folders of files, separated by semicolons

    Raises
    ------
    MXNetError
        if there is none
    """

    def __init__(self, names: str) -> None:
        listed = [name.removeprefix("file://") for name in names.split(";")]
        sizes: list[tuple[Path, int]] = []
        for name in listed:
            with accessing(name):
                sizes += [(path, path.stat().st_size) for path in _expanded(Path(name))]
        self.names = [str(path) for path, size in sizes if size]
        if not self.names:
            raise MXNetError(f"there is no file with records in {names}")
        self.ends = list(itertools.accumulate(size for _, size in sizes if size))

    def at(self, offset: int) -> tuple[int, int]:
        """The file at an offset, counted through all files, and the offset in that file."""
        number = bisect.bisect_right(self.ends, offset)
        return number, offset - (self.ends[number - 1] if number else 0)

    def between(self, begin: int, end: int) -> Iterator[tuple[bytes, str, int, int, int]]:
        """The records that begin in a range: content, file, offset in it, begin and end in all files."""
        while begin < end:
            number, within = self.at(begin)
            name, limit = self.names[number], min(end, self.ends[number]) - begin + within
            with open(name, "rb", buffering=_BUFFER) as stream:
                stream.seek(within)
                frames = Frames(stream.read, name, within)
                base = begin - within
                while (within := frames.offset) < limit:
                    content = frames.next()
                    if content is None:
                        raise FileFormatError(f"{name}: became shorter while it was read")
                    yield content, name, within, base + within, base + frames.offset
            begin = base + frames.offset

    def record_from(self, offset: int) -> int:
        """The offset of the first record at or after an offset, counted through all files."""
        if offset >= self.ends[-1]:
            return self.ends[-1]
        number, within = self.at(offset)
        if within == 0:
            return offset
        with open(self.names[number], "rb") as stream:
            return offset - within + next_begin(stream, within)

    def part(self, index: int, count: int) -> tuple[int, int]:
        """The range of bytes of one of several parts."""
        step = -(-self.ends[-1] // count)
        step += -step % 4
        begin, end = (self.record_from(step * i) for i in (index, index + 1))
        return begin, end


def _expanded(path: Path) -> list[Path]:
    return sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]


def check_part(index: int, count: int) -> None:
    """Raise an error for a part that does not exist."""
    if not 0 <= index < count:
        raise AttributeValueError(f"there is no part part_index={index} of num_parts={count}")


class ByteRanges:
    """The passes over a part of files without an index.

    Parameters
    ----------
    files : the files
    index, count : the part, and the number of parts
    shuffle : whether to shuffle the records within chunks
    seed : the seed of this shuffling
    chunk_size : mebibytes in a chunk, chunks in random order; 0 for chunks in the files' order
    chunk_seed : the seed of the order of chunks
    first_number : the number of the first record of a shuffled chunk
    usual_size : mebibytes in a chunk, if `chunk_size` is 0
    """

    def __init__(
        self,
        files: RecordFiles,
        index: int,
        count: int,
        shuffle: bool,
        seed: int,
        chunk_size: int,
        chunk_seed: int,
        first_number: int,
        usual_size: int = 64,
    ) -> None:
        check_part(index, count)
        self._files, self._index, self._count = files, index, count
        self._random = CppRandom(seed) if shuffle else None
        self._first_number = first_number
        # MXNet's own shift: chunks are an eighth of the size requested
        self._chunk = max(chunk_size << 17 if chunk_size else usual_size << 20, _SMALLEST_CHUNK)
        parts = (
            math.ceil(files.ends[-1] * 1.1 / (count * chunk_size * _MEBIBYTE)) if chunk_size else 1
        )
        self._parts = list(range(parts))
        self._part_random = CppRandom(_CHUNK_SEED + index + count + parts + chunk_seed)

    def one_pass(self) -> Iterator[LocatedRecord]:
        """All records once."""
        count = len(self._parts)
        if count > 1:
            self._part_random.shuffle(self._parts)
        for part in list(self._parts):
            begin, end = self._files.part(part + self._index * count, self._count * count)
            records = self._numbered(begin, end)
            yield from records if self._random is None else self._shuffled(records, self._random)

    def _numbered(self, begin: int, end: int) -> Iterator[LocatedRecord]:
        """Records with their indices in chunks; a chunk may exceed its buffer only by its last record."""
        start, size, number = begin, self._chunk, 0
        for content, file, within, at, after in self._files.between(begin, end):
            if end - start >= size and at > start and after > start + size - _HEADER:
                start, number = at, 0
            yield LocatedRecord(content, file, within, number)
            number += 1

    def _shuffled(
        self, records: Iterator[LocatedRecord], random: CppRandom
    ) -> Iterator[LocatedRecord]:
        chunk: list[LocatedRecord] = []
        for record in itertools.chain(records, [None]):
            if record is None or (record.number == 0 and chunk):
                order = list(range(len(chunk)))
                random.shuffle(order)
                first = self._first_number
                yield from (chunk[i]._replace(number=first + i) for i in order)
                chunk = []
            if record is not None:
                chunk.append(record)


class IndexedRecords:
    """The passes over a part of files with an index.

    Parameters
    ----------
    files : the files
    index_name : the index
    index, count : the part, and the number of parts
    shuffle : whether to shuffle the records
    seed : the seed of the shuffling
    """

    def __init__(
        self,
        files: RecordFiles,
        index_name: str,
        index: int,
        count: int,
        shuffle: bool,
        seed: int,
    ) -> None:
        check_part(index, count)
        self._files = files
        offsets = sorted(_offsets(index_name))
        step = -(-len(offsets) // count)
        self._offsets = offsets[step * index : step * (index + 1)]
        self._random = CppRandom(seed) if shuffle else None

    def one_pass(self) -> Iterator[LocatedRecord]:
        """All records once."""
        offsets = list(self._offsets)
        if self._random is not None:
            self._random.shuffle(offsets)
        with ExitStack() as opened:
            streams: dict[int, Frames] = {}
            for offset in offsets:
                number, within = self._files.at(offset)
                if number >= len(self._files.names):
                    raise FileFormatError(
                        f"the index says that a record begins at byte {offset}, after the end of "
                        f"{self._files.names[-1]}"
                    )
                if number not in streams:
                    name = self._files.names[number]
                    stream = opened.enter_context(open(name, "rb"))
                    streams[number] = Frames(stream.read, name, 0, stream.seek)
                frames = streams[number]
                frames.seek(within)
                content = frames.next()
                assert content is not None  # the offset is before the end
                yield LocatedRecord(content, self._files.names[number], within, 0)


_LONGEST = 20  # digits of an offset


def _offsets(name: str) -> list[int]:
    """The offsets in an index: every second word."""
    words = read_bytes(name.removeprefix("file://")).split()
    offsets = words[1::2]
    if (
        not offsets
        or len(words) % 2
        or not all(offset.isdigit() and len(offset) < _LONGEST for offset in offsets)
    ):
        raise FileFormatError(f"{os.fspath(name)}: this is no index of records, or damaged")
    return [int(offset) for offset in offsets]
