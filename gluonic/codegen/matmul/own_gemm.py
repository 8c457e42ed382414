"""The product of matrices as a function of the module, where BLAS cannot be called.

It sums over a part of the inner dimension at a time, packs the right factor's columns panel by panel on the
stack, and computes panels as products with packed factors do.
"""

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.maths.values import Dtype, scalar_type, vector_type
from gluonic.codegen.matmul.choices import PART
from gluonic.codegen.matmul.panel_packers import LEFT_PACKER, pieces, transposing_packer
from gluonic.codegen.matmul.product_kernel import ProductForm, ProductTiling, emit_panels

_ARGUMENTS = (
    "ptr %a", "ptr %b", "ptr %c", "i64 %lead_a", "i64 %lead_b", "i64 %lead_c",
    "i64 %rows", "i64 %columns", "i64 %inner", "i1 %fresh",
)  # fmt: skip
_LEFT_BYTES = 1 << 15
"""The most bytes of a transposed left factor that are packed at a time."""


def own_gemm(module: LLVMModule, dtype: Dtype, transposed_a: bool, transposed_b: bool) -> str:
    """The name of the function of a product; written on first use.

    It takes the addresses and the leading dimensions of factors and result, rows, columns and the inner
    dimension, and whether the result is overwritten instead of added to.
    """
    flags = "".join("t" if transposed else "n" for transposed in (transposed_a, transposed_b))
    name = f"gemm_{dtype.name}_{flags}"
    if name not in module.definitions:
        _Gemm(module, name, dtype, transposed_a, transposed_b)
    return name


class _Gemm:
    """Writes the function."""

    def __init__(
        self, module: LLVMModule, name: str, dtype: Dtype, transposed_a: bool, transposed_b: bool
    ) -> None:
        self.f = f = LLVMFunction(module, name, _ARGUMENTS, internal=True)
        self.dtype, self.kind = dtype, scalar_type(dtype)
        self.transposed_a, self.transposed_b = transposed_a, transposed_b
        self.tiling = ProductTiling.of(dtype, module.target)
        self.form = ProductForm(dtype, transposed_a, False, packed_b=True)
        self.vectors = self.tiling.vectors[0]
        emit_panels(module, self.form, self.tiling, [self.vectors])
        self.panel = f.slot(f"[{self.tiling.panel_bytes(PART, dtype.itemsize)} x i8]")
        self._clear_if_empty()
        with pieces(f, "%inner", PART) as (begin, inner):
            fresh = f.both("%fresh", f.compare("eq", begin, 0))
            with pieces(f, "%columns", self.tiling.columns) as (first, count):
                self._pack(begin, inner, first, count)
                self._multiply(begin, inner, first, count, fresh)
        f.finish()

    def _at(self, base: str, index: str) -> str:
        return self.f.offset(base, index, self.kind)

    def _clear_if_empty(self) -> None:
        """Clear the result if there is nothing to sum over."""
        f, size = self.f, self.dtype.itemsize
        fill = f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
        empty = f.both("%fresh", f.compare("eq", "%inner", 0))
        with f.when(empty, seldom=True), f.loop("0", "%rows") as row:
            line = self._at("%c", f.mul(row, "%lead_c"))
            length = ("i64", f.mul("%columns", size))
            f.run(fill, ("ptr", line), ("i8", 0), length, ("i1", "false"))

    def _pack(self, begin: str, inner: str, first: str, count: str) -> None:
        """Pack some columns of a part of the right factor."""
        f, width, lanes = self.f, self.tiling.columns, self.tiling.lanes
        if self.transposed_b:
            packer = transposing_packer(f.module, self.dtype, lanes, width)
            source = self._at("%b", f.add(f.mul(first, "%lead_b"), begin))
            sizes = [("i64", extent) for extent in ("%lead_b", count, inner)]
            f.run(f"@{packer}", ("ptr", source), *sizes, ("ptr", self.panel))
            return
        vector = vector_type(self.dtype, lanes)
        with f.loop("0", inner) as k:
            line = f.mul(f.add(begin, k), "%lead_b")
            source, goal = self._at("%b", f.add(line, first)), self._at(self.panel, f.mul(k, width))
            for number in range(self.vectors):
                there = self._at(goal, str(number * lanes))
                f.store(vector, "zeroinitializer", there, self.dtype.itemsize)
            f.copy(goal, source, f.mul(count, self.dtype.itemsize))

    def _multiply(self, begin: str, inner: str, first: str, count: str, fresh: str) -> None:
        """Multiply a part of the left factor with the packed columns."""
        f = self.f
        if not self.transposed_a:
            self._panel(self._at("%a", begin), "0", "%rows", (inner, first, count, fresh))
            return
        height = self.tiling.rows
        most = max(_LEFT_BYTES // (PART * self.dtype.itemsize * height), 1) * height
        left = f.slot(f"[{most * PART} x {self.kind}]")
        with pieces(f, "%rows", most) as (row, rows):
            source = self._at("%a", f.add(f.mul(begin, "%lead_a"), row))
            sizes = [("i64", extent) for extent in ("%lead_a", rows, inner)]
            packer = LEFT_PACKER.format(self.dtype.name)
            f.run(f"@{packer}", ("ptr", source), *sizes, ("ptr", left))
            self._panel(left, row, rows, (inner, first, count, fresh))

    def _panel(self, a: str, row: str, rows: str, part: tuple[str, str, str, str]) -> None:
        """Write the call of the panel's function."""
        f, (inner, first, count, fresh) = self.f, part
        goal = self._at("%c", f.add(f.mul(row, "%lead_c"), first))
        arguments: list[tuple[str, str]] = [
            *(("ptr", a), ("i64", "%lead_a")),
            *(("ptr", "null"), ("i64", "0"), ("ptr", "null")),
            *(("ptr", goal), ("i64", "%lead_c")),
            *(("i64", rows), ("i64", count), ("i64", inner)),
            *(("ptr", self.panel), ("i64", "0"), ("i1", fresh), ("i1", "true")),
        ]
        f.run(f"@{self.form.symbol(self.vectors)}", *arguments)
