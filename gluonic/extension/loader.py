"""Loading: open, check everything, then register everything."""

import os
import threading

from gluonic.extension import catalogue
from gluonic.extension.backends import register_backends
from gluonic.extension.binary import ExtensionBinary, open_file
from gluonic.extension.catalogue import Catalogue
from gluonic.extension.operators import LoadedOperator
from gluonic.extension.subgraph import SubgraphOperator
from gluonic.graph import REGISTRY, Operator
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.files import accessing
from gluonic.ndarray.invoke import EAGER

_lock = threading.RLock()
_loaded: dict[tuple[int, int], "ExtensionLibrary"] = {}
_opened: dict[str, int] = {}


class ExtensionLibrary:
    """A library that has been read and checked.

    Parameters
    ----------
    binary : the opened library, initialized
    """

    def __init__(self, binary: ExtensionBinary) -> None:
        self.catalogue: Catalogue = catalogue.read(binary)
        self._loaded = [
            (SubgraphOperator if entry.is_subgraph else LoadedOperator)(binary, entry)
            for entry in self.catalogue.operators
        ]

    @property
    def operators(self) -> list[Operator]:
        """The operators, and their gradients."""
        return [operator for one in self._loaded for operator in one.operators]

    def register(self) -> None:
        """Register all of its contents."""
        for operator in self.operators:
            REGISTRY.replace(operator)
            vars(EAGER).pop(operator.name, None)
        for one in self._loaded:
            one.register_storage()
        register_backends(self.catalogue)


def load_library(path: str | os.PathLike[str], verbose: bool) -> None:
    """Load a library; see `gluonic.library.load`."""
    if not isinstance(path, (str, os.PathLike)):
        raise MXNetError(
            describe(f"load path {path!r} does NOT exist", hint="give the path as a string")
        )
    with accessing(path):
        full = os.path.realpath(path)
    with _lock:
        identity = _identity(full)
        library = _loaded.get(identity) if identity else None
        if library is None:
            binary = open_file(full, opened_before=_opened.get(full, 0))
            _opened[full] = _opened.get(full, 0) + 1
            binary.initialize()
            library = ExtensionLibrary(binary)
            if identity:
                _loaded[identity] = library
        library.register()
    if verbose:
        print("\n".join(catalogue.report(library.catalogue)), flush=True)


def _identity(path: str) -> tuple[int, int] | None:
    """The identity of a file; a library that was compiled again is a different one."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
