"""Serving ``import mxnet`` from gluonic: both names refer to the same module object."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from types import ModuleType
from typing import NoReturn

from gluonic._version import MXNET_VERSION
from gluonic.mxnet_names.hook import HOOK, SameModule
from gluonic.mxnet_names.lookup import PACKAGE as _PACKAGE
from gluonic.mxnet_names.serving import ALIAS as _ALIAS
from gluonic.mxnet_names.serving import answer_as_mxnet, answer_as_mxnet_2

_TELL_THEIR_VERSION = ("", ".base", ".libinfo")
# Modules that MXNet imports, so that programs use them without importing them.
_LEFT_IMPORTED = ("multiprocessing.pool", "urllib.request")


_HOROVOD = "horovod"
_HOROVODS_FACE = "horovod.mxnet"


class _Horovod(Loader):
    """Creates the package of Horovod's interface for MXNet, where the real one is missing."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__doc__ = "Horovod, of which gluonic has the interface for MXNet: ``horovod.mxnet``."


class _Finder(MetaPathFinder):
    """Finds ``mxnet.a.b`` where ``gluonic.a.b`` is, and ``horovod.mxnet`` where ``gluonic.horovod`` is.

    Parameters
    ----------
    package : the package that is served as ``mxnet``
    """

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _HOROVOD:
            real_one = PathFinder.find_spec(fullname, path)
            return real_one or spec_from_loader(fullname, _Horovod(), is_package=True)
        if f"{fullname}.".startswith(f"{_HOROVODS_FACE}."):
            real = f"{_PACKAGE}.{_HOROVOD}{fullname[len(_HOROVODS_FACE) :]}"
        elif f"{fullname}.".startswith(f"{_ALIAS}."):
            real = self._package + fullname[len(_ALIAS) :]
        else:
            return None
        try:
            module = importlib.import_module(real)
        except ModuleNotFoundError as error:
            if error.name is not None and (real + ".").startswith(error.name + "."):
                raise ModuleNotFoundError(
                    f"gluonic has no module {real[len(_PACKAGE) + 1 :]!r} (asked for as {fullname!r})",
                    name=fullname,
                ) from None
            raise
        sys.modules.pop(fullname, None)  # found there, the module would be executed once more
        return spec_from_loader(fullname, SameModule(module))


_VERSIONS = {"1.9.1": _PACKAGE, "2.0.0": f"{_PACKAGE}.mxnet2"}


def served_version(asked: str) -> str:
    """The version of MXNet that is served for one that a user asks for, such as ``"2"`` or ``"2.0"``.

    Raises
    ------
    ValueError
        if there is none
    """
    for version in _VERSIONS:
        if f"{version}.".startswith(f"{asked}."):
            return version
    raise ValueError(
        f"gluonic serves no MXNet {asked!r}; there are {' and '.join(_VERSIONS)}, also as 1 and 2"
    )


def install_as_mxnet(*, numpy_aliases: bool = False, version: str = MXNET_VERSION) -> None:
    """Serve every later ``import mxnet``, and of its submodules, from gluonic.

    From then on modules and classes report MXNet's names (``mx.nd.__name__``, ``type(x).__module__``), and
    ``__version__`` is that of the MXNet that gluonic stands in for: libraries refuse to be imported when it is
    too old. Pickles can be read wherever gluonic is installed. Calling it again is harmless.

    Parameters
    ----------
    numpy_aliases : restore names that NumPy and Python have dropped since, such as ``np.float`` and
        ``collections.Iterable``, in the whole process; by default they stay missing
    version : whose names and defaults programs get: ``"1.9.1"``, or ``"2.0"`` (`gluonic.mxnet2`)

    Raises
    ------
    ImportError
        if the real MXNet is imported already, or the other version is served

    Examples
    --------
    >>> import gluonic
    >>> gluonic.install_as_mxnet()
    >>> import mxnet
    >>> mxnet is gluonic
    True
    """
    if numpy_aliases:
        importlib.import_module(f"{_PACKAGE}.removed_names").restore()
    version = served_version(version)
    present = sys.modules.get(_ALIAS)
    package = importlib.import_module(_VERSIONS[version])
    if present is package:
        return
    if present is not None:
        _refuse(present)
    sys.meta_path.insert(0, _Finder(package.__name__))
    importlib.import_module(_ALIAS)
    if version == MXNET_VERSION:
        HOOK.take(answer_as_mxnet)
    else:
        HOOK.take(answer_as_mxnet_2)
        package.begin_serving()
    for name in _TELL_THEIR_VERSION:
        vars(importlib.import_module(_PACKAGE + name)).update(__version__=version)
    for name in _LEFT_IMPORTED:
        importlib.import_module(name)


def _refuse(present: ModuleType) -> NoReturn:
    """Raise the error for another ``mxnet``, which programs may hold already."""
    file = getattr(present, "__file__", "?")
    if present in map(sys.modules.get, _VERSIONS.values()):
        raise ImportError("another version of MXNet is served already; each process has one")
    raise ImportError(
        f"the real mxnet is imported already, from {file}; "
        "call gluonic.install_as_mxnet() before anything imports it"
    )
