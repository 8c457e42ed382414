"""Operators that kernels with a thread for each piece of work compute on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch
from gluonic.codegen.loops.runnable import is_native
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import scalar_type
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.thread_code import THREADS, ThreadCode, ThreadProgram
from gluonic.codegen.threads.thread_plan import ThreadLaunch, ThreadPlan, ThreadRule
from gluonic.device.processors import Processor
from gluonic.graph import Node


class KernelThreads(KernelFunction, ThreadCode):
    """The kernel of a program; its first number is how many threads have something to do.

    Parameters
    ----------
    module, name : see `KernelFunction`
    program : what the threads do
    """

    def __init__(self, module: LLVMModule, name: str, program: ThreadProgram) -> None:
        numbers = 1 + len(program.numbers) + len(program.scratch)
        super().__init__(module, name, len(program.dtypes), numbers, THREADS)
        self.begin(program, self.operands, self.numbers[1:])
        kind = scalar_type(program.index)
        self.thread = self.m.value(self.flat_thread(THREADS, kind), program.index, 1)


def emit_threads(module: LLVMModule, name: str, program: ThreadProgram) -> None:
    """Write a kernel."""
    code = KernelThreads(module, name, program)
    with code.only_if(code.thread < code.index_of(code.numbers[0])):
        program.body(code, *program.statics)
    code.finish()


def _launched(launch: ThreadLaunch) -> KernelLaunch:
    blocks = -(-launch.threads // THREADS)
    numbers = (launch.threads, *launch.numbers)
    code = emit_threads, launch.program
    return KernelLaunch(code, launch.operands, numbers, (blocks, 1, 1), (THREADS, 1, 1))


class ThreadStep(DeviceStep):
    """An operator that such kernels compute.

    Parameters
    ----------
    plan : the kernels
    """

    def __init__(self, plan: ThreadPlan) -> None:
        self.operands = (*plan.inputs, *plan.outputs)
        self.outputs = plan.outputs
        self._launches, self._bytes = [*map(_launched, plan.launches)], plan.bytes

    @classmethod
    def of(
        cls, node: Node, facts: Facts, processor: Processor, *, rule: ThreadRule
    ) -> ThreadStep | None:
        """The step of a node; None for attributes, shapes or dtypes that its rule does not know."""
        entries = [*node.inputs, *(node.entry(i) for i in range(node.output_count))]
        if not all(is_native(facts.dtypes[entry]) for entry in entries):
            return None
        plan = ThreadPlan(node, facts)
        return cls(plan) if rule(plan) else None

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """The kernels, in order."""
        return self._launches

    def workspace(self, facts: Facts, processor: Processor) -> int:
        """The scratch memory of the kernels, in bytes."""
        return self._bytes
