"""A function that transposes a square of float32 vectors in memory, which steps call.

With the loads, shuffles and stores of a square inline, a step would have twice as many instructions; one
function serves all steps, and all nets.
"""

from collections.abc import Callable

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
        places = ["ptr %goal", *_integers("%by_column", "%width")]
        f = LLVMFunction(module, name, ["ptr %source", *sizes, *places], internal=True)
        _write(VectorWriter(f))
    return name


def _write(w: VectorWriter) -> None:
    f = w.f
    columns, rows, width = map(w.first_lanes, ("%columns", "%rows", "%width"))

    def partial() -> None:
        _square(
            w,
            lambda address: w.load_lanes(address, columns),
            lambda ref, address: w.store_lanes(w.kept(ref, rows), address, width),
        )

    if f.module.target.masks_memory(4):
        partial()
    else:
        rows_and_columns = [f.compare("eq", size, w.lanes) for size in ("%rows", "%columns")]
        whole = f.both(f.both(*rows_and_columns), f.compare("eq", "%width", w.lanes))
        with f.when(whole):
            _square(w, w.load, w.store)
        with f.when(f.negated(whole)):
            partial()
    f.finish()


def _square(w: VectorWriter, load: Callable[[str], str], store: Callable[[str, str], None]) -> None:
    def places(start: str, count: str, stride: str) -> list[str]:
        last = w.f.sub(count, 1)
        return [
            w.f.offset(start, w.f.mul(w.f.least(number, last), stride)) for number in range(w.lanes)
        ]

    rows = [load(address) for address in places("%source", "%rows", "%by_row")]
    goals = places("%goal", "%columns", "%by_column")
    # Columns beyond the last share its target, so it is written after these.
    for vector, goal in reversed([*zip(w.transposed(rows), goals, strict=True)]):
        store(vector, goal)
