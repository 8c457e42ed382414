"""Optimizer rules as machine code that updates some rows of a weight and of its states in place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gluonic.codegen.loops.emission import emit_kernel
from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.updates import ENTRY, UpdateKernel, kernel_of_rule
from gluonic.graph import Array
from gluonic.graph.updates import UpdateRule

_AHEAD = 6
"""The prefetch distance in rows: the rows are far apart, where no hardware prefetcher finds them."""
_MOST_LINES = 8
"""The most cache lines that are prefetched of a row; the hardware prefetcher finds those that follow."""
_LINE = 64


class RowUpdateKernel(UpdateKernel):
    """Machine code of one rule for one dtype, for rows given by index; see `UpdateKernel`."""

    def _compiled(self) -> tuple[str, LinkedLibrary]:
        module = LLVMModule(host())
        emit_kernel(module, "one", self.kernel)
        arguments = ["ptr %bases", "ptr %rows", "ptr %table", "i64 %count", "i64 %bytes"]
        f = LLVMFunction(module, ENTRY, arguments)
        width = len(self.kernel.operands)
        operands = f.slot(f"[{width} x ptr]")
        bases = [f.load("ptr", f.offset("%bases", k, "ptr")) for k in range(width)]
        for k in range(self.arrays, width):
            f.store("ptr", bases[k], self._operand_address(f, operands, k))
        last = f.offset("%table", len(self.table(0)) - 1, "i64")
        units = f.load("i64", last)
        end = f.sub("%count", 1)
        with f.loop("0", "%count") as number:
            self._ask_ahead(f, bases, number, end)
            offset = f.mul(self._row(f, number), "%bytes")
            own = f.mul(number, "%bytes")
            for k in range(self.arrays):
                begin = own if k == 1 else offset
                address = f.offset(bases[k], begin)
                f.store("ptr", address, self._operand_address(f, operands, k))
            f.run("@one", ("ptr", operands), ("ptr", "%table"), ("i64", 0), ("i64", units))
        f.finish()
        text = module.text()
        return text, load(text, [ENTRY], tuple(module.imports), symbols=module.symbols)

    @staticmethod
    def _operand_address(f: LLVMFunction, operands: str, number: int) -> str:
        return f.offset(operands, number, "ptr")

    @staticmethod
    def _row(f: LLVMFunction, number: str) -> str:
        return f.load("i64", f.offset("%rows", number, "i64"))

    def _ask_ahead(self, f: LLVMFunction, bases: Sequence[str], number: str, end: str) -> None:
        """Prefetch the memory of a later row."""
        later = f.add(number, _AHEAD)
        offset = f.mul(self._row(f, f.least(later, end)), "%bytes")
        most = f.least("%bytes", _MOST_LINES * _LINE)
        with f.loop("0", most, _LINE) as line:
            begin = f.add(offset, line)
            for k in range(self.arrays):
                if k != 1:
                    f.fetch(f.offset(bases[k], begin))


@lru_cache(maxsize=64)
def _kernel(
    rule: UpdateRule, dtype: Dtype, arrays: int, names: tuple[str, ...], absent: tuple[str, ...]
) -> RowUpdateKernel:
    return RowUpdateKernel(kernel_of_rule(rule, dtype, arrays, names, absent), names)


def update_rows(
    rule: UpdateRule,
    numbers: dict[str, Any],
    targets: Sequence[Array],
    rows: Array,
    gradient: Array,
) -> None:
    """Update some rows of a weight and of its states in place.

    Parameters
    ----------
    rule, numbers : the rule, and its numbers by name; None for those that are absent
    targets : the weight and the states, contiguous and of one shape and dtype
    rows : the distinct indices of the rows, within bounds; int64
    gradient : the gradient of these rows, contiguous

    Raises
    ------
    NotLowered
        if the rule uses a function without machine code
    """
    names = tuple(name for name, x in numbers.items() if x is not None)
    absent = tuple(name for name, x in numbers.items() if x is None)
    weight, *states = targets
    arrays = [weight, gradient, *states]
    kernel = _kernel(rule, weight.dtype, len(arrays), names, absent)
    given = np.array([numbers[name] for name in names], np.float64)
    addresses = [address_of(given) + given.itemsize * k for k in range(len(names))]
    bases = np.array([*map(address_of, arrays), *addresses], np.uintp)
    size = gradient[:1].size
    table = np.array(kernel.table(size), np.int64)
    rows = np.ascontiguousarray(rows, np.int64)
    kernel.function(
        *(address_of(x) for x in (bases, rows, table)), len(rows), size * weight.dtype.itemsize
    )
