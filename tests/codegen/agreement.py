"""Whether a compiled graph and the interpreter agree, as far as rounding lets any two ways of computing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.shapes.facts import DynamicShapeError
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import Run
from gluonic.graph.random_source import RandomSource
from tests.codegen.growing import RandomGraph
from tests.codegen.shared_steps import share_all

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Observer = Callable[[Node, list[Array], list[Array]], None]
TOLERANCE = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-11}
_MAGNIFIED = 20


def new_run(train: bool = False) -> Run:
    """A run whose random numbers are always the same."""
    return Run(train, RandomSource(7))


def tolerance_of(array: Array, coarsest: float) -> float:
    """How far results may be apart, in units of the largest element, and no finer than the inputs."""
    return max(TOLERANCE.get(array.dtype.name, 0.0), coarsest)


def assert_alike(
    compiled: Arrays,
    interpreted: Arrays,
    what: str = "",
    inputs: Arrays = (),
    slack: Callable[[], Sequence[Array]] | None = None,
) -> None:
    """Compare results, in units of the largest element of each and no finer than the inputs are.

    Parameters
    ----------
    slack : called where results are further apart: how far each may be
    """
    coarsest = max((TOLERANCE.get(a.dtype.name, 0.0) for a in inputs), default=0.0)
    assert len(compiled) == len(interpreted)
    for index, (got, expected) in enumerate(zip(compiled, interpreted, strict=True)):
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype), what
        if expected.dtype.kind != "f":
            np.testing.assert_array_equal(got, expected, err_msg=what)
            continue
        tolerance = tolerance_of(expected, coarsest)
        finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
        scale = max(1.0, float(finite.max(initial=0.0)))
        atol: Any = tolerance * scale
        if np.allclose(got, expected, rtol=tolerance, atol=atol, equal_nan=True):
            continue
        if slack is not None:
            atol = atol + slack()[index]
        close = np.isclose(got, expected, rtol=tolerance, atol=atol, equal_nan=True)
        assert close.all(), (
            f"{what}, output {index}: {got[~close]} instead of {expected[~close]}, "
            f"{np.broadcast_to(atol, close.shape)[~close]} allowed"
        )


def _nudged(array: Array, seed: int) -> Array:
    """The array, each element changed by about its rounding error."""
    if array.dtype.kind != "f":
        return array.copy()
    step = np.finfo(array.dtype).eps * np.random.default_rng(seed).choice([-1.0, 1.0], array.shape)
    return np.asarray(array * (1 + step), array.dtype)


def _nudge_halves(seed: int) -> Observer:
    """Round what is computed in float16 to the other neighbour: it may have been between the two."""

    def observe(node: Node, inputs: list[Array], results: list[Array]) -> None:
        for number, array in enumerate(results):
            if array.dtype == np.float16:
                results[number] = _nudged(array, seed)

    return observe


def slack_of(compute: Callable[..., Arrays], arrays: Arrays) -> Sequence[Array]:
    """How far the results of `compute` move where inputs change by their rounding error, many times over.

    Results of float16 are rounded alike, but for those that errors of float32 move to another neighbour.

    Parameters
    ----------
    compute : takes arrays, and what observes the results of operators
    """
    base = [np.asarray(a, np.float64) for a in compute([a.copy() for a in arrays])]
    moved = [np.zeros_like(a) for a in base]
    halves = [a.dtype == np.float16 for a in arrays]
    for seed in range(6):
        nudged = [
            a.copy() if half else _nudged(a, seed) for a, half in zip(arrays, halves, strict=True)
        ]
        _move(moved, base, compute(nudged), _MAGNIFIED)
        _move(moved, base, compute([a.copy() for a in arrays], _nudge_halves(seed)), 1)
    return moved


def _move(moved: Arrays, base: Arrays, found: Arrays, times: int) -> None:
    """Note how far results are from what they were."""
    for total, was, now in zip(moved, base, found, strict=True):
        with np.errstate(all="ignore"):
            change = np.asarray(np.abs(np.asarray(now, np.float64) - was))
        change[(now == was) | (np.isnan(now) & np.isnan(was))] = 0
        np.maximum(total, times * np.where(np.isnan(change), np.inf, change), out=total)


def _spread(slack: Sequence[Array]) -> Sequence[Array]:
    """The same slack for all elements of a result: a jump may move any of them."""
    return [np.full_like(a, a.max(initial=0.0)) for a in slack]


def interpreter_of(graph: Graph, variables: Sequence[Node], train: bool) -> Callable[..., Arrays]:
    """A function of arrays that the interpreter computes; it writes into states, and can be observed."""

    def compute(arrays: Arrays, observer: Observer | None = None) -> Arrays:
        return interpret(graph, dict(zip(variables, arrays, strict=True)), new_run(train), observer)

    return compute


def slack_around(compute: Callable[..., Arrays], arrays: Arrays) -> Callable[[], Sequence[Array]]:
    """What finds how far results may be from those that `compute` makes of the arrays."""
    return lambda: _spread(slack_of(compute, arrays))


def check_refusal(random: RandomGraph, arrays: Arrays) -> None:
    """Check that a graph refused for shapes that depend on data has such an operator, and wrote nowhere."""
    applied = [node.applied for node in random.graph.nodes if not node.is_variable]
    assert any(application.op.dynamic for application in applied), "all shapes are known"
    for variable, got, was in zip(random.variables, arrays, random.arrays, strict=True):
        np.testing.assert_array_equal(got, was, err_msg=f"{variable.name} was written to")


def check_forward(random: RandomGraph) -> None:
    """Compile, run three times (with views, and into given memory), compare with the interpreter."""
    graph, variables = random.graph, random.variables
    compiled = CompiledGraph(graph, variables)

    compute = interpreter_of(graph, variables, random.train)
    slack = slack_around(compute, random.arrays)
    reference = [a.copy() for a in random.arrays]
    expected = [a.copy() for a in compute(reference)]
    into: list[Array | None] | None = None
    for turn in range(3):
        arrays = [_strided(a) if turn == 1 and v not in random.states else a.copy()
                  for v, a in zip(variables, random.arrays, strict=True)]  # fmt: skip
        try:
            found = compiled(arrays, new_run(random.train), into)
        except DynamicShapeError:
            check_refusal(random, arrays)
            return
        assert_alike(found, expected, f"forward, turn {turn}", arrays, slack)
        for v, got, wanted, was in zip(variables, arrays, reference, random.arrays, strict=True):
            if v in random.states:
                assert_alike([got], [wanted], f"state {v.name}", arrays)
            else:
                np.testing.assert_array_equal(got, was, err_msg=f"input {v.name} was written to")
        _check_separate(found, arrays)
        into = [np.full(a.shape, 7, a.dtype) for a in expected]


def check_threads(random: RandomGraph, wanted: Sequence[bool] | None = None) -> None:
    """Compare what one thread computes, bit by bit, with what as many do as may share what is small too."""
    computed = []
    for threads in ("1", "3"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GLUONIC_NUM_THREADS", threads)
            share_all(patch.setattr)
            try:
                computed.append(_results(random, wanted))
            except DynamicShapeError:
                check_refusal(random, random.arrays)
                return
    for number, (one, several) in enumerate(zip(*computed, strict=True)):
        assert (one is None) == (several is None)
        if one is not None and several is not None:
            assert one.tobytes() == several.tobytes(), f"threads change the bits of result {number}"


def _results(random: RandomGraph, wanted: Sequence[bool] | None) -> Sequence[Array | None]:
    """The outputs and the states, after them all gradients if some are wanted."""
    arrays, run = [a.copy() for a in random.arrays], new_run(random.train)
    found: list[Array | None] = []
    if wanted is None or not _has_gradients(random):
        found += CompiledGraph(random.graph, random.variables)(arrays, run)
    else:
        program = _differentiable(random, _asked(random, wanted))
        results, saved = program.forward(arrays, run)
        found += [*results, *program.backward(saved, _heads(results), run)]
    return [
        *found,
        *(a for v, a in zip(random.variables, arrays, strict=True) if v in random.states),
    ]


def _check_separate(results: Arrays, arrays: Arrays) -> None:
    for index, result in enumerate(results):
        for other in (*results[index + 1 :], *arrays):
            assert not np.may_share_memory(result, other), f"output {index} shares memory"


def _strided(array: Array) -> Array:
    """The same numbers in memory with gaps, axes in reverse order."""
    if not array.ndim:
        return array.copy()
    wide = np.zeros((*array.shape[:0:-1], 2 * array.shape[0]), array.dtype)
    view = wide.T[::2]
    view[...] = array
    return view


def _has_gradients(random: RandomGraph) -> bool:
    applied = [node.application for node in random.graph.nodes if node.application is not None]
    return all(application.op.differentiable for application in applied)


def _asked(random: RandomGraph, wanted: Sequence[bool] | None) -> list[bool]:
    """For each variable whether its gradient is asked for."""
    floating = [a.dtype.kind == "f" and v not in random.states
                for v, a in zip(random.variables, random.arrays, strict=True)]  # fmt: skip
    return [f and (wanted is None or wanted[i % len(wanted)]) for i, f in enumerate(floating)]


def _differentiable(random: RandomGraph, asked: Sequence[bool]) -> DifferentiableProgram:
    heads = [True] * len(random.graph.outputs)
    return DifferentiableProgram(
        random.graph, random.variables, wanted=tuple(asked), heads=heads, train=random.train
    )


def _heads(results: Arrays) -> list[Array]:
    return [np.asarray(np.cos(np.arange(r.size)).reshape(r.shape), r.dtype) for r in results]


def check_backward(random: RandomGraph, wanted: Sequence[bool] | None = None) -> None:
    """Compare outputs, gradients and states of a training run with the interpreter's.

    Outputs alone are compared where an operator has no gradient.
    """
    graph, variables, train = random.graph, random.variables, random.train
    if not _has_gradients(random):
        check_forward(random)
        return
    asked = _asked(random, wanted)
    program, arrays = _differentiable(random, asked), [a.copy() for a in random.arrays]
    try:
        results, saved = program.forward(arrays, new_run(train))
    except DynamicShapeError:
        check_refusal(random, arrays)
        return
    heads = _heads(results)
    entries = gradients(
        graph.outputs,
        [v.entry() for v in program.head_variables],
        [v.entry() for v, ask in zip(variables, asked, strict=True) if ask],
        train=train,
    )
    whole = Graph([*graph.outputs, *(e for e in entries if e is not None)])
    compute = interpreter_of(whole, (*variables, *program.head_variables), train)
    slack = slack_around(compute, (*random.arrays, *heads))
    expected = compute([*(a.copy() for a in random.arrays), *heads])
    count = len(results)
    found = program.backward(saved, heads, new_run(train))
    assert_alike(results, expected[:count], "forward of training", arrays, slack)
    got = [g for g, ask in zip(found, asked, strict=True) if ask]
    assert [g is None for g in got] == [e is None for e in entries]
    present = [g for g in got if g is not None]
    assert_alike(present, expected[count:], "gradients", arrays, lambda: slack()[count:])
    into: list[Array | None] = [np.full(a.shape, 7, a.dtype) if ask else None
                                for a, ask in zip(random.arrays, asked, strict=True)]  # fmt: skip
    again = program.backward(saved, heads, new_run(train), into)
    for one, other in zip(found, again, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_array_equal(one, other, err_msg="gradients into given memory")
