"""Iterators return csr batches of csr arrays and of files of sparse rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import gluonic as mx
from gluonic import nd

ROWS = np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, 0], [0, 0, 3], [4, 5, 0]], np.float32)


@pytest.mark.parametrize(
    "make", [lambda: nd.array(ROWS).tostype("csr"), lambda: sparse.csr_matrix(ROWS)]
)
def test_batches_of_csr_arrays_are_csr(make: Any) -> None:
    batches = mx.io.NDArrayIter(
        {"a": make(), "b": ROWS}, ROWS[:, 0], 2, last_batch_handle="discard"
    )
    found = [batch.data for batch in batches]
    assert [(a.stype, b.stype) for a, b in found] == [("csr", "default")] * 2
    assert (np.vstack([a.asnumpy() for a, _ in found]) == ROWS[:4]).all()


def test_shuffled_csr_batches_have_the_rows_of_the_dense_ones() -> None:
    np.random.seed(4)
    batches = mx.io.NDArrayIter(
        {"a": nd.array(ROWS).tostype("csr"), "b": ROWS}, None, 2, True, "discard"
    )
    for batch in batches:
        a, b = batch.data
        assert (a.asnumpy() == b.asnumpy()).all()


def test_data_that_cannot_be_csr_batches_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="discard"):
        mx.io.NDArrayIter(nd.array(ROWS).tostype("csr"), None, 2)
    with pytest.raises(TypeError, match="row_sparse"):
        mx.io.NDArrayIter(nd.array(ROWS).tostype("row_sparse"), None, 2)


def test_rows_of_a_libsvm_file_are_csr(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    file.write_text("1 0:0.5 2:1.2\n-2\n3 2:-1 1:0\n")
    batch = mx.io.LibSVMIter(str(file), (3,), 3).next()
    (data,), (label,) = batch.data, batch.label or ()
    assert (data.stype, label.stype) == ("csr", "default")
    data.check_format()
    assert np.allclose(data.asnumpy(), np.array([[0.5, 0, 1.2], [0, 0, 0], [0, 0, -1]]))
    assert data.indptr.asnumpy().tolist() == [0, 2, 2, 4]
    both = mx.io.LibSVMIter(str(file), (3,), 3, str(file), (3,)).next()
    assert [x.stype for x in both.label or ()] == ["csr"]
