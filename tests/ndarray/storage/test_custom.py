"""Operators written in Python take and return sparse arrays as their properties declare."""

from typing import Any

import pytest

import gluonic as mx
from gluonic import nd

SEEN: list[tuple[str, ...]] = []


class Square(mx.operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        SEEN.append(tuple(x.stype for x in (*in_data, *out_data, *aux)))
        self.assign(out_data[0], req[0], nd.square(in_data[0]))
        self.assign(out_data[1], req[1], in_data[0].tostype("default") * 2)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        SEEN.append(tuple(x.stype for x in (*out_grad, *in_data, *out_data, *in_grad)))
        x, a, b = (y.tostype("default") for y in (in_data[0], *out_grad))
        self.assign(in_grad[0], req[0], (2 * x * a + 2 * b).tostype(in_grad[0].stype))


@mx.operator.register("square_of_rows")
class SquareProp(mx.operator.CustomOpProp):
    def list_outputs(self) -> list[str]:
        return ["square", "double"]

    def infer_storage_type(self, in_stype: Any) -> Any:
        return ["row_sparse"], ["row_sparse", "default"], []

    def infer_storage_type_backward(self, *kinds: Any) -> Any:
        _, inputs, outputs, _, aux = kinds
        return ["row_sparse", "default"], inputs, outputs, ["row_sparse"], aux

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Square:
        return Square()


@mx.operator.register("square_wrongly_declared")
class WrongProp(SquareProp):
    def infer_storage_type(self, in_stype: Any) -> Any:
        return ["row_sparse"], ["row_sparse", "undefined"], []


@pytest.mark.parametrize("kind", ["row_sparse", "default"])
def test_arrays_have_the_kinds_that_are_declared_forward_and_back(kind: str) -> None:
    SEEN.clear()
    x = nd.array([[1, 2], [0, 0], [3, 4]]).tostype(kind)
    x.attach_grad(stype="row_sparse")
    with mx.autograd.record():
        square, double = nd.Custom(x, op_type="square_of_rows")
        total = (square.tostype("default") + double).sum()
    total.backward()
    assert [square.stype, double.stype, x.grad.stype] == ["row_sparse", "default", "row_sparse"]
    assert square.asnumpy().tolist() == [[1, 4], [0, 0], [9, 16]]
    assert x.grad.asnumpy().tolist() == [[4, 6], [2, 2], [8, 10]]
    rows, dense = "row_sparse", "default"
    assert [(rows, rows, dense), (rows, dense, rows, rows, dense, rows)] == SEEN


def test_a_graph_infers_what_the_properties_declare() -> None:
    net = mx.sym.Custom(mx.sym.var("data", stype="row_sparse"), op_type="square_of_rows")
    executor = net.simple_bind(mx.cpu(), data=(3, 2))
    executor.arg_dict["data"][:] = nd.array([[1, 2], [0, 0], [3, 4]])
    outputs = executor.forward(is_train=True)
    assert [output.stype for output in outputs] == ["row_sparse", "default"]
    executor.backward([nd.ones((3, 2)), nd.ones((3, 2))])
    assert executor.grad_dict["data"].asnumpy().tolist() == [[4, 6], [2, 2], [8, 10]]


def test_an_unknown_kind_is_refused_by_the_name_of_the_method() -> None:
    with pytest.raises(mx.MXNetError, match=r"WrongProp.infer_storage_type.*'undefined'"):
        nd.Custom(nd.ones((2, 2)).tostype("row_sparse"), op_type="square_wrongly_declared")


def test_the_properties_by_default_take_dense_arrays_alone() -> None:
    @mx.operator.register("plain_square")
    class _(mx.operator.CustomOpProp):
        pass

    with pytest.raises(mx.MXNetError, match="infer_storage_type"):
        nd.Custom(nd.ones((2, 2)).tostype("csr"), op_type="plain_square")
