"""Writing with nets, files, stores, executors and operators of the user's, initializers and optimizers."""

import copy
import threading
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import gluonic as mx
from gluonic import autograd, gluon, nd
from tests.gluon.writing.ways import ONE_INPUT, SHAPE, SIZE, WAYS, Way, drawn, way


def _saved(net: Any, save: Callable[[Any, str], Any], load: Callable[[Any, str], Any]) -> None:
    with TemporaryDirectory() as folder:
        other = copy.copy(net.collect_params())
        values = {name: p.data().copy() for name, p in other.items()}
        net.weight.data()[:] = drawn()
        save(net, f"{folder}/net")
        for name, value in values.items():
            other[name].set_data(value)
        net(ONE_INPUT)
        load(net, f"{folder}/net")


@way
def load_parameters(parameter: Any, net: Any) -> None:
    _saved(net, lambda n, f: n.save_parameters(f), lambda n, f: n.load_parameters(f))


@way
def load_parameters_on_a_context(parameter: Any, net: Any) -> None:
    _saved(net, lambda n, f: n.save_parameters(f), lambda n, f: n.load_parameters(f, ctx=mx.cpu()))


@way
def load_dictionary(parameter: Any, net: Any) -> None:
    _saved(
        net,
        lambda n, f: n.collect_params().save(f),
        lambda n, f: n.collect_params().load(f),
    )


@way
def load_by_position(parameter: Any, net: Any) -> None:
    _saved(net, lambda n, f: n.save(f), lambda n, f: n.load(f))


@way
def load_dict(parameter: Any, net: Any) -> None:
    params = net.collect_params()
    params.load_dict({**{n: p.data() for n, p in params.items()}, parameter.name: drawn()})


@way
def write_through_a_block_that_shares_it(parameter: Any, net: Any) -> None:
    type(net)(prefix=net.prefix, params=net.params).weight.set_data(drawn())


@way
def kvstore_pull(parameter: Any, net: Any) -> None:
    store = mx.kv.create("local")
    store.init(0, drawn())
    store.pull(0, out=parameter.list_data())


@way
def kvstore_pushpull(parameter: Any, net: Any) -> None:
    store = mx.kv.create("local")
    store.init(0, nd.zeros(SHAPE))
    store.pushpull(0, drawn(), out=parameter.data())


@way
def kvstore_broadcast(parameter: Any, net: Any) -> None:
    mx.kv.create("device").broadcast(0, drawn(), out=parameter.list_data())


@way
def executor_copies(parameter: Any, net: Any) -> None:
    mx.sym.var("w").bind(mx.cpu(), {"w": parameter.data()}).copy_params_from({"w": drawn()})


@way
def executor_writes_a_gradient(parameter: Any, net: Any) -> None:
    x = mx.sym.var("x")
    gradients = {"x": parameter.data()}
    executor = (x * x).bind(mx.cpu(), {"x": drawn()}, args_grad=gradients)
    executor.forward(is_train=True)
    executor.backward(nd.ones(SHAPE))


@way
def executor_updates_a_state(parameter: Any, net: Any) -> None:
    mean = parameter.data().reshape((SIZE,))
    states = {"n_moving_mean": mean, "n_moving_var": nd.ones((SIZE,))}
    made = mx.sym.BatchNorm(mx.sym.var("x"), name="n", momentum=0.1)
    values = {"x": nd.ones((4, SIZE)) * 3, "n_gamma": nd.ones((SIZE,)), "n_beta": nd.ones((SIZE,))}
    made.bind(mx.cpu(), values, aux_states=states).forward(is_train=True)


@way
def batch_norm_updates_its_mean(parameter: Any, net: Any) -> None:
    mean = parameter.data().reshape((SIZE,))
    ones = nd.ones((SIZE,))
    with autograd.record():
        nd.BatchNorm(nd.ones((4, SIZE)) * 3, ones, ones, mean, ones.copy(), momentum=0.1)


@way
def compiled_batch_norm_updates_its_mean(parameter: Any, net: Any) -> None:
    layer = gluon.nn.BatchNorm(in_channels=SIZE, momentum=0.1)
    layer.initialize()
    layer.running_mean.list_data()[0] = parameter.data().reshape((SIZE,))
    layer.hybridize()
    with autograd.record():
        layer(nd.ones((4, SIZE)) * 3)


@way
def another_thread(parameter: Any, net: Any) -> None:
    def write() -> None:
        parameter.data()[:] = drawn()

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()


class _Scribbling(mx.operator.CustomOp):
    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        aux[0][:] = 3
        self.assign(out_data[0], req[0], in_data[0])


@mx.operator.register("scribbling_on_a_state")
class _ScribblingProp(mx.operator.CustomOpProp):
    def list_auxiliary_states(self) -> list[str]:
        return ["state"]

    def infer_shape(self, in_shape: Any) -> Any:
        return in_shape, in_shape, [SHAPE]

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> _Scribbling:
        return _Scribbling()


@way
def custom_operator_writes_its_state(parameter: Any, net: Any) -> None:
    nd.Custom(nd.ones((2,)), parameter.data(), op_type="scribbling_on_a_state")


@way
def custom_operator_assigns(parameter: Any, net: Any) -> None:
    mx.operator.CustomOp().assign(parameter.data(), "write", drawn())
    mx.operator.CustomOp().assign(parameter.data(), "add", drawn())


# Initializers and optimizers

INITIALIZERS = {
    "zeros": "zeros", "ones": "ones", "constant": mx.init.Constant(2), "uniform": "uniform",
    "normal": "normal", "orthogonal": "orthogonal", "xavier": "xavier",
    "xavier gaussian": mx.init.Xavier("gaussian"), "msra": mx.init.MSRAPrelu(), "bilinear": "bilinear",
    "lstm": mx.init.LSTMBias(), "load": mx.init.Load({"weight": nd.ones(SHAPE) * 3}),
    "mixed": mx.init.Mixed([".*"], [mx.init.One()]),
}  # fmt: skip


def _initialized(init: Any) -> Way:
    made = mx.init.create(init) if isinstance(init, str) else init
    return lambda parameter, _: made(mx.init.InitDesc("weight"), parameter.data())


def _trained(name: str) -> Way:
    def train(parameter: Any, net: Any) -> None:
        trainer = gluon.Trainer({"w": parameter}, name, {"learning_rate": 0.5})
        for _ in range(2):
            parameter.grad()[:] = drawn()
            trainer.step(1, ignore_stale_grad=True)
            parameter.data()._fresh_grad = True
        trainer.step(1)

    return train


def _updated(name: str) -> Way:
    def update(parameter: Any, net: Any) -> None:
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.5))
        updater(0, drawn().reshape((8, 27)), parameter.data().reshape((8, 27)))

    return update


WAYS |= {f"initializer {name}": _initialized(init) for name, init in INITIALIZERS.items()}
OPTIMIZERS = sorted(set(mx.optimizer.Optimizer.opt_registry) - {"test"})
WAYS |= {f"trainer {name}": _trained(name) for name in OPTIMIZERS if name != "groupadagrad"}
WAYS |= {f"updater {name}": _updated(name) for name in OPTIMIZERS}
