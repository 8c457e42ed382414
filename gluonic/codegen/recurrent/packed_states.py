"""The products of a layer's states with weights that are packed once for all steps.

BLAS would pack them at each step, which takes half as long as the product of a small batch.
"""

from dataclasses import replace

from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.matmul.choices import BLOCK_BYTES, PACKED_PART
from gluonic.codegen.matmul.packing import is_packed_in_panels, packed_bytes
from gluonic.codegen.matmul.panel_packers import transposing_packer
from gluonic.codegen.matmul.product_kernel import ProductForm, ProductTiling, emit_panels
from gluonic.codegen.recurrent.loops import CellSpec, RecurrentWriter

_FORM = ProductForm(FLOAT32, False, True, packed_b=True)
_LEAST_ROWS = 24
"""From this number of rows, over all steps, packing takes less time than it saves."""


def packed_elements(cell: CellSpec) -> int:
    """The number of elements of the packed state weights of a layer's direction; 0 if they are not packed."""
    tiling = ProductTiling.of(FLOAT32, host())
    weights = cell.width, cell.part
    fits = cell.width % tiling.columns == 0 and cell.part <= PACKED_PART
    if cell.dtype != FLOAT32 or not fits or not is_packed_in_panels(weights):
        return 0
    return packed_bytes(weights, host()) // cell.dtype.itemsize


class PackedStates:
    """Writes the packing of the weights, and the products.

    Parameters
    ----------
    w : the writer of a direction's function
    packed : the address of the packed weights
    """

    def __init__(self, w: RecurrentWriter, packed: str) -> None:
        self.w, self.packed = w, packed
        tiling = ProductTiling.of(FLOAT32, host())
        self.tiling = replace(tiling, vectors=tiling.vectors[:1])
        emit_panels(w.f.module, _FORM, tiling, tiling.vectors[:1])
        enough = w.f.compare("sge", w.rows, _LEAST_ROWS)
        self.pays = w.f.both(enough, w.f.compare("sgt", "%steps", 1))
        with w.f.when(self.pays):
            self._pack()

    def _panel(self, number: str) -> str:
        padded = packed_elements(self.w.cell) // self.w.cell.width
        return self.w.at(self.packed, self.w.times(number, padded * self.tiling.columns))

    def _pack(self) -> None:
        w, cell, columns = self.w, self.w.cell, self.tiling.columns
        packer = transposing_packer(w.f.module, FLOAT32, self.tiling.lanes, columns)
        with w.f.loop("0", str(cell.width // columns)) as number:
            weights = w.at("%recurrent", w.times(number, columns * cell.part))
            source = f"ptr {weights}, i64 {cell.part}, i64 {columns}, i64 {cell.part}"
            self._call(packer, f"{source}, ptr {self._panel(number)}")

    def product(self, state: tuple[str, str | int], goal: str, *, adds: bool) -> None:
        """Write the product of a step's state, perhaps added to the output, if packing pays off."""
        w, cell, columns = self.w, self.w.cell, self.tiling.columns
        tile, row_bytes = self.tiling.rows, cell.part * cell.dtype.itemsize
        block = max(BLOCK_BYTES // row_bytes // tile, 1) * tile
        name, fresh = _FORM.symbol(self.tiling.vectors[0]), "false" if adds else "true"
        address, lead = state
        with w.f.loop("0", "%batch", block) as row:
            rows = w.least(w.minus("%batch", row), block)
            left = w.at(address, w.times(row, lead))
            here = w.at(goal, w.times(row, cell.width))
            with w.f.loop("0", str(cell.width // columns)) as number:
                there = w.at(here, w.times(number, columns))
                self._call(
                    name,
                    f"ptr {left}, i64 {lead}, ptr null, i64 0, ptr null, ptr {there}, i64 {cell.width}, "
                    f"i64 {rows}, i64 {columns}, i64 {cell.part}, ptr {self._panel(number)}, i64 0, "
                    f"i1 {fresh}, i1 true",
                )

    def _call(self, name: str, arguments: str) -> None:
        self.w.f.do(f"call void @{name}({arguments})")
