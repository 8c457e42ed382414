"""What is done to each element of a product when it is summed up: one function for tiles of all sizes."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

from gluonic.codegen.machine.assembler import Function, Module
from gluonic.codegen.machine.values import Dtype, scalar_type, vector_type
from gluonic.codegen.maths.emitter import Emitter
from gluonic.graph.record import record


@record
class Epilogue:
    """A function of each element of a product, and of those at its place in arrays of the same shape.

    Attributes
    ----------
    name : tells functions apart
    others : how many arrays it reads besides the product
    expression : ``(m, element, *others) -> element``
    """

    name: str
    others: int = 0
    expression: Callable[..., Any] = field(default=lambda m, x: x, compare=False)

    @property
    def arguments(self) -> list[str]:
        """The parameters that the addresses of other arrays are passed in."""
        return [f"ptr %other{number}" for number in range(self.others)]


def finisher(module: Module, dtype: Dtype, lanes: int, epilogue: Epilogue) -> str:
    """The function that applies an epilogue to rows of sums, written if it is new.

    Its arguments are where the sums begin, the distance of their rows, the same of the results, rows and
    columns, then where the other arrays begin, whose rows lie as those of the results do.
    """
    name = f"finish_{dtype.name}_{epilogue.name}"
    if name not in module.definitions:
        _write(module, name, dtype, lanes, epilogue)
    return name


def _write(module: Module, name: str, dtype: Dtype, lanes: int, epilogue: Epilogue) -> None:
    """Write the function; the last columns go through memory as wide as a register."""
    numbers = ["i64 %lead", "ptr %goal", "i64 %lead_goal", "i64 %rows", "i64 %columns"]
    arguments = ["ptr %sums", *numbers, *epilogue.arguments]
    f = Function(module, name, arguments, internal=True)
    m, kind, size = Emitter(f), scalar_type(dtype), dtype.itemsize
    wide = vector_type(dtype, lanes)
    spare = [f.slot(wide) for _ in range(epilogue.others + 1)]
    for place in spare:
        f.do(f"store {wide} zeroinitializer, ptr {place}")

    def at(base: str, index: str) -> str:
        return f.op(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def copy(target: str, source: str, count: str) -> None:
        copier = module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        length = f.op(f"mul i64 {count}, {size}")
        f.do(f"call void {copier}(ptr {target}, ptr {source}, i64 {length}, i1 false)")

    with f.loop("0", "%rows") as row, f.loop("0", "%columns", lanes) as column:
        first = f.op(f"add i64 {f.op(f'mul i64 {row}, %lead')}, {column}")
        place = f.op(f"add i64 {f.op(f'mul i64 {row}, %lead_goal')}, {column}")
        left = f.op(f"sub i64 %columns, {column}")
        partial = f.op(f"icmp slt i64 {left}, {lanes}")
        goal = at("%goal", place)
        sources = [at("%sums", first), *(at(f"%other{i}", place) for i in range(epilogue.others))]
        with f.when(partial):
            for target, source in zip(spare, sources, strict=True):
                copy(target, source, left)
        elements = []
        for target, source in zip(spare, sources, strict=True):
            chosen = f.op(f"select i1 {partial}, ptr {target}, ptr {source}")
            elements.append(m.value(f.op(f"load {wide}, ptr {chosen}, align {size}"), dtype, lanes))
        done = m.astype(m.asarray(epilogue.expression(m, *elements)), dtype)
        chosen = f.op(f"select i1 {partial}, ptr {spare[0]}, ptr {goal}")
        f.do(f"store {wide} {m.widened(done, lanes)}, ptr {chosen}, align {size}")
        with f.when(partial):
            copy(goal, spare[0], left)
    f.finish()
