"""NumPy's functions under SciPy's name, as SciPy had them: ``scipy.rand``, ``scipy.array``."""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

_OTHER = {"rand": np.random.rand, "randn": np.random.randn}


class _WhenImported:
    """A finder that adds the names when a program imports SciPy, and not before."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find SciPy, with a loader that adds the names."""
        if name != "scipy" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            run = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                _add(module)

            loader.exec_module = exec_module
        return spec


def restore_scipy_names() -> None:
    """Add the names to SciPy, or see to it that they are added when it is imported."""
    if "scipy" in sys.modules:
        _add(sys.modules["scipy"])
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


def _add(scipy: ModuleType) -> None:
    """Add what SciPy does not have itself, or as a module that it imports on first use."""
    there = {*dir(scipy), *getattr(scipy, "__all__", ())}
    functions = {name: getattr(np, name) for name in np.__all__ if callable(getattr(np, name))}
    for name, value in {**functions, **_OTHER}.items():
        if name not in there:
            setattr(scipy, name, value)
