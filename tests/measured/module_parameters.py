"""Modules: which parameters they take, initialize, keep or refuse; what one that shares another's does."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

_KINDS = (TypeError, RuntimeError, ValueError, AssertionError)  # of errors, the first one that fits


def outcome(run: Any) -> Any:
    """What a function returns, or the kind of the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run()
        except _KINDS as error:
            return next(kind.__name__ for kind in _KINDS if isinstance(error, kind))


def network(mx: Any) -> Any:
    """A batch norm, which has auxiliary states, and a dense layer."""
    normalized = mx.sym.BatchNorm(mx.sym.var("data"), fix_gamma=False, name="bn")
    scores = mx.sym.FullyConnected(normalized, num_hidden=2, name="fc")
    return mx.sym.SoftmaxOutput(scores, name="softmax")


def bound(mx: Any, batch: int = 2, **options: Any) -> Any:
    """A module with room for batches of a size."""
    module = mx.mod.Module(network(mx))
    module.bind([("data", (batch, 4))], [("softmax_label", (batch,))], **options)
    return module


def values(module: Any) -> dict[str, float]:
    """The first element of each parameter and state."""
    arguments, states = module.get_params()
    return {k: float(v.asnumpy().ravel()[0]) for k, v in sorted({**arguments, **states}.items())}


def parameters(mx: Any, *, missing: bool = False, extra: bool = False, shape: Any = None) -> Any:
    """Values of the parameters, less one, with one too many, or one of another shape."""
    full = mx.nd.full
    found = {"bn_gamma": full((4,), 2), "bn_beta": full((4,), 3), "fc_weight": full((2, 4), 4)}
    if not missing:
        found["fc_bias"] = full((2,), 5)
    if extra:
        found["nope"] = full((2,), 6)
    if shape is not None:
        found["fc_weight"] = full(shape, 7)
    return found


def states(mx: Any, given: str) -> Any:
    """Values of the auxiliary states."""
    known = {"bn_moving_mean": mx.nd.full((4,), 8), "bn_moving_var": mx.nd.full((4,), 9)}
    extra = {**known, "nope": mx.nd.full((1,), 6)}
    return {"none": None, "empty": {}, "all": known, "extra": extra}[given]


def initialized(mx: Any, which: Any, aux: str, options: dict[str, Any]) -> Any:
    """Call `init_params`; weights that `One` would not initialize are told apart."""
    module = bound(mx)
    given = None if which is None else {} if which == "empty" else parameters(mx, **which)
    if options.get("initializer", 0) == "One":
        options = {**options, "initializer": mx.init.One()}
    module.init_params(arg_params=given, aux_params=states(mx, aux), **options)
    return values(module)


def replaced(mx: Any, first: bool, which: Any, aux: str, options: dict[str, Any]) -> Any:
    """Call `set_params`, on parameters that have values already, or do not."""
    module = bound(mx)
    if first:
        module.init_params(mx.init.One())
    module.set_params(parameters(mx, **which), states(mx, aux), **options)
    return values(module)


def fitted(mx: Any, which: Any, aux: str, options: dict[str, Any]) -> Any:
    """Call `fit`, which learns nothing."""
    data = mx.io.NDArrayIter(np.ones((4, 4), "f"), np.array([0, 1, 1, 0], "f"), 2)
    module = mx.mod.Module(network(mx))
    module.fit(
        data,
        num_epoch=1,
        initializer=mx.init.One(),
        arg_params=parameters(mx, **which),
        aux_params=states(mx, aux),
        optimizer_params={"learning_rate": 0.0},
        **options,
    )
    found = values(module)
    return {name: found[name] for name in found if "moving" not in name}


def shared(mx: Any, optimizer: str) -> Any:
    """Train a module that shares the parameters of another."""
    first = bound(mx)
    first.init_params(mx.init.One())
    if optimizer == "before":
        first.init_optimizer(optimizer_params={"learning_rate": 0.5})
    second = bound(mx, 3, shared_module=first)
    flags = [second.params_initialized, second.optimizer_initialized]
    if optimizer == "borrowed":
        first.init_optimizer(optimizer_params={"learning_rate": 0.5})
        second.borrow_optimizer(first)
    batch = mx.io.DataBatch([mx.nd.ones((3, 4))], [mx.nd.array([0, 1, 1])])
    second.forward_backward(batch)
    second.update()
    return [flags, values(second) == values(first), values(first)["fc_bias"]]


def shared_before(mx: Any, step: str) -> Any:
    """Share with a module that is not ready for it."""
    first = mx.mod.Module(network(mx)) if step == "unbound" else bound(mx)
    if step == "optimizer":
        first.init_params()
        return bound(mx).borrow_optimizer(first)
    return bound(mx, 3, shared_module=first) is not None


def twice(mx: Any) -> Any:
    """Initialize, again, and again by force."""
    module, found = bound(mx), []
    for initializer, force in (
        (mx.init.One(), False),
        (mx.init.Zero(), False),
        (mx.init.Zero(), True),
    ):
        module.init_params(initializer, force_init=force)
        found.append(values(module)["fc_weight"])
    return found


GIVEN: dict[str, Any] = {
    "none": None,
    "empty": "empty",
    "all": {},
    "missing": {"missing": True},
    "extra": {"extra": True},
    "both": {"missing": True, "extra": True},
    "of another shape": {"shape": (4, 2)},
    "that broadcasts": {"shape": (1, 4)},
}
INITIALIZED = list(
    itertools.product(
        GIVEN,
        ("none", "empty", "all", "extra"),
        ({"initializer": "One"}, {"initializer": None}),
        ({}, {"allow_missing": True}, {"allow_extra": True}),
    )
)
REPLACED = list(
    itertools.product(
        (False, True),
        [name for name in GIVEN if name not in ("none", "empty")],
        ("all", "empty"),
        ({}, {"force_init": False}),
        ({}, {"allow_missing": True}, {"allow_missing": True, "allow_extra": True}),
    )
)
FITTED = list(
    itertools.product(
        ("all", "missing", "extra", "both"), ("none", "all", "extra"), ({}, {"allow_missing": True})
    )
)


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    found: dict[str, Any] = {"twice": lambda: twice(mx)}
    for given, aux, *options in INITIALIZED:
        if "shape" in (GIVEN[given] or {}) and aux != "all":
            continue  # two things are wrong
        merged = {**options[0], **options[1]}
        found[f"init_params: {given}, states {aux}, {merged}"] = (
            lambda w=GIVEN[given], a=aux, o=merged: initialized(mx, w, a, o)
        )
    for first, given, aux, *options in REPLACED:
        merged = {**options[0], **options[1]}
        found[f"set_params: {first}, {given}, states {aux}, {merged}"] = (
            lambda f=first, w=GIVEN[given], a=aux, o=merged: replaced(mx, f, w, a, o)
        )
    for given, aux, merged in FITTED:
        found[f"fit: {given}, states {aux}, {merged}"] = lambda w=GIVEN[given], a=aux, o=merged: (
            fitted(mx, w, a, o)
        )
    for optimizer in ("before", "borrowed", "never"):
        found[f"shared: optimizer {optimizer}"] = lambda o=optimizer: shared(mx, o)
    for step in ("unbound", "without values", "optimizer"):
        found[f"shared too early: {step}"] = lambda s=step: shared_before(mx, s)
    return {name: lambda run=run: outcome(run) for name, run in found.items()}
