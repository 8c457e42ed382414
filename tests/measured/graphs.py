"""Hybrid blocks: the graphs that they keep, and how their inputs and outputs are nested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def shown(net: Any) -> dict[str, Any]:
    """Return what a program can see of the graph of a block."""
    graph = net._cached_graph
    return {
        "inputs": [symbol.name for symbol in graph[0]] if graph else None,
        "outputs": graph[1].list_outputs() if graph else None,
        "in_format": net._in_format if graph else None,
        "out_format": net._out_format if graph else None,
        "flags": [list(flag) for flag in net._flags],
        "compiled": net._cached_op is not None,
        "arguments": [
            [is_input, source if is_input else source.name]
            for is_input, source in net._cached_op_args
        ],
    }


def nested(mx: Any, **settings: Any) -> Any:
    """Make a block of two inputs, one of which may be None, and of nested outputs."""

    class Nested(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            with self.name_scope():
                self.layer = mx.gluon.nn.Dense(4, prefix="layer_")

        def hybrid_forward(self, F: Any, x: Any, pair: Any = None) -> Any:
            out = self.layer(x)
            if pair is not None:
                out = out * pair[0] + pair[1]
            return out, [F.split(out, num_outputs=2, axis=1), out * 2]

    net = Nested(prefix="net_", **settings)
    net.initialize()
    return net


def _called(mx: Any, *inputs: Any, **flags: Any) -> dict[str, Any]:
    net = nested(mx)
    net.hybridize(**flags)
    net(*inputs)
    return shown(net)


def _asked(mx: Any) -> list[dict[str, Any]]:
    net = nested(mx)
    x = mx.nd.ones((2, 3))
    net._get_graph(x)
    seen = [shown(net)]
    net._build_cache(x)
    seen.append(shown(net))
    net._cached_graph, net._cached_op, net._cached_op_args = (), None, []
    return [*seen, shown(net)]


def _hybridized_again(mx: Any) -> dict[str, Any]:
    net = nested(mx)
    net.hybridize()
    net(mx.nd.ones((2, 3)))
    net.hybridize(static_alloc=True, static_shape=True, forward_bulk_size=3)
    return shown(net)


def _given(mx: Any) -> list[Any]:
    """Replace the block's graph."""
    net, x = nested(mx), mx.nd.ones((2, 3))
    net(x)
    net.hybridize()
    data = mx.sym.var("x")
    weight, bias = mx.sym.var("net_layer_weight"), mx.sym.var("net_layer_bias")
    dense = mx.sym.FullyConnected(data, weight, bias, num_hidden=4, name="mine")
    net._in_format, net._out_format = [0], [0, [0]]
    net._cached_graph = [data], mx.sym.Group([dense, dense * 3])
    net.layer.weight.set_data(mx.nd.ones((4, 3)))
    first, (second,) = net(x)
    return [shown(net), first, second]


def _of_symbols(mx: Any) -> list[Any]:
    data = mx.sym.var("data")
    dense = mx.sym.FullyConnected(data, num_hidden=2, name="fc")
    net = mx.gluon.SymbolBlock([dense, dense * 2], [data])
    net.initialize(mx.init.One())
    seen = [shown(net)]
    x = mx.nd.ones((2, 3))
    net(x)
    seen.append(shown(net))
    net._in_format, net._out_format = [0], [[0], 0]
    (first,), second = net(x)
    return [*seen, first, second]


def _halved(mx: Any) -> dict[str, str]:
    dense = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    net = mx.gluon.SymbolBlock(mx.sym.BatchNorm(dense, name="bn"), mx.sym.var("data"))
    net.initialize()
    net(mx.nd.ones((2, 3)))
    net.cast("float16")
    output = net(mx.nd.ones((2, 3), dtype="float16"))
    dtypes = {name: p.data().dtype.__name__ for name, p in net.collect_params().items()}
    return {**dtypes, "output": output.dtype.__name__}


def cases(mx: Any) -> dict[str, Callable[[], Any]]:
    """Build the cases for a package that is called like MXNet."""
    x = mx.nd.ones((2, 3))
    pair = [mx.nd.ones((2, 4)), mx.nd.ones((2, 4))]
    return {
        "new": lambda: shown(nested(mx)),
        "called": lambda: _called(mx, x),
        "called with None": lambda: _called(mx, x, None),
        "called with a list": lambda: _called(mx, x, pair),
        "called with flags": lambda: _called(mx, x, static_alloc=True, inline_limit=5),
        "hybridized again": lambda: _hybridized_again(mx),
        "asked for": lambda: _asked(mx),
        "given": lambda: _given(mx),
        "of symbols": lambda: _of_symbols(mx),
        "halved": lambda: _halved(mx),
    }
