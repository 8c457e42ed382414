"""Stub files of `mx.np` and `mx.npx`."""

import inspect
import re
from importlib import import_module
from typing import Any

from gluonic.graph import REGISTRY
from gluonic.numpy_functions.extension import operators_of
from gluonic.numpy_functions.methods import DEFAULTS, METHODS, RENAMED, operators
from gluonic.tools.stub_text import (
    HEAD,
    NAME,
    OUT,
    STARS,
    ParameterText,
    StubRoom,
    default_text,
    function_of,
    function_text,
    names_defined_in,
    summary_of,
)

_NUMPY = StubRoom("numpy", "ndarray", "gluonic.ndarray.numpy.array", (OUT, NAME), False)
NUMPY_MODULES = (
    "numpy",
    "numpy.random",
    "numpy.linalg",
    "numpy_extension",
    "numpy_extension.random",
)
_SEVERAL = {
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "average", "broadcast_arrays", "cond",
    "diag_indices_from", "dsplit", "eig", "eigh", "foreach", "histogram", "hsplit", "linspace", "load",
    "may_share_memory", "meshgrid", "nonzero", "npx_nonzero", "shape", "shares_memory", "slogdet", "split",
    "svd", "unique", "unravel_index", "vsplit", "where", "while_loop",
}  # fmt: skip
"""Functions of `mx.np` whose result is not, or not always, an array."""


def numpy_stub(name: str) -> str:
    """The stub of a module of `mx.np` or `mx.npx`."""
    module = import_module(f"gluonic.{name}")
    operators = operators_of({"numpy": "np", "numpy_extension": "npx"}.get(name, ""))
    written = names_defined_in(module)
    texts = {}
    for each in sorted(module.__all__):
        value = getattr(module, each)
        if each in written or not callable(value) or inspect.isclass(value):
            continue
        if each in operators:
            texts[each] = function_of(each, REGISTRY[operators[each]], _NUMPY, is_sparse=False)
        else:
            texts[each] = _numpy_function(each, value)
    title = f"The functions of {name} that are made at run time"
    head = HEAD.format(title=title, module=_NUMPY.module, kind=_NUMPY.kind)
    listed = "".join(f'    "{each}",\n' for each in texts)
    return "\n".join([head, f"__all__: list[str] = [\n{listed}]\n", *texts.values()])


def _numpy_function(name: str, function: Any) -> str:
    """A function written over `F`; of those that NumPy computes, the parameters stay open."""
    if not inspect.isfunction(function) or (function.__module__ or "").startswith("numpy"):
        open_ended = ["*args: Any", "**kwargs: Any"]
        return function_text(name, open_ended, "Any", f"Return what NumPy's `{name}` does.", "")
    signature = inspect.signature(function)
    parameters = [_numpy_parameter(each) for each in signature.parameters.values()]
    stated = signature.return_annotation
    result = "None" if stated is None else "Any" if name in _SEVERAL else _NUMPY.kind
    return function_text(name, parameters, result, summary_of(function.__doc__), "")


def _numpy_parameter(parameter: inspect.Parameter) -> str:
    stated = inspect.formatannotation(parameter.annotation).replace("typing.", "")
    kind = stated if re.fullmatch(r"(Any|bool|int|float|str|None|\W)+", stated) else "Any"
    text = f"{STARS.get(parameter.kind.name, '')}{parameter.name}: {kind}"
    has_default = parameter.default is not parameter.empty
    return str(ParameterText(text, default_text(parameter.default) if has_default else None))


def numpy_methods() -> str:
    """The stub of the class of the operators and methods of arrays of `mx.np`."""
    functions = import_module("gluonic.numpy").functions
    parts = []
    for name, listed in METHODS.items():
        known = inspect.signature(functions[name]).parameters
        parameters = ["self"]
        for each in listed.split():
            of_function = RENAMED.get((name, each), each)
            must_be_given = known[of_function].default is inspect.Parameter.empty
            must_be_given &= of_function not in DEFAULTS.get(name, {})
            parameters.append(str(ParameterText(f"{each}: Any", None if must_be_given else "...")))
        result = "Any" if name in _SEVERAL else "ndarray"
        summary = summary_of(functions[name].__doc__)
        parts.append(function_text(name, parameters, result, summary, "    "))
    for name, given in operators(functions, in_place=True).items():
        count = len(inspect.signature(given).parameters)
        names = ["self", "other: Any"] if count > 1 else ["self"]
        ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        parts.append(f"    def {name}({', '.join(names)}) -> ndarray: ...{ignored}\n")
    for text in (
        "reshape(self, *shape: Any, order: str = 'C')",
        "transpose(self, *axes: Any)",
        "flatten(self, order: str = 'C')",
        "__getitem__(self, key: Any)",
    ):
        parts.append(f"    def {text} -> ndarray: ...\n")
    parts.append("    @property\n    def T(self) -> ndarray: ...\n")
    title = "The operators and methods of arrays of mx.np that are made at run time"
    head = HEAD.format(title=title, module=_NUMPY.module, kind=_NUMPY.kind)
    return head + "\n\nclass NumPyMethods:\n" + "\n".join(parts)
