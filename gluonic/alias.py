"""Serving ``import mxnet`` from gluonic: one module object, whichever name it is reached by."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

from gluonic._version import MXNET_VERSION

_ALIAS, _PACKAGE = "mxnet", __name__.partition(".")[0]
_TELL_THEIR_VERSION = ("", ".base", ".libinfo")


class _SameModule(Loader):
    """A loader that hands out a module that is loaded already."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has just put the alias's in its place


class _Finder(MetaPathFinder):
    """Finds ``mxnet.a.b`` where ``gluonic.a.b`` is."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _ALIAS and not fullname.startswith(_ALIAS + "."):
            return None
        real = _PACKAGE + fullname[len(_ALIAS) :]
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as error:
            if error.name is not None and (real + ".").startswith(error.name + "."):
                raise ModuleNotFoundError(
                    f"gluonic has no module {real[len(_PACKAGE) + 1 :]!r} (asked for as {fullname!r})",
                    name=fullname,
                ) from None
            raise
        return spec_from_loader(fullname, _SameModule(module))


def install_as_mxnet() -> None:
    """Serve every later ``import mxnet``, and of its submodules, from gluonic.

    From then on ``__version__`` is that of the MXNet that gluonic stands in for: libraries
    refuse to be imported when it is too old. Calling it again is harmless.

    Raises
    ------
    ImportError
        if the real MXNet is imported already

    Examples
    --------
    >>> import gluonic
    >>> gluonic.install_as_mxnet()
    >>> import mxnet
    >>> mxnet is gluonic
    True
    """
    present = sys.modules.get(_ALIAS)
    package = sys.modules[_PACKAGE]
    if present is package:
        return
    if present is not None:
        raise ImportError(
            f"the real mxnet is imported already, from {getattr(present, '__file__', '?')}; "
            "call gluonic.install_as_mxnet() before anything imports it"
        )
    sys.meta_path.insert(0, _Finder())
    importlib.import_module(_ALIAS)
    for name in _TELL_THEIR_VERSION:
        vars(importlib.import_module(_PACKAGE + name)).update(__version__=MXNET_VERSION)
