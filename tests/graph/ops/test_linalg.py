"""Linear algebra: factorizations of symmetric matrices, conventions, partial shapes and errors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic.graph.builder import F
from gluonic.graph.errors import InferenceError, MXNetError
from gluonic.graph.gradient import gradients
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.operator import Run
from gluonic.graph.random_source import RandomSource
from tests.graph.applying import apply, infer_shapes
from tests.graph.samples.sample import uniform

STEP = 1e-5
RUN = Run(train=True, random=RandomSource(0))
Function = Callable[[Entry], Entry]


def value_of(entry: Entry, x: Node, at: Any) -> Any:
    return interpret(Graph([entry]), {x: at}, RUN)[0]


def check_gradient(outputs: Entry, x: Node, at: Any) -> Entry:
    """Compare the gradient of the sum of the outputs with central differences; return it."""
    head = F.ones_like(outputs)
    (gradient,) = gradients([outputs], [head], [x.entry()], train=True)
    assert gradient is not None
    direction = uniform(*at.shape, seed=9)
    ahead, behind = (value_of(outputs, x, at + sign * STEP * direction).sum() for sign in (1, -1))
    slope = (value_of(gradient, x, at) * direction).sum()
    assert slope == pytest.approx((ahead - behind) / (2 * STEP), rel=1e-5, abs=1e-7)
    return gradient


def weighted(entry: Entry) -> Entry:
    """Make every element count differently."""
    product: Entry = entry * F.sin(entry * 3 + 1)
    return product


SYMMETRIC: dict[str, Function] = {
    "potrf": lambda a: F._linalg_potrf(a),
    "upper potrf": lambda a: F._linalg_potrf(a, lower=False),
    "eigenvectors": lambda a: F._linalg_syevd(a)[0],
    "eigenvalues": lambda a: F._linalg_syevd(a)[1],
}


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_derivatives_of_functions_of_symmetric_matrices(name: str, shape: Any) -> None:
    x = Node(None, "x")
    symmetric = F._linalg_syrk(x.entry())
    first = check_gradient(weighted(SYMMETRIC[name](symmetric)), x, uniform(*shape))
    check_gradient(weighted(first), x, uniform(*shape))


def test_eigenvectors_are_rows_whose_largest_element_is_positive() -> None:
    """The convention is MXNet 1.9.1's."""
    vectors, values = apply("_linalg_syevd", np.diag([3.0, -1, 2]))
    np.testing.assert_allclose(values, [-1, 2, 3])
    np.testing.assert_allclose(vectors, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_factors_make_up_the_matrix_again() -> None:
    a = uniform(2, 3, 4)
    q, lower = apply("_linalg_gelqf", a)
    np.testing.assert_allclose(lower @ q, a)
    np.testing.assert_allclose(
        q @ q.swapaxes(-1, -2), np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-14
    )
    np.testing.assert_array_equal(np.triu(lower, 1), 0)
    s = a @ a.swapaxes(-1, -2)
    factor = apply("_linalg_potrf", s)
    np.testing.assert_allclose(factor @ factor.swapaxes(-1, -2), s)
    np.testing.assert_allclose(apply("_linalg_potri", factor), np.linalg.inv(s))
    upper = apply("_linalg_potrf", s, lower=False)
    np.testing.assert_allclose(upper, factor.swapaxes(-1, -2))
    np.testing.assert_allclose(apply("_linalg_potri", upper, lower=False), np.linalg.inv(s))
    vectors, values = apply("_linalg_syevd", s)
    np.testing.assert_allclose(vectors.swapaxes(-1, -2) * values[:, None] @ vectors, s)


@pytest.mark.parametrize(
    ("offset", "lower", "expected"),
    [
        (0, True, [0, 3, 4, 6, 7, 8]),
        (0, False, [0, 1, 4, 2, 5, 8]),
        (1, True, [1, 2, 5]),
        (-1, False, [3, 6, 7]),
    ],
)
def test_triangles_are_packed_as_in_mxnet(offset: int, lower: bool, expected: list[int]) -> None:
    """The numbers are MXNet 1.9.1's."""
    matrix = np.arange(9.0).reshape(3, 3)
    packed = apply("_linalg_extracttrian", matrix, offset=offset, lower=lower)
    np.testing.assert_array_equal(packed, expected)


def test_matrices_without_inverse_or_factor_are_refused() -> None:
    with pytest.raises(MXNetError, match="singular"):
        apply("_linalg_inverse", np.zeros((2, 2)))
    with pytest.raises(MXNetError, match="not positive definite"):
        apply("_linalg_potrf", -np.eye(2))


@pytest.mark.parametrize("name", ["_linalg_det", "_linalg_slogdet"])
def test_gradients_of_determinants_stop_at_singular_matrices(name: str) -> None:
    """So they do in MXNet 1.9.1."""
    x = Node(None, "x")
    made = getattr(F, name)(x.entry())
    output = made[1] if isinstance(made, list) else made
    (gradient,) = gradients([output], [F.ones_like(output)], [x.entry()], train=True)
    assert gradient is not None
    at = np.stack([np.zeros((2, 2)), 2 * np.eye(2)])
    found = value_of(gradient, x, at)
    assert not found[0].any()
    assert found[1].any()


def test_a_lone_matrix_has_a_determinant_of_one_element() -> None:
    assert apply("_linalg_det", np.eye(2)).shape == (1,)
    assert apply("_linalg_sumlogdiag", np.eye(2)).shape == (1,)
    assert apply("_linalg_det", np.zeros((3, 2, 2))).shape == (3,)


def test_shapes_are_inferred_both_ways() -> None:
    found = infer_shapes("_linalg_gemm2", [(2, 5, None), (3, None, 4)], axis=0)
    assert found == [(2, 5, 3), (3, 5, 4), (2, 5, 4)]
    found = infer_shapes("_linalg_gemm", [(None, 3), (3, None), (2, 4)])
    assert found == [(2, 3), (3, 4), (2, 4), (2, 4)]
    assert infer_shapes("_linalg_trsm", [None, (5, 3)]) == [(5, 5), (5, 3), (5, 3)]
    assert infer_shapes("_linalg_trmm", [None, None], [(5, 3)], rightside=True)[0] == (3, 3)
    assert infer_shapes("_linalg_maketrian", [(2, 6)], offset=-1)[1] == (2, 4, 4)
    assert infer_shapes("_linalg_extracttrian", [None], [(2, 6)])[0] == (2, 3, 3)
    assert infer_shapes("_linalg_gelqf", [(2, 3, 4)], [None, None])[2] == (2, 3, 3)


@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "message"),
    [
        ("_linalg_gemm2", [(2, 3), (4, 5)], {}, "cannot multiply"),
        ("_linalg_gemm2", [(3,), (3,)], {}, "axis -2 cannot hold the rows"),
        ("_linalg_gemm2", [(2, 3), (3, 5)], {"axis": 1}, "axis 1 cannot hold the rows"),
        ("_linalg_gemm", [(2, 3), (3, 4), (2, 3)], {}, r"to get \(2, 3\)"),
        ("_linalg_syrk", [(3,)], {}, "must be matrices"),
        ("_linalg_trsm", [(3, 3), (2, 2)], {}, r"A is \(3, 3\) but must be \(2, 2\)"),
        ("_linalg_trmm", [(2, 3), (3, 3)], {}, "must be square matrices"),
        ("_linalg_det", [(2, 3)], {}, "must be square matrices"),
        ("_linalg_gelqf", [(3, 2)], {}, "more rows than columns"),
        ("_linalg_maketrian", [(5,)], {}, "do not fill a triangle"),
        ("_linalg_extractdiag", [(3, 3)], {"offset": 3}, "offset 3 is outside"),
    ],
)
def test_shapes_that_do_not_fit(name: str, shapes: Any, attributes: Any, message: str) -> None:
    with pytest.raises(InferenceError, match=message):
        apply(name, *(np.zeros(shape) for shape in shapes), **attributes)


def test_only_single_and_double_precision_as_in_mxnet() -> None:
    with pytest.raises(InferenceError, match="float32 or float64, not float16"):
        apply("_linalg_inverse", np.eye(2, dtype=np.float16))
    assert apply("_linalg_inverse", np.eye(2, dtype=np.float32)).dtype == np.float32


@pytest.mark.parametrize("rightside", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_products_of_a_batch_read_one_triangle_of_each_matrix(lower: bool, rightside: bool) -> None:
    a, b = uniform(3, 4, 4), uniform(3, 4, 4, seed=1)
    a[(..., *(np.triu_indices(4, 1) if lower else np.tril_indices(4, -1)))] = np.nan
    settings = {"lower": lower, "rightside": rightside, "alpha": 1.5}
    together = apply("_linalg_trmm", a, b, **settings)
    alone = [apply("_linalg_trmm", *pair, **settings) for pair in zip(a, b, strict=True)]
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    assert np.isfinite(together).all()
