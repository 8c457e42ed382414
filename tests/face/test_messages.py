"""Messages for faulty computations: shapes, dtypes, operators, hybrid_forward."""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.gluon import nn
from tests.face.wrong_programs import Function, Programs, check, ready

PROGRAMS = Programs()
wrong = PROGRAMS.wrong


# ------------------------------------------------------------------------------------ shapes


@wrong(
    ValueError, "in_units=5", "made for 7 input features, but the data has 5", "net_dense0_weight"
)
def an_eager_dense_layer_of_other_width(_: Path) -> None:
    ready(lambda: nn.Dense(3, in_units=7))(nd.ones((2, 5)))


@wrong(ValueError, "in block net/net_dense1", r"\(3, 7\) from net_dense1_weight", "in_units=4")
def a_hybrid_dense_layer_of_other_width(_: Path) -> None:
    ready(lambda: nn.Dense(4), lambda: nn.Dense(3, in_units=7), hybridize=True)(nd.ones((2, 5)))


@wrong(ValueError, r"shape \(2, 6\)", "made for 5 input features, but the data has 6")
def a_second_batch_of_other_width(_: Path) -> None:
    net = ready(lambda: nn.Dense(3), hybridize=True)
    net(nd.ones((2, 5)))
    net(nd.ones((2, 6)))


@wrong(ValueError, "made for 5 input features, but the data has 20", "all axes but the first")
def a_dense_layer_that_flattens(_: Path) -> None:
    ready(lambda: nn.Dense(3, in_units=5))(nd.ones((2, 4, 5)))


@wrong(
    ValueError, "made for 3 input channels, but the data has 1", "layout", "in block net/net_conv0"
)
def images_with_too_few_channels(_: Path) -> None:
    ready(lambda: nn.Conv2D(4, 3, in_channels=3))(nd.ones((2, 1, 8, 8)))


@wrong(ValueError, r"data is \(8, 8\), but kernel=\(3, 3\) needs 4 dimensions", "expand_dims")
def one_image_without_a_batch(_: Path) -> None:
    ready(lambda: nn.Conv2D(4, 3))(nd.ones((8, 8)))


@wrong(ValueError, r"kernel=\(9, 9\).* is larger than data \(1, 1, 8, 8\)", "larger images")
def a_window_larger_than_the_image(_: Path) -> None:
    ready(lambda: nn.Conv2D(4, 9), hybridize=True)(nd.ones((1, 1, 8, 8)))


@wrong(ValueError, "made for 3 channels, but the data has 4 on axis 1", "net_batchnorm0_gamma")
def a_batch_norm_of_other_width(_: Path) -> None:
    ready(lambda: nn.BatchNorm(in_channels=3))(nd.ones((2, 4)))


@wrong(
    ValueError, r"broadcast_add", r"\(2, 3\) and \(4,\) cannot be broadcast together", "expand_dims"
)
def a_sum_that_does_not_broadcast(_: Path) -> None:
    nd.ones((2, 3)) + nd.ones((4,))


@wrong(ValueError, "elemwise_sub", r"rhs: shape \(2, 1\) from mean", r"F\.broadcast_sub\(a, b\)")
def a_difference_of_symbols_that_would_broadcast(_: Path) -> None:
    Function(lambda F, x: x - F.mean(x, axis=1, keepdims=True))(nd.ones((2, 3)))


@wrong(ValueError, r"dot: .*\(2, 3\).*\(4, 5\)", "transpose_b=True")
def matrices_that_do_not_fit(_: Path) -> None:
    nd.dot(nd.ones((2, 3)), nd.ones((4, 5)))


@wrong(ValueError, r"Concat: .*\(2, 3\), \(3, 3\)", "another dim=")
def a_concatenation_along_the_wrong_axis(_: Path) -> None:
    nd.concat(nd.ones((2, 3)), nd.ones((3, 3)), dim=1)


@wrong(ValueError, r"size 6 into shape \(4, 2\)")
def a_reshape_to_another_size(_: Path) -> None:
    nd.ones((2, 3)).reshape((4, 2))


@wrong(
    ValueError, r"index is \(5,\) but must be \(4,\)", "as many samples", "softmaxcrossentropyloss"
)
def labels_of_another_batch(_: Path) -> None:
    gluon.loss.SoftmaxCrossEntropyLoss()(nd.ones((4, 3)), nd.ones((5,)))


@wrong(ValueError, r"\(5,\).*\(4, 3\)", "as many elements", "in block l2loss")
def targets_of_another_size(_: Path) -> None:
    gluon.loss.L2Loss()(nd.ones((4, 3)), nd.ones((5,)))


@wrong(ValueError, "weight is .3, 7. but must be .3, 5.", "from fc_weight", "in_units=5")
def shapes_bound_that_contradict(_: Path) -> None:
    sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc").simple_bind(
        mx.cpu(), x=(2, 5), fc_weight=(3, 7)
    )


# ------------------------------------------------------------------------------ dtypes, devices


@wrong(ValueError, "lhs float32, rhs float64", "astype")
def a_sum_of_two_dtypes(_: Path) -> None:
    nd.ones((2,)) + nd.ones((2,), dtype="float64")


@wrong(ValueError, "data float64, weight float32", r"net\.cast", "in block net/net_dense0")
def an_input_of_another_dtype(_: Path) -> None:
    ready(lambda: nn.Dense(3, in_units=2))(nd.ones((1, 2), dtype="float64"))


@wrong(ValueError, "dtype float64 from data", r"net\.cast", "in block net/net_dense0")
def a_hybrid_input_of_another_dtype(_: Path) -> None:
    ready(lambda: nn.Dense(3, in_units=2), hybridize=True)(nd.ones((1, 2), dtype="float64"))


@wrong(ValueError, "'flaot32' is not a dtype of gluonic", "did you mean 'float32'")
def a_dtype_misspelt(_: Path) -> None:
    nd.ones((2,), dtype="flaot32")


@wrong(mx.MXNetError, r"gpu\(0\)", r"use mx.cpu\(\)")
def an_array_on_a_gpu(_: Path) -> None:
    nd.ones((2,), ctx=mx.gpu(0))


@wrong(RuntimeError, r"net_dense0_weight.* is on \[cpu\(0\)\], not on cpu\(1\)", "as_in_context")
def an_input_on_another_context(_: Path) -> None:
    ready(lambda: nn.Dense(3, in_units=2))(nd.ones((1, 2), ctx=mx.cpu(1)))


@wrong(ValueError, r"several contexts: cpu\(1\), cpu\(2\)", "as_in_context")
def hybrid_inputs_on_several_contexts(_: Path) -> None:
    Function(lambda F, x, y: x + y)(nd.ones((2,), ctx=mx.cpu(1)), nd.ones((2,), ctx=mx.cpu(2)))


# ----------------------------------------------------------------------------------- operators


@wrong(AttributeError, "no 'sigmiod'; did you mean 'sigmoid'", "in block function")
def an_operator_misspelt(_: Path) -> None:
    Function(lambda F, x: F.sigmiod(x))(nd.ones((2,)))


@wrong(AttributeError, "gluonic.ndarray has no 'sofmax'; did you mean 'softmax'")
def an_operator_misspelt_eagerly(_: Path) -> None:
    nd.sofmax(nd.ones((2,)))  # type: ignore[attr-defined]


@wrong(TypeError, "Convolution: has no attribute 'strides'; did you mean 'stride'", "it has data")
def an_attribute_misspelt(_: Path) -> None:
    nd.Convolution(  # type: ignore[call-arg]
        nd.ones((1, 1, 5, 5)), nd.ones((1, 1, 3, 3)), kernel=(3, 3), num_filter=1, strides=(1, 1)
    )


@wrong(TypeError, "FullyConnected: has no attribute 'num_hiden'; did you mean 'num_hidden'")
def an_attribute_misspelt_in_a_graph(_: Path) -> None:
    sym.FullyConnected(sym.var("x"), num_hiden=3)  # type: ignore[call-arg]


@wrong(TypeError, "FullyConnected: needs the attribute num_hidden=")
def an_attribute_forgotten(_: Path) -> None:
    nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 3)), no_bias=True)


@wrong(ValueError, "Activation: act_type='rleu' must be one of .* did you mean 'relu'")
def an_activation_misspelt(_: Path) -> None:
    nd.Activation(nd.ones((2,)), act_type="rleu")


@wrong(TypeError, "relu: Argument data must have NDArray type, but is ndarray", r"mx\.nd\.array")
def a_numpy_array_for_an_operator(_: Path) -> None:
    nd.relu(np.ones(3))  # type: ignore[arg-type]


@wrong(TypeError, "must have NDArray type, but is list", r"mx\.nd\.array")
def a_list_for_an_operator(_: Path) -> None:
    nd.relu([1, 2])  # type: ignore[arg-type]


@wrong(ValueError, "truth value .* ambiguous", r"shape is \(3,\)", r"nd\.where")
def a_condition_on_an_array(_: Path) -> None:
    if nd.ones((3,)):
        pass


@wrong(IndexError, "index 5 is out of bounds for axis 0 with size 3", "from -3 to 2")
def an_index_beyond_the_end(_: Path) -> None:
    nd.ones((3,))[5]


@wrong(ValueError, r"not a scalar: its shape is \(2,\)", "asnumpy")
def the_number_of_an_array(_: Path) -> None:
    nd.ones((2,)).asscalar()


@wrong(mx.MXNetError, "no operator is registered as op_type='nope'", "import the module that has")
def a_custom_operator_that_is_not_registered(_: Path) -> None:
    nd.Custom(nd.ones((2,)), op_type="nope")


# ------------------------------------------------------------------------------- hybrid_forward


@wrong(AttributeError, "a Symbol has no 'shape'", r"F\.shape_array", "in block function")
def the_shape_of_a_symbol(_: Path) -> None:
    Function(lambda F, x: F.reshape(x, shape=(x.shape[0], -1)))(nd.ones((2, 3)))


@wrong(mx.MXNetError, "no truth value", r"F\.where or F\.contrib\.cond", "in block function")
def a_branch_on_a_symbol(_: Path) -> None:
    Function(lambda F, x: x if x.sum() > 0 else -x)(nd.ones((2, 3)))


@wrong(TypeError, "indexed by an output's number or name", r"F\.slice_axis", "in block function")
def an_element_of_a_symbol(_: Path) -> None:
    Function(lambda F, x: x[:, 0])(nd.ones((2, 3)))


@wrong(mx.MXNetError, "no item assignment", r"F\.where", "in block function")
def an_assignment_to_a_symbol(_: Path) -> None:
    def assign(F: Any, x: Any) -> Any:
        x[0] = 1
        return x

    Function(assign)(nd.ones((2, 3)))


@wrong(mx.MXNetError, r"no float\(\)", r"F\.broadcast_mul", "in block function")
def a_float_of_a_symbol(_: Path) -> None:
    Function(lambda F, x: x * float(x.max()))(nd.ones((2, 3)))


@wrong(mx.MXNetError, r"no asnumpy\(\)", "compute with NDArrays", "in block function")
def the_values_of_a_symbol(_: Path) -> None:
    Function(lambda F, x: x * x.asnumpy().max())(nd.ones((2, 3)))


@wrong(TypeError, r"np\.exp takes no Symbol; F\.exp does", r"mx\.sym\.exp", "in block function")
def a_numpy_function_of_a_symbol(_: Path) -> None:
    Function(lambda F, x: np.exp(x))(nd.ones((2, 3)))


@wrong(TypeError, r"np\.concatenate takes no Symbol; F\.concat does", "in block function")
def a_numpy_function_of_several_symbols(_: Path) -> None:
    Function(lambda F, x, y: np.concatenate([x, y]))(nd.ones((2, 3)), nd.ones((2, 3)))


@wrong(TypeError, "np.array takes no Symbol; it stands for a computation", "in block function")
def a_numpy_array_of_a_symbol(_: Path) -> None:
    Function(lambda F, x: x * np.asarray(x))(nd.ones((2, 3)))


@wrong(
    TypeError, "data must have NDArray type, but is Symbol", "operators of F within hybrid_forward"
)
def an_operator_of_nd_within_hybrid_forward(_: Path) -> None:
    Function(lambda F, x: nd.relu(x))(nd.ones((2, 3)))


@wrong(TypeError, "rhs must be a Symbol, not NDArray", r"self\.params\.get_constant")
def an_array_within_hybrid_forward(_: Path) -> None:
    Function(lambda F, x: F.broadcast_add(x, nd.ones((1, 3))))(nd.ones((2, 3)))


@wrong(mx.MXNetError, "returned nothing that depends on F", "return its results")
def a_forgotten_return(_: Path) -> None:
    Function(lambda F, x: None)(nd.ones((2, 3)))


class Forgetful(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__(prefix="forgetful_")
        self.weight = self.params.get("weight", shape=(3,), init="ones")
        self.initialize()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return x


@wrong(TypeError, "does not take the block's parameter 'weight'", r"hybrid_forward\(self, F, x\)")
def a_parameter_that_hybrid_forward_forgets(_: Path) -> None:
    Forgetful()(nd.ones((3,)))


class Hopeful(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return x * weight


@wrong(
    TypeError, "Hopeful: hybrid_forward wants 'weight'", r"self\.params\.get\('weight', shape=…\)"
)
def an_argument_without_a_parameter(_: Path) -> None:
    Hopeful()(nd.ones((3,)))


@wrong(TypeError, "called with 3 inputs, but hybrid_forward takes 2", "as many inputs as it takes")
def too_many_inputs(_: Path) -> None:
    Hopeful()(nd.ones((3,)), nd.ones((3,)), nd.ones((3,)))


@wrong(ValueError, "Dense: needs an NDArray or a Symbol", r"numpy\.ndarray", r"mx\.nd\.array")
def a_numpy_array_for_a_net(_: Path) -> None:
    nn.Dense(3)(np.ones((2, 3)))  # type: ignore[type-var]


@wrong(TypeError, "given NDArray, dict", "arrays, lists and tuples", r"list\(mapping\.values\(\)\)")
def a_dictionary_for_a_hybrid_net(_: Path) -> None:
    Function(lambda F, x, options: x)(nd.ones((2, 3)), {"a": 1})


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_error_states_the_cause_the_line_and_what_to_try(name: str, tmp_path: Path) -> None:
    check(PROGRAMS[name], tmp_path)


def test_an_unused_input_is_reported_at_the_users_line() -> None:
    net = Function(lambda F, x, y: x * 2)
    with pytest.warns(UserWarning, match="function: no operator reads input 1") as caught:
        net(nd.ones((2,)), nd.ones((2,)))
    line = sys._getframe().f_lineno - 1
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)]


@pytest.mark.filterwarnings("ignore:All children of this Sequential:UserWarning")
def test_the_path_of_blocks_leads_from_the_net_to_the_layer_in_every_mode() -> None:
    for hybridize in ("nothing", "the net", "a part"):
        net = nn.Sequential(prefix="outer_")
        with net.name_scope():
            inner = nn.HybridSequential(prefix="inner_")
            with inner.name_scope():
                inner.add(nn.Dense(2, in_units=2), nn.Dense(3, in_units=7))
            net.add(inner)
        net.initialize()
        if hybridize == "the net":
            net.hybridize()
        elif hybridize == "a part":
            inner[1].hybridize()
        with pytest.raises(mx.MXNetError) as caught:
            net(nd.ones((1, 2)))
        path = "in block outer/outer_inner/outer_inner_dense1"
        assert path in str(caught.value), hybridize
        assert str(caught.value).count("in block") == 1


def test_the_message_of_an_error_that_is_raised_again_is_written_once() -> None:
    net = ready(lambda: nn.Dense(3, in_units=7))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(mx.MXNetError) as caught:
                net(nd.ones((1, 2)))
            assert str(caught.value).count("File ") == 1
            assert str(caught.value).count("parameters of") == 1
