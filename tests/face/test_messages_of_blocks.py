"""Messages for programs that build, save, load or train nets wrongly."""

from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn
from tests.face import test_messages
from tests.face.wrong_programs import Function, Programs, check, ready

PROGRAMS = Programs()
wrong = PROGRAMS.wrong


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


@wrong(mx.MXNetError, "frozen, for their grad_req is 'null': .*net_dense0_bias.*net_dense0_weight")
def a_backward_with_all_parameters_frozen(_: Path) -> None:
    net = ready(lambda: nn.Dense(3, in_units=2))
    net.collect_params().setattr("grad_req", "null")
    with autograd.record():
        loss = net(nd.ones((1, 2))).sum()
    loss.backward()


@wrong(mx.MXNetError, "frozen, for their grad_req is 'null': .*net_dense0_bias.*net_dense0_weight")
def a_hybrid_backward_with_all_parameters_frozen(_: Path) -> None:
    net = ready(lambda: nn.Dense(3, in_units=2), hybridize=True)
    net.collect_params().setattr("grad_req", "null")
    with autograd.record():
        loss = net(nd.ones((1, 2)))
    loss.backward()


@wrong(TypeError, r"Trainer: batch_size='2' must be a number")
def a_step_with_a_batch_size_that_is_text(_: Path) -> None:
    gluon.Trainer({}, "sgd").step("2")  # type: ignore[arg-type]


@wrong(ZeroDivisionError, r"Trainer: gradients cannot be divided by batch_size=0")
def a_step_with_a_batch_of_nothing(_: Path) -> None:
    gluon.Trainer({}, "sgd").step(0)


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_error_states_the_cause_the_line_and_what_to_try(name: str, tmp_path: Path) -> None:
    check(PROGRAMS[name], tmp_path)


def test_there_are_at_least_as_many_programs_as_required() -> None:
    assert len(PROGRAMS) + len(test_messages.PROGRAMS) >= 60
