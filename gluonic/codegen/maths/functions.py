"""The lowerings of the namespace's functions.

A lowering is a function ``(m, *values)``, registered under NumPy's name of the operation, either for
one floating dtype or for any operands. A float32 function without its own lowering is computed in
float64 lanes, which also makes it accurate to half an ulp.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.maths.values import FLOAT64, Dtype, Operand, Value, scalar_type

if TYPE_CHECKING:
    from gluonic.codegen.maths.registers import Registers

Lowering = Callable[..., Value]
_Lowering = TypeVar("_Lowering", bound=Lowering)

_MODULES = (
    "mxnet",
    "remainder",
    "exponential",
    "error",
    "gelu",
    "logarithm",
    "power",
    "trigonometric",
    "inverse_trigonometric",
    "digamma",
    "gamma",
)
"""The modules with lowerings, all of a function in one; the most used first: the rest is rarely imported."""
_general: dict[str, Lowering] = {}
_typed: dict[str, dict[Dtype, Lowering]] = {}


class NotLowered(NotImplementedError):
    """An expression uses a function without machine code; the interpreter can still run it."""


def lowers(name: str, *dtypes: Dtype) -> Callable[[_Lowering], _Lowering]:
    """Register a lowering for floating `dtypes`, or for any operands if none are given."""

    def register(lowering: _Lowering) -> _Lowering:
        if not dtypes:
            _general[name] = lowering
        for dtype in dtypes:
            _typed.setdefault(name, {})[dtype] = lowering
        return lowering

    return register


def _import_lowerings(name: str = "") -> None:
    """Import the modules that register lowerings, up to those of the function called `name`."""
    for module in _MODULES:
        if name in _general or name in _typed:
            return
        import_module(f"gluonic.codegen.maths.{module}")


def composed(name: str) -> Lowering | None:
    """Return the function called `name` that computes with others, for any operands; or None."""
    _import_lowerings(name)
    return _general.get(name)


def lookup(name: str) -> Lowering | None:
    """Return the lowering of the function called `name`, or None."""
    _import_lowerings(name)
    if name in _general:
        return _general[name]
    typed = _typed.get(name)
    if typed is None:
        return None

    def lowering(m: Registers, *operands: Operand) -> Value:
        values = m.floating(*operands)
        dtype = values[0].dtype
        if dtype in typed:
            return typed[dtype](m, *values)
        wide = [m.astype(value, FLOAT64) for value in values]
        return m.astype(typed[FLOAT64](m, *wide), dtype)

    return lowering


def known() -> frozenset[str]:
    """Return the names of all functions with a lowering."""
    _import_lowerings()
    return frozenset({*_general, *_typed})


def each_lane(m: Registers, symbol: str, *values: Value) -> Value:
    """Call a function of the C library for every lane."""
    kind = scalar_type(values[0].dtype)
    lanes = max(value.lanes for value in values)
    wide = [m.spread(value, lanes) for value in values]
    slots = [m.function.slot(wide[0].type) for _ in (None, *wide)]
    for value, slot in zip(wide, slots[1:], strict=True):
        m.function.store(value.type, value.ref, slot, 64)
    name = _lane_loop(m, symbol, kind, len(wide))
    m.function.run(f"@{name}", ("i64", lanes), *[("ptr", slot) for slot in slots])
    ref = m.function.load(wide[0].type, slots[0], 64)
    return m.value(ref, wide[0].dtype, lanes)


def _lane_loop(m: Registers, symbol: str, kind: str, arity: int) -> str:
    """Write the loop that calls `symbol`, once per module; return its name."""
    module = m.function.module
    symbol = symbol + ("f" if kind == "float" else "")
    name = f"each.{symbol}"
    if name not in module.definitions:
        inputs = [f"%a{k}" for k in range(arity)]
        arguments = ["i64 %lanes", "ptr %out", *(f"ptr {ref}" for ref in inputs)]
        loop = LLVMFunction(module, name, arguments, internal=True, cold=True)
        called = module.import_function(symbol, kind, [kind] * arity)
        with loop.loop("0", "%lanes") as lane:
            loaded = []
            for ref in inputs:
                address = loop.offset(ref, lane, kind)
                loaded.append(f"{kind} " + loop.load(kind, address))
            result = loop.op(f"call {kind} {called}({', '.join(loaded)})")
            address = loop.offset("%out", lane, kind)
            loop.store(kind, result, address)
        loop.finish()
    return name
