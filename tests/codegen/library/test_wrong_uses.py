"""Wrong uses of a library return the numbers that its header documents; nothing crashes."""

import ctypes
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon
from tests.codegen.library.nets import exported, made
from tests.codegen.library.programs import compile_program, program, run_program


class Loaded:
    """A library in this process.

    Attributes
    ----------
    statuses : the numbers of the header by name
    """

    def __init__(self, files: Any) -> None:
        self._library, self._prefix = ctypes.CDLL(str(files.library)), files.header.stem
        text = files.header.read_text()
        prefix = self._prefix.upper()
        self.statuses = {n: int(v) for n, v in re.findall(rf"\b{prefix}_(\w+) = (-?\d+)", text)}

    def function(self, name: str, *arguments: Any, result: Any = ctypes.c_int32) -> Any:
        """A function."""
        found: Any = getattr(self._library, f"{self._prefix}_{name}")
        found.argtypes, found.restype = arguments, result
        return found

    def context(self) -> ctypes.c_void_p:
        """A new context."""
        made = ctypes.c_void_p()
        assert self.function("create", ctypes.c_void_p)(ctypes.addressof(made)) == 0
        return made

    def run(self, context: Any, batch: int, *arrays: Any) -> int:
        """Run it on NumPy's arrays; None is null."""
        pointers = [ctypes.c_void_p] * len(arrays)
        run = self.function("run", ctypes.c_void_p, ctypes.c_int64, *pointers)
        status: int = run(context, batch, *(None if a is None else a.ctypes.data for a in arrays))
        return status


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """A library that serves up to eight rows of 64 numbers."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    net, sample = made("layers")
    return Loaded(exported(net, sample, tmp_path_factory.mktemp("layers") / "layers.so", most=8))


def arrays(batch: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    return np.ones((batch, 64), np.float32), np.full((batch, 10), np.nan, np.float32)


@pytest.mark.parametrize("batch", [0, -1, 9, 1 << 40, -(1 << 63)])
def test_batch_sizes_that_are_not_served_are_refused(layers: Loaded, batch: int) -> None:
    context, (x, y) = layers.context(), arrays(8)
    assert layers.run(context, batch, x, y) == layers.statuses["BATCH_SIZE"]
    assert np.isnan(y).all()
    assert layers.run(context, 8, x, y) == layers.statuses["OK"]
    assert np.isfinite(y).all()


def test_null_pointers_are_refused(layers: Loaded) -> None:
    context, (x, y) = layers.context(), arrays(2)
    null = layers.statuses["NULL_POINTER"]
    assert layers.run(None, 2, x, y) == null
    assert layers.run(context, 2, None, y) == null
    assert layers.run(context, 2, x, None) == null
    assert layers.function("create", ctypes.c_void_p)(None) == null
    layers.function("free", ctypes.c_void_p, result=None)(None)


@pytest.mark.parametrize("kind", ["input", "output"])
def test_sizes_of_what_is_not_there_are_negative(layers: Loaded, kind: str) -> None:
    elements = layers.function(
        f"{kind}_elements", ctypes.c_int32, ctypes.c_int64, result=ctypes.c_int64
    )
    assert elements(0, 3) == 3 * {"input": 64, "output": 10}[kind]
    for index in (-1, 1, 7):
        assert elements(index, 3) == -layers.statuses["NO_SUCH_ARRAY"]
    for batch in (0, -5, 9):
        assert elements(0, batch) == -layers.statuses["BATCH_SIZE"]


def test_contexts_do_not_disturb_each_other(layers: Loaded) -> None:
    first, second = layers.context(), layers.context()
    (x, y), (u, v) = arrays(8), arrays(3)
    u *= 2
    assert layers.run(first, 8, x, y) == 0
    assert layers.run(second, 3, u, v) == 0
    layers.function("free", ctypes.c_void_p, result=None)(second)
    again = np.empty_like(y)
    assert layers.run(first, 8, x, again) == 0
    assert again.tobytes() == y.tobytes()
    layers.function("free", ctypes.c_void_p, result=None)(first)


def test_the_range_of_the_header_is_that_of_the_code(layers: Loaded) -> None:
    context, (x, y) = layers.context(), arrays(8)
    least, most = layers.statuses["LEAST_BATCH"], layers.statuses["MOST_BATCH"]
    assert (least, most) == (1, 8)
    assert all(layers.run(context, size, x, y) == 0 for size in range(least, most + 1))


def test_memory_that_is_not_to_be_had_is_an_error(tmp_path: Path) -> None:
    class Wide(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            wide = F.broadcast_to(F.expand_dims(x, 1), (0, 1 << 18, 0))
            return F.softmax(F.cumsum(wide, axis=2), axis=1).sum(axis=1)

    net = Wide()
    net.hybridize()
    files = net.export_library(str(tmp_path / "wide.so"), mx.nd.ones((2, 4)))
    ran = compile_program(program(files.header), tmp_path, files.library)
    little = "sh", "-c", 'ulimit -v 200000; exec "$@"', "sh"
    x = np.ones((64, 4), np.float32)
    assert run_program(ran, files.header, [[x[:2]]], little)
    run_program(ran, files.header, [[x]], little, status=10 + Loaded(files).statuses["NO_MEMORY"])


def test_a_word_without_a_vector_is_an_error(tmp_path: Path) -> None:
    class Look(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, words: Any) -> Any:
            return F.take(F.arange(5), words, mode="raise")

    net = Look()
    net.hybridize()
    loaded = Loaded(net.export_library(str(tmp_path / "look.so"), mx.nd.ones((2, 3))))
    context, y = loaded.context(), np.empty((2, 3), np.float32)
    fine = np.array([[0, 1, 2], [4, 3, 0]], np.float32)
    assert loaded.run(context, 2, fine, y) == 0
    assert (y == fine).all()
    assert loaded.run(context, 2, fine + 1, y) == loaded.statuses["VALUE"]
    assert loaded.run(context, 2, fine, y) == 0


def test_weights_that_are_missing_cut_or_of_another_net_are_refused(tmp_path: Path) -> None:
    net, sample = made("layers")
    files = exported(net, sample, tmp_path / "layers.so", weights="beside")
    loaded = Loaded(files)
    create = loaded.function("create", ctypes.c_void_p, ctypes.c_char_p)
    context = ctypes.c_void_p()
    right, whole = loaded.statuses["WEIGHTS"], files.weights.read_bytes()

    def status(content: bytes | None) -> int:
        other = tmp_path / "other.weights"
        other.unlink(missing_ok=True)
        if content is not None:
            other.write_bytes(content)
        return int(create(ctypes.addressof(context), str(other).encode()))

    assert status(whole) == 0
    for wrong in (None, b"", whole[:-1], whole + b"\0", b"\1" + whole[1:], whole[:40]):
        assert status(wrong) == right
    assert create(ctypes.addressof(context), None) == loaded.statuses["NULL_POINTER"]
