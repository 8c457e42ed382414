"""Modules: what programs see of the executor and the arrays of one that is bound."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

_GROUP = (
    "arg_names",
    "aux_names",
    "aux_arrays",
    "batch_size",
    "contexts",
    "data_arrays",
    "data_layouts",
    "data_names",
    "data_shapes",
    "execs",
    "fixed_param_names",
    "for_training",
    "grad_arrays",
    "grad_req",
    "group2ctxs",
    "input_grad_arrays",
    "inputs_need_grad",
    "label_arrays",
    "label_layouts",
    "label_names",
    "label_shapes",
    "num_outputs",
    "output_layouts",
    "output_names",
    "param_arrays",
    "param_names",
    "slices",
    "state_arrays",
    "state_names",
    "workload",
)
_MODULE = (
    "_context",
    "_param_names",
    "_fixed_param_names",
    "_aux_names",
    "_data_names",
    "_label_names",
    "_state_names",
    "_output_names",
    "_arg_params",
    "_aux_params",
    "_params_dirty",
    "_compression_params",
    "_kvstore",
    "_update_on_kvstore",
    "_preload_opt_states",
    "_grad_req",
    "_data_shapes",
    "_label_shapes",
    "_work_load_list",
    "_group2ctxs",
)


def _shown(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "asnumpy"):
        return f"array {tuple(value.shape)}"
    if hasattr(value, "layout"):
        return f"{value.name} {tuple(value.shape)}"
    if isinstance(value, (list, tuple)):
        return [_shown(one) for one in value]
    if isinstance(value, dict):
        return {name: _shown(value[name]) for name in sorted(value)}
    return type(value).__name__ if hasattr(value, "forward") else str(value)


def _made(mx: Any, **options: Any) -> Any:
    dense = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    output = mx.sym.SoftmaxOutput(mx.sym.BatchNorm(dense, name="bn"), name="softmax")
    module = mx.mod.Module(output, fixed_param_names=["fc_bias"], logger=logging.getLogger("quiet"))
    module.bind([("data", (2, 4))], [("softmax_label", (2,))], **options)
    module.init_params(mx.init.One())
    return module


def _seen(mx: Any, **options: Any) -> Any:
    module = _made(mx, **options)
    return [
        {name: _shown(getattr(module._exec_group, name)) for name in _GROUP},
        {name: _shown(getattr(module, name)) for name in _MODULE},
        _shown(module._exec_group.get_output_shapes()),
    ]


def _batch(mx: Any) -> Any:
    data = mx.nd.array([[1, 2, 3, 4], [4, 2, 0, 1]])
    return mx.io.DataBatch([data], [mx.nd.array([0, 1])])


def _trained(mx: Any) -> Any:
    """Train, look at the arrays and clear gradients by assignment, as programs do."""
    module = _made(mx)
    module.init_optimizer(optimizer_params={"learning_rate": 0.5})
    module.forward(_batch(mx))
    module.backward()
    gradient = module._exec_group.grad_arrays[0][0].copy()
    module._exec_group.grad_arrays[0][0][:] = 0
    module.update()
    seen = [module._params_dirty, module._arg_params["bn_beta"].copy()]
    module._sync_params_from_devices()
    seen += [module._params_dirty, module._arg_params["bn_beta"].copy()]
    return [gradient, *seen, module._arg_params["fc_weight"], module._update_on_kvstore]


def _bound_again(mx: Any) -> Any:
    module = _made(mx)
    module.bind([("data", (5, 4))], [("softmax_label", (5,))], force_rebind=True)
    return [module.get_params()[0]["fc_weight"], module._exec_group.batch_size]


def _set(mx: Any) -> Any:
    """Set parameters through the executor, and read them into dictionaries of one's own."""
    module = _made(mx)
    executor = module._exec_group.execs[0]
    executor.arg_dict["fc_weight"][:] = 2
    arguments = {name: executor.arg_dict[name].copy() for name in module._param_names}
    states = {name: executor.aux_dict[name].copy() for name in module._aux_names}
    module._exec_group.set_params({"bn_gamma": mx.nd.array([1, 2, 3])}, {})
    module._exec_group.get_params(arguments, states)
    module._exec_group.forward(_batch(mx), is_train=False)
    return [arguments, states, module._exec_group.get_outputs()]


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """Build the cases for a package that is called like MXNet."""
    return {
        "for training": lambda: _seen(mx),
        "for inference": lambda: _seen(mx, for_training=False),
        "with gradients of the data": lambda: _seen(mx, inputs_need_grad=True, grad_req="add"),
        "trained": lambda: _trained(mx),
        "bound again": lambda: _bound_again(mx),
        "set": lambda: _set(mx),
    }
