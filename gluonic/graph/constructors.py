"""Constructors that check their arguments: types and bounds are read from their signatures.

``units: Positive`` is what `Dense` accepts; `wording` expresses it in a message. A parameter whose annotation
cannot be checked, such as `Any` or an initializer, accepts anything.
"""

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, wraps
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from gluonic.graph.attributes import Attribute
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.graph.other_names import meant
from gluonic.support.own_code import is_own

_WITH_PARTS = (Annotated, Union, types.UnionType, Sequence, tuple)
_EMPTY = inspect.Parameter.empty


class ArgumentError(AttributeValueError, AssertionError):
    """A constructor was given an unknown argument, or an invalid value; MXNet asserts for some."""


class CheckedArguments:
    """The base of classes whose constructors, if written in gluonic, refuse invalid arguments.

    Examples
    --------
    >>> class Layer(CheckedArguments):
    ...     def __init__(self, units: int, rate: float | None = None) -> None: ...
    >>> Layer("ten")
    Traceback (most recent call last):
    gluonic.graph.constructors.ArgumentError: Layer: units='ten' must be an integer...
    >>> Layer(10, rat=0.5)
    Traceback (most recent call last):
    gluonic.graph.constructors.ArgumentError: Layer: has no argument 'rat'; did you mean 'rate'?...
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Wrap the constructor that a class defines."""
        super().__init_subclass__(**keywords)
        initialize = cls.__dict__.get("__init__")
        if initialize is not None and is_own(initialize):
            cls.__init__ = _checking(cls, initialize)  # type: ignore[method-assign]


def _checking(owner: type, initialize: Callable[..., None]) -> Callable[..., None]:
    """The constructor, with a check of its arguments."""
    positions, known, rest = _parameters(initialize)

    @wraps(initialize)
    def checked(self: Any, *arguments: Any, **keywords: Any) -> None:
        if arguments or keywords:
            declared, made = _declared(initialize), type(self)
            if declared:
                read = [_read(declared.get(n), v, made) for n, v in zip(positions, arguments)]  # noqa: B905
                arguments = (*read, *arguments[len(read) :])
            for name, value in keywords.items():
                if name in declared:
                    keywords[name] = _read(declared[name], value, made)
                elif name not in known and not (rest and _may_take(made, owner, name)):
                    raise ArgumentError(_unknown(made, name))
        initialize(self, *arguments, **keywords)

    return checked


class _Parameters(NamedTuple):
    """The parameters of a constructor: by position, by keyword, and the name of its ``**kwargs``."""

    positions: tuple[str, ...]
    known: frozenset[str]
    rest: str


def _parameters(initialize: Callable[..., None]) -> _Parameters:
    code = getattr(inspect.unwrap(initialize), "__code__", None)
    if code is None:
        return _Parameters((), frozenset(), "kwargs")
    names, count = code.co_varnames, code.co_argcount
    known = names[1 : count + code.co_kwonlyargcount]
    after = count + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    rest = names[after] if code.co_flags & inspect.CO_VARKEYWORDS else ""
    return _Parameters(names[1:count], frozenset(known), rest)


def _ways(made: type, first: type) -> Iterator[_Parameters]:
    """The constructors that a keyword passes through: each passes on what it calls ``kwargs``."""
    for cls in made.__mro__[made.__mro__.index(first) :]:
        if "__init__" in cls.__dict__:
            parameters = _parameters(cls.__dict__["__init__"])
            yield parameters
            if parameters.rest != "kwargs":
                return


def _may_take(made: type, owner: type, name: str) -> bool:
    """Whether a constructor, or one that it passes keywords on to, has a keyword."""
    parameters = _Parameters((), frozenset(), "")
    for parameters in _ways(made, owner):
        if name in parameters.known:
            return True
    return bool(parameters.rest)  # the last one takes any keyword


@lru_cache(1024)
def _declared(initialize: Callable[..., None]) -> dict[str, Attribute]:
    """The parameters of a constructor that can be checked, by name."""
    return {
        name: Attribute(name, p.annotation, None if p.default is None else _EMPTY)
        for name, p in inspect.signature(initialize).parameters.items()
        if _can_be_checked(p.annotation)
    }


def _can_be_checked(kind: Any) -> bool:
    if kind in (int, float, type(None)) or get_origin(kind) is Literal:
        return True
    parts = get_args(kind)[:1] if get_origin(kind) is Annotated else get_args(kind)
    return get_origin(kind) in _WITH_PARTS and all(
        part is Ellipsis or _can_be_checked(part) for part in parts
    )


def _read(attribute: Attribute | None, value: Any, made: type) -> Any:
    """The checked value as given, except that strings and floats are converted to the declared type."""
    if attribute is None:
        return value
    try:
        parsed = attribute.read(value, made.__name__)
    except AttributeValueError as error:
        raise ArgumentError(*error.args) from None
    return parsed if isinstance(value, (str, float)) else value


def _unknown(made: type, name: str) -> str:
    taken = dict.fromkeys(
        n for way in _ways(made, made) for n in (*way.positions, *sorted(way.known))
    )
    return describe(
        f"has no argument {name!r}{meant(name, taken)}",
        where=made.__name__,
        facts=[f"it has {', '.join(taken)}"],
    )
