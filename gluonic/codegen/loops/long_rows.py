"""Reductions of whole arrays in phases, so that threads can share them.

A kernel that reduces all elements to one has a single unit of work. Here each of its sweeps is a phase whose
units are chunks of the array. Their partial results are stored in memory; another phase, of one unit, combines
them, always in the same order, and computes the point stages between sweeps. All phases are one function; the
first of a phase's numbers selects the phase.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from gluonic.codegen.loops.emission import emit_kernel
from gluonic.codegen.loops.kernel import Carry, Kernel, Operand, Reduce, Result, Stage, Store
from gluonic.codegen.loops.kernel_text import text_of
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.reductions import accumulator_dtype
from gluonic.codegen.loops.steps import LoopStep, space_of
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.maths.values import INT64, Dtype
from gluonic.codegen.scalar.program import ProgramBuilder, Ref, ScalarProgram, rewritten
from gluonic.codegen.scalar.recorder import Recorder
from gluonic.codegen.shapes.facts import Facts
from gluonic.support.record import record

_GRAIN = 1 << 14
"""The number of elements in a chunk."""
_CELL = 8
"""The bytes of a value that is stored between phases."""


def is_long_row(kernel: Kernel) -> bool:
    """Whether a kernel has one axis and reduces it."""
    return kernel.rank == 1 and kernel.row


@record
class _Phase:
    """One loop of the kernel.

    Attributes
    ----------
    kernel : the loop; its operands are those of the whole kernel, then the stored values and the number of
        elements, then the partial results
    combines : whether it runs over the partial results of chunks, not over the elements
    parts : the index of the first partial result that it writes or combines
    """

    kernel: Kernel
    combines: bool
    parts: int


class _Cut:
    """The division of a kernel into phases.

    Attributes
    ----------
    phases : in order
    kept : number of values stored between phases
    parts : number of partial results of each chunk
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.known: list[Dtype | None] = []
        self.phases: list[_Phase] = []
        self.parts = 0
        stages = list(kernel.stages)
        while stages:
            sweep = stages.pop(0)
            point = stages.pop(0) if stages and stages[0].point else None
            self._cut(sweep, point)
        self.kept = len(self.known)

    def _cut(self, sweep: Stage, point: Stage | None) -> None:
        reduces = [
            (result, dtype)
            for result, dtype in zip(sweep.results, sweep.program.dtypes, strict=True)
            if isinstance(result, Reduce)
        ]
        first = self.parts
        self.parts += len(reduces)
        wide = [accumulator_dtype(result.kind, dtype) for result, dtype in reduces]
        self._add_sweep(sweep, wide, first)
        if reduces:
            finished = [replace(result, dtype=result.dtype or dtype) for result, dtype in reduces]
            self._add_combination(finished, wide, point, first)

    @property
    def _fixed(self) -> list[Operand]:
        """The operands of the whole kernel, the stored values and the number of elements."""
        kept = [Operand(dtype or INT64, ("repeat",)) for dtype in self.known]
        return [*self.kernel.operands, *kept, Operand(INT64, ("repeat",))]

    def _add_sweep(self, sweep: Stage, wide: Sequence[Dtype], first: int) -> None:
        fixed, known = self._fixed, len(self.known)
        program = self._reading(sweep.program, known)
        results, stages = [], []
        parts = iter(wide)
        for result in sweep.results:
            results.append(
                replace(result, dtype=next(parts)) if isinstance(result, Reduce) else result
            )
        stages.append(Stage(program, tuple(results)))
        operands = fixed + [Operand(dtype, ("chunk",)) for dtype in wide]
        if wide:
            stores = tuple(Store(len(fixed) + i) for i in range(len(wide)))
            m = Recorder()
            left = m.program([m.left(i, dtype) for i, dtype in enumerate(wide)])
            stages.append(Stage(left, stores, point=True))
        reduced = frozenset({0}) if wide else frozenset[int]()
        kernel = Kernel(1, tuple(operands), tuple(stages), reduced, chunked=bool(wide))
        self.phases.append(_Phase(kernel, False, first))

    def _add_combination(
        self, reduces: Sequence[Reduce], wide: Sequence[Dtype], point: Stage | None, first: int
    ) -> None:
        known, own = len(self.known), len(self.kernel.operands)
        carried: list[Dtype | None] = []
        if point is not None:
            pairs = zip(point.results, point.program.dtypes, strict=True)
            carried = [dtype for result, dtype in pairs if isinstance(result, Carry)]
        self.known += [*(None for _ in reduces), *carried]
        fixed = self._fixed
        begin = len(fixed)
        operands = fixed + [Operand(dtype, ("unit",)) for dtype in wide]
        m = Recorder()
        sweep = m.program([m.element(begin + i, dtype) for i, dtype in enumerate(wide)])
        stages = [Stage(sweep, tuple(reduces))]
        if point is not None:
            indices = iter(range(own + known + len(reduces), begin))
            results: list[Result] = [
                Store(next(indices)) if isinstance(result, Carry) else result
                for result in point.results
            ]
            program = self._reading(point.program, known, begin - 1)
            stages.append(Stage(program, tuple(results), point=True))
        kernel = Kernel(1, tuple(operands), tuple(stages), frozenset({0}), short=True)
        self.phases.append(_Phase(kernel, True, first))

    def _reading(
        self, program: ScalarProgram, known: int, extent: int | None = None
    ) -> ScalarProgram:
        """A program that reads the values stored by earlier phases, and perhaps the number of elements."""
        own = len(self.kernel.operands)

        def change(
            builder: ProgramBuilder, name: str, dtype: Dtype, operands: tuple[Ref, ...]
        ) -> Ref:
            if name == "value":
                number = int(operands[0])
                if number < known:
                    return builder.add("element", dtype, (str(own + number),))
                return builder.add("value", dtype, (str(number - known),))
            if name == "extent" and extent is not None:
                return builder.add("element", dtype, (str(extent),)) if operands else "1"
            return builder.add(name, dtype, operands)

        return rewritten(program, change)


class LongRowStep(LoopStep):
    """A fused group that reduces one long row, in phases."""

    uses_workspace = True
    has_common_workspace = True

    def __init__(self, nest: LoopNest, facts: Facts) -> None:
        super().__init__(nest, facts)
        self.code = emit_long_row, self.kernel
        self.cut = _Cut(self.kernel)
        self.phases = len(self.cut.phases)

    def _length(self, facts: Facts) -> int:
        return self.lowered.extents(space_of(self.group, facts))[0]

    def _chunks(self, facts: Facts) -> int:
        return max(-(-self._length(facts) // _GRAIN), 1)

    def workspace(self, facts: Facts) -> int:
        """The stored values, then the partial results of all chunks, one kind after the other."""
        return aligned(_CELL * self.cut.kept) + _CELL * self.cut.parts * self._chunks(facts)

    def phase_units(self, facts: Facts) -> Sequence[int]:
        """The number of chunks, or one for a phase that combines."""
        return [1 if p.combines else self._chunks(facts) for p in self.cut.phases]

    def numbers(self, facts: Facts) -> Sequence[int]:
        """For each phase: its index, the offset of its partial results, and the table of its kernel."""
        own = list(super().numbers(facts))[2:]
        length, chunks = self._length(facts), self._chunks(facts)
        widest = max(len(phase.kernel.operands) for phase in self.cut.phases)
        found: list[int] = []
        for number, phase in enumerate(self.cut.phases):
            added = phase.kernel.operands[len(own) :]
            strides = [[s] for s in own] + [[operand.dtype.itemsize] for operand in added]
            extent = chunks if phase.combines else length
            table = phase.kernel.table([extent], strides, _GRAIN)
            start = aligned(_CELL * self.cut.kept) + _CELL * phase.parts * chunks
            found += [number, start, _CELL * chunks, length, *table]
            found += [0] * (widest - len(phase.kernel.operands))
        return found


def emit_long_row(module: LLVMModule, name: str, kernel: Kernel) -> None:
    """Write a kernel for each phase, and the function that selects one."""
    phases = _Cut(kernel).phases
    names = [f"row.{sha256(text_of(phase.kernel).encode()).hexdigest()[:16]}" for phase in phases]
    for each, phase in zip(names, phases, strict=True):
        emit_kernel(module, each, phase.kernel)
    f = StepFunction(module, name, passes_on=True)
    own = len(kernel.operands)
    workspace = f.operand(own)
    most = max(len(phase.kernel.operands) for phase in phases)
    operands = f.slot(f"[{most} x ptr]")

    def put(position: int, address: str) -> None:
        slot = f.offset(operands, position, "ptr")
        f.store("ptr", address, slot)

    for i in range(own):
        put(i, f.operand(i))
    current, start, size = (f.number(i) for i in range(3))
    table = f.offset("%numbers", 4, "i64")
    for number, phase in enumerate(phases):
        with f.when(f.compare("eq", current, number)):
            count = len(phase.kernel.operands)
            parts = sum(o.patterns != ("repeat",) for o in phase.kernel.operands[own:])
            for i in range(own, count - parts - 1):
                put(i, f.offset(workspace, (i - own) * _CELL))
            put(count - parts - 1, f.offset("%numbers", 3, "i64"))
            part = f.offset(workspace, start)
            for i in range(count - parts, count):
                put(i, part)
                part = f.offset(part, size)
            units = ("i64", "%begin"), ("i64", "%end")
            f.run(f"@{names[number]}", ("ptr", operands), ("ptr", table), *units)
    f.finish()
