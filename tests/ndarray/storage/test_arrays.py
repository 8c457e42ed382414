"""Sparse arrays: made, checked, copied, assigned, pickled, saved."""

import copy
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse as scipy_sparse

import gluonic as mx
from gluonic import nd
from gluonic.graph.errors import FileFormatError
from gluonic.graph.storage.stored import FormatError

MATRICES = arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    elements=st.sampled_from([0, 0, 1, -2]),
)
SPARSE = st.sampled_from(["csr", "row_sparse"])


def csr(rows: int = 3, columns: int = 3) -> Any:
    return nd.sparse.csr_matrix(([1, 2, 3], [1, 0, 2], [0, 1, 2, 3]), shape=(rows, columns))


@given(MATRICES, SPARSE)
def test_casting_to_sparse_and_back_changes_nothing(matrix: Any, kind: str) -> None:
    x = nd.array(matrix).tostype(kind)
    x.check_format()
    assert x.stype == kind
    assert (x.asnumpy() == matrix).all()
    assert (x.tostype("default").asnumpy() == matrix).all()
    assert (x.todense().asnumpy() == matrix).all()
    assert (np.array(x) == matrix).all()


@given(MATRICES, SPARSE)
def test_copies_casts_and_pickles_are_equal_and_independent(matrix: Any, kind: str) -> None:
    x = nd.array(matrix).tostype(kind)
    same = [x.copy(), copy.copy(x), copy.deepcopy(x), x.detach(), x.copyto(mx.cpu())]
    same += [pickle.loads(pickle.dumps(x)), x.astype("float32"), nd.array(x), nd.sparse.array(x)]
    x[:] = nd.ones(matrix.shape)
    for y in same:
        assert (type(y), y.dtype) == (type(x), x.dtype)
        assert (y.asnumpy() == matrix).all()


@given(MATRICES, SPARSE, SPARSE)
def test_arithmetic_agrees_with_numpy(matrix: Any, kind: str, other: str) -> None:
    x, y = nd.array(matrix).tostype(kind), nd.array(matrix[::-1].copy()).tostype(kind)
    assert ((x + y).asnumpy() == matrix + matrix[::-1]).all()
    assert ((x - y).asnumpy() == matrix - matrix[::-1]).all()
    assert ((x * y).asnumpy() == matrix * matrix[::-1]).all()
    assert (x + y).stype == (x - y).stype == (x * y).stype == kind
    assert ((-x / 2).asnumpy() == -matrix / 2).all()


@given(MATRICES, st.integers(0, 2**32 - 1))
def test_products_agree_with_numpy(matrix: Any, seed: int) -> None:
    x = nd.array(matrix).tostype("csr")
    right = np.random.default_rng(seed).normal(size=(matrix.shape[1], 3)).astype("float32")
    left = np.random.default_rng(seed).normal(size=(matrix.shape[0], 3)).astype("float32")
    forward = nd.dot(x, nd.array(right))
    back = nd.dot(x, nd.array(left), transpose_a=True)
    assert (forward.stype, back.stype) == ("default", "row_sparse")
    assert np.allclose(forward.asnumpy(), matrix @ right, atol=1e-5)
    assert np.allclose(back.asnumpy(), matrix.T @ left, atol=1e-5)
    back.check_format()
    assert back.indices.asnumpy().tolist() == np.flatnonzero((matrix != 0).any(axis=0)).tolist()


def test_scipys_matrices_of_all_formats_are_taken() -> None:
    matrix = np.array([[0, 2.5], [1, 0], [0, 0]])
    for name in ("csr", "csc", "coo", "lil", "dok", "bsr"):
        for make in (scipy_sparse.csr_matrix, scipy_sparse.csr_array):
            x = nd.sparse.csr_matrix(make(matrix).asformat(name))
            assert x.dtype == np.float64
            assert (x.asnumpy() == matrix).all()
    assert nd.array(scipy_sparse.csr_matrix(matrix)).stype == "csr"
    assert (csr().asscipy() != scipy_sparse.csr_matrix(csr().asnumpy())).nnz == 0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: nd.sparse.csr_matrix((2, 2), shape=(3, 2)), "Shape mismatch"),
        (lambda: nd.sparse.csr_matrix((1, 2, 3, 4)), "length of input tuple: 4"),
        (lambda: nd.sparse.csr_matrix(([], [], [0])), "must be given"),
        (lambda: nd.sparse.csr_matrix(([[1]], [0], [0, 1])), "invalid shape"),
        (lambda: nd.sparse.row_sparse_array(([[1, 2]], [1]), shape=(4,)), "invalid shape"),
        (lambda: nd.sparse.row_sparse_array(csr()), "CSRNDArray"),
        (lambda: nd.sparse.zeros("coo", (2, 2)), "coo"),
        (lambda: nd.zeros((2, 2), stype="coo"), "coo"),
        (lambda: nd.sparse.zeros("csr", (2, 2, 2)), "two axes"),
        (lambda: nd.sparse.array(nd.ones((2, 2))), "tostype"),
        (lambda: nd.ones((2,)).tostype("csr"), "two axes"),
        (lambda: csr().tostype("row_sparse"), "from csr to row_sparse"),
    ],
)
def test_values_other_than_sparse_arrays_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("data", "indices", "indptr", "words"),
    [
        ([7, 8, 9], [0, 2, 1], [0, 5, 2, 3], "goes back"),
        ([7, 8, 9], [2, 1, 1], [0, 2, 2, 3], "ascend"),
        ([7, 8, 9], [1, 1, 1], [0, 2, 2, 3], "ascend"),
        ([7, 8, 9], [1, 2, 1], [0, 2, 2, 4], "3 stored"),
        ([7, 8, 9], [0, 2, 1], [0, -2, 2, 3], "goes back"),
        ([7, 8, 9], [0, 4, 1], [0, 1, 2, 3], "outside"),
        ([7, 8, 9], [0, -1, 1], [0, 1, 2, 3], "outside"),
        ([7, 8, 9], [0, 1], [0, 1, 2, 3], "indices have the shape"),
        ([7, 8, 9], [0, 1, 1], [0, 3], "indptr has the shape"),
    ],
)
def test_wrong_indices_of_csr_arrays_are_named(
    data: Any, indices: Any, indptr: Any, words: str
) -> None:
    x = nd.sparse.csr_matrix((data, indices, indptr), shape=(3, 4))
    with pytest.raises(mx.MXNetError, match=words):
        x.check_format()


@pytest.mark.parametrize("indices", [[1, 4], [1, -2], [1, 0], [1, 1], [1]])
def test_wrong_indices_of_rows_are_named(indices: list[int]) -> None:
    x = nd.sparse.row_sparse_array(([[1, 2], [3, 4]], indices), shape=(3, 2))
    with pytest.raises(mx.MXNetError, match="check_format"):
        x.check_format()


@given(
    st.lists(st.integers(-2, 6), max_size=5),
    st.lists(st.integers(-2, 6), min_size=4, max_size=4),
)
def test_indices_out_of_bounds_are_refused_before_they_are_used(
    indices: list[int], indptr: list[int]
) -> None:
    data = list(range(len(indices)))
    x = nd.sparse.csr_matrix((data, indices, indptr), shape=(3, 4))
    steps = np.diff(indptr)
    rises = indptr[0] == 0 and indptr[-1] == len(data) and bool((steps >= 0).all())
    sound = rises and all(0 <= i < 4 for i in indices)
    uses = (
        x.asnumpy,
        lambda: x + x,
        lambda: x * nd.ones((3, 4)),
        lambda: nd.dot(x, nd.ones((4, 2))),
        lambda: nd.dot(x, nd.ones((3, 2)), transpose_a=True),
        lambda: x.sum(axis=1),
        lambda: x.sum(axis=0),
        lambda: x[1:],
        lambda: nd.take(x, nd.array([0, 2])),
        lambda: nd.concat(x, x, dim=0),
        x.asscipy,
        lambda: nd.contrib.getnnz(x),
    )
    for use in uses:
        if sound:
            use()
        else:
            with pytest.raises(FormatError):
                use()


def test_a_slice_and_a_row_are_sparse_and_others_are_refused() -> None:
    x = csr()
    assert x[1].asnumpy().tolist() == [[2, 0, 0]]
    assert x[1:].stype == "csr"
    assert [len(row) for row in x] == [1, 1, 1]
    for key in ((0, 1), None, slice(0, 2, 2)):
        with pytest.raises(ValueError, match=r"CSRNDArray|indexing|behaviour"):
            x[key]
    with pytest.raises(mx.MXNetError, match=r"out of range"):
        x[3]


def test_methods_of_dense_arrays_alone_are_refused_by_name() -> None:
    x = csr()
    for use in (
        lambda: x.size,
        lambda: x.reshape((9,)),
        x.to_dlpack_for_read,
        x.__dlpack__,
        lambda: x.__setitem__(0, 1),
    ):
        with pytest.raises(NotImplementedError):
            use()


def test_assignment_takes_all_or_nothing() -> None:
    x = nd.sparse.zeros("row_sparse", (2, 2))
    x[:] = 3
    assert x.asnumpy().tolist() == [[3, 3], [3, 3]]
    with pytest.warns(UserWarning, match="not efficient"):
        x[:] = np.eye(2)
    assert x.asnumpy().tolist() == [[1, 0], [0, 1]]
    dense = nd.zeros((2, 2))
    dense[:] = x
    assert dense.asnumpy().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(mx.MXNetError, match="does not fit"):
        x[:] = nd.ones((3, 2))
    with pytest.raises(TypeError, match="row_sparse"):
        csr().copyto(nd.sparse.zeros("row_sparse", (3, 3)))


def test_a_number_is_refused_by_csr_arrays() -> None:
    with pytest.raises(ValueError, match="numeric"):
        csr()[:] = 1


@given(MATRICES, SPARSE)
def test_saved_arrays_come_back(tmp_path_factory: Any, matrix: Any, kind: str) -> None:
    file = str(tmp_path_factory.mktemp("saved") / "arrays")
    nd.save(file, {"a": nd.array(matrix).tostype(kind), "b": nd.array(matrix)})
    loaded = nd.load(file)
    assert [x.stype for x in loaded.values()] == [kind, "default"]
    assert (loaded["a"].asnumpy() == matrix).all()


def test_a_truncated_file_is_refused_at_every_byte(tmp_path: Path) -> None:
    file = tmp_path / "arrays"
    nd.save(str(file), [csr(), csr().todense().tostype("row_sparse")])
    whole = file.read_bytes()
    for length in range(len(whole)):
        with pytest.raises(FileFormatError):
            nd.load_frombuffer(whole[:length])


@given(st.data())
def test_a_damaged_file_is_refused_or_holds_a_sound_array(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(WHOLE) - 1))] = data.draw(st.integers(0, 255))
    with suppress(FileFormatError):
        for x in nd.load_frombuffer(bytes(damaged)):
            if x.stype != "default":
                x.stored.sound()


def _whole() -> bytes:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        nd.save(file.name, [csr(), csr().todense().tostype("row_sparse")])
        return Path(file.name).read_bytes()


WHOLE = _whole()


def test_an_operator_without_a_sparse_form_warns_that_it_computes_densely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.warns(UserWarning, match=r"exp: Storage type fallback(.|\n)*\[csr\]"):
        assert nd.exp(csr()).stype == "default"
    monkeypatch.setenv("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")
    nd.exp(csr())


def test_out_takes_the_result_in_its_own_kind() -> None:
    target = nd.sparse.zeros("csr", (3, 3))
    assert nd.elemwise_add(csr(), csr(), out=target) is target
    assert (target.asnumpy() == 2 * csr().asnumpy()).all()
    dense = nd.zeros((3, 3))
    nd.sparse.square(csr(), out=dense)
    assert (dense.asnumpy() == csr().asnumpy() ** 2).all()
    with pytest.raises(mx.MXNetError, match="shape"):
        nd.elemwise_add(csr(), csr(), out=nd.sparse.zeros("csr", (2, 3)))


def test_a_row_sparse_array_is_filled_whole() -> None:
    x = nd.sparse.zeros("row_sparse", (3, 2))
    assert nd.full((3, 2), 2, out=x) is x
    assert x.asnumpy().tolist() == [[2, 2]] * 3
    assert x.indices.asnumpy().tolist() == [0, 1, 2]
