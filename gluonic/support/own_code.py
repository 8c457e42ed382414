"""Which classes and functions are gluonic's own, and which are a program's."""

_OWN = ("gluonic", "mxnet")
"""The package's name, and the name under which it is served as MXNet."""


def module_of(defined: object) -> str:
    """The name of the module that a class or function comes from; empty if it names none.

    Functions of code that ``exec`` runs in a namespace without ``__name__`` have None as their
    module; methods of built-in types and `functools.partial` objects have none at all.
    """
    return getattr(defined, "__module__", None) or ""


def is_own(defined: object) -> bool:
    """Whether a class or function is gluonic's own."""
    return module_of(defined).partition(".")[0] in _OWN
