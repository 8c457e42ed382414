"""A function that hashes float32 memory, so that filters are packed only when they have changed.

One function serves the packing of all filters: inline, it was half of their code.
"""

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.writers.vectors import VectorWriter

_NAME = "fingerprint"

_MULTIPLIERS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F)
"""Odd numbers whose multiples spread over all bits; one for each of the parallel sums."""


def call_fingerprint(w: VectorWriter, address: str, size: str, more: str = "") -> str:
    """Write a call; return the 64-bit hash, which is 0 with a probability of 2⁻⁶⁴.

    Parameters
    ----------
    size : number of elements
    more : a further vector to hash
    """
    f, last, result = w.f, w.f.slot(w.vector), w.f.slot("i64", 8)
    f.store(w.vector, more or "zeroinitializer", last)
    _include(f.module)
    f.run(f"@{_NAME}", ("ptr", address), ("i64", size), ("ptr", last), ("ptr", result))
    return f.load("i64", result)


def _include(module: LLVMModule) -> None:
    """Write the function, if new."""
    if _NAME not in module.definitions:
        arguments = ["ptr %address", "i64 %size", "ptr %last", "ptr %result"]
        w = VectorWriter(LLVMFunction(module, _NAME, arguments, internal=True))
        _store_joined(w, _states(w))
        w.f.finish()


def _states(w: VectorWriter) -> list[str]:
    """Hash all elements to a few vectors."""
    f, lanes, ways = w.f, w.lanes, len(_MULTIPLIERS)
    kind = f"<{lanes} x i32>"
    states = [f.slot(kind) for _ in _MULTIPLIERS]
    for number, state in enumerate(states):
        f.do(f"store {kind} splat (i32 {number + 1}), ptr {state}")

    def take(number: int, vector: str) -> None:
        state = f.load(kind, states[number])
        mixed = f.op(f"xor {kind} {state}, {f.op(f'bitcast {w.vector} {vector} to {kind}')}")
        mixed = f.op(f"mul {kind} {mixed}, splat (i32 {_MULTIPLIERS[number]})")
        shift = f"splat (i32 {13 + number})"
        mixed = f.call(
            f"llvm.fshl.v{lanes}i32", kind, [(kind, mixed), (kind, mixed), (kind, shift)]
        )
        f.store(kind, mixed, states[number])

    left = f.urem("%size", lanes * ways)
    whole = f.sub("%size", left)
    with f.loop("0", whole, lanes * ways) as index:
        here = f.offset("%address", f.mul(index, 4))
        for number in range(ways):
            take(number, w.load(f.offset(here, number * w.step)))
    rest = f.offset("%address", f.mul(whole, 4))
    for number in range(ways):
        mask = w.first_lanes(f.sub(left, number * lanes))
        take(number, w.load_lanes(f.offset(rest, number * w.step), mask))
    take(0, w.load("%last"))
    return [f.load(kind, state) for state in states]


def _store_joined(w: VectorWriter, states: list[str]) -> None:
    """Combine the vectors to the result."""
    f, kind = w.f, f"<{w.lanes} x i32>"
    square = f.slot(f"[{len(states)} x {kind}]")
    for number, vector in enumerate(states):
        f.store(kind, vector, f.offset(square, number * w.step))
    f.store("i64", "1", "%result")
    with f.loop("0", str(len(states) * w.step), 8) as index:
        one = f.load("i64", f.offset(square, index))
        mixed = f.op(f"xor i64 {f.load('i64', '%result')}, {one}")
        mixed = f.mul(mixed, -7046029254386353131)
        turned = [("i64", mixed), ("i64", mixed), ("i64", "29")]
        f.store("i64", f.call("llvm.fshl.i64", "i64", turned), "%result")
