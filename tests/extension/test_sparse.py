"""Libraries' operators read and create sparse arrays."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import autograd, nd, sym
from gluonic.graph.errors import MXNetError
from tests.extension.building import Builder

X = [[1, 3, 0, 2, 1], [0, 1, 0, 0, 0], [0, 2, 4, 5, 3]]
NAMES = {"csr": "my_transposecsr", "row_sparse": "my_transposerowsp"}


@pytest.fixture
def transpose(build: Builder) -> None:
    mx.library.load(build("transpose"), verbose=False)


@pytest.mark.usefixtures("transpose")
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(["csr", "row_sparse"]), st.integers(1, 7), st.integers(1, 7), st.integers(0, 9)
)
def test_matrices_are_transposed_as_they_are_stored(
    kind: str, rows: int, columns: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x = random.integers(0, 3, (rows, columns)) * random.integers(0, 2, (rows, 1))
    found = getattr(nd, NAMES[kind])(nd.array(x).tostype(kind))
    assert found.stype == kind
    assert found.asnumpy().tolist() == x.T.tolist()
    found.check_format()


@pytest.mark.usefixtures("transpose")
def test_a_graph_keeps_the_state_and_the_storage(capfd: Any) -> None:
    x = nd.array(X).tostype("csr")
    executor = sym.my_state_transposecsr(sym.var("d"), test_kw=200).bind(mx.cpu(), {"d": x})
    for _ in range(2):
        (found,) = executor.forward()
    assert found.stype == "csr"
    assert found.asnumpy().T.tolist() == X
    assert [line[-3:] for line in capfd.readouterr().out.splitlines()] == ["201", "202"]


@pytest.mark.usefixtures("transpose")
@pytest.mark.parametrize(("kind", "code"), [("default", 0), ("row_sparse", 1)])
def test_other_storage_types_are_refused_with_the_librarys_message(kind: str, code: int) -> None:
    with pytest.raises(MXNetError, match=f"storage type {code} is given where 2 is needed"):
        nd.my_transposecsr(nd.array(X).tostype(kind))


def test_an_operator_without_inferstype_gets_dense_copies(build: Builder) -> None:
    mx.library.load(build("relu"), verbose=False)
    x = nd.array(X).tostype("csr")
    x.attach_grad(stype="default")
    with pytest.warns(UserWarning, match="fallback"), autograd.record():
        y = nd.my_relu(x)
    y.backward()
    assert y.stype == "default"
    assert x.grad.asnumpy().tolist() == (np.array(X) > 0).tolist()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"index": 1, "starts": 3, "column": 1}, "alloc_sparse.*goes with no output"),
        ({"index": 0, "starts": 0, "column": 1}, "alloc_sparse.*goes with no output"),
        ({"index": 0, "starts": 4, "column": 1}, "indptr has the shape"),
        ({"index": 0, "starts": 3, "column": 9}, "outside of 0 to 2"),
    ],
)
def test_wrong_parts_are_refused(build: Builder, attributes: dict[str, int], message: str) -> None:
    mx.library.load(build("sparse"), verbose=False)
    right = nd.faulty_csr(nd.ones((2, 3)), index=0, starts=3, column=2)
    assert right.indices.asnumpy().tolist() == [0, 2]
    with pytest.raises(MXNetError, match=message):
        nd.faulty_csr(nd.ones((2, 3)), **attributes)


OPERATORS = ["doubled", "doubled_with_state"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kind", ["csr", "row_sparse", "default"])
def test_the_backward_gets_and_makes_gradients_as_they_are_stored(
    build: Builder, name: str, kind: str, recwarn: pytest.WarningsRecorder
) -> None:
    mx.library.load(build("sparse"), verbose=False)
    x = nd.array(X).tostype(kind)
    buffer = nd.zeros(x.shape) if kind == "default" else nd.sparse.zeros(kind, x.shape)
    autograd.mark_variables([x], [buffer])
    with autograd.record():
        y = getattr(nd, name)(x)
    head = nd.array([[1, 0, 0, 0, 0], [0] * 5, [0, 2, 0, 0, 3]])
    y.backward(head.tostype(kind))
    assert y.stype == x.grad.stype == kind
    assert x.grad.asnumpy().tolist() == (2 * head).asnumpy().tolist()
    if kind == "csr":
        assert x.grad.indices.asnumpy().tolist() == [0, 1, 4]
    if kind == "row_sparse":
        assert x.grad.indices.asnumpy().tolist() == [0, 2]
    assert not [w for w in recwarn if "fallback" in str(w.message)]


@pytest.mark.parametrize("name", OPERATORS)
def test_a_dense_gradient_of_a_sparse_output_is_passed_unchanged(build: Builder, name: str) -> None:
    mx.library.load(build("sparse"), verbose=False)
    x = nd.array(X).tostype("csr")
    x.attach_grad(stype="default")
    with autograd.record():
        y = getattr(nd, name)(x)
    y.backward(nd.ones(x.shape))
    assert x.grad.asnumpy().tolist() == [[2] * 5] * 3


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("kind", ["csr", "default"])
def test_gradients_that_the_library_does_not_take_are_refused_with_its_message(
    build: Builder, kind: str, hybridize: bool
) -> None:
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.doubled(x, refuses=1)

    mx.library.load(build("sparse"), verbose=False)
    net = Net()
    if hybridize:
        net.hybridize(compile_at_once=True)
    x = nd.array(X).tostype(kind)
    x.attach_grad(stype="default")

    def run() -> None:
        with autograd.record():
            y = net(x)
        y.backward(nd.ones(x.shape))

    with pytest.raises(MXNetError, match="must be csr"):
        run()
