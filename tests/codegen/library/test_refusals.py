"""What cannot be in a library is listed with the user's lines, before anything is written."""

from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon
from gluonic.codegen.library.refusals import LibraryError


class Factoring(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        first, _ = F.linalg.gelqf(x)
        second, _ = F.linalg.gelqf(x * 2)
        return F.linalg.det(F.dot(first, second, transpose_b=True))


class Noisy(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.broadcast_add(x, F.random.normal(shape=(1, 4)))


class Choosing(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.contrib.boolean_mask(x, x.sum(axis=1))


def refusal(net: gluon.HybridBlock, folder: Path) -> str:
    net.initialize()
    net.hybridize()
    with pytest.raises(LibraryError) as refused:
        net.export_library(str(folder / "net.o"), mx.nd.ones((2, 4)))
    assert not [*folder.iterdir()]
    return str(refused.value)


def test_operators_that_python_runs_are_counted_and_located(tmp_path: Path) -> None:
    message = refusal(Factoring(), tmp_path)
    assert "3 things" in message
    assert "_linalg_gelqf ×2" in message
    assert "_linalg_det ×1" in message
    assert message.count("test_refusals.py") >= 3
    assert "docs/native.md" in message


def test_random_numbers_are_refused_by_name(tmp_path: Path) -> None:
    assert "normal" in refusal(Noisy(), tmp_path)


def test_shapes_that_depend_on_data_are_refused(tmp_path: Path) -> None:
    assert "boolean_mask" in refusal(Choosing(), tmp_path)


def test_custom_operators_are_refused_by_name(tmp_path: Path) -> None:
    class Twice(mx.operator.CustomOp):
        def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
            self.assign(out_data[0], req[0], in_data[0] * 2)

    class TwiceProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Twice:
            return Twice()

    mx.operator.register("library_twice")(TwiceProp)

    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.Custom(x, op_type="library_twice")

    assert "Custom ×1" in refusal(Net(), tmp_path)


def test_bfloat16_is_refused(tmp_path: Path) -> None:
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x.astype("bfloat16")

    assert "bfloat16" in refusal(Net(), tmp_path)


def test_dropout_and_batch_norm_are_those_of_prediction(tmp_path: Path) -> None:
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(3), gluon.nn.BatchNorm(), gluon.nn.Dropout(0.5))
    net.initialize()
    net.hybridize()
    x = mx.nd.ones((2, 4))
    net(x)
    with mx.autograd.train_mode():
        assert net.export_library(str(tmp_path / "net.o"), x).library.is_file()
