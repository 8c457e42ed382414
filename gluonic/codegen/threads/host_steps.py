"""Operators that the same kernels compute on the host: a thread is a unit of work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gluonic.codegen.loops.costs import NANOSECONDS_AN_INSTRUCTION
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.step_function import StepFunction
from gluonic.codegen.maths.values import INT64
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.rules import rule_of
from gluonic.codegen.threads.thread_code import ThreadCode, ThreadProgram
from gluonic.codegen.threads.thread_plan import ThreadLaunch, ThreadPlan, ThreadRule
from gluonic.graph import Node

_INSTRUCTIONS_A_THREAD = 20
Placed = tuple[ThreadProgram, tuple[int, ...]]
"""A program with the positions of the addresses that it gets."""
Kernels = tuple[Placed, ...]


class _HostThreads(StepFunction, ThreadCode):
    """A function of all kernels of a step; the first number says which of them runs."""


def emit_kernels(module: LLVMModule, name: str, kernels: Kernels) -> None:
    """Write the function of a step's kernels."""
    code = _HostThreads(module, name)
    if len(kernels) == 1:
        _emit_kernel(code, *kernels[0])
    else:
        which = code.number(0)
        for number, kernel in enumerate(kernels):
            with code.when(code.compare("eq", which, number)):
                _emit_kernel(code, *kernel)
    code.finish()


def _emit_kernel(code: _HostThreads, program: ThreadProgram, addresses: tuple[int, ...]) -> None:
    """Write a loop over threads."""
    count = len(program.numbers) + len(program.scratch)
    numbers = [code.number(1 + i) for i in range(count)]
    code.begin(program, [code.operand(address) for address in addresses], numbers)
    with code.loop("%begin", "%end") as thread:
        code.thread = code.to_index(code.m.value(thread, INT64, 1))
        program.body(code, *program.statics)


class ThreadUnitsStep(Step):
    """An operator that kernels compute, one after the other.

    Parameters
    ----------
    node, facts : the operator
    rule : lists the kernels
    phases : the number of each phase's kernel among the distinct ones
    """

    has_common_workspace = True

    def __init__(
        self,
        node: Node,
        facts: Facts,
        rule: ThreadRule,
        kernels: Kernels,
    ) -> None:
        self._node, self._rule = node, rule
        distinct = dict.fromkeys(kernels)
        self.code = emit_kernels, tuple(distinct)
        self.operands = (*node.inputs, *(node.entry(i) for i in range(node.output_count)))
        self.phases = len(kernels)
        numbers = {kernel: number for number, kernel in enumerate(distinct)}
        self._kinds = [numbers[kernel] for kernel in kernels]
        self._width = max(len(p.numbers) + len(p.scratch) for p, _ in distinct)
        self.uses_workspace = any(program.scratch for program, _ in distinct)

    @classmethod
    def of(cls, node: Node, facts: Facts) -> ThreadUnitsStep | None:
        """The step of an operator; None if Python runs it."""
        rule = rule_of(node.operator_name)
        if rule is None:
            return None
        kernels = facts.decide(partial(_kernels, node, rule))
        return cls(node, facts, rule, kernels) if kernels else None

    def _plan(self, facts: Facts) -> ThreadPlan:
        key = "threads", self._node
        if key not in facts.known:
            facts.known[key] = _plan_of(self._node, self._rule, facts)
        plan: ThreadPlan = facts.known[key]
        return plan

    def _launches(self, facts: Facts) -> Sequence[ThreadLaunch]:
        return self._plan(facts).launches

    def numbers(self, facts: Facts) -> Sequence[int]:
        """For each phase, which kernel runs, and its numbers."""
        listed: list[int] = []
        for kind, launch in zip(self._kinds, self._launches(facts), strict=True):
            padding = [0] * (self._width - len(launch.numbers))
            listed += [kind, *launch.numbers, *padding]
        return listed

    def phase_units(self, facts: Facts) -> Sequence[int]:
        """The threads of each kernel."""
        return [launch.threads for launch in self._launches(facts)]

    def nanoseconds(self, facts: Facts) -> float:
        """An estimate: the time for memory, and for some instructions of each thread."""
        threads = sum(self.phase_units(facts))
        work = threads * _INSTRUCTIONS_A_THREAD * NANOSECONDS_AN_INSTRUCTION
        return super().nanoseconds(facts) + work

    def workspace(self, facts: Facts) -> int:
        """The scratch memory that the kernels share."""
        return self._plan(facts).bytes


def _plan_of(node: Node, rule: ThreadRule, facts: Facts) -> ThreadPlan | None:
    plan = ThreadPlan(node, facts, is_host=True)
    return plan if rule(plan) else None


def _kernels(node: Node, rule: ThreadRule, facts: Facts) -> Kernels:
    """The kernels for such shapes; none if there is no code for them."""
    entries = (*node.inputs, *(node.entry(i) for i in range(node.output_count)))
    if any(0 in facts.shapes[entry] for entry in entries):  # its NumPy kernel may refuse them
        return ()
    plan = _plan_of(node, rule, facts)
    return () if plan is None else tuple([(each.program, each.operands) for each in plan.launches])
