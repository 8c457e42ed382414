"""Iterators over files of numbers: rows in their order, filling, and their descriptions of their inputs."""

from __future__ import annotations

import os
import struct
import tempfile
from typing import Any

FILES = {
    "data_csv": b"".join(b"%d,%d.5,%d\n" % (i, i, 2 * i) for i in range(7)),
    "label_csv": b"".join(b"%d,%d\n" % (i, -i) for i in range(7)),
    "data_libsvm": b"1.0 0:0.5 2:1.2\n-2.0\n-3.0 0:0.6 1:2.4 2:1.2\n4 2:-1.2\n",
    "label_libsvm": b"1.0\n-2.0 0:0.125\n-3.0 2:1.2\n4 1:1.0 2:-1.2\n",
    "image": struct.pack(">IIII", 0x803, 7, 2, 3) + bytes(range(42)),
    "label": struct.pack(">II", 0x801, 7) + bytes(range(7)),
}
_CSV = {"data_csv": True, "data_shape": (3,), "batch_size": 3}
_SVM = {"data_libsvm": True, "data_shape": (3,), "batch_size": 3}
_MNIST = {"image": True, "label": True, "batch_size": 3}
CASES: dict[str, Any] = {
    "CSV": ("CSVIter", _CSV),
    "CSV, not rounded": ("CSVIter", {**_CSV, "round_batch": False}),
    "CSV with labels": (
        "CSVIter",
        {**_CSV, "label_csv": True, "label_shape": (2,)},
    ),
    "CSV of large batches": ("CSVIter", {**_CSV, "batch_size": 8}),
    "CSV of whole batches": ("CSVIter", {**_CSV, "batch_size": 7, "data_shape": (1, 3)}),
    "LibSVM": ("LibSVMIter", _SVM),
    "LibSVM with labels": ("LibSVMIter", {**_SVM, "label_libsvm": True, "label_shape": (3,)}),
    "MNIST": ("MNISTIter", _MNIST),
    "MNIST by a seed": ("MNISTIter", {**_MNIST, "seed": 4}),
    "MNIST in order": ("MNISTIter", {**_MNIST, "shuffle": False, "flat": True}),
    "MNIST in parts": ("MNISTIter", {**_MNIST, "num_parts": 2, "part_index": 1, "seed": 3}),
}


def passes(mx: Any, kind: str, settings: dict[str, Any]) -> Any:
    """Three passes: data, labels and filling of each batch, and the descriptions."""
    with tempfile.TemporaryDirectory() as folder:
        given = dict(settings)
        for name, content in FILES.items():
            if given.get(name) is True:
                given[name] = os.path.join(folder, name)
                with open(given[name], "wb") as file:
                    file.write(content)
        batches = getattr(mx.io, kind)(**given)
        described = [
            [d.name, list(d.shape), str(mx.nd.zeros((1,), dtype=d.dtype).dtype.__name__)]
            for d in (*batches.provide_data, *batches.provide_label)
        ]
        found = []
        for number in range(3):
            if number:
                batches.reset()
            found.append([_batch(batch, settings) for batch in batches])
        return [described, found]


def _batch(batch: Any, settings: dict[str, Any]) -> Any:
    """Data, labels and filling; what a batch that is not rounded is filled up with is not specified."""
    rows = (
        len(batch.data[0]) if settings.get("round_batch", True) else len(batch.data[0]) - batch.pad
    )
    return [batch.data[0].asnumpy()[:rows], batch.label[0].asnumpy()[:rows], batch.pad]


def cases(mx: Any) -> dict[str, Any]:
    """Files by iterator."""
    return {case: lambda c=c: passes(mx, *c) for case, c in CASES.items()}
