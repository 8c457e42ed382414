"""Models of small integers as MXNet writes them: files, and the values of all quantized layers.

They were computed on a processor without instructions for sums of products (VNNI), where oneDNN adds pairs of
products in 16 bits. No sum exceeds these here, because the weights of neighbouring channels differ in sign.
"""

from __future__ import annotations

import base64
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.measured.fused_graphs import attention, residual


def values(*shape: int, seed: int = 0, low: float = -1.0) -> Any:
    """Reproducible numbers between `low` and 1, which text can hold exactly."""
    numbers = np.random.RandomState(sum(shape) + seed).uniform(low, 1, shape)
    return np.round(numbers, 3).astype(np.float32)


def weights(shape: tuple[int, ...], seed: int) -> Any:
    """Reproducible numbers; in matrices and filters the sign alternates between channels."""
    numbers = values(*shape, seed=seed)
    if len(shape) < 2:
        return numbers
    signs = np.where(np.arange(shape[1]) % 2, -1, 1).reshape([1, -1] + [1] * (len(shape) - 2))
    return np.abs(numbers) * signs.astype(np.float32)


def _conv(mx: Any, *after: str, **settings: Any) -> Any:
    """A convolution and what follows it."""
    sym, options = mx.sym, {"kernel": (3, 3), "pad": (1, 1), "num_filter": 4, **settings}
    net = sym.Convolution(sym.var("data"), name="conv", **options)
    for word in after:
        net = {
            "bn": lambda net: sym.BatchNorm(net, fix_gamma=False, name="norm"),
            "plus": lambda net: sym.elemwise_add(net, sym.var("other"), name="sum"),
            "relu": lambda net: sym.Activation(net, act_type="relu", name="relu"),
            "clip": lambda net: sym.clip(net, 0, 2, name="clip"),
            "leaky": lambda net: sym.LeakyReLU(net, act_type="leaky", slope=0.1, name="leaky"),
            "gelu": lambda net: sym.LeakyReLU(net, act_type="gelu", name="gelu"),
        }[word](net)
    return net


def _dense(mx: Any, after: str = "", *, last: bool = False, **settings: Any) -> Any:
    """A fully connected layer and what follows it, before another one unless it is the `last`."""
    sym = mx.sym
    net = sym.FullyConnected(sym.var("data"), num_hidden=6, name="fc", **settings)
    if after == "relu":
        net = sym.Activation(net, act_type=after, name=after)
    elif after in ("leaky", "elu", "gelu"):
        net = sym.LeakyReLU(net, act_type=after, slope=0.1, name=after)
    elif after:
        net = sym.clip(net, 0, 2, name="clip") if after == "clip" else sym.abs(net, name="abs")
    return net if last else sym.FullyConnected(net, num_hidden=3, no_bias=True, name="head")


Shapes = dict[str, tuple[int, ...]]
_IMAGES: Shapes = {"data": (2, 4, 5, 5)}
_ROWS: Shapes = {"data": (3, 14)}
NETS: dict[str, tuple[Any, Shapes]] = {
    **{
        f"conv {' '.join(words)}".strip(): (lambda mx, words=words: _conv(mx, *words), _IMAGES)
        for words in ((), ("relu",), ("bn",), ("bn", "relu"), ("clip",), ("bn", "leaky"), ("gelu",))
    },
    "conv plus": (lambda mx: _conv(mx, "plus"), {**_IMAGES, "other": (2, 4, 5, 5)}),
    "conv bn plus relu": (
        lambda mx: _conv(mx, "bn", "plus", "relu"),
        {**_IMAGES, "other": (2, 4, 5, 5)},
    ),
    "conv without bias": (lambda mx: _conv(mx, "bn", "relu", no_bias=True), _IMAGES),
    "strides": (lambda mx: _conv(mx, "relu", stride=(2, 1), dilate=(1, 2)), _IMAGES),
    "groups": (lambda mx: _conv(mx, "relu", num_group=2, num_filter=2), _IMAGES),
    "groups of filters": (lambda mx: _conv(mx, "relu", num_group=2), _IMAGES),
    "volumes": (
        lambda mx: _conv(mx, "relu", kernel=(2, 2, 2), pad=(0, 0, 0)),
        {"data": (1, 4, 3, 4, 3)},
    ),
    **{
        f"dense {word}".strip(): (lambda mx, word=word: _dense(mx, word), _ROWS)
        for word in ("", "relu", "clip", "leaky", "elu", "gelu", "abs")
    },
    "dense relu alone": (lambda mx: _dense(mx, "relu", last=True), _ROWS),
    "dense without bias": (
        lambda mx: _dense(mx, no_bias=True, flatten=False),
        {"data": (2, 2, 14)},
    ),
    "attention": (attention, {"data": (4, 2, 30)}),
    "residual": (residual, {"data": (2, 3, 6, 6)}),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "auto": {"quantized_dtype": "auto"},
    "int8": {"quantized_dtype": "int8"},
    "no ranges": {"quantized_dtype": "int8", "calib_mode": "none"},
    "by channel": {"quantized_dtype": "auto", "quantize_granularity": "channel-wise"},
}
PIPELINES: dict[str, tuple[str, dict[str, Any]]] = {
    "naive": ("residual", {"calib_mode": "naive", "quantized_dtype": "auto"}),
    "entropy": ("residual", {"calib_mode": "entropy", "quantized_dtype": "auto"}),
    "smart": ("residual", {"calib_mode": "naive", "quantize_mode": "smart"}),
    "none": ("dense relu", {"calib_mode": "none", "quantize_mode": "full"}),
    "excluded": (
        "residual",
        {
            "calib_mode": "naive",
            "quantize_mode": "full",
            "excluded_sym_names": ["block0_one"],
            "excluded_op_names": ["Pooling"],
        },
    ),
}


def is_measured(net: str, option: str) -> bool:
    """Whether MXNet can compute a case."""
    if net == "attention":  # it wants natural numbers where it does not ask for them
        return option == "auto"
    return option != "by channel" or net.startswith("dense")


FILES = (
    ("residual", "auto"),
    ("conv bn leaky", "no ranges"),
    ("dense gelu", "by channel"),
    ("attention", "auto"),
)
CASES = [(net, option) for net in NETS for option in OPTIONS if is_measured(net, option)]


def arrays(
    mx: Any, net: str, option: str
) -> tuple[Any, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A float32 net, its arguments, its auxiliary states and its inputs."""
    make, shapes = NETS[net]
    symbol = make(mx)
    arguments, _, states = symbol.infer_shape(**shapes)
    low = 0.0 if option in ("auto", "by channel") and net not in ("attention", "residual") else -1.0
    scale = 0.4 if net == "attention" else 1
    inputs = {
        name: mx.nd.array(values(*shape, seed=number, low=low) * scale)
        for number, (name, shape) in enumerate(shapes.items())
    }
    params = {
        name: mx.nd.array(weights(shape, number))
        for number, (name, shape) in enumerate(zip(symbol.list_arguments(), arguments))  # noqa: B905
        if name not in shapes
    }
    auxiliary = {
        name: mx.nd.array(values(*shape, seed=50 + number, low=0.5))
        for number, (name, shape) in enumerate(
            zip(symbol.list_auxiliary_states(), states)  # noqa: B905
        )
    }
    return symbol, params, auxiliary, inputs


def outputs(mx: Any, symbol: Any, args: dict[str, Any], aux: dict[str, Any]) -> dict[str, Any]:
    """The values of all nodes of a symbol, by name."""
    inside = symbol.get_internals()
    executor = inside.bind(mx.cpu(), args, aux_states=aux)
    found = dict(zip(inside.list_outputs(), executor.forward(is_train=False)))  # noqa: B905
    return {name: array for name, array in found.items() if name not in {**args, **aux}}


def quantize(
    mx: Any, net: str, option: str
) -> tuple[Any, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A quantized net, its arguments, its auxiliary states and its inputs."""
    quantization = mx.contrib.quantization
    symbol, params, aux, inputs = arrays(mx, net, option)
    fused = symbol.get_backend_symbol("MKLDNN_QUANTIZE")
    options = {"quantize_mode": "full", **OPTIONS[option]}
    mode = options.pop("calib_mode", "naive")
    made, args, aux, _ = quantization.quantize_graph(
        fused, params, aux, ctx=mx.cpu(), calib_mode="none", **options
    )
    if mode == "naive":
        ranges = {
            name: (math.floor(array.min().asscalar() * 20) / 20, math.ceil(array.max().asscalar()))
            for name, array in outputs(mx, fused, {**params, **inputs}, aux).items()
        }
        own = {
            name: (-1.0 if array.asnumpy().min() < 0 else 0.0, 1.0)
            for name, array in inputs.items()
        }
        made = quantization._calibrate_quantized_sym(made, {**ranges, **own})
    return made.get_backend_symbol("MKLDNN_QUANTIZE"), args, aux, inputs


def saved(mx: Any, args: dict[str, Any], aux: dict[str, Any]) -> str:
    """A file of parameters, as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.params"
        named = {f"arg:{name}": array for name, array in args.items()}
        named.update({f"aux:{name}": array for name, array in aux.items()})
        mx.nd.save(str(path), named)
        return base64.b64encode(path.read_bytes()).decode()


def compact(symbol: Any) -> str:
    """A symbol as JSON text without spaces."""
    return json.dumps(json.loads(symbol.tojson()), separators=(",", ":"))


def result(array: Any) -> Any:
    """An array as its dtype and its elements."""
    numbers = array.asnumpy()
    name = np.dtype(numbers.dtype).name
    return [name, numbers.ravel().tolist() if name != "float32" else numbers.ravel()]


def run(mx: Any, net: str, option: str) -> dict[str, Any]:
    """The small integers in a quantized net, and its outputs."""
    symbol, args, aux, inputs = quantize(mx, net, option)
    found = outputs(mx, symbol, {**args, **inputs}, aux)
    return {
        name: result(array)
        for name, array in found.items()
        if array.dtype != np.float32 or name in symbol.list_outputs()
    }


def files(mx: Any, net: str, option: str) -> dict[str, Any]:
    """The files of a quantized net."""
    symbol, args, aux, _ = quantize(mx, net, option)
    return {"symbol": compact(symbol), "params": saved(mx, args, aux)}


def pipeline(mx: Any, name: str) -> dict[str, Any]:
    """A net quantized in one call, and its result."""
    net, options = PIPELINES[name]
    symbol, params, aux, inputs = arrays(mx, net, "int8")
    (data,) = inputs.values()
    quantization = mx.contrib.quantization
    if getattr(quantization, "stats", np) is None:
        quantization.stats = np  # MXNet wants SciPy to be there, but does not use it
    made, args, aux = quantization.quantize_model_mkldnn(
        symbol,
        params,
        aux,
        label_names=None,
        calib_data=mx.io.NDArrayIter(data, batch_size=1),
        **options,
    )
    (output,) = made.bind(mx.cpu(), {**args, **inputs}, aux_states=aux).forward()
    return {"symbol": compact(made), "params": saved(mx, args, aux), "result": result(output)}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {
        **{
            f"{net}, {option}": lambda net=net, option=option: run(mx, net, option)
            for net, option in CASES
        },
        **{
            f"{net}, {option}, files": lambda net=net, option=option: files(mx, net, option)
            for net, option in FILES
        },
        **{name: lambda name=name: pipeline(mx, name) for name in PIPELINES},
    }
