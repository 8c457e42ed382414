"""`nd.Custom`: a call with shapes and attributes that occurred before takes the fast path."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic.graph import Application, Array
from gluonic.graph.calling import NULL, dress
from gluonic.graph.carried import carried
from gluonic.graph.memory import allocated
from gluonic.ndarray import custom_stored
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.custom import CustomOp, on_change
from gluonic.ndarray.custom_call import CustomCallRecord, CustomSignature, backward, site_of
from gluonic.ndarray.custom_node import KeptCustom, custom, op_of
from gluonic.ndarray.functions import make_function
from gluonic.ndarray.invoke import all_dense, result_class
from gluonic.ndarray.recording import put, wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.dispatch import gives_sparse
from gluonic.ndarray.tape import entry_of
from gluonic.support.caches import Cache

_: Any = (custom_stored,)  # runs it where an array is sparse


class CustomRecord(CustomCallRecord):
    """A recorded call; its backward is called directly, not through the gradient rule."""

    __slots__ = ()

    def gradients(self, heads: list[NDArray | None], *, train: bool) -> Sequence[NDArray | None]:
        """Call the user's backward; gradients to be differentiated again use the rule."""
        if STATE.recording:
            self.arrays[-1] = carried(self.op)
            return super().gradients(heads, train=train)
        site, arrays = self.site, self.arrays
        reads, count, states = site.dependency, site.count, len(site.shapes)
        outputs = arrays[states:-1]
        found = backward(
            self.op,
            [a if i in reads.inputs else None for i, a in enumerate(arrays[:count])],
            arrays[count:states],
            [self._head(heads, i) if i in reads.heads else None for i in range(len(outputs))],
            [a if i in reads.outputs else None for i, a in enumerate(outputs)],
            [(a.shape, a.dtype) for a in arrays[:count]],
            [i for i, entry in enumerate(self.inputs[:count]) if entry is not None],
            site.name,
        )
        gradients: list[NDArray | None] = [
            None if entry is None else wrap(g)
            for g, entry in zip(found, self.inputs[:count], strict=True)
        ]
        return gradients + [None] * (states - count)

    def _head(self, heads: Sequence[NDArray | None], index: int) -> Array:
        head = heads[index]
        if head is None:
            shape, dtype = self.site.results[index]
            return allocated(np.zeros, shape, dtype, "an output")
        return head.elements


_NOT_CARRIED = carried(None)
_general = make_function(custom, "Custom")
_known: Cache[Any, tuple[CustomSignature, Application]] = Cache()
on_change(_known.clear)


def Custom(*data: Any, **keywords: Any) -> Any:
    """Run an operator written in Python."""
    try:
        arrays = [x.elements for x in data]
        key = (
            tuple([(k, v.__class__, v) for k, v in keywords.items()]),
            *[(a.shape, a.dtype) for a in arrays],
        )
        known = _known.get(key)
    except (TypeError, AttributeError):
        known = None
    if known is None:
        return _for_the_first_time(data, keywords)
    site, application = known
    outputs = _run(application, site, site.new_op(), data, arrays)
    return outputs[0] if len(outputs) == 1 else outputs


def again(application: Application) -> Callable[[Sequence[NDArray]], list[NDArray]]:
    """A function that runs an operator, with the operator object that a graph keeps, if any."""
    kept = application.made if isinstance(application, KeptCustom) else None

    def call(data: Sequence[NDArray]) -> list[NDArray]:
        arrays = [x.elements for x in data]
        site = site_of(application.settings, arrays)
        op = site.new_op() if kept is None else op_of(site, kept)
        return _run(application, site, op, data, arrays)

    return call


def _run(
    application: Application,
    site: CustomSignature,
    op: CustomOp,
    data: Sequence[NDArray],
    arrays: list[Array],
) -> list[NDArray]:
    """Call the operator's forward, and record it."""
    results = site.forward(op, arrays, STATE.training)
    kind = NDArray if all_dense(data) else result_class(application, data)
    outputs = [wrap(result, None, data[0].stated_context, kind) for result in results]
    if STATE.recording:
        entries = [None if x.tape_entry is None else entry_of(x) for x in data]
        if any(entry is not None for entry in entries):
            kept = [*arrays, *results, _NOT_CARRIED]
            put(CustomRecord(application, entries, kept, site, op), data, outputs)
    return outputs


def _for_the_first_time(data: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """Call with all checks; from then on such a call takes the fast path."""
    result = _general(*data, **keywords)
    plain = bool(data) and all(
        isinstance(x, NDArray) and not (x.is_sparse or x.on_device) for x in data
    )
    if plain and not any(
        name in ("out", "ctx") or isinstance(value, NDArray) for name, value in keywords.items()
    ):
        _remember(data, keywords)
    return result


def _remember(data: Sequence[NDArray], keywords: dict[str, Any]) -> None:
    given = {n: value for n, value in keywords.items() if n != "name" and value is not NULL}
    application = custom.apply(given)
    if gives_sparse(application):
        return
    arrays = [x.elements for x in data]
    attributes = tuple([(k, v.__class__, v) for k, v in keywords.items()])
    try:
        hash(attributes)
    except TypeError:
        return
    key = (attributes, *[(a.shape, a.dtype) for a in arrays])
    _known.remember(key, (site_of(application.settings, arrays), application))


dress(Custom, custom, "Custom", "nd")
