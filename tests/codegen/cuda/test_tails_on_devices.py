"""Element-wise work in the kernels of products: biases, norms, activations, residuals, several results."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen import DeviceGraph
from gluonic.codegen.cuda.convolutions import steps
from gluonic.codegen.loops.inner_operators import apply, overwrite
from gluonic.graph import Entry, Graph, Node, Run
from gluonic.graph.builder import F
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from tests.codegen.cuda.devices import Array, assert_near, emulated, moved, numbers

Make = Callable[..., Sequence[Entry]]


def kernels(make: Make, *arrays: Array, count: int) -> list[Array]:
    """What a graph computes by so many kernels, which is what the interpreter computes."""
    nodes = [Node(None, f"x{number}") for number in range(len(arrays))]
    outputs = make(*[node.entry() for node in nodes])
    graph = Graph(list(outputs))
    program, run = DeviceGraph(graph, nodes), Run(train=False, random=RandomSource(1))
    there = moved(arrays)
    explained = program.explain(there, train=False)
    assert len(explained.kernels) == count, explained
    ours = [array.to_host() for array in program(there, run, emulated())]
    expected = interpret(graph, dict(zip(nodes, [a.copy() for a in arrays], strict=True)), run)
    for array, other in zip(ours, expected, strict=True):
        assert_near(array, other.astype(array.dtype))
    return ours


@given(
    st.sampled_from(["float32", "float64"]),
    st.sampled_from([0.0, float("inf")]),
    st.sampled_from([(1, 4), (5, 4), (8, 8), (7, 1)]),
    st.sampled_from([1, 2]),
    st.booleans(),
)
@settings(max_examples=5, deadline=None)
def test_a_norm_a_residual_and_an_activation_are_computed_where_a_convolution_is_stored(
    dtype: str, estimate: float, size: tuple[int, int], groups: int, is_last: bool
) -> None:
    channels, filters = 2 * groups, 6
    layout, one = ("NHWC", (1, 1, 1, filters)) if is_last else ("NCHW", (1, filters, 1, 1))
    shape = (2, *size, channels) if is_last else (2, channels, *size)
    kernel = (3, 3, channels // groups) if is_last else (channels // groups, 3, 3)
    attributes = {
        "kernel": (3, 3), "pad": (1, 1), "num_filter": filters, "num_group": groups, "layout": layout,
    }  # fmt: skip

    def make(x: Entry, w: Entry, b: Entry, scale: Entry, beta: Entry, other: Entry) -> list[Entry]:
        y = F.Convolution(x, w, b, **attributes)
        factor = F.reshape(F.sqrt(F.abs(scale) + 1.0), shape=one)
        y = F.broadcast_add(F.broadcast_mul(y, factor), F.reshape(beta, shape=one))
        return [F.relu(y + other)]

    output = (2, *size, filters) if is_last else (2, filters, *size)
    per_filter = [numbers(filters, dtype=dtype) + i for i in range(3)]
    arrays = [numbers(*shape, dtype=dtype), numbers(filters, *kernel, dtype=dtype)]
    with pytest.MonkeyPatch.context() as patch:  # tiles or none, whichever is faster
        patch.setattr(steps, "cycles_of", lambda *_: estimate)
        kernels(make, *arrays, *[a.astype(dtype) for a in per_filter],
                numbers(*output, dtype=dtype), count=1)  # fmt: skip


@pytest.mark.parametrize("sizes", [(5, 40, 33), (64, 16, 64), (3, 5000, 5)], ids=str)
def test_a_dense_layer_takes_element_wise_work_whether_or_not_its_sums_are_in_parts(
    sizes: tuple[int, int, int],
) -> None:
    rows, inner, columns = sizes

    def make(x: Entry, w: Entry, b: Entry, scale: Entry, other: Entry) -> list[Entry]:
        y = F.FullyConnected(x, w, b, num_hidden=columns)
        return [F.broadcast_mul(F.tanh(y), scale) - other * 2.0]

    arrays = numbers(rows, inner), numbers(columns, inner), numbers(columns)
    in_parts = inner == 5000
    kernels(make, *arrays, numbers(1, columns), numbers(rows, columns), count=1 + in_parts)


def test_batches_of_products_take_what_has_their_shape_or_one_number() -> None:
    def make(a: Entry, b: Entry, scale: Entry, mask: Entry) -> list[Entry]:
        return [F.broadcast_mul(F.batch_dot(a, b), scale) + mask]

    kernels(
        make, numbers(3, 4, 8), numbers(3, 8, 5), numbers(1, 1, 1), numbers(3, 4, 5), count=1
    )  # fmt: skip


def test_a_result_that_others_read_is_stored_beside_what_is_computed_of_it() -> None:
    def make(x: Entry, w: Entry) -> list[Entry]:
        y = F.FullyConnected(x, w, num_hidden=6, no_bias=True)
        return [y, F.tanh(y), y > 0, F.sum(F.reshape(y, shape=(-1,)), axis=0)]

    kernels(make, numbers(4, 8), numbers(6, 8), count=2)


def test_results_that_are_read_before_the_element_wise_work_is_possible_stay_apart() -> None:
    def make(x: Entry, w: Entry) -> list[Entry]:
        y = F.FullyConnected(x, w, num_hidden=6, no_bias=True)
        return [F.broadcast_sub(y, F.max(y, axis=1, keepdims=True))]

    kernels(make, numbers(4, 8), numbers(6, 8), count=2)


def test_of_two_products_the_later_one_takes_what_is_computed_of_both() -> None:
    def make(x: Entry, w: Entry, v: Entry) -> list[Entry]:
        layers = [F.FullyConnected(x, each, num_hidden=6, no_bias=True) for each in (w, v)]
        return [F.relu(layers[0] * layers[1])]

    kernels(make, numbers(4, 8), numbers(6, 8), numbers(6, 8) + 1, count=2)


def test_a_product_does_not_move_beyond_what_overwrites_its_factors() -> None:
    def make(x: Entry, w: Entry) -> list[Entry]:
        y = F.FullyConnected(x, w, num_hidden=6, no_bias=True)
        new = apply(overwrite, w, w * 100.0)
        return [F.relu(F.broadcast_add(y, F.sum(new, keepdims=True)))]

    kernels(make, numbers(4, 8), numbers(6, 8), count=3)
