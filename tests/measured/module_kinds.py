"""Modules: several contexts, requests for gradients, buckets, chains and modules written in Python."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_KINDS = (TypeError, RuntimeError, ValueError, KeyError, AssertionError)


def outcome(run: Callable[[], Any]) -> Any:
    """What a function returns, or the kind of the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run()
        except _KINDS as error:
            return next(kind.__name__ for kind in _KINDS if isinstance(error, kind))


def numbers(*shape: int) -> Any:
    """Some values."""
    return ((np.arange(np.prod(shape)).reshape(shape) * 7) % 5 / 4 - 0.5).astype("f")


def batch(mx: Any, size: int, width: int = 4, **options: Any) -> Any:
    """A batch of some values and labels."""
    labels = mx.nd.array(np.arange(size) % 3)
    return mx.io.DataBatch([mx.nd.array(numbers(size, width))], [labels], **options)


def network(mx: Any) -> Any:
    """A batch norm, which has auxiliary states, and a dense layer."""
    normalized = mx.sym.BatchNorm(mx.sym.var("data"), fix_gamma=False, name="bn")
    scores = mx.sym.FullyConnected(normalized, num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(scores, name="softmax")


def begin(mx: Any, module: Any) -> Any:
    """Give a module values that are neither alike nor random."""
    module.init_params(mx.init.One())
    arguments, states = module.get_params()
    values = {name: mx.nd.array(numbers(*array.shape)) for name, array in arguments.items()}
    module.set_params(values, states)
    return module


def parameters(module: Any) -> Any:
    """All values of a module's parameters and states."""
    arguments, states = module.get_params()
    return dict(sorted({**arguments, **states}.items()))


def divided(mx: Any, count: int, options: dict[str, Any], kvstore: Any, sizes: Any) -> Any:
    """Train on several contexts, with batches of several sizes."""
    module = mx.mod.Module(network(mx), context=[mx.cpu(i) for i in range(count)], **options)
    module.bind([("data", (6, 4))], [("softmax_label", (6,))], inputs_need_grad=True)
    begin(mx, module)
    module.init_optimizer(kvstore, "sgd", {"learning_rate": 0.5, "momentum": 0.9})
    metric = mx.metric.Accuracy()
    found = []
    for size in sizes:
        one = batch(mx, size)
        module.forward_backward(one)
        module.update()
        module.update_metric(metric, one.label)
        found += [module.get_outputs()[0], module.get_input_grads()[0]]
    group = module._exec_group
    return [
        found,
        parameters(module),
        metric.num_inst,
        [[piece.start, piece.stop] for piece in group.slices],
        module._update_on_kvstore,
        [len(block) for block in module.get_outputs(merge_multi_context=False)],
        module.output_shapes[0][1],
    ]


def presliced(mx: Any) -> Any:
    """Compute a list of batches, one a context."""
    module = mx.mod.Module(network(mx), context=[mx.cpu(0), mx.cpu(1)])
    module.bind([("data", (4, 4))], [("softmax_label", (4,))])
    begin(mx, module)
    several = [batch(mx, 2), batch(mx, 2)]
    several[1].data[0] += 1
    module.forward(several)
    metric = mx.metric.Accuracy()
    module.update_metric(metric, [one.label for one in several], pre_sliced=True)
    return [module.get_outputs()[0], metric.num_inst]


def requested(mx: Any, grad_req: Any, inputs: bool, training: bool) -> Any:
    """Ask for gradients in one of the forms; run backward twice."""
    module = mx.mod.Module(network(mx), fixed_param_names=["bn_beta"])
    module.bind(
        [("data", (2, 4))],
        [("softmax_label", (2,))],
        training,
        inputs_need_grad=inputs,
        grad_req=grad_req,
    )
    begin(mx, module)
    for _ in range(2 if training else 0):
        module.forward_backward(batch(mx, 2))
    group = module._exec_group
    return [dict(sorted(group.grad_req.items())), group.grad_arrays, group.input_grad_arrays]


def stateful(mx: Any, count: int) -> Any:
    """Set states, use them and get them."""
    x, state = mx.sym.var("data"), mx.sym.var("state")
    module = mx.mod.Module(
        mx.sym.Group([x + state, x * 2]),
        label_names=None,
        state_names=["state"],
        context=[mx.cpu(i) for i in range(count)],
    )
    module.bind([("data", (4, 2))], for_training=False)
    module.init_params()
    module.set_states(value=3)
    data = mx.io.DataBatch([mx.nd.ones((4, 2))])
    module.forward(data)
    found = [module.get_outputs()[0], module.get_states(merge_multi_context=False)]
    module.set_states(states=module.get_outputs(merge_multi_context=False)[:1])
    module.forward(data)
    return [*found, module.get_outputs()[0]]


def sentences(mx: Any, length: int) -> Any:
    """A network for sentences of one length."""
    words = mx.sym.Embedding(mx.sym.var("data"), input_dim=9, output_dim=4, name="words")
    scores = mx.sym.FullyConnected(mx.sym.mean(words, axis=1), num_hidden=3, name="scores")
    extra = scores + mx.sym.tanh(scores)  # which are numbered
    return mx.sym.SoftmaxOutput(extra, name="softmax"), ("data",), ("softmax_label",)


def sentence_batch(mx: Any, length: int, size: int = 4) -> Any:
    """A batch of a bucket."""
    data = mx.nd.array(np.arange(size * length).reshape(size, length) % 9)
    return mx.io.DataBatch(
        [data],
        [mx.nd.array(np.arange(size) % 3)],
        bucket_key=length,
        provide_data=[mx.io.DataDesc("data", (size, length))],
        provide_label=[mx.io.DataDesc("softmax_label", (size,))],
    )


def bucketing(mx: Any, **options: Any) -> Any:
    """A module with buckets, ready to be trained."""
    module = mx.mod.BucketingModule(lambda n: sentences(mx, n), default_bucket_key=6, **options)
    module.bind([("data", (4, 6))], [("softmax_label", (4,))])
    begin(mx, module)
    return module


def bucketed(mx: Any, count: int) -> Any:
    """Train on buckets in turn."""
    module = bucketing(mx, context=[mx.cpu(i) for i in range(count)])
    module.init_optimizer("local", "sgd", {"learning_rate": 0.5, "momentum": 0.9})
    found: list[Any] = []
    for length in (6, 3, 5, 3, 6):
        one = sentence_batch(mx, length)
        module.prepare(one)
        found.append(module._curr_bucket_key)
        module.forward_backward(one)
        module.update()
        found += [
            module._curr_bucket_key,
            module.get_outputs()[0].copy(),
            module.data_shapes[0].shape,
        ]
    return [found, parameters(module), sorted(module._buckets), module.symbol.list_outputs()]


def bucketed_before(mx: Any, step: str) -> Any:
    """Do something too early, or wrongly."""
    if step == "no key":
        return mx.mod.BucketingModule(lambda n: sentences(mx, n))
    module = mx.mod.BucketingModule(lambda n: sentences(mx, n), default_bucket_key=6)
    if step == "names":
        return [module.data_names, module.output_names, module.binded]
    if step == "forward":
        return module.forward(sentence_batch(mx, 3))
    if step == "symbol":
        return module.symbol
    if step == "shared":
        return module.bind([("data", (4, 6))], shared_module=bucketing(mx))
    return mx.mod.BucketingModule(lambda n: (sentences(mx, n)[0], ["nope"], None), 6)


def saved(mx: Any, how: str) -> Any:
    """Save a module with buckets, load it and compute with another bucket than was trained."""

    def generate(length: int) -> Any:
        return sentences(mx, length)

    module = bucketing(mx)
    module.forward(sentence_batch(mx, 3), is_train=False)
    expected = module.get_outputs()[0]
    with tempfile.TemporaryDirectory() as folder:
        module.save_checkpoint(f"{folder}/net", 7)
        files = sorted(path.name for path in Path(folder).iterdir())
        if how == "load":
            loaded = mx.mod.BucketingModule.load(f"{folder}/net", 7, generate, 6)
        else:
            symbols = {length: generate(length)[0] for length in (6, 3)}
            given = module.get_params()
            loaded = mx.mod.BucketingModule.load_dict(symbols, generate, 6, *given)
    ready = [loaded.binded, loaded.params_initialized]
    loaded.bind([("data", (4, 6))], [("softmax_label", (4,))], for_training=False)
    loaded.forward(sentence_batch(mx, 3), is_train=False)
    difference = abs(loaded.get_outputs()[0] - expected).sum()
    return [files, ready, difference, sorted(loaded._buckets)]


def rebound(mx: Any) -> Any:
    """Bind a module with buckets again, for other sizes."""
    module = bucketing(mx)
    module.forward(sentence_batch(mx, 3), is_train=False)
    module.bind([("data", (2, 6))], [("softmax_label", (2,))], force_rebind=True)
    module.forward(sentence_batch(mx, 5, 2), is_train=False)
    return [parameters(module), sorted(module._buckets), module.get_outputs()[0]]


def _chain(mx: Any) -> Any:
    first = mx.mod.Module(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="a"), label_names=None
    )
    scores = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3, name="b")
    second = mx.mod.Module(mx.sym.SoftmaxOutput(scores, name="softmax"), data_names=["x"])
    return mx.mod.SequentialModule().add(first).add(second, take_labels=True, auto_wiring=True)


def chained(mx: Any) -> Any:
    """Train two modules, one after the other."""
    module = _chain(mx)
    found: list[Any] = [module.data_names, module.output_names, module.binded]
    module.bind([("data", (2, 4))], [("softmax_label", (2,))])
    begin(mx, module)
    module.init_optimizer("local", "sgd", {"learning_rate": 0.5})
    metric = mx.metric.Accuracy()
    for size in (2, 2):
        one = batch(mx, size)
        module.forward_backward(one)
        module.update()
        module.update_metric(metric, one.label)
        found.append(module.get_outputs()[0])
    shapes = [[name, list(shape)] for name, shape in module.output_shapes]
    return [found, parameters(module), metric.num_inst, shapes]


def misused_chain(mx: Any, how: str) -> Any:
    """Use a chain wrongly."""
    module = mx.mod.SequentialModule()
    if how == "meta":
        return module.add(_chain(mx), take_label=True)
    if how == "empty":
        return module.bind([("data", (2, 4))])
    if how == "wiring":
        scores = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="a")
        halves = mx.mod.Module(mx.sym.SliceChannel(scores, num_outputs=3), label_names=None)
        module.add(halves).add(_chain(mx), auto_wiring=True)
        return module.bind([("data", (2, 4))])
    dense = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="same")
    for _ in range(2):
        module.add(mx.mod.Module(dense, label_names=None), auto_wiring=True)
    module.bind([("data", (2, 4))])
    return module.init_params()


def python_loss(mx: Any) -> Any:
    """Train through a loss that is written in Python."""
    scores = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="a")

    def hinge(values: Any, labels: Any) -> Any:
        right = mx.nd.one_hot(labels, 3)
        return (values - right).asnumpy()

    loss = mx.mod.PythonLossModule(grad_func=hinge)
    module = mx.mod.SequentialModule().add(mx.mod.Module(scores, label_names=None))
    module.add(loss, take_labels=True, auto_wiring=True)
    module.bind([("data", (2, 4))], [("softmax_label", (2,))])
    begin(mx, module)
    module.init_optimizer("local", "sgd", {"learning_rate": 0.5})
    metric = mx.metric.Accuracy()
    one = batch(mx, 2)
    module.forward_backward(one)
    module.update()
    module.update_metric(metric, one.label)
    shapes = [loss.data_shapes[0][1], loss.label_shapes[0][1], loss.output_shapes[0][1]]
    names = [loss.data_names, loss.output_names, loss.get_params()]
    return [parameters(module), module.get_outputs()[0], metric.num_inst, shapes, names]


def misused_loss(mx: Any, how: str) -> Any:
    """Use a loss in Python wrongly."""
    loss = mx.mod.PythonLossModule()
    shapes = [("data", (2, 3))], [("softmax_label", (2,))]
    if how == "names":
        return loss.bind([("x", (2, 3))], shapes[1])
    if how == "labels":
        return loss.bind(shapes[0], [("x", (2,))])
    if how == "request":
        return loss.bind(*shapes, grad_req="add")
    if how == "function":
        return mx.mod.PythonLossModule(grad_func=3)
    loss.bind(*shapes)
    loss.forward(batch(mx, 2, 3))
    if how == "unmerged":
        return loss.get_outputs(merge_multi_context=False)
    if how == "divided":
        return loss.update_metric(mx.metric.Accuracy(), [], pre_sliced=True)
    return loss.backward([mx.nd.ones((2, 3))] if how == "gradients" else None)


class Once:
    """An iterator's face: three batches, which are counted."""

    def __init__(self, mx: Any) -> None:
        self.events: list[Any] = []
        data = mx.io.NDArrayIter(numbers(6, 4), np.arange(6) % 3, 2)
        self.inner, self.batch_size = data, 2
        self.provide_data, self.provide_label = data.provide_data, data.provide_label

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        self.events.append("next")
        return self.inner.next()

    next = __next__

    def reset(self) -> None:
        self.events.append("reset")
        self.inner.reset()


def fitted(mx: Any) -> Any:
    """Record in which order `fit` resets, requests batches and calls callbacks."""
    data, module = Once(mx), mx.mod.Module(network(mx))
    module.fit(
        data,
        num_epoch=2,
        initializer=mx.init.One(),
        batch_end_callback=lambda p: data.events.append(
            [p.nbatch, p.eval_metric.num_inst, sorted({"self", "data_batch"} & set(p.locals))]
        ),
        epoch_end_callback=lambda epoch, *_: data.events.append(f"epoch {epoch}"),
    )
    return data.events


def predicted(mx: Any, kind: str) -> Any:
    """Predict from an array, or from something that cannot be predicted from."""
    module = mx.mod.Module(network(mx))
    module.bind([("data", (6, 4))], [("softmax_label", (6,))], for_training=False)
    begin(mx, module)
    given = {"numpy": numbers(6, 4), "array": mx.nd.array(numbers(6, 4)), "list": [1]}[kind]
    return module.predict(given)


def sized(mx: Any, case: str) -> Any:
    """Compute batches of other sizes than was bound."""
    simple = namedtuple("simple", ["data"])
    module = mx.mod.Module(mx.sym.var("data") * 2, label_names=None)
    module.bind([("data", (2, 4))], for_training=False)
    module.init_params()
    found = []
    for size in (2, 5, 1, 2):
        data = mx.nd.array(numbers(size, 4))
        one = simple([data]) if case == "simple" else mx.io.DataBatch([data])
        module.forward(one)
        found += [module.get_outputs()[0], module.data_shapes[0].shape]
    return found


GRAD_REQS: dict[str, Any] = {
    "write": "write",
    "add": "add",
    "null": "null",
    "list": ["write", "null", "write", "add", "write", "null"],
    "short list": ["write"],
    "number": 3,
    "by name": {"fc_bias": "add", "data": "write", "bn_gamma": "null"},
}


CONTEXTS: Any = (
    (1, None, "local"),
    (2, None, "local"),
    (2, None, None),
    (2, [1, 2], "device"),
    (3, None, "local"),
    (2, [1, 50], "local"),
    (2, [1], "local"),
)
BOUND = ((False, True), (True, True), (False, False), (True, False))
# What is measured with the values that follow it.
VARIED: dict[str, Any] = {
    "states on": (stateful, (1, 2)),
    "buckets on": (bucketed, (1, 2)),
    "buckets misused": (
        bucketed_before,
        ("no key", "names", "forward", "symbol", "shared", "wrong names"),
    ),
    "buckets saved": (saved, ("load", "load_dict")),
    "chain misused": (misused_chain, ("meta", "empty", "wiring", "twice")),
    "loss misused": (
        misused_loss,
        ("names", "labels", "request", "function", "unmerged", "divided", "gradients", ""),
    ),
    "predict": (predicted, ("numpy", "array", "list")),
    "sizes": (sized, ("batch", "simple")),
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    found: dict[str, Any] = {
        "lists of batches": lambda: presliced(mx),
        "fit": lambda: fitted(mx),
        "chain": lambda: chained(mx),
        "loss in Python": lambda: python_loss(mx),
        "buckets bound again": lambda: rebound(mx),
        "contexts: batches of other sizes": lambda: divided(mx, 2, {}, "local", (6, 4, 8, 6)),
    }
    for count, loads, kvstore in CONTEXTS:
        options = {} if loads is None else {"work_load_list": loads}
        found[f"contexts: {count}, loads {loads}, store {kvstore}"] = (
            lambda c=count, o=options, k=kvstore: divided(mx, c, o, k, (6, 6))
        )
    for (name, request), (inputs, training) in itertools.product(GRAD_REQS.items(), BOUND):
        found[f"gradients: {name}, of inputs {inputs}, training {training}"] = (
            lambda r=request, i=inputs, t=training: requested(mx, r, i, t)
        )
    for name, (run, values) in VARIED.items():
        for value in values:
            found[f"{name}: {value}"] = lambda run=run, value=value: run(mx, value)
    return {name: lambda run=run: outcome(run) for name, run in found.items()}
