"""The machine code of a graph: a function for each step, and one for each run, which calls its steps."""

import ctypes
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from typing import Any

from gluonic.codegen.launch.argument_table import ArgumentTable
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.bail_out import BAIL_OUT
from gluonic.codegen.machine.jit import load
from gluonic.codegen.machine.target import host
from gluonic.codegen.native.executable import NativeFunction, native_function
from gluonic.codegen.native.runs import StepCall, emit_run, emit_run_in_parts
from gluonic.codegen.native.shared_kernels import KernelLibrary, link_steps
from gluonic.codegen.native.written import WRITTEN
from gluonic.codegen.shapes.facts import Facts
from gluonic.support.cached_property import cached_property
from gluonic.support.pieces import Pieces
from gluonic.support.record import record

_WRITING = 250_000
"""The time of writing the function of a step, in nanoseconds, roughly, on any processor."""
_UNFIT = re.compile(r"[^\w.]", re.ASCII)
"""The characters that unquoted names in LLVM may not have."""


@record
class NativeCode:
    """Linked machine code of a graph.

    Attributes
    ----------
    functions : one for each run of steps: ``(address table, number table)``
    steps : the steps, in the order of their numbers in the table
    module : the functions as they were written
    library : the object that keeps the code in memory; None if there are no native steps
    names : for each step, the name of its function
    calls : the calls of each run, in order
    _libraries : the objects that keep the runs in parts in memory, timed or not
    """

    functions: list[NativeFunction]
    steps: list[Step]
    module: LLVMModule
    library: KernelLibrary | None
    names: list[str]
    calls: list[list[StepCall]]
    _libraries: dict[bool, Any] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """The module in LLVM's textual form."""
        return self.module.text()

    @cached_property
    def in_parts(self) -> list[Callable[..., None]]:
        """The runs as functions that call some of their steps; see `emit_run_in_parts`."""
        return self._made_in_parts(timed=False)

    @cached_property
    def timed(self) -> list[Callable[..., None]]:
        """Like `in_parts`, but they read the clock around each step, and take the address of the times."""
        return self._made_in_parts(timed=True)

    def _made_in_parts(self, *, timed: bool) -> list[Callable[..., None]]:
        assert self.library is not None
        module = LLVMModule(host())
        for name in dict.fromkeys(self.names):
            module.extern(name, self.library.addresses[name], ["ptr", "ptr", "i64", "i64"])
        names = [f"part{number}" for number in range(len(self.calls))]
        for name, calls in zip(names, self.calls, strict=True):
            emit_run_in_parts(module, name, calls, timed=timed)
        text, imports = module.text(), tuple(module.imports)
        found = self._libraries[timed] = load(text, names, imports, symbols=module.symbols)
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * (6 if timed else 5))
        return [kind(found[name]) for name in names]


def compile_steps(
    runs: Sequence[Sequence[Group]],
    table: ArgumentTable,
    facts: Facts,
    slot: Callable[[Any], int],
) -> Pieces[NativeCode]:
    """Compile all native steps of a graph.

    Parameters
    ----------
    runs : for each native call, its groups in execution order
    table : the layout of the table of run-time numbers
    facts : shapes and dtypes
    slot : the index in the address table of a result, of a step's workspace, or of the flag of steps that bail
        out
    """
    module = LLVMModule(host())
    steps: list[Step] = [group.step for run in runs for group in run]
    names: list[str] = []
    all_calls: list[list[StepCall]] = []
    shared = SharedFunctions(module)
    for number, run in enumerate(runs):
        first = sum(map(len, runs[:number]))
        names.append(f"run{number}")
        all_calls.append((yield from write_run(shared, names[-1], run, table, first, slot)))
    step_names = [call.function for calls in all_calls for call in calls]
    library = None
    if names:
        library = yield from link_steps(module, names, dict.fromkeys(step_names))
    functions = [native_function(library.addresses[name]) for name in names] if library else []
    return NativeCode(functions, steps, module, library, step_names, all_calls)


def write_run(
    shared: "SharedFunctions",
    name: str,
    groups: Sequence[Group],
    table: ArgumentTable,
    first: int,
    slot: Callable[[Any], int],
) -> Pieces[list[StepCall]]:
    """Write the function of a run, and those of its steps that are not written yet; return its calls.

    Parameters
    ----------
    shared : the functions of the module
    name : of the run's function
    groups : of the run
    first : the number of its first step among all steps of the table
    table, slot : as for `compile_steps`
    """
    calls: list[StepCall] = []
    for number, group in enumerate(groups, first):
        step = group.step
        slots = [slot(entry) for entry in step.operands]
        if step.may_bail_out:
            slots.append(slot(BAIL_OUT))
        if step.uses_workspace:
            slots.append(slot(step))
        yield _WRITING
        function = shared.name_of(group)
        calls.append(StepCall(function, step, slots, table.begins[number], table.counts[number]))
    emit_run(shared.module, name, calls)
    return calls


class SharedFunctions:
    """The functions of steps; steps with equal functions share one.

    Attributes
    ----------
    module : their module
    """

    def __init__(self, module: LLVMModule) -> None:
        self.module = module
        self._names: dict[str, str] = {}
        self._known: dict[Hashable, str] = {}

    def name_of(self, group: Group) -> str:
        """The function of a group's step; written on first use."""
        key = group.step.code
        if key is None:
            return self._written(group)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._written(group, anew=False)
        return known

    def _written(self, group: Group, *, anew: bool = True) -> str:
        """Write the function of a step, or copy it; drop it if another has the same text."""
        name = f"{_UNFIT.sub('_', group.label)}.{len(self._names)}"
        if anew or group.step.code is None:
            group.step.emit(self.module, name)
        else:
            WRITTEN.write(self.module, name, group.step)
        body = self.module.definitions[name].replace(f"@{name}(", "@(", 1)
        known = self._names.setdefault(body, name)
        if known != name:
            del self.module.definitions[name]
        return known
