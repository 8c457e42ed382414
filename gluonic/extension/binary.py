"""An opened extension library: its functions, called under guard, and the messages it leaves."""

import ctypes
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from gluonic.extension.guard import CallSlots, guards_for
from gluonic.extension.probing import probe
from gluonic.extension.signatures import VERSIONS, functions, later_functions
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.json.writer import VERSION as MXNET_VERSION
from gluonic.support.c_functions import c_library

Argument: TypeAlias = "int | ctypes.Array[Any] | ctypes._SimpleCData[Any] | None"
Resolver: TypeAlias = Callable[[str], int | None]

_SUFFIXES = (".so", ".dll", ".dylib")
_free = c_library().free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


class ExtensionBinary:
    """The functions of an extension library.

    Parameters
    ----------
    title : the library's name in messages: its path
    resolve : finds the address of a symbol, None if there is none

    Attributes
    ----------
    version : of the interface
    guards : the machine code through which its functions are called

    Raises
    ------
    MXNetError
        if it is not an extension library, or its version is not supported
    """

    def __init__(self, title: str, resolve: Resolver) -> None:
        self.title, self.resolve = title, resolve
        self._messages_seen = 0
        self._lock = threading.Lock()
        self.guards = guards_for(resolve)
        self._addresses = {"_opVersion": self._address("_opVersion")}
        self._signatures = {"_opVersion": "i:"}
        self.version = self.call("_opVersion")
        _check_version(self.version, title)
        self._check_functions()
        self._signatures = functions(self.version)
        self._addresses = {name: self._address(name) for name in self._signatures}

    def _check_functions(self) -> None:
        """Check that the library has no functions that came after the version it says it has."""
        later = [name for name in later_functions(self.version) if self.resolve(name)]
        if later:
            raise MXNetError(
                describe(
                    f"Library version ({self.version}) is not what it says: it has {later[0]}, which is newer",
                    where=self.title,
                    hint="compile all of it with one header, that in libinfo.find_include_path()",
                )
            )

    def _address(self, name: str) -> int:
        address = self.resolve(name)
        if not address:
            raise MXNetError(
                describe(
                    f"Error getting function '{name}' from library",
                    where=self.title,
                    hint="compile the library with the header in libinfo.find_include_path(); "
                    "libraries for MXNet 1.6 and older have no such function",
                )
            )
        return address

    def address(self, name: str) -> int:
        """Return the address of one of the interface's functions."""
        return self._addresses[name]

    def has(self, name: str) -> bool:
        """Whether this version of the interface has a function."""
        return name in self._addresses

    def signature(self, name: str) -> str:
        """Return the signature of one of the interface's functions."""
        return self._signatures[name]

    def call(self, name: str, *arguments: Argument) -> int:
        """Call a function of the interface.

        Parameters
        ----------
        arguments : whole numbers, addresses, None for NULL, or ctypes objects to be passed by address

        Returns
        -------
        int
            the result; 0 for a function that returns nothing

        Raises
        ------
        MXNetError
            with the text of a C++ exception
        """
        frame = CallSlots(self._addresses[name], [_as_number(a) for a in arguments])
        thrown = self.guards.trampolines[self._signatures[name]](frame.address)
        if thrown:
            raise self.exception(thrown, name)
        return frame.result

    def exception(self, thrown: int, name: str) -> MXNetError:
        """Make the error for a trampoline's result."""
        text = ctypes.string_at(thrown).decode(errors="replace")
        _free(thrown)
        facts = [f"a C++ exception in {name} of {self.title}", *self.new_messages()]
        return MXNetError(describe(text, facts=facts))

    def check(self, name: str, failure: str, *arguments: Argument) -> None:
        """Call a function that returns 0 on failure.

        Raises
        ------
        MXNetError
            beginning with `failure`, with the library's own messages
        """
        if not self.call(name, *arguments):
            raise self.failure(failure)

    def failure(self, what: str) -> MXNetError:
        """Make the error of a function that reported failure."""
        return MXNetError(describe(self.failure_text(what)))

    def failure_text(self, what: str) -> str:
        """Describe a failure, with the library's messages about it."""
        messages = [f"\t[{i}] {message}" for i, message in enumerate(self.new_messages())]
        traceback = ["Extension Traceback:", *messages] if messages else []
        return "\n".join([what, *traceback, f"  in the library {self.title}"])

    def new_messages(self) -> list[str]:
        """Return what the library has reported since the last time; its list only grows."""
        if "_msgSize" not in self._addresses:
            return []
        with self._lock:
            begin, end = self._messages_seen, self.call("_msgSize")
            self._messages_seen = max(begin, end)
        return [self._message(i) for i in range(begin, end)]

    def _message(self, index: int) -> str:
        pointer = ctypes.c_char_p()
        self.call("_msgGet", index, pointer)
        return (pointer.value or b"").decode(errors="replace").strip()

    def free(self, address: int | None) -> None:
        """Free memory that the library has allocated."""
        if address:
            self.call("_opCallFree", address)

    def initialize(self) -> None:
        """Let the library check whether it supports this version of MXNet."""
        self.check("initialize", "Library failed to initialize", MXNET_VERSION)


def _as_number(argument: Argument) -> int:
    if argument is None:
        return 0
    return argument if isinstance(argument, int) else ctypes.addressof(argument)


def _check_version(version: int, title: str) -> None:
    if 7 <= version <= max(VERSIONS):
        return
    spoken = ", ".join(f"{number} ({release})" for number, release in VERSIONS.items())
    if version < 7:
        reason = "it was made with a development snapshot from before MXNet 1.7"
    else:
        reason = "it was made with a newer header"
    raise MXNetError(
        describe(
            f"Library version ({version}) cannot be loaded: {reason}",
            where=title,
            facts=[f"known versions: {spoken}"],
            hint="compile it anew with the header in libinfo.find_include_path()",
        )
    )


class Attributes:
    """Attributes as the interface passes them: two arrays of C strings.

    Attributes
    ----------
    values : the attributes
    arguments : the arrays and their length, to be passed on
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)
        self.arguments: tuple[Argument, ...] = (
            strings(values), strings(values.values()), len(values),
        )  # fmt: skip


def strings(values: Iterable[str]) -> "ctypes.Array[Any]":
    """Make an array of C strings; it owns them."""
    encoded = [value.encode() for value in values]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def open_file(path: str, opened_before: int = 0) -> ExtensionBinary:
    """Open a library.

    Parameters
    ----------
    path : the file, absolute
    opened_before : number of other files that were opened under this path

    Raises
    ------
    MXNetError
        if it is missing, not a library, not an extension library, or of an unknown version
    """
    if not os.path.exists(path):
        raise MXNetError(describe(f"load path {path} does NOT exist"))
    if Path(path).suffix not in _SUFFIXES or not os.path.isfile(path):
        raise MXNetError(
            describe(
                f"load path {path} is NOT a library file",
                facts=[f"library files end in {', '.join(_SUFFIXES)}"],
            )
        )
    probe(path)
    folder, name = os.path.split(path)  # the system's loader identifies files by their path
    path = os.path.join(folder, *["."] * opened_before, name)
    try:
        handle = ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise MXNetError(describe(f"Error loading library: '{path}'", facts=[str(error)])) from None

    def resolve(name: str) -> int | None:
        function = getattr(handle, name, None)
        return None if function is None else ctypes.cast(function, ctypes.c_void_p).value

    return ExtensionBinary(path, resolve)
