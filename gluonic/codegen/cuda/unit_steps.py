"""The host's own steps on a GPU: the same code, with a thread for each unit of work."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.ptx import NoDeviceCodeError
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.data_movement.copies import CopyStep
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.lowerings.entry import lowering_of, rule_at
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Node

_THREADS = 64
_MOST_SCRATCH = 1 << 28
"""The most scratch memory, in bytes, of all threads."""


def emit_units(module: LLVMModule, name: str, step: Step, numbers: int) -> None:
    """Write a kernel whose threads each run a unit of a step.

    It gets their number, the bytes of each one's scratch memory if they need some, then the step's numbers.
    """
    inner = f"{name}_unit"
    step.emit(module, inner)
    text = module.definitions[inner]
    module.definitions[inner] = text.replace("define void", "define internal void", 1)
    count = len(step.operands) + step.uses_workspace
    addresses = count + step.may_bail_out
    function = KernelFunction(module, name, count, 1 + step.uses_workspace + numbers, _THREADS)
    units, *given = function.numbers
    unit = function.flat_thread(_THREADS, "i64")
    with function.when(function.compare("slt", unit, units)):
        operands = function.slot(f"[{max(addresses, 1)} x ptr]", 8)
        table = function.slot(f"[{max(numbers, 1)} x i64]", 8)
        if step.uses_workspace:
            own = function.mul(unit, given.pop(0))
            function.operands[-1] = function.offset(function.operands[-1], own)
        if step.may_bail_out:  # where it would, it goes on in bounds; nobody reads its flag
            function.operands.insert(len(step.operands), function.slot("i64", 8))
        for position, address in enumerate(function.operands):
            function.store("ptr", address, function.offset(operands, position, "ptr"))
        for position, number in enumerate(given):
            function.store("i64", number, function.offset(table, position, "i64"))
        end = function.add(unit, 1)
        arguments = ("ptr", operands), ("ptr", table), ("i64", unit), ("i64", end)
        function.run(f"@{inner}", *arguments)
    function.finish()


class UnitStep(DeviceStep):
    """An operator that has a step on the host.

    Parameters
    ----------
    node : the operator
    step : its step
    """

    def __init__(self, node: Node, step: Step) -> None:
        self.step, self.operands = step, step.operands
        self.outputs = tuple(node.entry(i) for i in range(node.output_count))
        self.displaced = step.displaced

    @classmethod
    def of(cls, node: Node, facts: Facts, processor: Processor) -> UnitStep | None:
        """The step of a node; None if the host has none, or a GPU cannot run it."""
        rule = lowering_of(node.applied.op).step
        step: Step | None = None if rule is None else rule_at(rule)(node, facts)
        step = step or CopyStep.of(node, facts)
        if step is None:
            return None
        shares = step.uses_workspace and step.has_common_workspace
        stops = step.may_bail_out and not step.goes_on
        if shares or stops or step.is_foreign or step.keeps:
            raise NoDeviceCodeError("its step needs the host: shared memory, or an interpreter")
        unit_step = cls(node, step)
        if unit_step.workspace(facts, processor) > _MOST_SCRATCH:
            raise NoDeviceCodeError("each of its threads would need much memory")
        return unit_step

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offset in bytes of each of the displaced operands."""
        return self.step.displacements(facts)

    def _bytes(self, facts: Facts) -> int:
        """The scratch memory of a thread, in bytes."""
        return aligned(self.step.workspace(facts)) if self.step.uses_workspace else 0

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The scratch memory of all threads, in bytes."""
        return max(self.step.phase_units(facts)) * self._bytes(facts)

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """A kernel for each phase."""
        step, numbers = self.step, [*self.step.numbers(facts)]
        own = len(numbers) // step.phases
        operands = tuple(range(len(step.operands) + step.uses_workspace))
        scratch = (self._bytes(facts),) if step.uses_workspace else ()
        made = []
        for phase, units in enumerate(step.phase_units(facts)):
            given = (units, *scratch, *numbers[phase * own : (phase + 1) * own])
            blocks = -(-units // _THREADS)
            code = emit_units, step, own
            made.append(KernelLaunch(code, operands, given, (blocks, 1, 1), (_THREADS, 1, 1)))
        return made
