"""The errors that reach a user, and the line of the user's code they point at.

MXNetError                what MXNet itself raises; everything below is one
├── InferenceError        shapes or dtypes contradict each other
├── AttributeValueError   an operator's attribute is unknown, missing or ill-typed
├── OutOfRangeError       an index lies beyond the end of an axis
├── FileFormatError       a file is not what it should be; nothing of it was loaded
├── FileAccessError       a file cannot be opened, read or written: OSError, too
├── TooLargeError         there is no memory for an array: MemoryError, too (graph/memory.py)
├── CallError             a block was called, or put together, in a way that makes no sense
├── MismatchError         parameters, or a file of them, are not what a net declares
├── UnknownOperatorError  a module of operators has no such name
├── NotThereError         a part of MXNet that gluonic does not have: NotImplementedError, too
│   ├── MissingNameError    … a name in a module: AttributeError, too
│   └── MissingModuleError  … a module, or a name imported from one: ImportError, too
└── DeferredInitializationError   a parameter's shape is not known yet
"""

import difflib
import sys
import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

PACKAGE = str(Path(__file__).resolve().parent.parent) + "/"
_STANDARD = str(Path(warnings.__file__).parent)
_RUNNERS = tuple(
    f"{_STANDARD}/{name}" for name in ("concurrent/", "multiprocessing/", "threading.py")
)
"""Where Python calls what others have written, in another process or thread."""


class MXNetError(RuntimeError):
    """Any failure that gluonic itself reports; named as in MXNet, so that `except` clauses go on working.

    Its first line says what is wrong, and so does its last: programs log only the one or the other.

    Attributes
    ----------
    location : the user's line that led to it; shown unless the message names a line already
    blocks : the names of the Gluon blocks it came out of, outermost first
    facts : lines to be shown among the message's own, found on the way out
    failed : the node of a graph that it is about, or what makes one, what is known of the nodes ("shape" or
        "dtype"), and that
    """

    failed: "tuple[Any, str, Mapping[Any, Any]] | None" = None

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.location = user_location()
        self.blocks: list[str] = []
        self.facts: list[str] = []

    def __str__(self) -> str:
        text = super().__str__()
        said = self.args[0] if self.args else ""
        if not isinstance(said, Description):
            said = Description(text)
        place = said.place
        if not place and self.location is not None and 'File "' not in text:
            place = (str(self.location),)
        if self.blocks:
            place = (*place, f"in block {'/'.join(self.blocks)}")
        return str(Description(said.gist, (*said.facts, *self.facts), said.hint, place))

    def __reduce__(self) -> Any:
        kept = {name: value for name, value in vars(self).items() if name != "failed"}
        return type(self), self.args, kept  # a graph does not travel to other processes

    def picture(self) -> Any:
        """Draw the graph up to the operator at fault, with the shapes that were known: a page to work in.

        ``GLUONIC_PICTURES=folder`` writes it there when the error is raised.

        Returns
        -------
        Drawing
            with ``view()`` and ``render("file")``; a notebook shows it

        Raises
        ------
        CallError
            for an error about no operator of a graph, such as one that was called eagerly
        """
        from gluonic.graph import pictures

        if self.failed is None:
            raise CallError(describe("this error has no graph to draw", where="picture"))
        return pictures.drawing_of_failure(*self.failed, str(self))


class Description(str):
    """A message, and what it is made of.

    Attributes
    ----------
    gist : what is wrong, in one line: the first, and the last
    facts : a line each
    hint : what to try
    place : the user's line, the block
    """

    gist: str
    facts: tuple[str, ...]
    hint: str
    place: tuple[str, ...]

    def __new__(
        cls, gist: str, facts: Iterable[str] = (), hint: str = "", place: Iterable[str] = ()
    ) -> "Description":
        """Put a message together; further lines of `gist`, as it may quote another message, are facts."""
        gist, *more = gist.split("\n")
        if more and gist.endswith(more[-1]):
            more.pop()
        facts, place = (*map(str.strip, more), *facts), tuple(place)
        lines = [*facts, f"Try: {hint}"] if hint else [*facts]
        if lines:
            text = "\n".join([gist, *(f"  {line}" for line in (*lines, *place)), gist])
        else:
            text = f"{gist} ({', '.join(place)})" if place else gist
        made = super().__new__(cls, text)
        made.gist, made.facts, made.hint, made.place = gist, facts, hint, place
        return made

    def __reduce__(self) -> Any:
        return Description, (self.gist, self.facts, self.hint, self.place)


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


class FileAccessError(MXNetError, OSError):
    """A file cannot be opened, read or written."""

    def __init__(self, *arguments: object) -> None:
        MXNetError.__init__(self, *arguments)
        OSError.__init__(self, *arguments)


class CallError(MXNetError, TypeError, ValueError):
    """A block was called, or put together, in a way that makes no sense."""


class MismatchError(MXNetError, AssertionError, ValueError):
    """Parameters, or a file of them, are not what a net declares."""


class UnknownOperatorError(MXNetError, AttributeError):
    """A module of operators was asked for a name that it does not have."""


class NotThereError(MXNetError, NotImplementedError):
    """A part of MXNet that gluonic does not have was asked for."""


class MissingNameError(NotThereError, AttributeError):
    """A module was asked for a name that MXNet has and gluonic does not.

    It is an AttributeError so that ``hasattr(mx, "rnn")`` and ``getattr(mx, "rnn", None)`` answer.
    """

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name  # where it is set, Python does not look for names that are like it


class MissingModuleError(NotThereError, ModuleNotFoundError):
    """A module that MXNet has and gluonic does not was imported, or a name from one.

    It is an ImportError so that ``try: import mxnet.numpy`` with ``except ImportError:`` goes on; Python has no
    class that is an AttributeError as well. Its `name` stays empty, or ``from mxnet import rnn`` would take it
    for a mere «cannot import name».
    """


class Location(NamedTuple):
    """A line of the user's code."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'


@lru_cache(maxsize=1024)
def _is_ours(file: str) -> bool:
    return file.startswith((PACKAGE, *_RUNNERS, "<frozen"))


def user_location() -> Location | None:
    """The innermost line on the stack that is not gluonic's own."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return None
    return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def warn(message: str) -> None:
    """Warn at the innermost line on the stack that is not gluonic's own; Python shows that once a line."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def nearest(name: str, candidates: Iterable[str]) -> str:
    """A «did you mean» clause naming the candidates most like `name`, or an empty string.

    >>> nearest("kernal", ["kernel", "stride"])
    "; did you mean 'kernel'?"
    """
    found = difflib.get_close_matches(name, list(candidates), n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def describe(
    what: str,
    *,
    where: str = "",
    facts: Iterable[str] = (),
    hint: str = "",
    location: Location | None = None,
) -> Description:
    """Put a message together: what is wrong, where, the facts, what to try, and what is wrong once more.

    Parameters
    ----------
    what : the fault, in a sentence
    where : the operator, node or block at fault
    facts : a line each: shapes, dtypes, names
    hint : what to try
    location : the line at fault; by default the innermost on the stack that is not gluonic's own
    """
    location = location or user_location()
    place = () if location is None else (str(location),)
    return Description(f"{where}: {what}" if where else what, facts, hint, place)
