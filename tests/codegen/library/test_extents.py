"""Expressions of the batch size have the values in machine code that they have in Python."""

import ctypes
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.library.extents import ExtentsCode, can_be_written, served
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import load
from gluonic.codegen.machine.target import host
from gluonic.codegen.shapes.symbolic import ShapeEnv, at_least, if_at_least

SIZES = (*range(1, 40), 64, 100)


def combined(x: Any, y: Any, n: int) -> list[Callable[[], Any]]:
    """Ways of making an expression of two others and a number."""
    return [
        lambda: x * n - 7,
        lambda: (x - 20) // n,
        lambda: -x % n,
        lambda: x + y,
        lambda: x * y,
        lambda: at_least(x, n * 5),
        lambda: if_at_least(x, n * 3, y, n),
        lambda: (x + 3) // at_least(y, 1),
        lambda: x + (1 if x > 12 else 2),
    ]


def expressions(env: ShapeEnv, chosen: random.Random, count: int) -> list[Any]:
    """Random expressions of a size, whose values stay small."""
    found: list[Any] = [env.size]
    while len(found) < count:
        x, y = chosen.choice(found), chosen.choice(found)
        made = chosen.choice(combined(x, y, chosen.randint(1, 9)))()
        if abs(env.value(made)) < 1 << 12:
            found.append(made)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_values_and_guards_are_those_of_python(seed: int) -> None:
    env = ShapeEnv(5)
    found = expressions(env, random.Random(seed), 30)
    assert can_be_written(env, found)
    module = LLVMModule(host())
    f = LLVMFunction(module, "values", ["i64 %n", "ptr %goal"], result="i32")
    code = ExtentsCode(f, env, "%n")
    for number, x in enumerate(found):
        f.store("i64", code.value(x), f.offset("%goal", number, "i64"))
    f.finish(f.op(f"zext i1 {code.holds()} to i32"))
    library = load(module.text(), ["values"])
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p)
    run = kind(library["values"])
    goal = (ctypes.c_int64 * len(found))()
    for size in SIZES:
        holds = run(size, ctypes.addressof(goal))
        values = env.values_at(size)
        assert bool(holds) == (values is not None) == served(env, np.array([size]))[0]
        if values is not None:
            terms = [getattr(x, "terms", ()) for x in found]
            constants = [getattr(x, "constant", x) for x in found]
            wanted = [
                constant + sum(factor * values[atom] for atom, factor in listed)
                for listed, constant in zip(terms, constants, strict=True)
            ]
            assert [*goal] == wanted


def test_a_size_that_divides_by_zero_does_not_meet_the_guards() -> None:
    env = ShapeEnv(5)
    quotient = 100 // (env.size - 3)
    module = LLVMModule(host())
    f = LLVMFunction(module, "holds", ["i64 %n"], result="i32")
    code = ExtentsCode(f, env, "%n")
    assert code.value(quotient)
    f.finish(f.op(f"zext i1 {code.holds()} to i32"))
    library = load(module.text(), ["holds"])
    holds = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)(library["holds"])
    assert [holds(n) for n in (2, 3, 4)] == [1, 0, 1]
    assert served(env, np.array([2, 3, 4])).tolist() == [True, False, True]


def test_fractions_and_unknown_functions_are_not_written() -> None:
    env = ShapeEnv(5)
    assert can_be_written(env, [env.size * 3 + 1, 7])
    assert not can_be_written(env, [env.size * 0.5])
    assert not can_be_written(env, [0.5])
    env.atom(pow, env.size, 2)
    assert not can_be_written(env, [env.size])
