"""Functions that pack the factors of a product, written as LLVM's text."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.register_transpose import transposed
from gluonic.codegen.maths.values import Dtype, scalar_type, vector_type


class FactorWriter:
    """Writes a function over matrices of one dtype."""

    def __init__(self, function: LLVMFunction, dtype: Dtype, lanes: int) -> None:
        self.f, self.lanes = function, lanes
        self.kind, self.size = scalar_type(dtype), dtype.itemsize
        self.vector = vector_type(dtype, lanes)

    def _at(self, base: str, index: str) -> str:
        return self.f.offset(base, index, self.kind)

    def _times(self, a: str, b: str | int) -> str:
        return self.f.mul(a, b)

    def _plus(self, a: str, b: str | int) -> str:
        return self.f.add(a, b)

    def _load(self, address: str, vector: bool = True) -> str:
        kind = self.vector if vector else self.kind
        return self.f.load(kind, address, self.size)

    def _store(self, value: str, address: str, vector: bool = True) -> None:
        kind = self.vector if vector else self.kind
        self.f.store(kind, value, address, self.size)

    def _copy(self, target: str, source: str, count: str) -> None:
        """Copy `count` elements."""
        self.f.copy(target, source, self._times(count, self.size))


def transposing_packer(module: LLVMModule, dtype: Dtype, lanes: int, width: int) -> str:
    """The function that packs a transposed right factor into a panel of a width; written on first use."""
    name = f"pack_transposed_{dtype.name}_{width}"
    if name not in module.definitions:
        arguments = ["ptr %b", "i64 %lead_b", "i64 %columns", "i64 %inner", "ptr %panel"]
        _TransposingPacker(
            LLVMFunction(module, name, arguments, internal=True), dtype, lanes, width
        )
    return name


class _TransposingPacker(FactorWriter):
    """Writes the function that packs rows into columns of a panel.

    Square tiles are transposed in registers; the remainder is copied element by element.
    """

    def __init__(self, function: LLVMFunction, dtype: Dtype, lanes: int, width: int) -> None:
        super().__init__(function, dtype, lanes)
        f = self.f
        last = self._plus("%columns", -1)
        rest = f.bits("%inner", lanes - 1)
        middle = f.sub("%inner", rest)
        with f.loop("0", str(width), lanes) as first:
            panel, sources = self._at("%panel", first), []
            for lane in range(lanes):  # columns after the last one repeat it
                column = f.least(self._plus(first, lane), last)
                address = self._at("%b", self._times(column, "%lead_b"))
                sources.append(f.op(f"freeze ptr {address}"))
            with f.loop("0", middle, lanes) as k:
                goal = self._at(panel, self._times(k, width))
                for number, row in enumerate(self._square(sources, k)):
                    self._store(row, self._at(goal, str(number * width)))
            with f.loop(middle, "%inner") as k:
                goal = self._at(panel, self._times(k, width))
                for lane, source in enumerate(sources):
                    element = self._load(self._at(source, k), vector=False)
                    self._store(element, self._at(goal, str(lane)), vector=False)
        f.finish()

    def _square(self, sources: Sequence[str], k: str) -> list[str]:
        """A square tile of elements from `k` on in each source; its columns as registers.

        If registers have several parts of 16 bytes, each part is loaded to its final position, and only
        elements within the parts are permuted.
        """
        quarter = 16 // self.size
        if self.lanes <= quarter:
            rows = [self._load(self._at(s, k)) for s in sources]
            return transposed(self.f, self.vector, rows, self.lanes, self.lanes, quarter)
        columns: list[str] = []
        for first in range(0, self.lanes, quarter):
            index = self._plus(k, first)
            mixed = []
            for i in range(quarter):
                parts = [self._quarter(s, index, quarter) for s in sources[i::quarter]]
                mixed.append(self._joined(parts, quarter))
            columns += transposed(self.f, self.vector, mixed, self.lanes, quarter, quarter)
        return columns

    def _quarter(self, source: str, index: str, count: int) -> str:
        return self.f.load(f"<{count} x {self.kind}>", self._at(source, index), self.size)

    def _joined(self, parts: list[str], count: int) -> str:
        """Registers of `count` elements as one register."""
        while len(parts) > 1:
            kind, pairs = f"<{count} x {self.kind}>", zip(parts[::2], parts[1::2], strict=True)
            parts = [self.f.shuffle(kind, a, b, range(2 * count)) for a, b in pairs]
            count *= 2
        return parts[0]


LEFT_PACKER = "pack_left_{}"
_BATCH = 16


def write_left_packer(module: LLVMModule, dtype: Dtype, height: int) -> None:
    """Write the function that packs a transposed left factor: for each tile, its rows, interleaved.

    It reads a few rows of memory at a time, each on a different page.
    """
    arguments = ["ptr %a", "i64 %lead", "i64 %rows", "i64 %inner", "ptr %goal"]
    f = LLVMFunction(module, LEFT_PACKER.format(dtype.name), arguments, internal=True)
    kind, size = scalar_type(dtype), dtype.itemsize

    def at(base: str, index: str) -> str:
        return f.offset(base, index, kind)

    left = f.urem("%rows", height)
    whole = f.sub("%rows", left)
    widths = [4, 2] if height == 6 else [height]
    with pieces(f, "%inner", _BATCH) as (begin, count), f.loop("0", "%rows", height) as row:
        full = f.compare("slt", row, whole)
        stop = f.add(begin, count)
        tile, lines = at("%goal", f.mul(row, "%inner")), at("%a", row)

        def ends(k: str) -> tuple[str, str]:
            source = at(lines, f.mul(k, "%lead"))
            return source, at(tile, f.mul(k, height))

        with f.when(full), f.loop(begin, stop) as k:
            (source, goal), position = ends(k), 0
            for width in widths:
                wide = f"<{width} x {kind}>"
                value = f.load(wide, at(source, str(position)), size)
                f.store(wide, value, at(goal, str(position)), size)
                position += width
        with f.when(f.negated(full)), f.loop(begin, stop) as k:
            source, goal = ends(k)
            with f.loop("0", left) as i:
                value = f.load(kind, at(source, i))
                f.store(kind, value, at(goal, i))
    f.finish()


@contextmanager
def pieces(f: LLVMFunction, length: str, most: int) -> Iterator[tuple[str, str]]:
    """Loop over pieces of a length; yields the start and the length of each."""
    with f.loop("0", length, most) as first:
        left = f.sub(length, first)
        yield first, f.least(left, most)
