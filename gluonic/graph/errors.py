"""The errors that reach a user, and the line of the user's code they point at.

MXNetError                what MXNet itself raises; everything below is one
├── InferenceError        shapes or dtypes contradict each other
├── AttributeValueError   an operator's attribute is unknown, missing or ill-typed
├── OutOfRangeError       an index lies beyond the end of an axis
├── FileFormatError       a file is not what it should be; nothing of it was loaded
├── CallError             a block was called, or put together, in a way that makes no sense
├── MismatchError         parameters, or a file of them, are not what a net declares
├── UnknownOperatorError  a module of operators has no such name
├── NotThereError         a part of MXNet that gluonic does not have
└── DeferredInitializationError   a parameter's shape is not known yet
"""

import difflib
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

PACKAGE = str(Path(__file__).resolve().parent.parent) + "/"


class MXNetError(RuntimeError):
    """Any failure that gluonic itself reports; named as in MXNet, so that `except` clauses go on working.

    Attributes
    ----------
    location : the user's line that led to it; shown unless the message names a line already
    blocks : the names of the Gluon blocks it came out of, outermost first
    facts : lines to be shown after the message, found on the way out
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.location = user_location()
        self.blocks: list[str] = []
        self.facts: list[str] = []

    def __str__(self) -> str:
        lines = [super().__str__(), *(f"  {fact}" for fact in self.facts)]
        if self.blocks:
            lines.append(f"  in block {'/'.join(self.blocks)}")
        if self.location is not None and 'File "' not in lines[0]:
            lines.append(f"  {self.location}")
        return "\n".join(lines)


class InferenceError(MXNetError, ValueError):
    """Two rules, or a rule and the user, disagree about a shape or a dtype.

    Attributes
    ----------
    conflict : the name of the input or output at fault, what it is and what it must be, if there is one
    """

    conflict: "tuple[str, Any, Any] | None" = None


class AttributeValueError(MXNetError, ValueError, TypeError):
    """An operator was given an attribute it does not have, or a value that the attribute cannot take."""


class OutOfRangeError(MXNetError, IndexError):
    """An index lies beyond the end of an axis."""


class FileFormatError(MXNetError, ValueError):
    """A file is truncated, damaged or of another kind; nothing of it was loaded."""


class CallError(MXNetError, TypeError, ValueError):
    """A block was called, or put together, in a way that makes no sense."""


class MismatchError(MXNetError, AssertionError, ValueError):
    """Parameters, or a file of them, are not what a net declares."""


class UnknownOperatorError(MXNetError, AttributeError):
    """A module of operators was asked for a name that it does not have."""


class NotThereError(MXNetError, NotImplementedError, AttributeError):
    """A part of MXNet that gluonic does not have was asked for by name."""


class Location(NamedTuple):
    """A line of the user's code."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'


@lru_cache(maxsize=1024)
def _is_ours(file: str) -> bool:
    return file.startswith((PACKAGE, "<frozen"))


def user_location() -> Location | None:
    """The innermost line on the stack that is not gluonic's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return None
    return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def nearest(name: str, candidates: Iterable[str]) -> str:
    """A «did you mean» clause naming the candidates most like `name`, or an empty string.

    >>> nearest("kernal", ["kernel", "stride"])
    "; did you mean 'kernel'?"
    """
    found = difflib.get_close_matches(name, list(candidates), n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def describe(what: str, *, where: str = "", facts: Iterable[str] = (), hint: str = "") -> str:
    """Put a message together: what is wrong, where, the facts, and what to try.

    Parameters
    ----------
    what : the fault, in a sentence
    where : the operator, node or block at fault; the user's line is added by itself
    facts : a line each: shapes, dtypes, names
    hint : what to try
    """
    lines = [f"{where}: {what}" if where else what]
    lines += [f"  {fact}" for fact in facts]
    if hint:
        lines.append(f"  Try: {hint}")
    location = user_location()
    if location is not None:
        lines.append(f"  {location}")
    return "\n".join(lines)
