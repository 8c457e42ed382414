"""Parameters: their private members, which programs lean on, and what happens to them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any


def _shown(value: Any) -> Any:
    """A value that can be written to a file."""
    if hasattr(value, "asnumpy"):
        return value
    if isinstance(value, (list, tuple)):
        return [_shown(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _members(parameter: Any) -> dict[str, Any]:
    """The members of a parameter under MXNet's names."""
    names = (
        *("_allow_deferred_init", "_ctx_list", "_ctx_map", "_data", "_differentiable", "_dtype"),
        *("_grad", "_grad_req", "_grad_stype", "_shape", "_stype", "_trainer", "name"),
    )
    found = {name: _shown(getattr(parameter, name)) for name in names}
    deferred = parameter._deferred_init
    return {**found, "deferred": [type(deferred).__name__, len(deferred), _shown(deferred[3:])]}


def _parameter(mx: Any, *contexts: Any, **settings: Any) -> Any:
    made = mx.gluon.Parameter("w", **{"shape": (2, 3), **settings})
    made.initialize(mx.init.One(), ctx=list(contexts) or None)
    return made


def _two(mx: Any, **settings: Any) -> Any:
    made = _parameter(mx, mx.cpu(0), mx.cpu(2), **settings)
    made.data(mx.cpu(2))[:] = 5
    return made


def _step(mx: Any, parameter: Any) -> None:
    with mx.autograd.record():
        y = (parameter.data() * 2).sum()
    y.backward()


def _after(change: Callable[[Any, Any], Any], **settings: Any) -> Callable[[Any], dict[str, Any]]:
    """The members of a parameter after a gradient was computed and something was done to it."""

    def run(mx: Any) -> dict[str, Any]:
        made = _parameter(mx, **settings)
        if made.grad_req != "null":
            _step(mx, made)
        change(mx, made)
        return _members(made)

    return run


def _is_same(mx: Any) -> dict[str, Any]:
    made = _parameter(mx)
    value, gradient = made.data(), made.grad()
    found = {
        "value": value is made._data[0],
        "gradient": gradient is made._grad[0],
        "values": made.list_data() is made._data,
        "gradients": made.list_grad() is made._grad,
        "contexts": made.list_ctx() is made._ctx_list,
    }
    made.grad_req = "null"
    found["kept when frozen"] = made.data() is value
    found["still a variable"] = value.grad is not None
    return found


def _marked_anew(mx: Any) -> dict[str, Any]:
    made = _parameter(mx)
    made.data().attach_grad()
    _step(mx, made)
    return {"gradient": made.grad(), "of the array": made.data().grad}


def _assigned(mx: Any) -> dict[str, Any]:
    made, other = _parameter(mx), mx.nd.full((2, 3), 7)
    made._data[0] = other
    found = {"item": made.data(), "item's gradient": made.grad()}
    made._data = [other + 1]
    found["list"] = made.data()
    made._grad = [other + 2]
    found["gradients"] = made.grad()
    made._grad[0] = other + 3
    found["gradient"] = made.list_grad()
    made.zero_grad()
    found["zeroed"] = made.grad()
    return found


def _got(mx: Any) -> dict[str, Any]:
    made = _two(mx)
    return {
        "all": made._check_and_get(made._data, list),
        "one": made._check_and_get(made._data, mx.cpu(2)),
        "pinned": made._check_and_get(made._data, mx.cpu_pinned(0)),
        "gradient": made._check_and_get(made._grad, mx.cpu(2)),
        "reduced": made._reduce(),
        "reduced on": str(made._reduce().context),
    }


def _moved_from_two(mx: Any) -> dict[str, Any]:
    made = _two(mx)
    made.reset_ctx(mx.cpu(1))
    return _members(made)


def _deferred(mx: Any, change: Callable[[Any], Any]) -> Any:
    made = mx.gluon.Parameter("w", shape=(2, 0), allow_deferred_init=True)
    made.initialize(mx.init.One(), ctx=mx.cpu(1))
    change(made)
    return made


def _finished(mx: Any) -> dict[str, Any]:
    def finish(made: Any) -> None:
        made.shape = (2, 4)
        made._finish_deferred_init()

    def value(made: Any) -> None:
        made._deferred_init = (*made._deferred_init[:3], mx.nd.full((2, 4), 7))
        finish(made)

    return {
        "by the initializer": _members(_deferred(mx, finish)),
        "by a value": _members(_deferred(mx, value)),
    }


def _loaded(mx: Any, change: Callable[[Any, Any], Any], **settings: Any) -> dict[str, Any]:
    made = mx.gluon.Parameter("w", **{"shape": (2, 0), "allow_deferred_init": True, **settings})
    change(mx, made)
    return _members(made)


def _load_initialized(mx: Any, made: Any) -> None:
    made._load_init(mx.nd.full((2, 3), 7), mx.cpu())


def _load_deferred(mx: Any, made: Any) -> None:
    made.initialize()
    _load_initialized(mx, made)


def _load_cast(mx: Any, made: Any) -> None:
    made._load_init(mx.nd.full((2, 3), 7, dtype="float64"), None, cast_dtype=True)


def _load_saved(mx: Any, made: Any) -> None:
    value = mx.nd.full((2, 3), 7, dtype="float64")
    made._load_init(value, None, cast_dtype=True, dtype_source="saved")


def _copied(mx: Any, copied: Callable[[Any], Any]) -> dict[str, Any]:
    nn = mx.gluon.nn
    net = nn.Dense(2, in_units=2, prefix="net_", weight_initializer="ones")
    net.initialize()
    first = copied(net.params)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    second = copied(net.weight)
    assert trainer is net.weight._trainer
    second.set_data(mx.nd.zeros((2, 2)))
    return {
        "names": list(first),
        "prefix": first.prefix,
        "values": [p.data() for p in first.values()],
        "gradients": [p.grad() for p in first.values()],
        "kind": type(first["net_weight"]).__name__,
        "shared": first["net_weight"] is net.weight,
        "value": second.data(),
        "old value": net.weight.data(),
        "request": second.grad_req,
    }


def _errors(mx: Any) -> dict[str, Any]:
    made, unready = _parameter(mx), mx.gluon.Parameter("u", shape=(1,))
    frozen, array = _parameter(mx, grad_req="null"), mx.nd.ones((2, 3))
    attempts: dict[str, Callable[[], Any]] = {
        "other context": lambda: made._check_and_get(made._data, mx.cpu(1)),
        "no value": lambda: unready._check_and_get(None, None),
        "nothing to reduce": unready._reduce,
        "no gradient": frozen.list_grad,
        "load elsewhere": lambda: made._load_init(array, mx.cpu(1)),
        "load another shape": lambda: made._load_init(mx.nd.ones((3, 3)), None),
        "load another dtype": lambda: made._load_init(array.astype("float64"), None),
        "dtype of what": lambda: made._load_init(array, None, cast_dtype=True, dtype_source="a"),
        "nothing to move": lambda: unready.reset_ctx(mx.cpu(1)),
        "nowhere": unready.list_ctx,
        "nothing to set": lambda: unready.set_data(mx.nd.ones((1,))),
        "rows": lambda: made.row_sparse_data(array),
    }
    found = {}
    for name, attempt in attempts.items():
        try:
            attempt()
        except Exception as error:
            kinds = (AssertionError, ValueError, TypeError, RuntimeError)
            found[name] = [kind.__name__ for kind in kinds if isinstance(error, kind)]
    return found


CASES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "new": lambda mx: _members(mx.gluon.Parameter("w", shape=3, dtype="float64")),
    "initialized": lambda mx: _members(_parameter(mx)),
    "on two contexts": lambda mx: _members(_two(mx)),
    "frozen": _after(lambda mx, made: setattr(made, "grad_req", "null")),
    "added up": _after(lambda mx, made: setattr(made, "grad_req", "add")),
    "thawed": _after(lambda mx, made: setattr(made, "grad_req", "write"), grad_req="null"),
    "cast": _after(lambda mx, made: made.cast("float64")),
    "cast and frozen": _after(lambda mx, made: made.cast("float16"), grad_req="null"),
    "zeroed": _after(lambda mx, made: made.zero_grad()),
    "set": _after(lambda mx, made: made.set_data(mx.nd.full((2, 3), 7))),
    "moved": _after(lambda mx, made: made.reset_ctx([mx.cpu(1), mx.cpu(0)])),
    "moved from two": _moved_from_two,
    "initialized again": _after(lambda mx, made: made.initialize(force_reinit=True, init="zeros")),
    "given a value": _after(
        lambda mx, made: made._init_impl(mx.nd.full((2, 3), 7), [mx.cpu(0), mx.cpu(1)])
    ),
    "given a gradient": _after(lambda mx, made: made._init_grad()),
    "same": _is_same,
    "marked anew": _marked_anew,
    "assigned": _assigned,
    "got": _got,
    "deferred": lambda mx: _members(_deferred(mx, lambda made: None)),
    "deferred and moved": lambda mx: _members(
        _deferred(mx, lambda made: made.reset_ctx([mx.cpu(0), mx.cpu(3)]))
    ),
    "not deferred any more": lambda mx: _members(
        _deferred(mx, lambda made: setattr(made, "_deferred_init", ()))
    ),
    "finished": _finished,
    "loaded": lambda mx: _loaded(mx, _load_initialized),
    "loaded when deferred": lambda mx: _loaded(mx, _load_deferred),
    "loaded when initialized": _after(_load_initialized),
    "loaded and cast": _after(_load_cast),
    "loaded with the dtype": _after(_load_saved),
    "deep copies": lambda mx: _copied(mx, copy.deepcopy),
    "pickles": lambda mx: _copied(mx, lambda x: pickle.loads(pickle.dumps(x))),
    "errors": _errors,
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: CASES[case](mx) for case in CASES}
