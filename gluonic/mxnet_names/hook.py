"""The import hook for MXNet's modules that have no file in gluonic, or that gluonic lacks."""

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

from gluonic.graph.errors import MissingModuleError
from gluonic.mxnet_names.lookup import PACKAGE, extend, full, parts_of, public_names
from gluonic.mxnet_names.missing import missing_module
from gluonic.mxnet_names.modules import PARTS, SAME
from gluonic.mxnet_names.second import MOVED, SECOND, instead_of

_INSIDE = PACKAGE + "."
Step = Callable[[ModuleType, str], None]


class SameModule(Loader):
    """A loader that returns a module that is loaded already."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Only restore the attributes that the import system has changed."""
        module.__spec__ = self._spec


class _MadeOfParts(Loader):
    """A loader of a module without a file, whose names are defined in other modules."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        found: dict[str, Any] = {}
        for part in parts_of(self._name):
            for name in public_names(part):
                found.setdefault(name, getattr(part, name))
        vars(module).update(found, __all__=list(found), __path__=[])
        module.__doc__ = f"What ``mxnet.{self._name}`` offers."


def _without_a_file(fullname: str, name: str) -> ModuleSpec | None:
    """The loader of a module without a file; None if MXNet has no such module either."""
    if name in PARTS:
        return spec_from_loader(fullname, _MadeOfParts(name))
    missing = missing_module(name)
    if missing is not None:
        raise missing
    return None


class Hook(MetaPathFinder):
    """Finds modules of gluonic also by MXNet's names, and applies the tables to each.

    Attributes
    ----------
    steps : functions that are called with each executed module, and with its name without ``gluonic.``
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of gluonic.

        Raises
        ------
        MissingModuleError
            if MXNet has the module and gluonic does not
        """
        if not fullname.startswith(_INSIDE):
            return None
        name = fullname[len(_INSIDE) :]
        if name.startswith(SECOND):
            return self._of_two(fullname, name, path, target)
        if name in SAME:
            return spec_from_loader(fullname, SameModule(importlib.import_module(full(SAME[name]))))
        spec = PathFinder.find_spec(fullname, path, target) or _without_a_file(fullname, name)
        if spec is not None and spec.loader is not None:
            self._watch(spec.loader, name)
        return spec

    def _of_two(
        self, fullname: str, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        """A module of MXNet 2.0: our own, one of parts, or 1.x's.

        Raises
        ------
        MissingModuleError
            if only MXNet 1.x has the module
        """
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and fullname.replace(".", os.sep) not in str(spec.origin):
            spec = None  # a file below a module of 1.x, which has it already
        if spec is None and name in PARTS:
            spec = spec_from_loader(fullname, _MadeOfParts(name))
        if spec is None:
            of_one = name.removeprefix(SECOND)
            instead = instead_of(of_one)
            if instead is not None:
                raise MissingModuleError(f"mx.{of_one} is not in MXNet 2.0: {instead}")
            return spec_from_loader(
                fullname, SameModule(importlib.import_module(full(MOVED.get(of_one, of_one))))
            )
        assert spec.loader is not None
        self._watch(spec.loader, name)
        return spec

    def _watch(self, loader: Loader, name: str) -> None:
        """Make a loader take the steps after it has executed a module."""
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            for step in self.steps:
                step(module, name)

        loader.exec_module = exec_module  # type: ignore[method-assign]

    def take(self, step: Step) -> None:
        """Add a step for all modules, including loaded ones."""
        self.steps.append(step)
        for fullname, module in list(sys.modules.items()):
            if fullname == PACKAGE or fullname.startswith(_INSIDE):
                step(module, fullname[len(_INSIDE) :])


HOOK = Hook()


def install() -> None:
    """Make `import` find the modules that the tables name."""
    sys.meta_path.insert(0, HOOK)
    HOOK.take(extend)
