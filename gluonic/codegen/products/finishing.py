"""What is done to each element of a product when it is summed up: one function for tiles of all sizes."""

from collections.abc import Callable
from dataclasses import field
from typing import Any

from gluonic.codegen.machine.assembler import Function, Module
from gluonic.codegen.machine.target import Target
from gluonic.codegen.machine.values import Dtype, scalar_type, vector_type
from gluonic.codegen.maths.emitter import Emitter
from gluonic.graph.record import record

_SHORT = 4
"""So many instructions are done in registers, wherever an element is summed up."""


@record
class Epilogue:
    """A function of each element of a product.

    Attributes
    ----------
    name : tells functions apart
    expression : ``(m, element) -> element``
    """

    name: str
    expression: Callable[[Any, Any], Any] = field(compare=False)

    def applied(self, m: Emitter, ref: str, dtype: Dtype, lanes: int) -> str:
        """Write the function of what a register holds; the reference of the result."""
        done = m.astype(m.asarray(self.expression(m, m.value(ref, dtype, lanes))), dtype)
        return m.widened(done, lanes)

    def is_short(self, target: Target, dtype: Dtype) -> bool:
        """Whether it takes so few instructions that a call would take longer."""
        trial = Function(Module(target), "trial", ["float %x"])
        self.applied(Emitter(trial), "%x", dtype, 1)
        return trial.length <= _SHORT


def finisher(module: Module, dtype: Dtype, lanes: int, epilogue: Epilogue) -> str:
    """The function that applies an epilogue to rows of sums, written if it is new.

    Its arguments are where the sums begin, the distance of their rows, the same of the results, rows and
    columns.
    """
    name = f"finish_{dtype.name}_{epilogue.name}"
    if name not in module.definitions:
        _write(module, name, dtype, lanes, epilogue)
    return name


def _write(module: Module, name: str, dtype: Dtype, lanes: int, epilogue: Epilogue) -> None:
    """Write the function; the last columns go through memory as wide as a register."""
    numbers = ["i64 %lead", "ptr %goal", "i64 %lead_goal", "i64 %rows", "i64 %columns"]
    f = Function(module, name, ["ptr %sums", *numbers], internal=True)
    m, kind, size = Emitter(f), scalar_type(dtype), dtype.itemsize
    wide = vector_type(dtype, lanes)
    spare = f.slot(wide)
    f.do(f"store {wide} zeroinitializer, ptr {spare}")

    def at(base: str, row: str, lead: str, column: str) -> str:
        place = f.op(f"add i64 {f.op(f'mul i64 {row}, {lead}')}, {column}")
        return f.op(f"getelementptr {kind}, ptr {base}, i64 {place}")

    def copy(target: str, source: str, count: str) -> None:
        copier = module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        length = f.op(f"mul i64 {count}, {size}")
        f.do(f"call void {copier}(ptr {target}, ptr {source}, i64 {length}, i1 false)")

    with f.loop("0", "%rows") as row, f.loop("0", "%columns", lanes) as column:
        source = at("%sums", row, "%lead", column)
        goal = at("%goal", row, "%lead_goal", column)
        left = f.op(f"sub i64 %columns, {column}")
        partial = f.op(f"icmp slt i64 {left}, {lanes}")
        with f.when(partial):
            copy(spare, source, left)
        chosen = f.op(f"select i1 {partial}, ptr {spare}, ptr {source}")
        total = f.op(f"load {wide}, ptr {chosen}, align {size}")
        done = epilogue.applied(m, total, dtype, lanes)
        chosen = f.op(f"select i1 {partial}, ptr {spare}, ptr {goal}")
        f.do(f"store {wide} {done}, ptr {chosen}, align {size}")
        with f.when(partial):
            copy(goal, spare, left)
    f.finish()
