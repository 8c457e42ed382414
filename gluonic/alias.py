"""Serving ``import mxnet`` from gluonic: both names refer to the same module object."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from types import ModuleType

from gluonic._version import MXNET_VERSION
from gluonic.mxnet_names.hook import HOOK, SameModule
from gluonic.mxnet_names.lookup import PACKAGE as _PACKAGE
from gluonic.mxnet_names.serving import ALIAS as _ALIAS
from gluonic.mxnet_names.serving import answer_as_mxnet

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
    """Finds ``mxnet.a.b`` where ``gluonic.a.b`` is, and ``horovod.mxnet`` where ``gluonic.horovod`` is."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _HOROVOD:
            real_one = PathFinder.find_spec(fullname, path)
            return real_one or spec_from_loader(fullname, _Horovod(), is_package=True)
        if f"{fullname}.".startswith(f"{_HOROVODS_FACE}."):
            real = f"{_PACKAGE}.{_HOROVOD}{fullname[len(_HOROVODS_FACE) :]}"
        elif f"{fullname}.".startswith(f"{_ALIAS}."):
            real = _PACKAGE + fullname[len(_ALIAS) :]
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


def install_as_mxnet(*, numpy_aliases: bool = False) -> None:
    """Serve every later ``import mxnet``, and of its submodules, from gluonic.

    From then on modules and classes report MXNet's names (``mx.nd.__name__``, ``type(x).__module__``), and
    ``__version__`` is that of the MXNet that gluonic stands in for: libraries refuse to be imported when it is
    too old. Pickles can be read wherever gluonic is installed. Calling it again is harmless.

    Parameters
    ----------
    numpy_aliases : restore names that NumPy and Python have dropped since, such as ``np.float`` and
        ``collections.Iterable``, in the whole process; by default they stay missing

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
    if numpy_aliases:
        importlib.import_module(f"{_PACKAGE}.removed_names").restore()
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
    HOOK.take(answer_as_mxnet)
    for name in _TELL_THEIR_VERSION:
        vars(importlib.import_module(_PACKAGE + name)).update(__version__=MXNET_VERSION)
    for name in _LEFT_IMPORTED:
        importlib.import_module(name)
