"""Expressions that are cut where little is alive, and run over blocks as several loops."""

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.loops.semantics import loop_of
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype
from gluonic.codegen.scalar.program import cut_in_halves
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY
from tests.codegen.agreement import new_run
from tests.codegen.harness import compile_expression


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64])
def test_a_hyperbolic_tangent_can_be_cut_where_one_value_is_alive(dtype: Dtype) -> None:
    for operator, expected in (("tanh", [dtype]), ("square", [])):
        application = REGISTRY[operator].apply({})
        loop = loop_of(application, [(4,)], [(4,)])
        assert loop is not None
        _, crossing = cut_in_halves(loop.program([dtype]), host())
        assert [crosses for crosses, _ in crossing] == expected


@pytest.mark.parametrize("length", [1, 31, 1024, 5000])
@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT64])
def test_pieces_of_expressions_give_the_bits_of_the_whole(dtype: Dtype, length: int) -> None:
    x, y = Node(None, "x"), Node(None, "y")
    first = make_node("tanh", [make_node("elemwise_mul", [x.entry(), y.entry()]).entry()]).entry()
    second = make_node("tanh", [make_node("elemwise_add", [first, x.entry()]).entry()]).entry()
    outputs = [make_node("elemwise_mul", [second, first]).entry(), first]
    arrays = [np.random.default_rng(k).normal(size=length).astype(dtype) for k in range(2)]
    arrays[0][0] = np.nan
    whole = compile_expression(lambda m, x, y: m.tanh(x * y), [dtype] * 2, dtype)(*arrays)
    again = compile_expression(lambda m, x, y: m.tanh(x + y) * x, [dtype] * 2, dtype)
    got = CompiledGraph(Graph(outputs), [x, y])(arrays, new_run())
    np.testing.assert_array_equal(got[1], whole)
    np.testing.assert_array_equal(got[0], again(whole, arrays[0]))


@pytest.mark.parametrize("rows", [0, 5])
def test_operands_read_for_their_shape_alone_are_not_cut(rows: int) -> None:
    x, y = Node(None, "x"), Node(None, "y")
    positive = make_node("relu", [x.entry()]).entry()
    like = make_node("Reshape", [make_node("tanh", [positive]).entry()], {"shape": (-1,)}).entry()
    like = make_node("slice_axis", [like], {"axis": 0, "begin": 0, "end": 3}).entry()
    like = make_node("Reshape", [like], {"shape": (1, 3)}).entry()
    total = make_node("_reduce_like", [y.entry(), like]).entry()
    arrays = [np.random.default_rng(rows).normal(size=(n, 3)).astype("f") for n in (4, rows)]
    found = CompiledGraph(Graph([positive, total]), [x, y])(arrays, new_run())
    np.testing.assert_array_equal(found[0], np.maximum(arrays[0], 0))
    np.testing.assert_allclose(found[1], arrays[1].sum(0, keepdims=True), rtol=1e-5, atol=1e-6)
