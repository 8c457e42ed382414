"""One LLVM module a graph: a function for each step, and one for each run of steps that calls them."""

import ctypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gluonic.codegen.assembler import Function, Module
from gluonic.codegen.costs import why_no_code
from gluonic.codegen.facts import Facts
from gluonic.codegen.jit import Library, load
from gluonic.codegen.steps import Step, loop_for
from gluonic.codegen.target import host
from gluonic.graph.node import Node

_NATIVE_DTYPES = {"float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool"}
_UNFIT = re.compile(r"[^\w.]", re.ASCII)
"""What LLVM's names, unquoted, do not have."""


def why_not(node: Node, facts: Facts) -> str:
    """Why the operator cannot be machine code with these dtypes; an empty string if it can."""
    assert node.application is not None
    entries = [*node.inputs, *(node.entry(i) for i in range(node.output_count))]
    for entry in entries:
        if facts.dtypes[entry].name not in _NATIVE_DTYPES or not facts.dtypes[entry].isnative:
            return f"{facts.dtypes[entry].name} has no machine code"
    loop = loop_for(node, facts)
    if loop is None:
        return ""  # the caller says so
    dtypes = [
        facts.dtypes[e] for e, read in zip(node.inputs, loop.reads, strict=True) if read is not None
    ]
    return why_no_code(node.application, loop, dtypes)


@dataclass
class NativeCode:
    """Linked machine code of a graph.

    Attributes
    ----------
    functions : one for each run of steps: ``(address table, number table)``
    steps : the steps, in the order in which their numbers lie in the table
    offsets : where the numbers of each step begin; the units of work follow them
    size : of the number table
    text : the module in LLVM's textual form
    library : what keeps the code in memory
    names : for each step its function's
    """

    functions: list[Callable[[int, int], None]]
    steps: list[Step]
    offsets: list[int]
    size: int
    text: str
    library: Library | None
    names: list[str]

    def table(self, facts: Facts) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The numbers that go with one set of shapes: extents, strides and units of work."""
        table = np.zeros(max(self.size, 1), np.int64)
        for step, offset in zip(self.steps, self.offsets, strict=True):
            numbers = [*step.numbers(facts), step.units(facts), *step.displacements(facts)]
            table[offset : offset + len(numbers)] = numbers
        return table


def compile_steps(
    runs: Sequence[Sequence[tuple[Step, str]]], facts: Facts, slot: Callable[[Any], int]
) -> NativeCode:
    """Compile all native steps of a graph into one module.

    Parameters
    ----------
    runs : for each native call the steps that run one after the other, with what they do in a few words
    facts : shapes and dtypes
    slot : where the address of a result, or of a step's workspace, stands in the address table
    """
    module = Module(host())
    steps: list[Step] = []
    offsets: list[int] = []
    size = 0
    names: list[str] = []
    step_names: list[str] = []
    shared = _SharedFunctions(module)
    for number, run in enumerate(runs):
        calls = []
        for step, label in run:
            length = len(step.numbers(facts))
            slots = [slot(entry) for entry in step.operands]
            if step.uses_workspace:
                slots.append(slot(step))
            step_names.append(shared.name_of(step, label))
            calls.append(_StepCall(step_names[-1], slots, size, length, step.displaced))
            steps.append(step)
            offsets.append(size)
            size += length + 1 + len(step.displaced)
        names.append(f"run{number}")
        _write_run(module, names[-1], calls)
    text = module.text()
    library = None
    if names:
        library = load(text, names, tuple(module.imports), symbols=module.symbols)
    functions = [_callable(library[name]) for name in names] if library is not None else []
    return NativeCode(functions, steps, offsets, size, text, library, step_names)


class _SharedFunctions:
    """The functions of steps; steps that would have the same share one."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._names: dict[str, str] = {}

    def name_of(self, step: Step, label: str) -> str:
        """The function of a step, written if it is new; `label` is part of its name."""
        name = f"{_UNFIT.sub('_', label)}.{len(self._names)}"
        step.emit(self._module, name)
        body = self._module.definitions[name].replace(f"@{name}(", "@(", 1)
        known = self._names.setdefault(body, name)
        if known != name:
            del self._module.definitions[name]
        return known


def _callable(address: int) -> Callable[[int, int], None]:
    return ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)(address)


@dataclass(frozen=True)
class _StepCall:
    """A call of a step's function.

    Attributes
    ----------
    function : its name
    slots : where the addresses of its operands stand
    numbers, count : where its numbers begin in the table and how many they are; then come the units of work
        and the displacements
    displaced : the operands whose addresses are displaced
    """

    function: str
    slots: Sequence[int]
    numbers: int
    count: int
    displaced: Sequence[int]


def _write_run(module: Module, name: str, calls: Sequence[_StepCall]) -> None:
    """Write the function that gathers each step's addresses and calls it."""
    f = Function(module, name, ["ptr %slots", "ptr %table"])
    most = max((len(call.slots) for call in calls), default=0)
    operands = f.slot(f"[{max(most, 1)} x ptr]")

    def number(index: int) -> str:
        return f.op(f"load i64, ptr {f.op(f'getelementptr i64, ptr %table, i64 {index}')}")

    for call in calls:
        units_at = call.numbers + call.count
        for position, slot in enumerate(call.slots):
            source = f.op(f"getelementptr i64, ptr %slots, i64 {slot}")
            address = f.op(f"load ptr, ptr {source}")
            if position in call.displaced:
                bytes_on = number(units_at + 1 + call.displaced.index(position))
                address = f.op(f"getelementptr i8, ptr {address}, i64 {bytes_on}")
            place = f.op(f"getelementptr ptr, ptr {operands}, i64 {position}")
            f.do(f"store ptr {address}, ptr {place}")
        numbers = f.op(f"getelementptr i64, ptr %table, i64 {call.numbers}")
        units = number(units_at)
        f.do(f"call void @{call.function}(ptr {operands}, ptr {numbers}, i64 0, i64 {units})")
    f.finish()
