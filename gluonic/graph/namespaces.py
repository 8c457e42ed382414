"""The modules of operators' functions: each operator's module, and how modules create and renew functions."""

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

from gluonic.graph.errors import UnknownOperatorError
from gluonic.graph.operator import REGISTRY, Operator


class PublicName(NamedTuple):
    """The public name of a function: its submodule (``op`` is the namespace itself) and its name there."""

    module: str
    name: str


_MODULES = {"contrib", "image", "linalg", "numpy", "numpy_extension", "random", "sparse"}
"""Those that ``from mxnet.nd import *`` binds."""
_PREFIXES = ("_contrib_", "_linalg_", "_sparse_", "_image_", "_random_")


def public_name_of(name: str) -> PublicName:
    """The public name of the operator with a name or alias.

    >>> public_name_of("_contrib_box_iou")
    PublicName(module='contrib', name='box_iou')
    >>> public_name_of("_random_uniform")  # behind the dispatching random.uniform
    PublicName(module='_internal', name='_random_uniform')
    """
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            if prefix == "_random_" and not name.endswith("_like"):
                break
            return PublicName(prefix.strip("_"), name[len(prefix) :])
    return PublicName("_internal" if name.startswith("_") else "op", name)


class Functions:
    """The functions of one module. They exist from the start, for programs that list its names.

    Functions of operators registered later are added. A module with such functions sets
    ``__getattr__ = functions.find``, which suggests similar names for an unknown one, and
    ``__dir__ = functions.names``. Names that the module defines itself, before or afterwards, take precedence.

    Parameters
    ----------
    module : the module, as in `PublicName`
    namespace : the module's globals
    make : makes a function from an operator and its public name, within a microsecond or two
    later : modules that are imported on first access to their names
    """

    _all: ClassVar[list["Functions"]] = []
    _operators: ClassVar[dict[str, dict[str, str]]] = {}

    def __init__(
        self,
        module: str,
        namespace: dict[str, Any],
        make: Callable[[Operator, str], Callable[..., Any]],
        later: Mapping[str, str] | None = None,
    ) -> None:
        self.module, self.namespace, self.make = module, namespace, make
        self.later = later or {}
        others = (f.made for f in self._all if f.module == module and f.make is make)
        self.made: dict[str, Callable[..., Any]] = next(others, {})
        self._all.append(self)
        for name, operator in self.operators().items():
            self.enter(name, operator)

    def enter(self, name: str, operator: str) -> None:
        """Add a function to the module: that of another module, if there is one."""
        function = self.made.get(name)
        if function is None:
            function = self.made[name] = self.make(REGISTRY[operator], name)
            # The name in the spec remains where gluonic is served as mxnet.
            spec = self.namespace.get("__spec__")
            function.__module__ = self.module if spec is None else spec.name
        self.namespace.setdefault(name, function)

    @classmethod
    def renew(cls, operator: str) -> None:
        """Renew an operator's functions in all modules, after it was registered, replaced or removed."""
        module, name = public_name_of(operator)
        cls._operators.setdefault(module, {}).pop(name, None)
        if operator in REGISTRY:
            cls._operators[module][name] = operator
        concerned = [functions for functions in cls._all if functions.module == module]
        old = [functions.made.get(name) for functions in concerned]
        for functions, function in zip(concerned, old, strict=True):
            functions.made.pop(name, None)
            if function is not None and functions.namespace.get(name) is function:
                del functions.namespace[name]
        if operator in REGISTRY:
            for functions in concerned:
                functions.enter(name, operator)

    def operators(self) -> dict[str, str]:
        """The names of operators, by those of their functions."""
        return self.operators_of(self.module)

    @classmethod
    def operators_of(cls, module: str) -> dict[str, str]:
        """The names of operators in a module, by those of their functions."""
        return cls._operators.get(module, {})

    def names(self) -> list[str]:
        """All names of the module."""
        return sorted(name for name in self.namespace if not name.startswith("__"))

    def _is_public(self, name: str) -> bool:
        """Whether ``from module import *`` binds a name of the module: no module that only gluonic has."""
        if isinstance(self.namespace[name], ModuleType):
            return self.module == "op" and name in _MODULES
        return not name.startswith("_") or self.module == "_internal"

    def find(self, name: str) -> Any:
        """Return `__all__` or a lazily imported module, or raise an error for an unknown name.

        Raises
        ------
        AttributeError
            naming the most similar functions
        """
        if name == "__all__":
            later = _MODULES & self.later.keys() - self.namespace.keys()
            return sorted({*filter(self._is_public, self.names()), *later})
        if name in self.later:
            found = self.namespace[name] = importlib.import_module(self.later[name])
            return found
        title = self.namespace.get("__name__", self.module)
        if name.startswith("__"):
            raise AttributeError(f"{title} has no {name!r}")
        raise UnknownOperatorError.among(self.names(), title, name)


for _operator in REGISTRY:
    Functions.renew(_operator)
REGISTRY.watchers.append(Functions.renew)

_FLUENT = """
abs arccos arccosh arcsin arcsinh arctan arctanh argmax argmax_channel argmin argsort
broadcast_axes broadcast_like broadcast_to cbrt ceil clip cos cosh degrees depth_to_space
diag exp expand_dims expm1 fix flatten flip floor log log10 log1p log2 log_softmax max
mean min nanprod nansum norm one_hot ones_like pad pick prod radians rcbrt reciprocal relu
repeat reshape reshape_like rint round rsqrt shape_array sigmoid sign sin sinh size_array
slice slice_axis slice_like softmax softmin sort space_to_depth split sqrt square squeeze
sum swapaxes take tan tanh tile topk transpose trunc zeros_like
"""
FLUENT = tuple(_FLUENT.split())
"""Operators that are also methods: ``x.sum(axis=1)`` is ``sum(x, axis=1)``."""
