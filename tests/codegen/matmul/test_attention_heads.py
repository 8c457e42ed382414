"""Products with matrices by head: every way of computing, and the graphs in which transposes are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import autograd, gluon, nd
from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.loops.inner_operators import apply
from gluonic.codegen.matmul.attention_heads import heads_dot
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.matmul.test_matmul import RUN, TOLERANCE, WAYS, random, use


def held(count: int, heads: int, matrix: tuple[int, int], layout: tuple[int, ...]) -> Any:
    """The shape of an array that holds matrices in a layout."""
    rows, columns = matrix
    return (count, rows, heads, layout[0] * columns) if layout else (count * heads, rows, columns)


LAYOUTS = [(), (1, 0), (3, 1)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("turned", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("layouts", [((1, 0), ()), ((), (3, 1)), ((3, 1), (1, 0))])
def test_every_method_transposition_and_layout(
    way: str, turned: str, layouts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(way, monkeypatch)
    ta, tb = (letter == "t" for letter in turned)
    for extents in ((7, 33, 20), (1, 5, 300), (2, 3, 0)):
        how = {"transpose_a": ta, "transpose_b": tb, "by_head": extents[0] != 7}
        check(layouts, extents, "float32", **how)


def check(
    layouts: Any, extents: Any, dtype: str, count: int = 2, heads: int = 3, **how: Any
) -> None:
    """Compare with NumPy."""
    rows, columns, inner = extents
    a = (inner, rows) if how["transpose_a"] else (rows, inner)
    b = (columns, inner) if how["transpose_b"] else (inner, columns)
    matrices = (a, b)
    shapes = [held(count, heads, m, layout) for m, layout in zip(matrices, layouts, strict=True)]
    arrays = [random(shape, dtype, i) for i, shape in enumerate(shapes)]
    variables = [Node(None, name) for name in ("a", "b")]
    entries = [variable.entry() for variable in variables]
    made = apply(heads_dot, *entries, left=layouts[0], right=layouts[1], **how)
    compiled = CompiledGraph(Graph([made]), variables)
    (found,) = compiled(arrays, RUN)
    assert compiled.binding(arrays).executable.call.is_plain, "one native call"
    expected = heads_dot.kernel(*arrays, left=layouts[0], right=layouts[1], **how)
    tolerance = TOLERANCE[dtype] * 20
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(*[st.integers(0, 40)] * 3),
    st.tuples(*[st.integers(0, 3)] * 2),
    st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)).filter(any),
    st.tuples(*[st.booleans()] * 3),
    st.sampled_from(["float32", "float64"]),
)
def test_any_shape(extents: Any, counts: Any, layouts: Any, flags: Any, dtype: str) -> None:
    how = dict(zip(("transpose_a", "transpose_b", "by_head"), flags, strict=True))
    check(layouts, extents, dtype, *counts, **how)


class Attention(gluon.HybridBlock):
    """Attention with two heads, their axes exchanged one way or another."""

    def __init__(self, *, swap: bool, joined: Any = (-1, 0, 0)) -> None:
        super().__init__()
        self.swap, self.joined = swap, joined

    def _exchanged(self, F: Any, x: Any) -> Any:
        return F.swapaxes(x, 1, 2) if self.swap else F.transpose(x, axes=(0, 2, 1, 3))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""

        def heads(t: Any) -> Any:
            apart = self._exchanged(F, F.reshape(t, (0, 0, 2, -1)))
            return F.reshape(apart, self.joined, reverse=True)

        shares = F.softmax(F.batch_dot(heads(x), heads(x * 0.5), transpose_b=True))
        found = F.reshape(F.batch_dot(shares, heads(x + 1)), (-1, 2, 0, 0), reverse=True)
        return F.reshape(self._exchanged(F, found), (0, 0, -1))


@pytest.mark.parametrize("swap", [False, True])
def test_attention_transposes_nothing_and_serves_other_batches(swap: bool) -> None:
    net = Attention(swap=swap)
    net.hybridize()
    for batch, length in ((3, 5), (4, 5), (1, 5), (2, 9)):
        x = nd.random.normal(shape=(batch, length, 12))
        steps = net.explain(x).steps
        run = {operator.split(" ")[0] for step in steps for operator in step.operators}
        assert "_heads_dot" in run
        assert not run & {"transpose", "SwapAxis"}
        found = net(x).asnumpy()
        net.hybridize(False)
        np.testing.assert_allclose(found, net(x).asnumpy(), rtol=2e-5, atol=1e-5)
        net.hybridize()


def test_a_shape_at_which_axes_are_joined_otherwise_gets_code_of_its_own() -> None:
    net = Attention(swap=False, joined=(-1, 4, 6))
    for length in (4, 8, 4):  # of eight rows, four and four become matrices of their own
        x = nd.random.normal(shape=(3, length, 12))
        net.hybridize(False)
        expected = net(x).asnumpy()
        net.hybridize()
        for data in (x, x):
            np.testing.assert_allclose(net(data).asnumpy(), expected, rtol=2e-5, atol=1e-5)


def test_gradients_agree_with_the_tape() -> None:
    net, x = Attention(swap=False), nd.random.normal(shape=(3, 5, 12))
    x.attach_grad()
    found = []
    for is_compiled in (False, True):
        net.hybridize(is_compiled)
        with autograd.record():
            y = net(x)
        y.backward(y * 2)
        found.append(x.grad.asnumpy())
    eager, compiled = found
    np.testing.assert_allclose(compiled, eager, rtol=2e-5, atol=1e-5)


def test_transposes_with_other_readers_are_kept() -> None:
    class Both(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            by_head = F.reshape(F.transpose(x, axes=(0, 2, 1, 3)), (-3, 0, 0))
            product = F.reshape(F.batch_dot(by_head, by_head, transpose_b=True), (-4, -1, 2, 0, 0))
            back = F.transpose(product, axes=(0, 2, 1, 3))
            return by_head, product, back, back + 1

    net, x = Both(), nd.random.normal(shape=(3, 5, 2, 4))
    expected = [array.asnumpy() for array in net(x)]
    net.hybridize()
    for found, right in zip(net(x), expected, strict=True):
        np.testing.assert_allclose(found.asnumpy(), right, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_interleaved_attention_is_machine_code_for_every_batch(dtype: str) -> None:
    class Interleaved(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, q: Any, kv: Any) -> Any:
            own = F.contrib.interleaved_matmul_selfatt_qk(x, heads=3)
            other = F.contrib.interleaved_matmul_encdec_qk(q, kv, heads=3)
            return (
                F.contrib.interleaved_matmul_selfatt_valatt(x, F.softmax(own), heads=3),
                F.contrib.interleaved_matmul_encdec_valatt(kv, F.softmax(other), heads=3),
            )

    net = Interleaved()
    for batch in (2, 3, 1):
        shapes = ((7, batch, 36), (5, batch, 12), (7, batch, 24))
        arrays = [nd.random.normal(shape=shape).astype(dtype) for shape in shapes]
        net.hybridize(False)
        expected = [array.asnumpy() for array in net(*arrays)]
        net.hybridize()
        close = 1e-2 if dtype == "float16" else 1e-5
        for found, right in zip(net(*arrays), expected, strict=True):
            np.testing.assert_allclose(found.asnumpy(), right, rtol=close, atol=close)
        if dtype != "float16":
            assert " python " not in str(net.explain(*arrays))


def test_rearranged_values_are_saved_once_in_their_original_layout() -> None:
    x, w = Node(None, "x"), Node(None, "w")
    computed = make_node("tanh", [x.entry()]).entry()
    turned = make_node("transpose", [computed], {"axes": (1, 0)}).entry()
    flat = make_node("Reshape", [turned], {"shape": (-1, 2)}).entry()
    graph = Graph([make_node("dot", [flat, w.entry()]).entry(), turned * turned])
    program = DifferentiableProgram(
        graph, [x, w], wanted=[True, True], heads=[True, True], train=True
    )
    names = [entry.name for entry in program.forward_program.graph.outputs[2:]]
    assert names == [computed.name]
