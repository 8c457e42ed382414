"""Calls a library that ``export_library`` has written; code for another processor ends its process.

It reads a request as JSON from standard input: the library and what its functions' names begin with, its file
of weights or null, the files of the inputs, in the order of the library's arguments, and of the outputs
(``.npz``), the shapes and dtypes of the outputs, and batch sizes, of which it takes the first that fits.
"""

import ctypes
import json
import sys

import numpy as np


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    with np.load(request["inputs"]) as arrays:
        inputs = [np.ascontiguousarray(array) for array in arrays.values()]
    outputs = [np.empty(shape, dtype) for shape, dtype in request["outputs"]]
    library = ctypes.CDLL(request["library"])
    prefix = request["prefix"]
    version = library[f"{prefix}_version"]
    version.restype = ctypes.c_char_p
    batch = _batch(library, prefix, request["batches"], inputs, outputs)
    context = ctypes.c_void_p()
    weights = [request["weights"].encode()] if request["weights"] else []
    _check("create", library[f"{prefix}_create"](ctypes.byref(context), *weights))
    places = [ctypes.c_void_p(array.ctypes.data) for array in (*inputs, *outputs)]
    _check("run", library[f"{prefix}_run"](context, ctypes.c_int64(batch), *places))
    np.savez(request["output"], *outputs)
    print(json.dumps({"version": version().decode()}))


def _batch(
    library: ctypes.CDLL,
    prefix: str,
    sizes: list[int],
    inputs: list[np.ndarray],
    outputs: list[np.ndarray],
) -> int:
    """The first batch size for which the library's arrays have the sizes of the given ones."""
    for size in sizes:
        fits = True
        for kind, arrays in (("input", inputs), ("output", outputs)):
            elements = library[f"{prefix}_{kind}_elements"]
            elements.restype = ctypes.c_int64
            for index, array in enumerate(arrays):
                fits &= elements(ctypes.c_int32(index), ctypes.c_int64(size)) == array.size
        if fits:
            return size
    sys.exit("it does not serve arrays of these sizes")


def _check(name: str, status: int) -> None:
    if status:
        sys.exit(f"{name} returned {status}; its header says what that means")


if __name__ == "__main__":
    main()
