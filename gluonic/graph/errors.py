"""The errors that reach a user, and the line of the user's code they point at.

MXNetError                the error that MXNet raises; base of all below
├── InferenceError        shapes or dtypes contradict each other
├── AttributeValueError   an operator's attribute is unknown, missing or ill-typed
├── OutOfRangeError       an index is out of bounds
├── FileFormatError       a file is damaged or of the wrong kind; nothing of it was loaded
│   └── UnpackedLimitError  … or becomes larger than it may (graph/unpacking.py)
├── FileAccessError       a file cannot be opened, read or written; also an OSError
├── TooLargeError         there is no memory for an array; also a MemoryError (graph/memory.py)
├── CallError             a block was called, or composed, incorrectly
├── MismatchError         parameters, or a file of them, do not match a net
├── UnknownOperatorError  a module of operators has no such name
├── NotThereError         a part of MXNet that gluonic does not have; also a NotImplementedError
│   ├── MissingNameError    … a name in a module; also an AttributeError
│   └── MissingModuleError  … a module, or a name imported from one; also an ImportError
└── DeferredInitializationError   a parameter's shape is not known yet
"""

import difflib
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, TypeVar

_Result = TypeVar("_Result")
PACKAGE = str(Path(__file__).resolve().parent.parent) + "/"
_STANDARD = str(Path(warnings.__file__).parent) + "/"
_INSTALLED = re.compile(r"(site|dist)-packages/")
_COMMAND_LINE = f"{PACKAGE}__main__.py"
"""What called it, such as the script ``bin/gluonic``, is no code of the user's."""


class MXNetError(RuntimeError):
    """Any failure that gluonic itself reports; named as in MXNet, so that `except` clauses keep working.

    Its first and its last line both say what is wrong, because programs log only one of them.

    Attributes
    ----------
    location : the user's line that led to it; shown unless the message already names a line
    blocks : the names of the Gluon blocks that it passed through, outermost first
    facts : lines added to those of the message while the error propagates
    failed : the node at fault, the kind of the known facts ("shape" or "dtype"), and these facts by node
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
        origin = said.origin
        if not origin and self.location is not None and 'File "' not in text:
            origin = (str(self.location),)
        if self.blocks:
            origin = (*origin, f"in block {'/'.join(self.blocks)}")
        return str(Description(said.gist, (*said.facts, *self.facts), said.hint, origin))

    def __reduce__(self) -> Any:
        kept = {name: value for name, value in vars(self).items() if name != "failed"}
        return type(self), self.args, kept  # graphs are not sent to other processes

    def picture(self) -> Any:
        """Draw the graph up to the operator at fault, with the known shapes, as an interactive page.

        With ``GLUONIC_PICTURES=folder``, it is written to that folder when the error is raised.

        Returns
        -------
        Drawing
            with ``view()`` and ``render("file")``; a notebook shows it

        Raises
        ------
        CallError
            if the error is not about an operator of a graph, for example one called eagerly
        """
        from gluonic.graph import pictures

        if self.failed is None:
            raise CallError(describe("this error has no graph to draw", where="picture"))
        return pictures.drawing_of_failure(*self.failed, str(self))


class Description(str):
    """A message, and its parts.

    Attributes
    ----------
    gist : what is wrong, in one line, which is the first and the last
    facts : further lines
    hint : what to try
    origin : the user's line, the block
    """

    gist: str
    facts: tuple[str, ...]
    hint: str
    origin: tuple[str, ...]

    def __new__(
        cls, gist: str, facts: Iterable[str] = (), hint: str = "", origin: Iterable[str] = ()
    ) -> "Description":
        """Compose a message; further lines of `gist`, which may quote another message, become facts."""
        gist, *more = gist.split("\n")
        if more and gist.endswith(more[-1]):
            more.pop()
        facts, origin = (*map(str.strip, more), *facts), tuple(origin)
        lines = [*facts, f"Try: {hint}"] if hint else [*facts]
        if lines:
            text = "\n".join([gist, *(f"  {line}" for line in (*lines, *origin)), gist])
        else:
            text = f"{gist} ({', '.join(origin)})" if origin else gist
        made = super().__new__(cls, text)
        made.gist, made.facts, made.hint, made.origin = gist, facts, hint, origin
        return made

    def __reduce__(self) -> Any:
        return Description, (self.gist, self.facts, self.hint, self.origin)


class InferenceError(MXNetError, ValueError):
    """Two rules, or a rule and the user, disagree about a shape or a dtype.

    Attributes
    ----------
    conflict : the name of the input or output at fault, its fact and the required one; None if unknown
    """

    conflict: "tuple[str, Any, Any] | None" = None


class AttributeValueError(MXNetError, ValueError, TypeError):
    """An operator was given an unknown attribute, or an invalid value of one."""


class OutOfRangeError(MXNetError, IndexError):
    """An index is out of bounds."""


class FileFormatError(MXNetError, ValueError):
    """A file is truncated, damaged or of another kind; nothing of it was loaded."""


class FileAccessError(MXNetError, OSError):
    """A file cannot be opened, read or written."""

    def __init__(self, *arguments: object) -> None:
        MXNetError.__init__(self, *arguments)
        OSError.__init__(self, *arguments)


class CallError(MXNetError, TypeError, ValueError):
    """A block was called, or composed, incorrectly."""


class MismatchError(MXNetError, AssertionError, ValueError):
    """Parameters, or a file of them, do not match those that a net declares."""


class UnknownOperatorError(MXNetError, AttributeError):
    """A module of operators was asked for a name that it does not have.

    Attributes
    ----------
    wanted, candidates : the name, and those that there are; the message names the closest. They are looked for
        when it is read: `hasattr` needs none
    """

    wanted: str = ""
    candidates: Sequence[str] = ()

    @classmethod
    def among(cls, candidates: Sequence[str], module: str, wanted: str) -> "UnknownOperatorError":
        """The error of a module that has other names."""
        error = cls(f"{module} has no {wanted!r}")
        error.wanted, error.candidates = wanted, candidates
        return error

    def __str__(self) -> str:
        if self.candidates:
            self.args = (f"{self.args[0]}{nearest(self.wanted, self.candidates)}",)
            self.candidates = ()
        return super().__str__()


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
    class that is an AttributeError as well. Its `name` stays empty, or ``from mxnet import rnn`` would report
    it as «cannot import name».
    """


class Location(NamedTuple):
    """A line of the user's code."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f'File "{self.file}", line {self.line}, in {self.function}'


class CallLocation(Location):
    """The line of the call that made a graph: later calls of the graph have lines of their own."""

    __slots__ = ()


def present(location: Location | None) -> Location | None:
    """The line to name in an error: that of the present call, for what was made by the first one."""
    return user_location() or location if isinstance(location, CallLocation) else location


def is_ours(file: str) -> bool:
    """Whether a file belongs to gluonic, or to Python's own start of programs."""
    return file.startswith((PACKAGE, "<frozen"))


@lru_cache(maxsize=1024)
def _is_no_program(file: str) -> bool:
    """Whether a file is ours, or of the standard library, which calls programs' functions."""
    is_standard = file.startswith(_STANDARD) and not _INSTALLED.match(file, len(_STANDARD))
    return is_standard or is_ours(file)


def user_location() -> Location | None:
    """The innermost line on the stack that is the user's; None in a command such as ``gluonic view``."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_no_program(frame.f_code.co_filename):
        if frame.f_code.co_filename == _COMMAND_LINE:
            return None
        frame = frame.f_back
    if frame is None:
        return None
    return Location(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def warn(message: str) -> None:
    """Warn at the innermost line on the stack that is not gluonic's own; Python shows it once per line."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and _is_no_program(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def replacing(call: Callable[..., _Result], *arguments: Any) -> _Result:
    """Call a function while an error is handled; its own error is not printed as a consequence of that."""
    try:
        return call(*arguments)
    except Exception as error:
        error.__suppress_context__ = True
        raise


def nearest(name: str, candidates: Iterable[str]) -> str:
    """A "did you mean" clause with the candidates closest to `name`, or an empty string.

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
    """Compose a message: what is wrong, where, the facts, what to try, and again what is wrong.

    Parameters
    ----------
    what : the fault, in a sentence
    where : the operator, node or block at fault
    facts : lines with shapes, dtypes, names
    hint : what to try
    location : the line at fault; by default the innermost on the stack that is not gluonic's own
    """
    location = location or user_location()
    origin = () if location is None else (str(location),)
    return Description(f"{where}: {what}" if where else what, facts, hint, origin)
