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


def test_mismatched_rows_are_refused_before_memory_is_read() -> None:
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


def _stored(rows: int, columns: int, each: int) -> sparse.csr_matrix:
    """Random elements, so many in each row."""
    random = np.random.default_rng(0)
    indices = np.sort([random.choice(columns, each, replace=False) for _ in range(rows)])
    values = random.uniform(-1, 1, rows * each).astype("float32")
    starts = np.arange(0, rows * each + 1, each)
    return sparse.csr_matrix((values, indices.ravel(), starts), (rows, columns))


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
def test_operands_larger_than_the_cache_are_traversed_in_parts_in_the_order_of_the_elements(
    transposed: bool, ascending: bool
) -> None:
    matrix = _stored(300, 20_000, 40)
    if not ascending:
        for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
            matrix.indices[begin:end] = matrix.indices[begin:end][::-1]
            matrix.data[begin:end] = matrix.data[begin:end][::-1]
    random = np.random.default_rng(1)
    narrow = random.uniform(-1, 1, (300 if transposed else 20_000, 16)).astype("float32")
    wide = np.tile(narrow, 8)  # 10 MB of 20,000 rows: in parts, where those of `narrow` are one
    results = []
    for dense in (narrow, wide):
        out = np.zeros((20_000 if transposed else 300, dense.shape[1]), "float32")
        parts = matrix.data, matrix.indices, matrix.indptr
        csr_product(*parts, dense, out, transposed=transposed)
        results.append(out)
    one, several = results
    expected = (matrix.T if transposed else matrix).toarray().astype(float) @ narrow
    np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5)
    if ascending:
        np.testing.assert_array_equal(np.tile(one, 8), several)
    np.testing.assert_allclose(np.tile(one, 8), several, rtol=1e-4, atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    st.sets(st.integers(0, 499), max_size=12),
    st.integers(0, 40),
    st.sampled_from([1, 8, 300]),
)
def test_transposed_products_have_rows_of_columns_alone_of_which_something_is_stored(
    empty: set[int], rows: int, columns: int
) -> None:
    stored = sorted(set(range(500)) - empty)
    matrix = sparse.lil_matrix((rows, 500), dtype=np.float32)
    for index, column in enumerate(stored if rows else []):
        matrix[index % rows, column] = 1 + index
    dense = np.random.default_rng(2).uniform(-1, 1, (rows, columns)).astype("float32")
    made = mx.nd.sparse.csr_matrix(matrix.tocsr(), shape=(rows, 500), dtype="float32")
    found = mx.nd.dot(made, mx.nd.array(dense), transpose_a=True)
    assert found.indices.asnumpy().tolist() == (stored if rows else [])
    np.testing.assert_allclose(found.asnumpy(), matrix.T @ dense, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kept", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("ascending", [True, False])
def test_of_a_large_row_sparse_table_the_rows_that_a_csr_matrix_names_are_read(
    kept: float, ascending: bool
) -> None:
    random = np.random.default_rng(4)
    matrix = sparse.random(6, 3000, 0.003, "csr", dtype=np.float32, random_state=4)
    rows = np.flatnonzero(random.uniform(size=3000) < kept)
    if not ascending:
        rows = random.permutation(rows)
    values = random.uniform(-1, 1, (len(rows), 5)).astype("float32")
    table = mx.nd.sparse.row_sparse_array((values, rows), shape=(3000, 5))
    whole = np.zeros((3000, 5), "float32")
    whole[rows] = values
    found = mx.nd.dot(mx.nd.sparse.csr_matrix(matrix), table)
    assert found.stype == "default"
    np.testing.assert_allclose(found.asnumpy(), matrix @ whole, rtol=1e-5, atol=1e-6)
    assert table.indices.asnumpy().tolist() == rows.tolist()
