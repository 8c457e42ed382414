"""WebAssembly in engines other than that of Node.js."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from gluonic.codegen.exported_library import LibraryFiles

_FUNCTIONS = {
    name + ending: function
    for name, function in vars(math).items()
    if callable(function)
    for ending in ("", "f")
}
"""The mathematical functions of C, for float64 and float32."""


class WasmtimeNet:
    """A module in wasmtime, called as its JavaScript calls it."""

    def __init__(self, files: LibraryFiles) -> None:
        wasmtime = import_module("wasmtime")
        engine = wasmtime.Engine()
        module = wasmtime.Module(engine, files.library.read_bytes())
        self._store = wasmtime.Store(engine)
        functions = [
            wasmtime.Func(self._store, each.type, _FUNCTIONS[each.name]) for each in module.imports
        ]
        self._exports = wasmtime.Instance(self._store, module, functions).exports(self._store)
        self._memory = self._exports["memory"]
        self._prefix = files.library.stem
        place = self._call("malloc", 8)
        self._check(self._call(f"{self._prefix}_create", place))
        self._context = int(self._read(place, np.dtype("u4"), 1)[0])

    def run(
        self, inputs: Sequence[np.ndarray[Any, Any]], dtypes: Sequence[Any], batch: int
    ) -> list[np.ndarray[Any, Any]]:
        """The outputs, flat."""
        places = []
        for values in inputs:
            places.append(self._call("malloc", values.nbytes))
            self._memory.write(self._store, values.tobytes(), places[-1])
        counts = [
            self._call(f"{self._prefix}_output_elements", index, batch)
            for index in range(len(dtypes))
        ]
        results = [
            self._call("malloc", count * np.dtype(dtype).itemsize)
            for count, dtype in zip(counts, dtypes, strict=True)
        ]
        self._check(self._call(f"{self._prefix}_run", self._context, batch, *places, *results))
        found = [*map(self._read, results, map(np.dtype, dtypes), counts)]
        for place in (*places, *results):
            self._call("free", place)
        return found

    def _call(self, name: str, *arguments: int) -> Any:
        return self._exports[name](self._store, *arguments)

    def _read(self, place: int, dtype: np.dtype[Any], count: int) -> np.ndarray[Any, Any]:
        held = self._memory.read(self._store, place, place + count * dtype.itemsize)
        return np.frombuffer(bytes(held), dtype)

    def _check(self, status: int) -> None:
        assert status == 0, status


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder to browsers on this machine; gives its address."""
    handler = partial(_Silent, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *message: Any) -> None:
        """Print nothing."""
