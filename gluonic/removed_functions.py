"""Functions that NumPy has dropped, written anew: about dtypes, memory, deprecation and text files."""

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np

_ORDERS = {"int": "bhilq", "uint": "BHILQ", "float": "efdg", "complex": "FDG"}


def _types_of_each_kind() -> dict[str, list[type]]:
    """The types of numbers by kind, each size once, in ascending order, and the others."""
    found: dict[str, list[type]] = {}
    for kind, codes in _ORDERS.items():
        by_size = {np.dtype(code).itemsize: np.dtype(code).type for code in reversed(codes)}
        found[kind] = [by_size[size] for size in sorted(by_size)]
    return {**found, "others": [bool, object, bytes, str, np.void]}


SCTYPES = _types_of_each_kind()
NBYTES = {np.dtype(code).type: np.dtype(code).itemsize for code in np.typecodes["All"]}


def issctype(rep: Any) -> bool:
    """Whether something stands for a type of array elements."""
    if not isinstance(rep, (type, np.dtype)):
        return False
    return obj2sctype(rep) not in (None, np.object_)


def obj2sctype(rep: Any, default: Any = None) -> Any:
    """Return the type of elements that something stands for, or that an array has."""
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    if isinstance(rep, np.ndarray):
        return rep.dtype.type
    try:
        return np.dtype(rep).type
    except TypeError:
        return default


def sctype2char(sctype: Any) -> str:
    """Return the character that stands for a type."""
    return str(np.dtype(obj2sctype(sctype)).char)


def maximum_sctype(t: Any) -> Any:
    """Return the largest type of the kind of a type."""
    wanted = obj2sctype(t)
    for kind, base in (
        ("int", np.signedinteger), ("uint", np.unsignedinteger), ("float", np.floating),
        ("complex", np.complexfloating),
    ):  # fmt: skip
        if wanted is not None and issubclass(wanted, base):
            return SCTYPES[kind][-1]
    return t if wanted is None else wanted


def disp(mesg: Any, device: Any = None, linefeed: bool = True) -> None:
    """Write a message to a file, by default to the standard output."""
    file = sys.stdout if device is None else device
    file.write(f"{mesg}\n" if linefeed else f"{mesg}")
    file.flush()


def who(vardict: Mapping[str, Any] | None = None) -> None:
    """Print the arrays in a dictionary, by default those of the caller: name, shape, bytes and type."""
    names = sys._getframe(1).f_globals if vardict is None else vardict
    arrays = {name: value for name, value in names.items() if isinstance(value, np.ndarray)}
    rows = [
        (name, " x ".join(map(str, a.shape)), str(a.nbytes), a.dtype.name)
        for name, a in arrays.items()
    ]
    titles = ("Name", "Shape", "Bytes", "Type")
    widths = [max(10, *(len(row[i]) for row in (titles, *rows))) for i in range(len(titles))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)) for r in rows]
    title = "  ".join(cell.ljust(w) for cell, w in zip(titles, widths, strict=True))
    total = sum(array.nbytes for array in {id(array): array for array in arrays.values()}.values())
    print(
        "\n".join([title, "=" * len(title), *lines, "", f"Upper bound on total bytes  = {total}"])
    )


def lookfor(what: str, module: Any = None, *_: Any, output: Any = None, **__: Any) -> None:
    """Print the functions of a module, by default NumPy, whose documentation has some words."""
    where = np if module is None else module
    where = sys.modules[where] if isinstance(where, str) else where
    words = what.lower().split()
    found = []
    for name in dir(where):
        text = getattr(getattr(where, name, None), "__doc__", None) or ""
        if not name.startswith("_") and all(word in f"{name} {text}".lower() for word in words):
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            found.append(f"{where.__name__}.{name}\n    {lines[0] if lines else ''}")
    print("\n".join(found) or f"Nothing found for {what!r}", file=output)


def deprecate(
    func: Any = None,
    old_name: str | None = None,
    new_name: str | None = None,
    message: str | None = None,
) -> Any:
    """Make a function warn that it is deprecated; a decorator, with or without arguments."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = old_name or function.__name__
        text = f"`{name}` is deprecated" + (f", use `{new_name}` instead!" if new_name else "!")
        text += f"\n{message}" if message is not None else ""

        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            return function(*args, **keywords)

        call.__name__ = name
        call.__doc__ = f"{text}\n\n{function.__doc__}" if function.__doc__ else text
        return call

    return decorate if func is None else decorate(func)


def deprecate_with_doc(msg: str) -> Any:
    """Return a decorator that deprecates a function, with a message."""
    return deprecate(message=msg)


def recfromtxt(fname: Any, **kwargs: Any) -> Any:
    """Read a text file into a record array."""
    kwargs.setdefault("dtype", None)
    use_masks = kwargs.get("usemask", False)
    found = np.genfromtxt(fname, **kwargs)
    return found if use_masks or found.dtype.names is None else found.view(np.recarray)


def recfromcsv(fname: Any, **kwargs: Any) -> Any:
    """Read a comma-separated file, whose first line names the columns, into a record array."""
    usual = {"case_sensitive": "lower", "names": True, "delimiter": ","}
    return recfromtxt(fname, **{**usual, **kwargs})
