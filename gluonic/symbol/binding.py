"""`Symbol.bind` and `Symbol.simple_bind`: from arrays, or from shapes, to an `Executor`."""

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gluonic.graph import Graph, Node
from gluonic.graph.dtypes import DEFAULT, as_dtype
from gluonic.graph.errors import CallError, MXNetError, describe, nearest
from gluonic.graph.memory import allocated
from gluonic.graph.storage.inference import gradient_kinds, infer_kinds, is_sparse
from gluonic.graph.storage.values import DEFAULT as DENSE
from gluonic.graph.storage.values import KINDS
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context, usable
from gluonic.ndarray.placing import placed
from gluonic.ndarray.storage.arrays import zeros_of
from gluonic.ndarray.storage.dispatch import has_sparse
from gluonic.symbol.executor import REQUESTS, Executor, context_of
from gluonic.symbol.inference import DTYPE, SHAPE, infer_facts
from gluonic.symbol.resizing import part
from gluonic.symbol.stored_executor import DeviceExecutor, StoredExecutor

if TYPE_CHECKING:
    from gluonic.symbol.symbol import Symbol


def bind(
    symbol: "Symbol",
    ctx: Any,
    args: Any,
    args_grad: Any,
    grad_req: Any,
    aux_states: Any,
    group2ctx: Mapping[str, Context] | None = None,
) -> Executor:
    """Bind a symbol to arrays; see `Symbol.bind`."""
    if not isinstance(ctx, Context):
        raise TypeError(f"bind: ctx must be a Context such as mx.cpu(), not {ctx!r}")
    names = symbol.list_arguments()
    arguments = _arrays("args", args, names)
    gradients = _optional_arrays("args_grad", args_grad, names)
    states = _arrays("aux_states", aux_states or [], symbol.list_auxiliary_states())
    requests = _requests(grad_req, names)
    for name, array, gradient in zip(names, arguments, gradients, strict=True):
        if gradient is not None and gradient.shape != array.shape:
            raise MXNetError(
                f"bind: the gradient of {name} has the shape {gradient.shape}, "
                f"but the argument has {array.shape}"
            )
    given = {name: x.stype for name, x in zip(names, arguments, strict=True)}
    kind = _executor_kind(symbol, given, [*arguments, *gradients, *states])
    return kind(symbol, usable(ctx), arguments, gradients, requests, states, group2ctx=group2ctx)


def _executor_kind(
    symbol: "Symbol", given: Mapping[str, str], arrays: Sequence[Any]
) -> type[Executor]:
    """The class of executor of a graph: one that runs in parts, if an array or a result is sparse."""
    if any(array is not None and array.on_device for array in arrays):
        return DeviceExecutor
    return StoredExecutor if has_sparse(arrays) or is_sparse(symbol.graph(), given) else Executor


def simple_bind(
    symbol: "Symbol",
    ctx: Any,
    shapes: Mapping[str, Any],
    *,
    grad_req: Any,
    dtypes: Mapping[str, Any],
    storage: Mapping[str, str],
    group2ctx: Mapping[str, Context] | None,
    shared_names: Sequence[str] | None,
    shared_executor: Executor | None,
    buffers: dict[str, Any] | None,
    like: Executor | None = None,
) -> Executor:
    """Bind a symbol to new arrays; see `Symbol.simple_bind`.

    An executor of the same symbol with the same requests may be passed as `like`; both then share compiled
    code.
    """
    context = usable(ctx)
    graph = symbol.graph()
    kinds = infer_kinds(graph, _checked_kinds(storage))
    of_gradients = gradient_kinds(graph, kinds)
    names = [node.name for node in graph.arguments]
    requests = _requests(grad_req, names)
    known_shapes = _shapes_of(graph, shapes)
    known_dtypes = _dtypes_of(graph, dtypes)
    pool = _Pool(shared_names or (), shared_executor, buffers)

    def wanted(node: Node, storage: str) -> tuple[str, _Kind]:
        node_context = context_of(node, group2ctx or {}, context)
        return node.name, _Kind(known_shapes[node], known_dtypes[node], node_context, storage)

    arguments = [pool.argument(*wanted(node, kinds[node.entry()])) for node in graph.arguments]
    gradients = [
        None if request == "null" else pool.gradient(*wanted(node, of_gradients[node]))
        for node, request in zip(graph.arguments, requests, strict=True)
    ]
    states = [pool.state(*wanted(node, DENSE)) for node in graph.states]
    given = {node.name: x.stype for node, x in zip(graph.arguments, arguments, strict=True)}
    kind = _executor_kind(symbol, given, [*arguments, *gradients])
    like = None if issubclass(kind, StoredExecutor) else like
    return kind(
        symbol, context, arguments, gradients, requests, states, group2ctx=group2ctx, like=like
    )


def _checked_kinds(storage: Mapping[str, str]) -> Mapping[str, str]:
    for name, kind in storage.items():
        if kind not in KINDS:
            raise MXNetError(f"simple_bind: {kind!r} of {name} is no storage type")
    return storage


def _shapes_of(graph: Graph, shapes: Mapping[str, Any]) -> dict[Node, tuple[int, ...]]:
    """Infer the variables' shapes; unknown names and values that are no shapes are ignored, as in MXNet."""
    given = {
        name: SHAPE.read(tuple(shape), name)
        for name, shape in shapes.items()
        if isinstance(shape, (tuple, list))
    }
    facts = infer_facts(graph, SHAPE, given)
    found = {node: facts[node][0] for node in graph.variables}
    unknown = [node.name for node, shape in found.items() if not SHAPE.is_known(shape)]
    if unknown:
        raise MXNetError(
            describe(
                "the shapes of these arguments do not follow from those given: "
                + ", ".join(f"{name} {SHAPE.write(_shape(found, name))}" for name in unknown[:20]),
                where="simple_bind",
                facts=[f"given: {', '.join(f'{n} {s}' for n, s in shapes.items()) or 'none'}"],
                hint=f"simple_bind(…, {unknown[0]}=(…))",
            )
        )
    return found


def _shape(found: Mapping[Node, Any], name: str) -> Any:
    return next(shape for node, shape in found.items() if node.name == name)


def _dtypes_of(graph: Graph, dtypes: Mapping[str, Any]) -> dict[Node, np.dtype[Any]]:
    """Infer the variables' dtypes; float32 where they are not determined."""
    given = {name: as_dtype(dtype) for name, dtype in dtypes.items() if dtype is not None}
    facts = infer_facts(graph, DTYPE, given)
    free = [node for node in graph.variables if facts[node][0] is None]
    if free:
        facts = infer_facts(graph, DTYPE, {**{node.name: DEFAULT for node in free}, **given})
    return {node: facts[node][0] for node in graph.variables}


class _Kind(NamedTuple):
    """The required shape, dtype and storage type of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    context: Context
    storage: str

    def fits(self, array: NDArray) -> bool:
        is_alike = array.shape == self.shape and np.dtype(array.dtype) == self.dtype
        return is_alike and array.stype == self.storage

    def new(self) -> NDArray:
        if self.storage != DENSE:
            return zeros_of(self.storage, self.shape, self.dtype, self.context)
        zeros = allocated(np.zeros, self.shape, self.dtype, "an array of an executor")
        return placed(zeros, self.context)


class _Pool:
    """The source of `simple_bind`'s arrays: another executor, a dict of buffers, or new memory.

    Parameters
    ----------
    parameters : the arguments taken from the other executor, or new; the others come from the buffers
    executor, buffers : as `simple_bind` was given
    """

    def __init__(
        self,
        parameters: Collection[str],
        executor: Executor | None,
        buffers: dict[str, Any] | None,
    ) -> None:
        self.parameters, self.executor, self.buffers = frozenset(parameters), executor, buffers

    def argument(self, name: str, kind: _Kind) -> NDArray:
        if name not in self.parameters:
            return self._buffered(name, kind)
        if self.executor is None:
            return kind.new()
        found = self.executor.arg_dict.get(name)
        if found is None:
            raise MXNetError(f"simple_bind: shared_exec has no argument {name!r}")
        if not kind.fits(found):
            raise MXNetError(
                f"simple_bind: {name} is {kind.shape} {kind.dtype}, "
                f"but {found.shape} {np.dtype(found.dtype)} in shared_exec"
            )
        return found

    def gradient(self, name: str, kind: _Kind) -> NDArray:
        if name not in self.parameters:
            return self._buffered(f"grad of {name}", kind)
        found = None if self.executor is None else self.executor.grad_dict.get(name)
        return kind.new() if found is None else found

    def state(self, name: str, kind: _Kind) -> NDArray:
        found = None if self.executor is None else self.executor.aux_dict.get(name)
        return found if found is not None and kind.fits(found) else kind.new()

    def _buffered(self, name: str, kind: _Kind) -> NDArray:
        if self.buffers is None or kind.storage != DENSE:
            return kind.new()
        found = self.buffers.get(name)
        if found is None or np.dtype(found.dtype) != kind.dtype or found.size < prod(kind.shape):
            found = self.buffers[name] = kind.new()
        return part(found, kind.shape)


# ---------------------------------------------------------------------------- reading arguments


def _arrays(what: str, given: Any, names: Sequence[str]) -> list[NDArray]:
    found = _optional_arrays(what, given, names)
    for name, array in zip(names, found, strict=True):
        if array is None:
            similar = nearest(name, given) if isinstance(given, Mapping) else ""
            raise CallError(
                describe(
                    f"bind: {what} lacks {name!r}{similar}",
                    facts=[f"the graph has {', '.join(names[:12])}"],
                    hint=f"an array for {name!r}, or simple_bind, which makes arrays from shapes",
                )
            )
    return found  # type: ignore[return-value]


def _optional_arrays(what: str, given: Any, names: Sequence[str]) -> list[NDArray | None]:
    if given is None:
        return [None] * len(names)
    if isinstance(given, Mapping):
        found = [given.get(name) for name in names]
    elif isinstance(given, list):
        found = given
        if what == "aux_states" and not given and names:
            found = [None] * len(names)
    else:
        raise TypeError(f"bind: {what} must be a list or a dict, not {type(given).__name__}")
    if len(found) != len(names):
        raise ValueError(
            f"bind: {what} has {len(found)} arrays for {len(names)} names: {', '.join(names[:20])}"
        )
    for name, array in zip(names, found, strict=True):
        if array is not None and not isinstance(array, NDArray):
            raise TypeError(f"bind: {what}: {name} must be an NDArray, not {type(array).__name__}")
    return list(found)


def _requests(grad_req: Any, names: Sequence[str]) -> list[str]:
    if isinstance(grad_req, str):
        found = [grad_req] * len(names)
    elif isinstance(grad_req, Mapping):
        found = [grad_req.get(name, "null") for name in names]
    elif isinstance(grad_req, (list, tuple)):
        found = list(grad_req)
    else:
        raise TypeError(f"grad_req must be a string, a list or a dict, not {grad_req!r}")
    if len(found) != len(names):
        raise ValueError(f"grad_req has {len(found)} entries for {len(names)} arguments")
    for request in found:
        if request not in REQUESTS:
            raise ValueError(f"grad_req must be one of {', '.join(REQUESTS)}, not {request!r}")
    return found
