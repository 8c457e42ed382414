"""Sparse arrays: their parts, their files, what is made of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

MATRIX = [[0, 1.5], [0, 0], [2, 3]]


def parts(array: Any) -> dict[str, Any]:
    """All that makes up a sparse array."""
    found = {
        "kind": array.stype,
        "shape": list(array.shape),
        "dtype": array.dtype.__name__,
        "data": array.data,
        "data shape": list(array.data.shape),
        "indices": array.indices,
        "print": repr(array),
        "auxiliary": [t.__name__ for t in array._aux_types],
        "length": len(array),
        "axes": array.ndim,
    }
    if array.stype == "csr":
        found["indptr"] = array.indptr
    return found


def file_of(mx: Any, data: Any) -> str:
    """The file that arrays are saved in, as hexadecimal digits."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "arrays")
        mx.nd.save(name, data)
        with open(name, "rb") as file:
            return file.read().hex()


def assigned(mx: Any, kind: str, value: Any) -> Any:
    """A sparse array that all of another was assigned to."""
    target = mx.nd.sparse.zeros(kind, (3, 2))
    target[:] = value
    return parts(target)


def added_in_place(mx: Any, kind: str) -> Any:
    """``x += x`` and ``x *= 2``."""
    x = mx.nd.array(MATRIX).tostype(kind)
    x += x
    x *= 2
    return {"kind": x.stype, "elements": x}


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """The cases by name."""
    nd = mx.nd
    sparse = nd.sparse
    made: dict[str, Callable[[], Any]] = {
        "csr of parts": lambda: sparse.csr_matrix(([1, 2, 3], [1, 0, 2], [0, 1, 1, 3])),
        "csr of unsorted parts": lambda: sparse.csr_matrix(([1, 2], [1, 0], [0, 2]), shape=(1, 3)),
        "csr of coordinates": lambda: sparse.csr_matrix(([1, 2, 4], ([2, 0, 2], [0, 1, 0]))),
        "csr of a shape": lambda: sparse.csr_matrix((2, 3), dtype="int32"),
        "csr of lists": lambda: sparse.csr_matrix([[0, 1], [2, 0]]),
        "csr of a dense array": lambda: sparse.csr_matrix(nd.array([[0, 1]], dtype="int64")),
        "rows of parts": lambda: sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 4])),
        "rows of parts with a shape": lambda: sparse.row_sparse_array(
            ([[1, 2]], [1]), shape=(6, 2), dtype="float64"
        ),
        "rows of a shape": lambda: sparse.row_sparse_array((2, 3, 2)),
        "rows of lists": lambda: sparse.row_sparse_array([[0, 0], [0, 1]]),
    }
    for kind in ("csr", "row_sparse"):
        array = partial(lambda kind: nd.array(MATRIX).tostype(kind), kind)
        made[f"zeros of {kind}"] = partial(sparse.zeros, kind, (3, 2))
        made[f"{kind} as int32"] = lambda array=array: array().astype("int32")  # type: ignore[misc]
        made[f"copy of {kind}"] = lambda array=array: array().copy()  # type: ignore[misc]
        made[f"{kind} on a context"] = lambda array=array: array().as_in_context(mx.cpu(1))  # type: ignore[misc]
    made["row of csr"] = lambda: nd.array(MATRIX).tostype("csr")[-2]
    made["rows of csr"] = lambda: nd.array(MATRIX).tostype("csr")[1:]
    named: dict[str, Callable[[], Any]] = {
        name: lambda make=make: parts(make())  # type: ignore[misc]
        for name, make in made.items()
    }
    for kind in ("csr", "row_sparse"):
        array = partial(lambda kind: nd.array(MATRIX).tostype(kind), kind)
        named[f"file of {kind}"] = lambda array=array: file_of(mx, [array()])  # type: ignore[misc]
        named[f"file of zeros of {kind}"] = partial(file_of, mx, [sparse.zeros(kind, (3, 2))])
        named[f"file of {kind} among others"] = lambda array=array: file_of(  # type: ignore[misc]
            mx, {"w": nd.array(MATRIX), "s": array().astype("float16"), "e": array()}
        )
        named[f"assigned to {kind}"] = partial(assigned, mx, kind, nd.array(MATRIX))
        named[f"in place {kind}"] = partial(added_in_place, mx, kind)
    named["number assigned to rows"] = partial(assigned, mx, "row_sparse", 2)
    return named
