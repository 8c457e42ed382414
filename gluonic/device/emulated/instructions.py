"""What the instructions that only compute do, as a table: a row says how NumPy computes a family of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from gluonic.device.emulated import arithmetic as on
from gluonic.device.emulated.arithmetic import Function
from gluonic.device.emulated.conversions import chosen_by_sign, class_test, conversion, packed
from gluonic.device.emulated.formats import bits_of
from gluonic.device.emulated.modifiers import modified, saturated
from gluonic.device.emulated.opcodes import Opcode, is_float, split


class Meaning(NamedTuple):
    """How to compute an instruction: the types of its operands, of its result, and the function."""

    sources: tuple[str, ...]
    result: str
    function: Function


class Row(NamedTuple):
    """A family of instructions.

    Attributes
    ----------
    sources : a letter for each operand: t the last type of the opcode, d its first, w twice as large as t,
        u an unsigned integer of 32 bits, b the bits of t, p a predicate
    result : such a letter
    integers, floats : what computes it on integers and on floating-point numbers; it gets arrays of these types
    special : what makes the function where it depends on the opcode
    """

    sources: str
    result: str = "t"
    integers: Function | None = None
    floats: Function | None = None
    special: Callable[[Opcode], Function] | None = None


ROWS: Mapping[str, Row] = {
    "add": Row("tt", "t", np.add, np.add),
    "sub": Row("tt", "t", np.subtract, np.subtract),
    "mul": Row("tt", "t", np.multiply, np.multiply),
    "mul.hi": Row("tt", "t", on.high),
    "mul.wide": Row("tt", "w", on.wide(np.multiply)),
    "mul24": Row("tt", "t", lambda a, b: on.low24(a) * on.low24(b)),
    "mad": Row("ttt", "t", lambda a, b, c: a * b + c, on.fma),
    "mad.hi": Row("ttt", "t", lambda a, b, c: on.high(a, b) + c),
    "mad.wide": Row("ttw", "w", on.wide(lambda a, b, c: a * b + c)),
    "mad24": Row("ttt", "t", lambda a, b, c: on.low24(a) * on.low24(b) + c),
    "fma": Row("ttt", "t", None, on.fma),
    "sad": Row("ttt", "t", lambda a, b, c: c + (np.maximum(a, b) - np.minimum(a, b))),
    "div": Row("tt", "t", on.quotient, np.divide),
    "rem": Row("tt", "t", np.fmod),
    "abs": Row("t", "t", np.abs, np.abs),
    "neg": Row("t", "t", np.negative, np.negative),
    "min": Row("tt", "t", np.minimum, on.LEAST),
    "max": Row("tt", "t", np.maximum, on.MOST),
    "min.NaN": Row("tt", "t", None, on.LEAST_OR_NAN),
    "max.NaN": Row("tt", "t", None, on.MOST_OR_NAN),
    "copysign": Row("tt", "t", None, lambda sign, x: np.copysign(x, sign)),
    "sqrt": Row("t", "t", None, np.sqrt),
    "rsqrt": Row("t", "t", None, on.inverse_root),
    "rcp": Row("t", "t", None, on.inverse),
    "ex2": Row("t", "t", None, np.exp2),
    "lg2": Row("t", "t", None, np.log2),
    "sin": Row("t", "t", None, np.sin),
    "cos": Row("t", "t", None, np.cos),
    "tanh": Row("t", "t", None, np.tanh),
    "testp": Row("t", "p", special=class_test),
    "and": Row("tt", "t", np.bitwise_and),
    "or": Row("tt", "t", np.bitwise_or),
    "xor": Row("tt", "t", np.bitwise_xor),
    "not": Row("t", "t", np.invert),
    "cnot": Row("t", "t", lambda x: (x == 0).astype(x.dtype)),
    "lop3": Row("tttu", "t", on.logic),
    "shl": Row("tu", "t", on.LEFT),
    "shr": Row("tu", "t", on.RIGHT),
    "shf": Row("ttu", "t", special=on.funnel),
    "bfe": Row("tuu", "t", on.bit_field),
    "bfi": Row("ttuu", "t", on.inserted),
    "prmt": Row("ttt", "t", on.permuted),
    "popc": Row("t", "u", on.population),
    "clz": Row("t", "u", on.leading_zeros),
    "bfind": Row("t", "u", on.highest),
    "brev": Row("t", "t", on.reversed_bits),
    "dp4a": Row("tdu", "t", special=on.dot),
    "selp": Row("ttp", "t", lambda a, b, p: np.where(p, a, b), lambda a, b, p: np.where(p, a, b)),
    "slct": Row("ddt", "d", chosen_by_sign, chosen_by_sign),
    "cvt": Row("t", "d", special=conversion),
}
PAIRS = Row("tt", "d", special=packed)


@cache
def meaning(text: str) -> Meaning | None:
    """How to compute an instruction, or None if it is not in the table."""
    opcode = split(text)
    names = (f"{opcode.name}.{m}" for m in opcode.modifiers)
    row = next((ROWS[name] for name in (*names, opcode.name) if name in ROWS), None)
    if opcode.name == "cvt" and opcode.types[0].endswith("x2"):
        row = PAIRS
    if row is None or not opcode.types:
        return None
    kinds = _kinds(opcode)
    function: Function | None
    if row.special is not None:
        function = row.special(opcode)
    elif is_float(opcode.types[-1]):
        function = row.floats and modified(row.floats, opcode)
    else:
        function = row.integers and saturated(row.integers, opcode)
    if function is None:
        return None
    if row.floats is on.fma and opcode.types[-1] == "f32":
        function = on.single(function)
    return Meaning(tuple(kinds[letter] for letter in row.sources), kinds[row.result], function)


def _kinds(opcode: Opcode) -> dict[str, str]:
    """The types that the letters of rows mean."""
    first, last = opcode.types[0], opcode.types[-1]
    bits = bits_of(last)
    wide = last if is_float(last) else f"{last[0]}{bits * 2}"
    return {"t": last, "d": first, "w": wide, "u": "u32", "b": f"b{bits}", "p": "pred"}
