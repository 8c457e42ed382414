"""Products of csr matrices in machine code are SciPy's, for all widths, empty rows and both dtypes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import gluonic as mx
from gluonic.codegen.csr_products import csr_product


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 9),
    st.integers(1, 9),
    st.sampled_from([1, 2, 3, 4, 7, 16, 19, 64, 67, 100, 150]),
    st.sampled_from(["float32", "float64"]),
    st.booleans(),
    st.floats(0, 1),
    st.integers(0, 9),
)
def test_products_are_scipys(
    rows: int,
    inner: int,
    columns: int,
    dtype: str,
    transposed: bool,
    density: float,
    seed: int,
) -> None:
    random = np.random.default_rng(seed)
    whole = random.uniform(-1, 1, (rows, inner)) * (random.uniform(size=(rows, inner)) < density)
    matrix = sparse.csr_matrix(whole.astype(dtype))
    dense = random.uniform(-1, 1, (rows if transposed else inner, columns)).astype(dtype)
    out = np.zeros((inner if transposed else rows, columns), dtype)
    csr_product(matrix.data, matrix.indices, matrix.indptr, dense, out, transposed=transposed)
    expected = (matrix.T if transposed else matrix) @ dense
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


def test_rows_that_do_not_go_together_are_refused_before_memory_is_read() -> None:
    starts, nothing = np.zeros(4, np.int64), np.zeros(0, np.int64)
    with pytest.raises(ValueError, match="3 rows"):
        csr_product(
            np.zeros(0, "float32"), nothing, starts, np.zeros((2, 2), "float32"),
            np.zeros((2, 2), "float32"), transposed=False,
        )  # fmt: skip


@pytest.mark.parametrize("transposed", [False, True])
def test_large_products_of_arrays_and_their_gradients_agree_with_dense_ones(
    transposed: bool,
) -> None:
    matrix = sparse.random(300, 200, 0.2, "csr", dtype=np.float32, random_state=3)
    rows = 300 if transposed else 200
    dense = mx.nd.array(np.random.default_rng(1).uniform(-1, 1, (rows, 64)))
    results = []
    for x in (mx.nd.sparse.csr_matrix(matrix), mx.nd.array(matrix.toarray())):
        dense.attach_grad()
        with mx.autograd.record():
            y = mx.nd.dot(x, dense, transpose_a=transposed, forward_stype="default")
        y.backward(y)
        results.append((y.asnumpy(), dense.grad.asnumpy()))
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-3)
