"""One LLVM module a graph: a kernel for each group, and a function for each run of groups that calls them."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gluonic.codegen.assembler import Function, Module
from gluonic.codegen.emitter import Emitter, NotLowered
from gluonic.codegen.facts import Facts
from gluonic.codegen.fusion import Fusion, Group
from gluonic.codegen.jit import Library, load
from gluonic.codegen.lowering import GroupLowering, LoweredGroup
from gluonic.codegen.semantics import loop_of
from gluonic.codegen.target import host
from gluonic.codegen.values import Dtype
from gluonic.codegen.loops import emit
from gluonic.graph.node import Entry, Node

_NATIVE_DTYPES = {"float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool"}
_ALL_OF_THE_AXIS = 1 << 40
_trials: dict[Any, str] = {}


def why_not(node: Node, facts: Facts) -> str:
    """Why the operator cannot be machine code with these dtypes; an empty string if it can."""
    assert node.application is not None
    entries = [*node.inputs, *(node.entry(i) for i in range(node.output_count))]
    for entry in entries:
        if facts.dtypes[entry].name not in _NATIVE_DTYPES:
            return f"{facts.dtypes[entry].name} has no machine code"
    loop = loop_of(
        node.application,
        [facts.shapes[e] for e in node.inputs],
        [facts.shapes[node.entry(i)] for i in range(node.output_count)],
    )
    if loop is None:
        return ""  # the caller says so
    dtypes = [
        facts.dtypes[e] for e, read in zip(node.inputs, loop.reads, strict=True) if read is not None
    ]
    key = node.application, tuple(dtypes)
    if key not in _trials:
        if len(_trials) > 4096:
            _trials.clear()
        _trials[key] = _trial(loop.expression, dtypes)
    return _trials[key]


def _trial(expression: Callable[..., Any], dtypes: Sequence[Dtype]) -> str:
    """Write the expression into a function that is thrown away."""
    m = Emitter(Function(Module(host()), "trial", []))
    try:
        expression(_WithExtent(m), *[m.value("undef", dtype, 1) for dtype in dtypes])
    except NotLowered as error:
        return str(error)
    return ""


class _WithExtent:
    """An emitter outside of any kernel, where an extent is just a number."""

    def __init__(self, m: Emitter) -> None:
        self._m = m

    def __getattr__(self, name: str) -> Any:
        return getattr(self._m, name)

    def extent(self, axes: Sequence[int]) -> Any:
        return self._m.value("1", np.dtype(np.int64), 1)


@dataclass
class NativeCode:
    """Linked machine code of a graph.

    Attributes
    ----------
    functions : one for each run of groups: ``(address table, number table)``
    groups : the groups with their kernels, in the order in which their numbers lie in the table
    offsets : where the numbers of each group begin
    text : the module in LLVM's textual form
    library : what keeps the code in memory
    """

    functions: list[Callable[[int, int], None]]
    groups: list[tuple[Group, LoweredGroup]]
    offsets: list[int]
    size: int
    text: str
    library: Library | None

    def table(self, facts: Facts) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The numbers that go with one set of shapes: extents, strides and units of work."""
        table = np.zeros(max(self.size, 1), np.int64)
        itemsizes = {entry: dtype.itemsize for entry, dtype in facts.dtypes.items()}
        for (group, lowered), offset in zip(self.groups, self.offsets, strict=True):
            extents = lowered.extents(_space_of(group, facts))
            strides = lowered.strides(facts.shapes, itemsizes)
            numbers = lowered.kernel.table(extents, strides, _ALL_OF_THE_AXIS)
            table[offset : offset + len(numbers)] = numbers
            table[offset + len(numbers)] = lowered.kernel.units(extents, _ALL_OF_THE_AXIS)
        return table


def _space_of(group: Group, facts: Facts) -> tuple[int, ...]:
    node = group.nodes[0]
    assert node.application is not None
    loop = loop_of(
        node.application, [facts.shapes[e] for e in node.inputs], [facts.shapes[node.entry()]]
    )
    assert loop is not None
    return loop.space


def compile_groups(
    runs: Sequence[Sequence[Group]], fusion: Fusion, facts: Facts, slot: Callable[[Entry], int]
) -> NativeCode:
    """Compile all groups of a graph into one module.

    Parameters
    ----------
    runs : the groups that run one after the other, for each native call
    fusion : the division they belong to
    facts : shapes and dtypes
    slot : where the address of a result stands in the address table
    """
    module = Module(host())
    groups: list[tuple[Group, LoweredGroup]] = []
    offsets: list[int] = []
    size = 0
    names = []
    for number, run in enumerate(runs):
        calls = []
        for group in run:
            lowered = GroupLowering(group, fusion, facts.shapes, facts.dtypes).lower()
            name = f"kernel{len(groups)}"
            emit(lowered.kernel, name, module)
            length = _table_length(lowered)
            calls.append((name, [slot(a.entry) for a in lowered.operands], size, size + length))
            groups.append((group, lowered))
            offsets.append(size)
            size += length + 1
        names.append(f"run{number}")
        _write_run(module, names[-1], calls)
    text = module.text()
    library = load(text, names, tuple(module.imports)) if names else None
    functions = [_callable(library[name]) for name in names] if library is not None else []
    return NativeCode(functions, groups, offsets, size, text, library)


def _table_length(lowered: LoweredGroup) -> int:
    """How many numbers `Kernel.table` has: extents, the grain and the strides."""
    rank = lowered.kernel.rank
    return rank + 1 + rank * len(lowered.kernel.operands)


def _callable(address: int) -> Callable[[int, int], None]:
    return ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)(address)


def _write_run(
    module: Module, name: str, calls: Sequence[tuple[str, Sequence[int], int, int]]
) -> None:
    """Write the function that gathers each kernel's addresses and calls it."""
    f = Function(module, name, ["ptr %slots", "ptr %table"])
    most = max((len(slots) for _, slots, _, _ in calls), default=0)
    operands = f.slot(f"[{max(most, 1)} x ptr]")
    for kernel, slots, offset, units_at in calls:
        for position, number in enumerate(slots):
            source = f.op(f"getelementptr i64, ptr %slots, i64 {number}")
            address = f.op(f"load ptr, ptr {source}")
            place = f.op(f"getelementptr ptr, ptr {operands}, i64 {position}")
            f.do(f"store ptr {address}, ptr {place}")
        numbers = f.op(f"getelementptr i64, ptr %table, i64 {offset}")
        units = f.op(f"load i64, ptr {f.op(f'getelementptr i64, ptr %table, i64 {units_at}')}")
        f.do(f"call void @{kernel}(ptr {operands}, ptr {numbers}, i64 0, i64 {units})")
    f.finish()
