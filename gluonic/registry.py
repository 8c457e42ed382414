"""Factories: classes of one kind, made by name, from JSON or from a dictionary."""

import json
import warnings
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from gluonic.graph.errors import AttributeValueError, MXNetError, describe, nearest

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

_Kind = TypeVar("_Kind", bound=type)
_registered: dict[type, dict[str, type]] = {}


class Registering(Protocol):
    """A function that registers a class, and returns it as it is."""

    def __call__(self, klass: _Kind, name: str | None = None) -> _Kind: ...


def get_registry(base_class: type) -> dict[str, type]:
    """Return a copy of the classes registered under `base_class`, by lower-case name."""
    return dict(_classes(base_class))


def get_register_func(base_class: type, nickname: str) -> Registering:
    """Return a function that registers a subclass of `base_class`, for use as a decorator.

    Parameters
    ----------
    base_class : the base of all registered classes
    nickname : the term for such a class in messages
    """

    def register(klass: _Kind, name: str | None = None) -> _Kind:
        """Register a class, so that it can be created by name; a decorator.

        Parameters
        ----------
        klass : the class
        name : its name, by default that of the class; case doesn't matter
        """
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            raise MXNetError(f"only a subclass of {base_class.__name__} can be an {nickname}")
        enter(_classes(base_class), klass, nickname, name)
        return klass

    return register


def enter(classes: dict[str, Any], klass: type, nickname: str, name: str | None = None) -> None:
    """Register a class in a dictionary under a name in lower case; warns if the name is taken."""
    key = (name or klass.__name__).lower()
    old = classes.get(key)
    if old is not None and old is not klass:
        warnings.warn(
            f"the {nickname} {klass.__module__}.{klass.__name__} takes the name {key!r} from "
            f"{old.__module__}.{old.__name__}",
            stacklevel=3,
        )
    classes[key] = klass


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Callable[[_Kind], _Kind]]:
    """Return a function ``alias(*names)`` that makes decorators which register further names."""
    register = get_register_func(base_class, nickname)

    def alias(*names: str) -> Callable[[_Kind], _Kind]:
        """Register a class under further names, too; makes a decorator."""

        def decorate(klass: _Kind) -> _Kind:
            for name in names:
                register(klass, name)
            return klass

        return decorate

    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a function that makes instances.

    It takes a registered name with arguments for the constructor, an instance (returned as it is),
    a dictionary with the name under `nickname`, or JSON: ``'["name", {"key": value}]'``.
    """

    def create(*args: Any, **kwargs: Any) -> Any:
        """Make an instance of a registered class.

        The first argument is its name; the others are those of its constructor. Or it is an instance, which is
        returned; a dictionary with the name and the arguments; or JSON: ``'["name", {"key": value}]'``.
        """
        if args:
            given, *rest = args
        else:
            given, rest = kwargs.pop(nickname), []
        if isinstance(given, base_class):
            if rest or kwargs:
                raise AttributeValueError(
                    f"the {nickname} {given!r} is made already; it takes no further arguments"
                )
            return given
        if not isinstance(given, (str, dict)):
            raise AttributeValueError(
                f"an {nickname} must be a name or a {base_class.__name__}, not {given!r}"
            )
        decoded = _decoded(given, nickname)
        if isinstance(decoded, dict):
            return create(**decoded)
        if isinstance(decoded, list):
            return create(decoded[0], **decoded[1])
        return _find(base_class, nickname, str(given))(*rest, **kwargs)

    return create


def _find(base_class: type, nickname: str, name: str) -> type:
    classes = _classes(base_class)
    if name.lower() not in classes:
        raise AttributeValueError(
            describe(
                f"no {nickname} {name!r} is registered{nearest(name.lower(), classes)}",
                facts=[f"there are {', '.join(sorted(classes))}"],
            )
        )
    return classes[name.lower()]


def _decoded(given: Any, nickname: str) -> Any:
    """A name; or the settings, or the name and the settings, which JSON describes."""
    decoded = given
    if isinstance(given, str) and given.startswith(("[", "{")):
        try:
            decoded = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise AttributeValueError(
                f"no {nickname} is described by {given!r:.80}: {error}"
            ) from error
    match decoded:
        case str() | [str(), {}]:
            return decoded
        case {} if nickname in decoded:
            return decoded
    raise AttributeValueError(
        describe(
            f"no {nickname} is described by {given!r:.80}",
            hint=f'["name", {{"setting": value}}], or {{"{nickname}": "name"}}',
        )
    )


def _classes(base_class: type) -> dict[str, type]:
    return _registered.setdefault(base_class, {})
