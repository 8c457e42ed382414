"""Operators made with `customop` as nodes of graphs.

A node has the function's name and the constants of the call; a hidden output passes the call to its
gradient. Shapes and dtypes are inferred by calling the function with zeros.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Array, Run
from gluonic.graph.all_gradients import by_input, or_zeros, wanted_indices
from gluonic.graph.carried import OBJECT, carried
from gluonic.graph.errors import InferenceError, MXNetError, describe
from gluonic.graph.operator import operator
from gluonic.graph.rules import gradients_like
from gluonic.graph.view import NodeView, Unknown, peek, put, settings_of, title_of
from gluonic.minpy.call import Call
from gluonic.minpy.definition import Definition, enter, find
from gluonic.minpy.template import Template
from gluonic.support.caches import Cache
from gluonic.symbol import Symbol, _internal

_HIDDEN = "call_made"


def make_symbols(definition: Definition, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Add a call to a graph; return a Symbol, or a tuple of Symbols for several outputs."""
    own = definition.without_name(kwargs)
    name = kwargs.get("name") if len(own) < len(kwargs) else None
    template, symbols = Template.of_call(args, own, lambda value: isinstance(value, Symbol))
    made = _internal._minpy_customop(
        *symbols,
        function=enter(definition),
        call=template.written(definition.__name__),
        count=definition.outputs,
        name=name,
    )
    return made if definition.outputs == 1 else tuple(made)


def _output_names(n: Any) -> list[str]:
    return ["output"] if n.count == 1 else [f"output{i}" for i in range(n.count)]


def _input_names(n: Any) -> list[str]:
    return [f"data{i}" for i in range(len(Template.read(n.call).argnums))]


@operator(
    "_minpy_customop",
    arguments=_input_names,
    outputs=lambda n: [*_output_names(n), _HIDDEN],
    visible=lambda n: n.count,
    calls_back=True,
)
def minpy_customop(*data: Array, function: str, call: str, count: int, run: Run) -> Any:
    """Run a function under `customop`.

    Parameters
    ----------
    data : its array arguments
    function : its module and name
    call : the positions of the arrays among its arguments, and the other arguments
    count : number of results
    """
    made = Call(find(function), Template.read(call), data)
    results = made.run()
    _check_count(results, count, function)
    if run.train:
        made.prepare(range(len(data)))
    return (*results, carried(made))


def _check_count(results: Sequence[Array], count: int, function: str) -> None:
    if len(results) != count:
        raise MXNetError(
            describe(
                f"returned {len(results)} results, but is declared to have {count}",
                where=function,
                hint=f'@customop("numpy", outputs={len(results)})',
            )
        )


_shapes_seen: dict[Any, list[tuple[int, ...]]] = {}
_MOST_SEEN = 1024
_tried: Cache[Any, list[tuple[tuple[int, ...], Any]]] = Cache()


def _try(n: NodeView, shapes: Sequence[Any], dtypes: Sequence[Any]) -> list[Any]:
    """The shapes and dtypes of the results for such arguments."""
    settings = settings_of(n)
    key = (settings["function"], settings["call"], *shapes, *dtypes)
    found = _tried.get(key)
    if found is None:
        arrays = [np.zeros(s, d) for s, d in zip(shapes, dtypes, strict=True)]
        made = Call(find(settings["function"]), Template.read(settings["call"]), arrays)
        with np.errstate(all="ignore"):
            results = made.run()
        _check_count(results, settings["count"], settings["function"])
        found = _tried.remember(key, [(r.shape, r.dtype) for r in results])
    return found


@minpy_customop.infer_shape
def _(n: NodeView) -> None:
    put(n, _HIDDEN, ())
    shapes = [peek(n, name) for name in _input_names(n)]
    if any(shape is None or None in shape for shape in shapes):
        raise Unknown
    error: Exception | None = None
    for dtype in (np.int64, np.float32):  # whole numbers serve as indices and as numbers
        try:
            results = _try(n, shapes, [np.dtype(dtype)] * len(shapes))
        except Exception as caught:
            error = error or caught
            continue
        if len(_shapes_seen) >= _MOST_SEEN:  # not all: the dtype rule reads the latest
            del _shapes_seen[next(iter(_shapes_seen))]
        _shapes_seen[tuple(settings_of(n).items())] = shapes
        for name, (shape, _) in zip(_output_names(n), results, strict=True):
            put(n, name, shape)
        return
    raise InferenceError(
        f"{title_of(n)}: {n.function} cannot be called with zeros to find the shape of its result: {error}"
    ) from error


@minpy_customop.infer_dtype
def _(n: NodeView) -> None:
    put(n, _HIDDEN, OBJECT)
    dtypes = [peek(n, name) for name in _input_names(n)]
    if any(dtype is None for dtype in dtypes):
        raise Unknown
    shapes = _shapes_seen.get(tuple(settings_of(n).items()))
    if shapes is None:  # all that can be said before shapes are known
        floats = [d for d in dtypes if np.issubdtype(d, np.floating)]
        guess = np.result_type(*floats) if floats else np.dtype(np.float32)
        found = [guess] * n.count
    else:
        found = [dtype for _, dtype in _try(n, shapes, dtypes)]
    for name, dtype in zip(_output_names(n), found, strict=True):
        put(n, name, dtype)


@minpy_customop.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    names, outputs = _input_names(n), _output_names(n)
    found = F._backward_minpy_customop(
        getattr(n, _HIDDEN),
        *[getattr(n, name) for name in names],
        *or_zeros(F, heads, [getattr(n, name) for name in outputs]),
        inputs=len(names),
        wanted=wanted_indices(n),
    )
    return by_input(names, found)


@operator(
    "_backward_minpy_customop",
    count="num_args",
    outputs=lambda n: [f"gradient{i}" for i in range(n.inputs)],
    calls_back=True,
)
def backward_minpy_customop(
    call_made: Array, *data: Array, num_args: int, inputs: int, wanted: tuple[int, ...]
) -> Any:
    """Compute the gradients of a function under `customop`.

    Parameters
    ----------
    call_made : what its forward left
    data : its array arguments, then the gradients of its results
    inputs : how many arguments are arrays
    wanted : which gradients are asked for
    """
    found = call_made.item().gradients(data[inputs:], wanted)
    return tuple(found[i] if i in found else np.zeros_like(data[i]) for i in range(inputs))


backward_minpy_customop.shape = backward_minpy_customop.dtype = gradients_like("data", "gradient")
