"""Operators' expressions as scalar programs: recorded once, evaluated by NumPy, printed and parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.loops.costs import why_no_code
from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.loops.semantics import loop_of
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import cross
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import BOOL, FLOAT32, FLOAT64, INT32, Dtype, arithmetic
from gluonic.codegen.scalar.emission import rule_of
from gluonic.codegen.scalar.operations import OPERATIONS
from gluonic.codegen.scalar.program import cut_in_halves, parsed
from gluonic.codegen.scalar.recorder import Recorder, recorded
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import REGISTRY
from tests.codegen.agreement import assert_alike
from tests.codegen.harness import compile_expression
from tests.codegen.scalar.interpreted import evaluated, loop_evaluated
from tests.graph.registry_samples import SAMPLES, application_of, cast, over_operators, run_of
from tests.graph.samples.sample import Sample

_V3 = cross("x86_64-unknown-linux-gnu", "x86-64-v3")

_AFTER_PASSES = [
    name
    for name in SAMPLES
    if REGISTRY[name].base is None and not lowering_of(REGISTRY[name]).decompose
    if not REGISTRY[name].dynamic
]
"""The operators that are loops as they are: no pass replaces them by others first."""


def _loops(name: str) -> Iterator[tuple[Sample, Any, list[Any], list[Any], Loop]]:
    """The samples of an operator that are loops: each with arrays, results and the loop."""
    for sample in SAMPLES[name]:
        for dtype in dict.fromkeys([*sample.dtypes, "float32"]):
            application, arrays = application_of(name, sample), cast(sample, dtype)
            variables = [Node(None, each) for each in application.inputs]
            node = Node(application, name, [variable.entry() for variable in variables])
            graph = Graph([node.entry(i) for i in range(node.visible_count)])
            with np.errstate(all="ignore"):
                given = dict(zip(variables, [a.copy() for a in arrays], strict=True))
                results = interpret(graph, given, run_of(sample))
            shapes = [array.shape for array in arrays], [result.shape for result in results]
            loop = loop_of(application, *shapes)
            if loop is not None and 0 not in loop.space:
                yield sample, application, [*arrays], [*results], loop


@over_operators(_AFTER_PASSES)
def test_a_recorded_program_computes_what_the_operators_kernel_does(name: str) -> None:
    for _, _, arrays, results, loop in _loops(name):
        pairs = zip(arrays, loop.reads, strict=True)
        dtypes = tuple(arithmetic(a.dtype) for a, read in pairs if read is not None)
        if why_no_code(loop, dtypes):
            continue
        with np.errstate(all="ignore"):
            got = loop_evaluated(loop, arrays, results[0].shape).astype(results[0].dtype)
        assert_alike([got], results[:1], name, arrays)
        program = loop.program(dtypes)
        assert parsed(str(program)) == program
        assert hash(parsed(str(program))) == hash(program)


@pytest.mark.parametrize("name", [*OPERATIONS])
@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64, INT32], ids=str)
def test_the_length_of_an_operation_is_about_that_of_its_code(name: str, dtype: Dtype) -> None:
    operation = OPERATIONS[name]
    if dtype.kind not in operation.kinds or (name.startswith("gelu_") and dtype != FLOAT32):
        pytest.skip("it does not compute in this dtype")
    m = Emitter(LLVMFunction(LLVMModule(_V3), "trial", []))
    values = [m.value(f"%operand{k}", dtype, 1) for k in range(operation.arity)]
    if operation.operands == "choice":
        values[0] = m.value("%condition", BOOL, 1)
    rule_of(name, dtype)(m, *values)
    assert abs(m.function.length - operation.length_for(dtype)) <= 2


@pytest.mark.parametrize("name", [name for name in OPERATIONS if OPERATIONS[name].halves])
def test_the_halves_of_an_operation_compute_the_whole(name: str) -> None:
    for dtype in OPERATIONS[name].halves or {}:
        program = recorded(lambda m, x: getattr(m, name)(x), [dtype])
        cut, crossing = cut_in_halves(program, _V3)
        assert len(crossing) == 1
        x = np.linspace(-3, 3, 101).astype(dtype)
        assert_alike(evaluated(cut, [x]), evaluated(program, [x]))


def test_two_recordings_of_an_expression_are_equal() -> None:
    def expression(m: Any, x: Any, y: Any) -> Any:
        return m.where(x > y, m.exp(x) * 0.1, -0.0)

    first, second = (recorded(expression, [FLOAT32, FLOAT64]) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != recorded(expression, [FLOAT64, FLOAT64])
    assert first != recorded(
        lambda m, x, y: m.where(x > y, m.exp(x) * 0.1, 0.0), [FLOAT32, FLOAT64]
    )


def test_numbers_of_a_run_are_promoted_like_pythons() -> None:
    m = Recorder()
    x, rate, decay = m.element(0, FLOAT32), m.number(1), m.number(2)
    assert m.program([x - (1 - rate * decay) * x, rate]).dtypes == [FLOAT32, FLOAT64]
    assert str(m.builder.program([])) == "\n".join(
        [
            "%0 = element float32 0",
            "%1 = element float64 1",
            "%2 = element float64 2",
            "%3 = multiply float64 %1, %2",
            "%4 = subtract float64 1.0, %3",
            "%5 = convert float32 %4",
            "%6 = multiply float32 %5, %0",
            "%7 = subtract float32 %0, %6",
            "return ",
        ]
    )


def test_unused_instructions_are_left_out() -> None:
    m = Recorder()
    x = m.element(0, FLOAT32)
    m.exp(x)
    assert str(m.program([x * 2]).without_unused()).splitlines() == [
        "%0 = element float32 0",
        "%1 = multiply float32 %0, 2.0",
        "return float32 %1",
    ]


@pytest.mark.parametrize("number", [0, -1, 2.75, -2.75, 300.0, 70_000.5, -3e9, 1e30, np.nan])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "float32"])
def test_numbers_are_converted_as_code_converts_elements(number: float, dtype: str) -> None:
    goal, element = np.dtype(dtype), np.full(3, number)
    converted = compile_expression(lambda m, x: m.astype(x, goal), [FLOAT64], goal)
    program = recorded(lambda m: m.astype(m.constant(number, FLOAT64), goal), [])
    assert program.instructions == ()
    np.testing.assert_array_equal(evaluated(program, [])[0], converted(element)[0])
