"""Files of records and packed headers, as the bytes that are written, in hexadecimal."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

MAGIC = b"\x0a\x23\xd7\xce"
RECORDS = {
    "empty": [b""],
    "of all lengths": [b"x" * length for length in range(9)],
    "the magic number": [MAGIC],
    "the magic number twice": [MAGIC * 2, MAGIC + b"abcd" + MAGIC],
    "the magic number at its end": [b"abcd" + MAGIC],
    "the magic number, and a rest": [MAGIC + b"q", b"abcd" + MAGIC + b"efg"],
    "the magic number at odd places": [b"x" + MAGIC, b"ab" + MAGIC + b"cd" + MAGIC * 2 + b"z"],
    "half the magic number": [MAGIC[:2] * 4, MAGIC[:3]],
}
LABELS = {
    "integer": 4,
    "number": 4.5,
    "boolean": True,
    "NumPy number": np.float32(2.5),
    "list": [1, 2],
    "one in a list": [3],
    "vector": np.array([1.5, 2.0]),
    "matrix": np.array([[1, 2], [3, 4]]),
    "nothing in a list": [],
}


def written(mx: Any, records: list[bytes]) -> str:
    """The contents of a file of records."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.rec")
        writer = mx.recordio.MXRecordIO(path, "w")
        for record in records:
            writer.write(record)
        writer.close()
        with open(path, "rb") as file:
            return file.read().hex()


def indexed(mx: Any) -> Any:
    """An index, and where the writer stands."""
    with tempfile.TemporaryDirectory() as folder:
        paths = os.path.join(folder, "a.idx"), os.path.join(folder, "a.rec")
        writer = mx.recordio.MXIndexedRecordIO(*paths, "w")
        places = []
        for key in (3, 1, 7):
            writer.write_idx(key, b"r" * key)
            places.append(writer.tell())
        writer.close()
        with open(paths[0]) as file:
            return [file.read(), places, writer.keys, {str(k): v for k, v in writer.idx.items()}]


def unpacked(mx: Any, label: Any) -> Any:
    """A header that was packed with some contents, and unpacked; the record."""
    record = mx.recordio.pack((9, label, 2**40, 5), b"contents")
    header, contents = mx.recordio.unpack(record)
    return [record.hex(), header.flag, header.label, header.id, header.id2, contents.hex()]


def cases(mx: Any) -> dict[str, Any]:
    """Files, an index, headers."""
    return {
        **{f"file: {k}": lambda v=v: written(mx, v) for k, v in RECORDS.items()},
        "index": lambda: indexed(mx),
        **{f"label: {k}": lambda v=v: unpacked(mx, v) for k, v in LABELS.items()},
    }
