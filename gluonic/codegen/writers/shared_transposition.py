"""A function that transposes a square of float32 vectors in memory, which steps call.

With the loads, shuffles and stores of a square inline, a step would have twice as many instructions; one
function serves all steps, and all nets.
"""

from collections.abc import Callable, Sequence

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.writers.vectors import VectorWriter


def call_transposition(
    w: VectorWriter, source: tuple[str, str, str], columns: str, goal: tuple[str, str, str]
) -> None:
    """Write a call.

    Parameters
    ----------
    source : the address of the first row, the stride of rows in bytes, and their number, at most V
    columns : number of elements taken from each row, at most V
    goal : the address of the first column, the stride of columns in bytes, and the number of elements of each
        that are written, padded with zeros
    """
    start, *sizes = source
    end, *others = goal
    before = [("i64", size) for size in (*sizes, columns)]
    after = [("i64", size) for size in others]
    w.f.run(f"@{_function(w.f.module)}", ("ptr", start), *before, ("ptr", end), *after)


def _integers(*numbers: str) -> list[str]:
    return [f"i64 {number}" for number in numbers]


def _function(module: LLVMModule) -> str:
    """The name of the function, written if new."""
    name = f"transpose_{module.target.vector_bytes // 4}"
    if name not in module.definitions:
        sizes = _integers("%by_row", "%rows", "%columns")
        result = ["ptr %goal", *_integers("%by_column", "%width")]
        f = LLVMFunction(module, name, ["ptr %source", *sizes, *result], internal=True)
        _write(VectorWriter(f))
    return name


def _write(w: VectorWriter) -> None:
    f = w.f
    full_rows, full_columns, full_width = (
        f.compare("eq", size, w.lanes) for size in ("%rows", "%columns", "%width")
    )
    whole = f.both(f.both(full_rows, full_columns), full_width)
    with f.when(whole):
        rows = [w.load(address) for address in _addresses(w, "%source", "%by_row", None)]
        _store(w, w.transposed(rows), None, w.store)
    with f.when(f.negated(whole)):
        columns, present, width = map(w.first_lanes, ("%columns", "%rows", "%width"))
        sources = _addresses(w, "%source", "%by_row", "%rows")
        vectors = w.transposed([w.load_lanes(address, columns) for address in sources])
        padded = [w.kept(vector, present) for vector in vectors]
        # Stores under a mask take AMD's processors without AVX-512 twenty times as long.
        with f.when(full_width):
            _store(w, padded, "%columns", w.store)
        with f.when(f.negated(full_width)):
            _store(w, padded, "%columns", lambda ref, address: w.store_lanes(ref, address, width))
    f.finish()


def _store(
    w: VectorWriter, vectors: Sequence[str], count: str | None, store: Callable[[str, str], None]
) -> None:
    # Columns beyond the last share its target, so it is written after these.
    goals = _addresses(w, "%goal", "%by_column", count)
    for vector, goal in reversed([*zip(vectors, goals, strict=True)]):
        store(vector, goal)


def _addresses(w: VectorWriter, start: str, stride: str, count: str | None) -> list[str]:
    return [w.f.offset(start, offset) for offset in w.apart(stride, count)]
