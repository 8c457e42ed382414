"""The functions of `nd`, made from the registry: ``nd.X(inputs…, attribute=value, out=None)``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.graph import REGISTRY, Application, Operator, casting
from gluonic.graph.calling import Caller, dress
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.infer import signature
from gluonic.graph.namespaces import Functions
from gluonic.graph.numpy_names import is_numpy_name
from gluonic.ndarray.array import NDArray, NoElementsError
from gluonic.ndarray.casting import cast_call
from gluonic.ndarray.context import Context, usable
from gluonic.ndarray.invoke import (
    NotAnArrayError,
    all_dense,
    fast_call,
    invoke,
    quick_call,
)
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.numpy_class import numpy_array
from gluonic.ndarray.placing import device_of, on_devices
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.dispatch import copy_value, gives_sparse, has_sparse


def make_function(op: Operator, name: str) -> Callable[..., Any]:
    """Make the function that calls an operator under one of its names.

    Most operators are never called, so work that takes longer than a microsecond is done at the first call.
    A call with only inputs, by position, and perhaps a name, takes the fast path.
    """
    caller: Caller | None = None
    fast: Any = None
    fast_of_numpy: Any = None
    there: Mapping[type, Any] = {}
    arity = -1
    kind: Any = None
    of_numpy = is_numpy_name(name)

    def function(*arguments: Any, name: Any = None, **keywords: Any) -> Any:
        nonlocal caller, fast, fast_of_numpy, there, arity, kind
        if not keywords and len(arguments) == arity:
            for argument in arguments:
                if type(argument) is not kind:
                    break
            else:
                return fast(*arguments)
            if fast_of_numpy is not None and _all_of_numpy(arguments):
                try:
                    return fast_of_numpy(*arguments)
                except NoElementsError:
                    pass  # they are on a device
            call_there = there.get(type(argument))
            if call_there is not None:
                return call_there(*arguments)
        if caller is None:
            kind = numpy_array() if of_numpy else NDArray
            caller, fast, arity = _ways(op, kind)
        else:
            fast_of_numpy, there = _other_ways(caller, arguments, fast, fast_of_numpy, there)
        if name is not None:
            keywords["name"] = name
        return call(caller, arguments, keywords)

    dress(function, op, name, "nd")
    return function


def _all_of_numpy(arguments: Sequence[Any]) -> bool:
    """Whether all arguments are arrays of `mx.np`."""
    for argument in arguments:  # noqa: SIM110 (a generator takes twice as long)
        if not (isinstance(argument, NDArray) and argument.of_numpy):
            return False
    return True


def _ways(op: Operator, kind: type[NDArray]) -> tuple[Caller, Any, int]:
    """The caller of an operator, its fast path, if there is one, and the number of inputs of that."""
    caller = Caller(op, NDArray)
    plain = None if casting.concerns(op.name) else caller.plain
    fast = None if plain is None else fast_call(plain, kind)
    return caller, fast, -1 if fast is None else caller.arity


def _other_ways(
    caller: Caller, arguments: Sequence[Any], fast: Any, of_numpy: Any, there: Mapping[type, Any]
) -> tuple[Any, Mapping[type, Any]]:
    """The fast paths for arrays of `mx.np`, and, by class, on devices; none if `mx.nd` has none."""
    if fast is None:
        return None, {}
    if not there and _all_on_devices(arguments):
        there = on_devices().eager_calls(caller.plain)
    elif of_numpy is None and _all_of_numpy(arguments):
        of_numpy = _ways(caller.op, numpy_array())[1]
    return of_numpy, there


def call(caller: Caller, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """Call an operator with the arguments of a user's call.

    Returns
    -------
    NDArray or list of NDArray
        the visible outputs; `out` itself, if it was given
    """
    if len(arguments) > len(caller.names) and not caller.variadic:
        arguments = _without_tail(caller, arguments, keywords)
    out = keywords.pop("out", None)
    keywords.pop("name", None)
    context = None
    if "ctx" in keywords and "ctx" not in caller.op.attributes:
        context = usable(keywords.pop("ctx"))
    is_dense = out is None and all_dense(arguments)
    is_plain = is_dense or (out is None and _all_on_devices(arguments))
    seen = caller.seen(arguments, keywords) if is_plain else None
    if seen is not None:
        if not is_dense and context is None and casting.current is None:
            call_there = on_devices().eager_calls(seen).get(type(arguments[0]))
            if call_there is not None:
                return call_there(*arguments)
            return _visible(seen, on_devices().invoke_there(seen, arguments))
        application, positional = seen, arguments
    else:
        application, positional = _prepared(caller, arguments, keywords, out, is_plain=is_plain)
    is_dense = is_dense and seen is not None
    if casting.current is not None:
        application, positional = cast_call(application, positional)
        is_dense = False
    if out is not None:
        return _into(application, positional, out)
    quick = quick_call(application)
    if quick is not None and context is None and (is_dense or all_dense(positional)):
        return quick(*positional)
    return _invoked_on(context, application, positional)


def _all_on_devices(inputs: Sequence[Any]) -> bool:
    """Whether there are inputs, and all are arrays on devices."""
    for x in inputs:
        if not (isinstance(x, NDArray) and x.on_device):
            return False
    return bool(inputs)


def _invoked_on(
    context: Context | None, application: Application, inputs: Sequence[NDArray]
) -> Any:
    """Run an operator the long way, for results on a context (None: that of the inputs)."""
    if not inputs:
        context = context or usable(application.settings.get("ctx") or None)
        device = device_of(context)
        if device is not None:
            return _visible(application, on_devices().invoke_on(device, application, ()))
    outputs = invoke(application, inputs)
    if context is not None:
        for output in outputs:
            if not output.on_device:
                output.stated_context = context
    return _visible(application, outputs)


def _visible(application: Application, outputs: list[Any]) -> Any:
    """The outputs that a user sees; alone, if there is one."""
    return outputs[0] if application.visible == 1 else outputs[: application.visible]


def _prepared(
    caller: Caller,
    arguments: Sequence[Any],
    keywords: dict[str, Any],
    out: Any,
    *,
    is_plain: bool,
) -> tuple[Application, Sequence[Any]]:
    """The operator with the attributes of a call, and the inputs in order.

    Parameters
    ----------
    is_plain : whether all arguments by position are arrays, none of them sparse, and there is no `out`
    """
    positional, named, given = caller.split(arguments, keywords)
    if out is not None and not caller.inputs:
        given = {**_attributes_of(out, caller.op), **given}
    attributes = caller.recognized(given) if given else given
    application = caller.op.apply(attributes)
    count = len(application.inputs)
    if is_plain and not named and attributes is given and len(arguments) == count:
        caller.note(arguments, keywords, application)
    elif named or len(positional) != count or None in map(id_or_none, positional):
        positional = caller.arrange(application, positional, named)
        _check_complete(application, positional)
    return application, positional


def _without_tail(
    caller: Caller, arguments: Sequence[Any], keywords: dict[str, Any]
) -> Sequence[Any]:
    """Take `out` and `name`, given by position after inputs and attributes, as keywords."""
    declared = len(caller.names)
    caller.check_not_unpacked(arguments)
    for name, value in zip(("out", "name"), arguments[declared:], strict=False):
        if name in keywords:
            raise TypeError(f"{caller.op.name}: {name} was given twice, by position and by keyword")
        keywords[name] = value
    return (*arguments[:declared], *arguments[declared + 2 :])


def id_or_none(value: Any) -> int | None:
    """None for None: `in` would compare arrays with ``==``."""
    return None if value is None else id(value)


def _check_complete(application: Application, inputs: Sequence[Any]) -> None:
    missing = [n for n, x in zip(application.inputs, inputs, strict=True) if x is None]
    if missing:
        raise MissingInputError(
            describe(
                f"needs the input {', '.join(missing)}",
                where=application.op.name,
                facts=[f"its inputs: {', '.join(application.inputs)}"],
            )
        )


class MissingInputError(MXNetError, TypeError):
    """An operator was called without one of its inputs."""


def _into(application: Application, inputs: Sequence[NDArray], out: Any) -> Any:
    """Run an operator and write its outputs into the arrays `out`."""
    targets = _targets(application, out)
    for target in targets:
        check_writable(target, inputs)
    if has_sparse(inputs) or has_sparse(targets) or gives_sparse(application):
        return _into_stored(application, inputs, targets, out)
    try:
        shapes, dtypes = [x.shape for x in inputs], [x.elements.dtype for x in inputs]
        given = [(x.shape, x.elements.dtype) for x in targets]
    except NoElementsError:
        shapes = None
    if shapes is None:
        return on_devices().into(application, inputs, targets, out)
    expected = signature(application, shapes, dtypes, given)
    for target, output in zip(targets, invoke(application, inputs, expected), strict=False):
        overwrite(target, output.elements)
        if STATE.recording:
            target.tape_entry = output.tape_entry
    return out


def _into_stored(
    application: Application, inputs: Sequence[NDArray], targets: Sequence[NDArray], out: Any
) -> Any:
    """Run an operator and write its outputs into arrays, where some of them or of the inputs are sparse."""
    for target, output in zip(targets, invoke(application, inputs), strict=False):
        copy_value(output, target)
    return out


def _attributes_of(out: Any, op: Operator) -> dict[str, Any]:
    """The shape and dtype of `out`, for an operator without inputs."""
    first = out[0] if isinstance(out, (list, tuple)) else out
    return {n: getattr(first, n) for n in ("shape", "dtype") if n in op.attributes}


def _targets(application: Application, out: Any) -> list[NDArray]:
    targets = list(out) if isinstance(out, (list, tuple)) else [out]
    for target in targets:
        if not isinstance(target, NDArray):
            raise NotAnArrayError(
                describe(
                    f"out must be an NDArray, or a list of them, not {type(target).__name__}",
                    where=application.op.name,
                )
            )
    if len(targets) not in (application.visible, len(application.outputs)):
        raise MXNetError(
            describe(
                f"has {application.visible} outputs, but out= gives {len(targets)} arrays",
                where=application.op.name,
            )
        )
    return targets


def _make_anew() -> None:
    """Let all modules recreate their functions: the earlier ones cache the fast path of a call."""
    for name in REGISTRY:
        Functions.renew(name)


casting.watchers.append(_make_anew)
