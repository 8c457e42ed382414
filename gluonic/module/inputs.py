"""The inputs of a module: their names, descriptions and gradient requests."""

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from gluonic.graph.errors import MXNetError, describe, nearest
from gluonic.io import DataDesc


class InputsError(MXNetError, TypeError, ValueError):
    """The description of a module's inputs is none."""


def described(shapes: Any, kind: str = "data") -> list[DataDesc]:
    """Descriptions of inputs, from descriptions or from pairs of name and shape.

    Parameters
    ----------
    kind : ``data`` or ``label``, for messages
    """
    return [one if isinstance(one, DataDesc) else _description(one, kind) for one in shapes or ()]


def _description(pair: Any, kind: str) -> DataDesc:
    is_pair = isinstance(pair, (tuple, list)) and len(pair) > 1 and isinstance(pair[0], str)
    if not is_pair or not isinstance(pair[1], Iterable):
        shape = tuple(pair) if isinstance(pair, (tuple, list)) else (pair,)
        name = "data" if kind == "data" else "softmax_label"
        raise InputsError(
            describe(
                f"an input is described by a pair of name and shape, not by {pair!r}",
                where=f"{kind}_shapes",
                hint=f"{kind}_shapes=[({name!r}, {shape!r})], or an iterator's provide_{kind}",
            )
        )
    return DataDesc(*pair)


def batch_axes(descriptions: Sequence[DataDesc]) -> list[int]:
    """The batch axis of each input, -1 where there is none."""
    return [DataDesc.get_batch_axis(one.layout) for one in descriptions]


def check_names(
    wanted: Sequence[str], known: Sequence[str], kind: str, refuse: bool | None = None
) -> None:
    """Raise an error for names of inputs that the symbol lacks; for labels, warn.

    Parameters
    ----------
    wanted : the names
    known : the symbol's arguments
    kind : the name of the parameter, such as ``data_names``
    refuse : whether to raise an error; by default except for ``label_names``

    Raises
    ------
    ValueError
        for the first unknown name
    """
    for name in wanted:
        if name in known:
            continue
        text = (
            f"{kind}={list(wanted)}: the symbol has no argument {name!r}{nearest(name, known)}; "
            f"it has {list(known)}"
        )
        if refuse if refuse is not None else kind != "label_names":
            raise ValueError(text)
        warnings.warn(text, stacklevel=3)


def check_described(
    described_ones: Sequence[DataDesc], names: Sequence[str], kind: str, *, refuse: bool
) -> None:
    """Raise an error for descriptions that do not match the names of data or labels, or warn.

    Parameters
    ----------
    described_ones : the descriptions
    names : the inputs that should be described
    kind : ``data`` or ``label``
    refuse : whether to raise an error

    Raises
    ------
    ValueError
        if they differ; the error lists both
    """
    found = [one.name for one in described_ones]
    if sorted(found) == sorted(names):
        return
    text = f"{kind}_shapes describe {found}, but {kind}_names are {list(names)}"
    if refuse:
        raise ValueError(text)
    warnings.warn(text, stacklevel=3)


def gradient_requests(
    grad_req: Any,
    arguments: Sequence[str],
    parameters: Collection[str],
    data: Collection[str],
    fixed: Collection[str],
    inputs_need_grad: bool,
) -> dict[str, str]:
    """The gradient request of each argument: ``write``, ``add`` or ``null``.

    Parameters
    ----------
    grad_req : one request for all parameters and data, a list with one for each argument, or some by name
    arguments : the names of the symbol's arguments
    parameters, data, fixed : those that are parameters, data, and parameters that are not trained
    inputs_need_grad : whether gradients of the data are requested

    Raises
    ------
    AssertionError
        if the length of a list is not the number of arguments
    ValueError
        if `grad_req` is none of these
    """
    if isinstance(grad_req, (list, tuple)):
        if len(grad_req) != len(arguments):
            raise AssertionError(
                f"grad_req has {len(grad_req)} entries for {len(arguments)} arguments: "
                f"{', '.join(arguments)}"
            )
        return dict(zip(arguments, grad_req, strict=True))
    if not isinstance(grad_req, (str, Mapping)):
        raise ValueError(f"grad_req must be a string, a list or a dictionary, not {grad_req!r}")
    trained = {name for name in parameters if name not in fixed}
    if inputs_need_grad:
        trained.update(data)
    usual = grad_req if isinstance(grad_req, str) else "write"
    found = {name: usual if name in trained else "null" for name in arguments}
    return {**found, **({} if isinstance(grad_req, str) else grad_req)}
