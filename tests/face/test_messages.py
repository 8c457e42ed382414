"""Sixty-odd programs that are wrong as users' programs are: what each is told, where, and what to try."""

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn


class Wrong(NamedTuple):
    program: Callable[[Path], Any]
    kind: type[Exception]
    says: tuple[str, ...]


WRONG: dict[str, Wrong] = {}


def wrong(kind: type[Exception], *says: str) -> Callable[[Callable[[Path], Any]], Any]:
    """Enter a wrong program with the kind of its error and what the message must say."""

    def enter(program: Callable[[Path], Any]) -> Callable[[Path], Any]:
        WRONG[program.__name__] = Wrong(program, kind, says)
        return program

    return enter


def ready(*layers: Any, hybridize: bool = False) -> Any:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for make in layers:
            net.add(make())
    net.initialize()
    net.hybridize(hybridize)
    return net


class Function(gluon.HybridBlock):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(prefix="function_")
        self._function = function
        self.hybridize()

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return self._function(F, x, *args)


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


@wrong(ValueError, "'flaot32' is no dtype", "did you mean 'float32'")
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
    nd.sofmax(nd.ones((2,)))


@wrong(TypeError, "Convolution: has no attribute 'strides'; did you mean 'stride'", "it has data")
def an_attribute_misspelt(_: Path) -> None:
    nd.Convolution(
        nd.ones((1, 1, 5, 5)), nd.ones((1, 1, 3, 3)), kernel=(3, 3), num_filter=1, strides=(1, 1)
    )


@wrong(TypeError, "FullyConnected: has no attribute 'num_hiden'; did you mean 'num_hidden'")
def an_attribute_misspelt_in_a_graph(_: Path) -> None:
    sym.FullyConnected(sym.var("x"), num_hiden=3)


@wrong(TypeError, "FullyConnected: needs the attribute num_hidden=")
def an_attribute_forgotten(_: Path) -> None:
    nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 3)), no_bias=True)


@wrong(ValueError, "Activation: act_type='rleu' must be one of .* did you mean 'relu'")
def an_activation_misspelt(_: Path) -> None:
    nd.Activation(nd.ones((2,)), act_type="rleu")


@wrong(TypeError, "relu: Argument data must have NDArray type, but is ndarray", r"mx\.nd\.array")
def a_numpy_array_for_an_operator(_: Path) -> None:
    nd.relu(np.ones(3))


@wrong(TypeError, "must have NDArray type, but is list", r"mx\.nd\.array")
def a_list_for_an_operator(_: Path) -> None:
    nd.relu([1, 2])


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
    nn.Dense(3)(np.ones((2, 3)))


@wrong(TypeError, "given NDArray, dict", "arrays, lists and tuples", r"list\(mapping\.values\(\)\)")
def a_dictionary_for_a_hybrid_net(_: Path) -> None:
    Function(lambda F, x, options: x)(nd.ones((2, 3)), {"a": 1})


# ------------------------------------------------------------------------------ making blocks


@wrong(ValueError, "children of a HybridBlock must be HybridBlocks", r"nn\.Sequential instead")
def a_plain_block_within_a_hybrid_one(_: Path) -> None:
    nn.HybridSequential().add(nn.Sequential())


@wrong(TypeError, r"Net\.layer: is a Dense and cannot become a int", "another name")
def a_child_replaced_by_a_number(_: Path) -> None:
    class Net(gluon.HybridBlock):
        pass

    net = Net()
    net.layer = nn.Dense(3)
    net.layer = 3


@wrong(
    AttributeError,
    "self.layer is set before the block is made",
    r"super\(\).__init__\(\*\*kwargs\)",
)
def a_block_without_super(_: Path) -> None:
    class Net(gluon.HybridBlock):
        def __init__(self) -> None:
            self.layer = nn.Dense(3)

    Net()


@wrong(NotImplementedError, "Net: no hybrid_forward is written", "def hybrid_forward")
def a_block_without_hybrid_forward(_: Path) -> None:
    class Net(gluon.HybridBlock):
        pass

    Net()(nd.ones((2,)))


@wrong(NotImplementedError, "Net: no forward is written", "def forward")
def a_block_without_forward(_: Path) -> None:
    class Net(gluon.Block):
        pass

    Net()(nd.ones((2,)))


@wrong(ValueError, "two different parameters named 'a_weight'", r"\(4, 0\)", r"name_scope\(\)")
def two_layers_of_one_name(_: Path) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, prefix="a_"), nn.Dense(4, prefix="a_"))
    net.collect_params()


@wrong(ValueError, "no flag 'static_aloc'; did you mean 'static_alloc'", "it has static_alloc")
def a_flag_misspelt(_: Path) -> None:
    nn.Dense(3).hybridize(static_aloc=True)


# ------------------------------------------------------------------------------- parameters


@wrong(RuntimeError, "net_dense0_weight': has not been initialized", r"net\.initialize\(\)")
def a_net_that_is_not_initialized(_: Path) -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=2))
    net.hybridize()
    net(nd.ones((1, 2)))


@wrong(gluon.DeferredInitializationError, r"\(3, 0\) \(0 is unknown\)", "one batch through the net")
def a_value_before_the_first_batch(_: Path) -> None:
    ready(lambda: nn.Dense(3))[0].weight.data()


@wrong(ValueError, r"function_scale: \(\?,\), read by broadcast_mul", "give their whole shapes")
def a_shape_that_does_not_follow(_: Path) -> None:
    net = Function(lambda F, x: x)
    net.scale = net.params.get("scale", shape=(0,), allow_deferred_init=True)
    net.__class__ = Scaling
    net.initialize()
    net(nd.ones((2, 3)))


class Scaling(Function):
    def hybrid_forward(self, F: Any, x: Any, *args: Any, scale: Any = None) -> Any:
        return F.broadcast_mul(x, scale)


@wrong(ValueError, "no initializer 'xaver' is registered; did you mean 'xavier'")
def an_initializer_misspelt(_: Path) -> None:
    nn.Dense(3, in_units=3).initialize(init="xaver")


@wrong(RuntimeError, "no gradient, for its grad_req is 'null'", "grad_req='write'")
def the_gradient_of_what_is_frozen(_: Path) -> None:
    net = ready(lambda: nn.Dense(3, in_units=3))
    net[0].weight.grad_req = "null"
    net[0].weight.grad()


# ------------------------------------------------------------------------------------- files


def _saved(folder: Path, *layers: Any) -> str:
    path = str(folder / "net.params")
    ready(*layers).save_parameters(path)
    return path


@wrong(AssertionError, r"net\.params", r"missing in the file: 1\.weight", "allow_missing=True")
def a_file_with_too_few_parameters(folder: Path) -> None:
    path = _saved(folder, lambda: nn.Dense(3, in_units=2))
    ready(lambda: nn.Dense(3), lambda: nn.Dense(4)).load_parameters(path)


@wrong(ValueError, r"not in the net: 1\.weight", "ignore_extra=True")
def a_file_with_too_many_parameters(folder: Path) -> None:
    path = _saved(folder, lambda: nn.Dense(3, in_units=2), lambda: nn.Dense(4, in_units=3))
    ready(lambda: nn.Dense(3)).load_parameters(path)


@wrong(
    AssertionError, r"holds the shape \(3, 2\), the net needs \(3, 5\)", "build the net as it was"
)
def a_file_of_another_shape(folder: Path) -> None:
    path = _saved(folder, lambda: nn.Dense(3, in_units=2))
    ready(lambda: nn.Dense(3, in_units=5)).load_parameters(path)


@wrong(AssertionError, "holds float32, the net needs float16", "cast_dtype=True")
def a_file_of_another_dtype(folder: Path) -> None:
    path = _saved(folder, lambda: nn.Dense(3, in_units=2))
    net = ready(lambda: nn.Dense(3, in_units=2))
    net.cast("float16")
    net.load_parameters(path)


@wrong(OSError, r"nowhere\.params", "No such file")
def a_file_that_is_not_there(folder: Path) -> None:
    ready(lambda: nn.Dense(3)).load_parameters(str(folder / "nowhere.params"))


@wrong(ValueError, r"net\.params", "truncated")
def a_file_that_is_truncated(folder: Path) -> None:
    path = _saved(folder, lambda: nn.Dense(3, in_units=2))
    Path(path).write_bytes(Path(path).read_bytes()[:-9])
    ready(lambda: nn.Dense(3)).load_parameters(path)


@wrong(RuntimeError, "no graph to export yet", r"net\.hybridize\(\) and one batch")
def an_export_before_the_first_batch(folder: Path) -> None:
    ready(lambda: nn.Dense(3), hybridize=True).export(str(folder / "net"))


def _exported(folder: Path) -> tuple[str, str]:
    net = Function(lambda F, x, y: x + y)
    net(nd.ones((2,)), nd.ones((2,)))
    return net.export(str(folder / "net"))


@wrong(ValueError, "the graph has no input 'data'", r"input_names=\['data0', 'data1'\]")
def an_import_with_other_input_names(folder: Path) -> None:
    graph, values = _exported(folder)
    gluon.SymbolBlock.imports(graph, ["data"], values)


@wrong(AssertionError, "reads data1, and the file has no such parameter", "if they are inputs")
def an_import_with_an_input_forgotten(folder: Path) -> None:
    graph, values = _exported(folder)
    gluon.SymbolBlock.imports(graph, ["data0"], values)


@wrong(ValueError, r"SymbolBlock: takes 2 arrays \(data0, data1\), not 1", "as many arrays")
def an_imported_net_with_an_input_forgotten(folder: Path) -> None:
    graph, values = _exported(folder)
    gluon.SymbolBlock.imports(graph, ["data0", "data1"], values)(nd.ones((2,)))


# ---------------------------------------------------------------------------------- training


@wrong(mx.MXNetError, "not computed under autograd.record", r"shape \(2,\)", "attach_grad")
def a_backward_without_a_recording(_: Path) -> None:
    x = nd.ones((2,))
    x.attach_grad()
    (x * 2).backward()


@wrong(mx.MXNetError, "an earlier backward has freed the graph", "retain_graph=True")
def a_second_backward(_: Path) -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = x * x
    y.backward()
    y.backward()


@wrong(mx.MXNetError, "would spoil its gradients", r"x = x \+ y")
def an_assignment_while_recording(_: Path) -> None:
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        x += 1


@wrong(UserWarning, "have not been computed by backward", "net_dense0_weight", "ignore_stale_grad")
def a_step_without_backward(_: Path) -> None:
    net = ready(lambda: nn.Dense(3, in_units=2))
    gluon.Trainer(net.collect_params(), "sgd").step(1)


# ----------------------------------------------------------------------------------- symbols


@wrong(ValueError, "args lacks 'b'", "the graph has a, b", "simple_bind")
def a_binding_without_an_argument(_: Path) -> None:
    (sym.var("a") + sym.var("b")).bind(mx.cpu(), {"a": nd.ones((2,))})


@wrong(
    mx.MXNetError, "infer_shape: there is no argument 'y'", "the arguments: x, fc_weight, fc_bias"
)
def a_shape_for_an_unknown_argument(_: Path) -> None:
    sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc").infer_shape(y=(2, 5))


@wrong(ValueError, "has no output 'relu0_ouput'; did you mean 'relu0_output'")
def an_output_misspelt(_: Path) -> None:
    with mx.name.NameManager():
        sym.relu(sym.var("x")).get_internals()["relu0_ouput"]


def _lines(program: Callable[..., Any]) -> set[int]:
    """The lines of this file that belong to a program and to the blocks it uses."""
    first = program.__code__.co_firstlineno
    lines = Path(__file__).read_text().splitlines()
    last = next(
        (n for n in range(first + 1, len(lines)) if re.match(r"(@wrong|class |def _)", lines[n])),
        len(lines),
    )
    return set(range(first, last + 1))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_told_what_where_and_what_to_try(name: str, tmp_path: Path) -> None:
    program, kind, says = WRONG[name]
    with pytest.raises(kind) as caught:
        program(tmp_path)
    message = str(caught.value)
    for pattern in says:
        assert re.search(pattern, message), f"{pattern!r} is not in:\n{message}"
    found = [int(n) for n in re.findall(rf'File "{re.escape(__file__)}", line (\d+)', message)]
    assert found, f"no line of the user's in:\n{message}"
    assert _lines(program) & set(found), f"another program's line in:\n{message}"
    assert "gluonic/" not in re.sub(r"tests/|/tmp\S*", "", message.replace(__file__, ""))


def test_there_are_as_many_programs_as_promised() -> None:
    assert len(WRONG) >= 60


def test_an_input_that_nothing_reads_is_told_at_the_users_line() -> None:
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


def test_errors_that_are_caught_and_raised_again_are_told_once() -> None:
    net = ready(lambda: nn.Dense(3, in_units=7))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(mx.MXNetError) as caught:
                net(nd.ones((1, 2)))
            assert str(caught.value).count("File ") == 1
            assert str(caught.value).count("parameters of") == 1
