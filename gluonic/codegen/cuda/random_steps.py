"""Random numbers on a GPU: the generator Philox4x32-10, which computes the n-th number without those before it.

Each draw takes a seed of 64 bits from the run's source, so numbers depend on the seed of the program and on the
order of its draws alone: not on the GPU, nor on whether a graph or an eager call draws. They are not MXNet's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

import numpy as np

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.cuda.steps import DeviceStep, KernelLaunch, bits_of
from gluonic.codegen.loops.draws import kept_elements, slopes
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.elements import Lanes, store
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype, Value
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Node
from gluonic.graph.dtypes import is_floating
from gluonic.graph.ops.dropout import kept_part
from gluonic.support.record import record

_THREADS = 256
_WORD, _LONG = np.dtype(np.uint32), np.dtype(np.uint64)
_FACTORS, _STEPS = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10

Kind = str
"""``"uniform"`` in [0, 1), ``"normal"`` and ``"exponential"`` are standard numbers; ``"kept"`` are booleans."""
Words = Sequence[Value]


def philox(m: Emitter, group: Value, key: Value) -> list[Value]:
    """The four words of a group, as uint32.

    Parameters
    ----------
    group : its number, a uint64: the generator's counter
    key : the seed, a uint64
    """
    keys = [m.astype(key, _WORD), m.astype(m.right_shift(key, 32), _WORD)]
    zero = m.constant(0, _WORD)
    words = [m.astype(group, _WORD), m.astype(m.right_shift(group, 32), _WORD), zero, zero]
    for _ in range(_ROUNDS):
        (high0, low0), (high1, low1) = (
            _product(m, words[2 * k], factor) for k, factor in enumerate(_FACTORS)
        )
        words = [high1 ^ words[1] ^ keys[0], low1, high0 ^ words[3] ^ keys[1], low0]
        keys = [one + step for one, step in zip(keys, _STEPS, strict=True)]
    return words


def _product(m: Emitter, word: Value, factor: int) -> tuple[Value, Value]:
    """The upper and the lower word of a product."""
    product = m.astype(word, _LONG) * factor
    return m.astype(m.right_shift(product, 32), _WORD), m.astype(product, _WORD)


def _fraction(m: Emitter, words: Words, dtype: Dtype, first: int = 0) -> Value:
    """A number in [0, 1), or, if `first` is 1, in (0, 1]: of 24 bits of a word, or of 53 bits of two."""
    if dtype == FLOAT32:
        whole = m.right_shift(words[0], 8) + first
        return (m.astype(whole, dtype) * 2.0**-24).within((first * 2.0**-24, 1))
    upper = m.left_shift(m.astype(m.right_shift(words[0], 5), _LONG), 26)
    whole = (upper | m.astype(m.right_shift(words[1], 6), _LONG)) + first
    return (m.astype(whole, dtype) * 2.0**-53).within((first * 2.0**-53, 1))


def _uniform(m: Emitter, words: Words, dtype: Dtype) -> list[Value]:
    size = 1 if dtype == FLOAT32 else 2
    return [_fraction(m, words[k : k + size], dtype) for k in range(0, 4, size)]


def _exponential(m: Emitter, words: Words, dtype: Dtype) -> list[Value]:
    size = 1 if dtype == FLOAT32 else 2
    numbers = [_fraction(m, words[k : k + size], dtype, first=1) for k in range(0, 4, size)]
    return [-m.log(number) for number in numbers]


def _normal(m: Emitter, words: Words, dtype: Dtype) -> list[Value]:
    """Pairs of normal numbers, by Box and Muller: a random direction, and a random length."""
    found = list[Value]()
    for one, other in (words[:2], words[2:]):
        length = m.sqrt(m.log(_fraction(m, [one], dtype, first=1)) * -2.0)
        angle = (_fraction(m, [other], dtype) * (2 * pi)).within((0, 6.3))
        found += [length * m.cos(angle), length * m.sin(angle)]
    return found


_NUMBERS: dict[Kind, Callable[[Emitter, Words, Dtype], list[Value]]] = {
    "uniform": _uniform,
    "normal": _normal,
    "exponential": _exponential,
}


def _is_wide(kind: Kind, dtype: Dtype) -> bool:
    """Whether numbers are computed in float64; normal ones are always float32."""
    return dtype == FLOAT64 and kind != "normal"


def emit_draw(module: LLVMModule, name: str, kind: Kind, dtype: Dtype) -> None:
    """Write a kernel that fills an array with random numbers.

    Its numbers are the number of elements, two parameters, and the seed. Parameters are the bits of a float64:
    a number to add, and one to multiply by before; for ``"kept"``, the number of words that are kept, and 0.
    """
    f = KernelFunction(module, name, 1, 4, _THREADS)
    m = Emitter(f)
    count, offset, scale, seed = f.numbers
    group = f.flat_thread(_THREADS, "i64")
    wide = _is_wide(kind, dtype)
    each = 2 if wide else 4
    first = f.mul(group, each)
    with f.when(f.compare("slt", first, count)):
        words = philox(m, m.value(group, _LONG, 1), m.value(seed, _LONG, 1))
        if kind == "kept":
            kept = m.value(offset, _LONG, 1)
            values = [m.astype(word, _LONG) < kept for word in words]
        else:
            computed = FLOAT64 if wide else FLOAT32
            add, times = (
                m.astype(m.value(f.cast("bitcast", n, "i64", "double"), FLOAT64, 1), computed)
                for n in (offset, scale)
            )
            values = [m.fma(x, times, add) for x in _NUMBERS[kind](m, words, computed)]
        for k, value in enumerate(values):
            index = f.add(first, k)
            with f.when(f.compare("slt", index, count)):
                address = f.offset(f.operands[0], index, f"[{dtype.itemsize} x i8]")
                store(m, value, address, dtype, Lanes(1))
    f.finish()


@record
class Draw:
    """What an operator draws.

    Attributes
    ----------
    kind : the kind of the numbers
    parameters : the two parameters, from the operator's attributes; see `emit_draw`
    """

    kind: Kind
    parameters: Callable[[dict[str, float]], tuple[float, float]]


class DrawStep(DeviceStep):
    """An operator that fills an array with random numbers.

    Parameters
    ----------
    node : the operator
    draw : what it draws
    """

    draws = True

    def __init__(self, node: Node, draw: Draw) -> None:
        self.draw, self.settings = draw, node.applied.settings
        self.operands = self.outputs = (node.entry(),)

    @classmethod
    def of(cls, node: Node, facts: Facts, processor: Processor, *, draw: Draw) -> DrawStep | None:
        """The step of a node; None for dtypes that it has no numbers for."""
        dtype = facts.dtypes[node.entry()]
        fits = dtype.kind == "b" if draw.kind == "kept" else is_floating(dtype)
        return cls(node, draw) if fits else None

    def launches(self, facts: Facts, processor: Processor) -> Sequence[KernelLaunch]:
        """One kernel, whose seed the call adds."""
        (entry,) = self.outputs
        dtype, count = facts.dtypes[entry], facts.bytes_of(entry) // facts.dtypes[entry].itemsize
        first, second = self.draw.parameters(self.settings)
        kept = self.draw.kind == "kept"
        numbers = (count, int(first) if kept else bits_of(first), 0 if kept else bits_of(second))
        each = _THREADS * (2 if _is_wide(self.draw.kind, dtype) else 4)
        code = emit_draw, self.draw.kind, dtype
        return [KernelLaunch(code, (0,), numbers, (-(-count // each), 1, 1), (_THREADS, 1, 1))]


_UNIFORM = Draw("uniform", lambda s: (s["low"], s["high"] - s["low"]))
_NORMAL = Draw("normal", lambda s: (s["loc"], s["scale"]))
_EXPONENTIAL = Draw("exponential", lambda s: (0.0, 1 / s["lam"]))
_SLOPES = Draw("uniform", lambda s: (s["lower_bound"], s["upper_bound"] - s["lower_bound"]))
_KEPT = Draw("kept", lambda s: (float(kept_part(s["p"])) * 2.0**32, 0.0))

DRAWS: dict[str, Draw] = {
    kept_elements.name: _KEPT,
    slopes.name: _SLOPES,
    **{
        f"_random_{draw.kind}{ending}": draw
        for draw in (_UNIFORM, _NORMAL, _EXPONENTIAL)
        for ending in ("", "_like")
    },
}
"""What operators draw, by their names."""
