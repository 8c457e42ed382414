"""Calling operators by name: the shared part of the `nd` and `sym` namespaces.

A function's inputs and attributes, its signature and its help text are all derived from the
operator's definition.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from gluonic.graph.application import Application
from gluonic.graph.attributes import REQUIRED, annotation
from gluonic.graph.errors import (
    AttributeValueError,
    CallError,
    MXNetError,
    describe,
    nearest,
    warn,
)
from gluonic.graph.operator import Operator, attributes_key
from gluonic.graph.reference import LaterPage
from gluonic.support.caches import Cache


class Null:
    """The type of `NULL`."""

    def __repr__(self) -> str:
        return "<not given>"

    def __bool__(self) -> bool:
        return False


NULL = Null()
"""The placeholder for an attribute that was not given (MXNet's ``_Null``)."""


OTHER_KINDS = {
    (
        "Symbol",
        "NDArray",
    ): "self.params.get_constant(name, value) for an array within a hybrid block; "
    "mx.sym.var(name) for an array that is bound later",
    ("NDArray", "Symbol"): "the operators of F within hybrid_forward, not those of mx.nd",
}


class Caller:
    """The way to call an operator, computed once before any call.

    Parameters
    ----------
    op : the operator
    kind : the class of its inputs (NDArray or Symbol)

    Attributes
    ----------
    plain : the operator applied without attributes, None if it needs one
    arity : the number of positional arguments with which, without keywords, a call is ``plain`` on
        these inputs; -1 if there is none
    names : the names of positional arguments, in order: the inputs, then the attributes
    """

    __slots__ = ("_seen", "arity", "inputs", "kind", "known", "names", "op", "plain", "variadic")

    def __init__(self, op: Operator, kind: type) -> None:
        self.op, self.kind = op, kind
        self._seen: Cache[Any, Application] = Cache()
        self.inputs = op.inputs
        self.known = frozenset(op.inputs)
        self.names = (*op.inputs, *op.attributes)
        self.variadic = op.variadic is not None
        self.plain = self._plain()
        self.arity = len(self.plain.inputs) if self.plain is not None else -1

    def _plain(self) -> Application | None:
        needs_attributes = any(a.default is REQUIRED for a in self.op.attributes.values())
        if self.variadic or needs_attributes or self.op.arguments is not None:
            return None
        plain = self.op.apply({})
        in_front = plain.inputs == self.op.inputs[: len(plain.inputs)]
        return plain if in_front else None

    def seen(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Application | None:
        """The application of an earlier call with the same keywords and number of positional inputs."""
        try:
            return self._seen.get((len(arguments), attributes_key(keywords)))
        except TypeError:  # a list or an array among the values
            return None

    def note(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any], application: Application
    ) -> None:
        """Cache the application of a call whose arguments are all inputs, and whose keywords all attributes."""
        with suppress(TypeError):
            self._seen.remember((len(arguments), attributes_key(keywords)), application)

    def split(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
        """Separate the inputs of a call from its attributes.

        Parameters
        ----------
        arguments, keywords : what the user passed, without ``name``, ``attr``, ``out``

        Returns
        -------
        positional : inputs given by position, None where left out
        named : inputs given by keyword
        attributes : all other arguments, as given; the count of a variadic operator is filled in
        """
        if self.variadic:
            return self._split_variadic(arguments, keywords)
        inputs = self.inputs
        positional = list(arguments[: len(inputs)])
        named: dict[str, Any] = {}
        attributes: dict[str, Any] = {}
        if len(arguments) > len(inputs):
            attributes = self._positional_attributes(arguments)
        for name, value in keywords.items():
            if name in self.known:
                if value is not None:
                    self._refuse_twice(name, positional)
                    named[name] = value
            elif value is not NULL:
                if name in attributes:
                    raise TypeError(f"{self.op.name}: {name} was given twice")
                attributes[name] = value
        return positional, named, attributes

    def _refuse_twice(self, name: str, positional: list[Any]) -> None:
        index = self.inputs.index(name)
        if index < len(positional) and positional[index] is not None:
            raise TypeError(f"{self.op.name}: {name} was given twice, by position and by keyword")

    def check_not_unpacked(self, arguments: Sequence[Any]) -> None:
        """Raise if the numbers of a tuple were given one by one, as in ``x.transpose(1, 0)``."""
        numbers = tuple(arguments[len(self.inputs) :])
        names = self.names[len(self.inputs) :]
        if not names or not all(type(number) is int for number in numbers):
            return
        with suppress(AttributeValueError):
            self.op.attributes[names[0]].read(numbers, self.op.name)
            raise CallError(
                describe(
                    f"takes the numbers {', '.join(map(str, numbers))} as one tuple",
                    where=self.op.name,
                    hint=f"{names[0]}={numbers}",
                )
            )

    def _positional_attributes(self, arguments: Sequence[Any]) -> dict[str, Any]:
        if len(arguments) > len(self.names):
            self.check_not_unpacked(arguments)
            raise TypeError(
                describe(
                    f"takes at most {len(self.names)} arguments, not {len(arguments)}",
                    where=self.op.name,
                    facts=[f"in order: {', '.join(self.names)}"],
                )
            )
        pairs = zip(self.names[len(self.inputs) :], arguments[len(self.inputs) :], strict=False)
        return {name: value for name, value in pairs if value is not NULL}

    def _split_variadic(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
        if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)):
            arguments = arguments[0]
        named: dict[str, Any] = {}
        attributes: dict[str, Any] = {}
        for name, value in keywords.items():
            if isinstance(value, self.kind):
                named[name] = value
            elif value is not NULL:
                attributes[name] = value
        count = self.op.count
        if count is not None and count not in attributes:
            listed = len(arguments) + len(named) - len(self.inputs)
            attributes[count] = listed // self.op.per_count
        return list(arguments), named, attributes

    def recognized(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Drop attributes that the operator ignores, with a warning."""
        recognized = self.op.recognized(attributes)
        if recognized is attributes:
            return attributes
        for name in attributes.keys() - recognized.keys():
            if isinstance(attributes[name], self.kind):
                raise MXNetError(self._not_an_input(self.op.apply({}), name))
            warn(f"{self.op.name} has no attribute {name!r}: it has no effect")
        return recognized

    def arrange(
        self, application: Application, positional: Sequence[Any], named: Mapping[str, Any]
    ) -> list[Any]:
        """Return inputs in the order of ``application.inputs``; None where one is missing.

        Raises
        ------
        MXNetError
            for an input that this use of the operator does not have
        """
        wanted = application.inputs
        order = wanted if self.variadic else self.inputs
        if len(positional) > len(order):
            raise MXNetError(self._too_many(application, len(positional)))
        if order == wanted and not named:
            return [*positional, *[None] * (len(wanted) - len(positional))]
        given = {
            name: value for name, value in zip(order, positional, strict=False) if value is not None
        }
        given.update(named)
        found = [given.pop(name, None) for name in wanted]
        if given:
            raise MXNetError(self._not_an_input(application, next(iter(given))))
        return found

    def _too_many(self, application: Application, count: int) -> str:
        names = ", ".join(application.inputs) or "none"
        return describe(
            f"takes {len(application.inputs)} inputs ({names}), not {count}", where=self.op.name
        )

    def _not_an_input(self, application: Application, name: str) -> str:
        names = ", ".join(application.inputs) or "none"
        return describe(
            f"has no input {name!r} with these attributes{nearest(name, application.inputs)}",
            where=self.op.name,
            facts=[f"its inputs: {names}"],
        )

    def check(self, value: Any, name: str) -> None:
        """Refuse an input of the wrong type."""
        if not isinstance(value, self.kind):
            found = type(value).__name__
            raise CallError(
                describe(
                    f"{name} must be a {self.kind.__name__}, not {found}",
                    where=self.op.name,
                    hint=OTHER_KINDS.get((self.kind.__name__, found), ""),
                )
            )


# ------------------------------------------------------------------- signatures and help texts

_TAIL = {
    "nd": (("out", None), ("name", None)),
    "sym": (("name", None), ("attr", None), ("out", None)),
}


class _Shown(str):
    """An annotation that signatures show without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def signature(op: Operator, room: str) -> inspect.Signature:
    """Derive the Python signature of an operator's function.

    Parameters
    ----------
    room : ``"nd"`` or ``"sym"``
    """
    parameter = inspect.Parameter
    members = [parameter(name, parameter.POSITIONAL_OR_KEYWORD, default=None) for name in op.inputs]
    kind: Any = parameter.POSITIONAL_OR_KEYWORD
    if op.variadic is not None:
        members = [parameter(op.variadic, parameter.VAR_POSITIONAL)]
        kind = parameter.KEYWORD_ONLY
    for a in op.attributes.values():
        default = NULL if a.default is REQUIRED else a.default
        members.append(
            parameter(a.name, kind, default=default, annotation=_Shown(annotation(a.kind)))
        )
    taken = {p.name for p in members}
    members += [parameter(n, kind, default=d) for n, d in _TAIL[room] if n not in taken]
    members.append(parameter(op.catch_all or "kwargs", parameter.VAR_KEYWORD))
    return inspect.Signature(members)


class LaterSignature(inspect.Signature):
    """A signature that is made on first access: there are a thousand, of which few are read."""

    __slots__ = ("_make", "_op", "_room")

    def __init__(
        self,
        op: Operator,
        room: str,
        make: Callable[[Operator, str], inspect.Signature] = signature,
    ) -> None:  # without the base's work, which would make the signature
        self._op, self._room, self._make = op, room, make

    def _made(self) -> inspect.Signature:
        return self._make(self._op, self._room)

    @property
    def parameters(self) -> MappingProxyType[str, inspect.Parameter]:
        """The parameters by name."""
        return self._made().parameters

    @property
    def return_annotation(self) -> Any:
        """Always empty."""
        return inspect.Signature.empty

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        """Return an ordinary signature, with other parameters or another annotation."""
        return self._made().replace(**changes)

    __replace__ = replace  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return self._made().__reduce__()


def dress(function: Callable[..., Any], op: Operator, name: str, room: str) -> None:
    """Give a function its name, signature and help text."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = LaterPage(op, room)
    function.__signature__ = LaterSignature(op, room)  # type: ignore[attr-defined]
