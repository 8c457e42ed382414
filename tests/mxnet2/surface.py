"""The public names of MXNet 2.0, read from its Python sources: which there are, and which are served.

``python -m tests.mxnet2.surface read FOLDER`` writes surface.tsv from the folder ``python/mxnet`` of MXNet's
master branch; nothing of it is imported. ``python -m tests.mxnet2.surface`` counts, by module, the names that
gluonic serves; ``--list`` names the others.
"""

from __future__ import annotations

import ast
import dis
import importlib
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).with_name("surface.tsv")
PACKAGE = "gluonic.mxnet2"
# What serves MXNet's C library or its build, and what only developers of MXNet import.
PLUMBING = (
    "_", "api", "container", "cython", "libinfo", "misc", "notebook", "numpy_dispatch_protocol", "tvmop",
    "numpy_op_fallback", "numpy_op_signature", "rtc", "space", "symbol_doc", "ndarray_doc", "cuda",
    "contrib.tensorrt", "onnx.mx2onnx", "onnx.setup", "kvstore.kvstore_server", "ndarray.register",
    "symbol.register",
)  # fmt: skip
PLUMBING_NAMES = (
    "DLContext", "DLDataType", "DLDeviceType", "DLManagedTensor", "DLTensor", "DeleterFunc",
    "PyCapsuleDestructor",
    "dl_managed_tensor_deleter", "add_fileline_to_docstring", "build_param_doc", "c2pyerror",
    "get_last_ffi_error",
    "ctypes2numpy_shared",
)  # fmt: skip


class Name(NamedTuple):
    """A public name: its module (without ``mxnet.``), the name in it, its kind and its parameters."""

    module: str
    name: str
    kind: str
    parameters: str


def read_sources(folder: Path) -> list[Name]:
    """The public names of the modules in a folder."""
    names: list[Name] = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        if not _is_plumbing(module):
            names += _names_of(module, ast.parse(path.read_text()))
    return names


def _is_plumbing(module: str) -> bool:
    if any(part.startswith("_") for part in module.split(".")):
        return True
    return any(f"{module}.".startswith(f"{one}.") for one in PLUMBING)


def _names_of(module: str, tree: ast.Module) -> Iterator[Name]:
    """What a module defines and lists, or defines without listing anything."""
    listed = _listed(tree)
    for node in tree.body:
        for name, kind, parameters in _defined(node):
            if name in PLUMBING_NAMES or (listed is not None and name not in listed):
                continue
            if not name.startswith("_"):
                yield Name(module, name, kind, parameters)
                if isinstance(node, ast.ClassDef):
                    yield from _members(module, node)


def _listed(tree: ast.Module) -> set[str] | None:
    """The names in `__all__`; None if it is not a plain list, or there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            try:
                return set(ast.literal_eval(node.value)) or None
            except ValueError:
                return None
    return None


def _defined(node: ast.stmt) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, ast.FunctionDef):
        yield node.name, "function", _parameters(node)
    elif isinstance(node, ast.ClassDef):
        yield node.name, "class", ""
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                yield target.id, "value", ""


def _members(module: str, node: ast.ClassDef) -> Iterator[Name]:
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            yield Name(module, f"{node.name}.{member.name}", "member", _parameters(member))


def _parameters(node: ast.FunctionDef) -> str:
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return " ".join(name for name in names if name not in ("self", "cls"))


def write_table(names: list[Name]) -> None:
    """Write surface.tsv, without names that are defined twice."""
    rows = dict.fromkeys("\t".join(name) for name in names)
    TABLE.write_text("\n".join(rows) + "\n")


def read_table() -> list[Name]:
    """The names of surface.tsv."""
    rows = [row.split("\t") for row in TABLE.read_text().splitlines()]
    return [Name(*row) for row in rows]


def look_up(name: Name) -> Any:
    """The object under a name.

    Raises
    ------
    AttributeError, ImportError
        if there is none
    """
    value: Any = importlib.import_module(f"{PACKAGE}.{name.module}".rstrip("."))
    for part in name.name.split("."):
        value = _instances_have if _is_set_at_first(value, part) else getattr(value, part)
    return value


def _is_set_at_first(kind: Any, name: str) -> bool:
    """Whether the constructor of a class, or of one of its bases, sets an attribute."""
    if not isinstance(kind, type) or hasattr(kind, name):
        return False
    codes = (getattr(vars(base).get("__init__"), "__code__", None) for base in kind.__mro__)
    return any(
        one.opname == "STORE_ATTR" and one.argval == name
        for code in codes
        if code is not None
        for one in dis.get_instructions(code)
    )


def _instances_have(**keywords: Any) -> None:
    """Stand for an attribute that instances have and the class lacks."""


def lacking(name: Name, value: Any) -> list[str]:
    """The parameters that a function lacks."""
    try:
        own = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return []
    if any(one.kind is one.VAR_KEYWORD for one in own):
        return []
    there = {one.name for one in own}
    return [one for one in name.parameters.split() if one not in there]


def verdict(name: Name) -> str:
    """``there``, ``narrower`` where parameters lack, or ``absent``."""
    try:
        value = look_up(name)
    except (AttributeError, ImportError, NotImplementedError):
        return "absent"
    return "narrower" if lacking(name, value) else "there"


def main(arguments: list[str]) -> None:
    """Read the sources, or count."""
    if arguments[:1] == ["read"]:
        write_table(read_sources(Path(arguments[1])))
        return
    names = read_table()
    verdicts = {name: verdict(name) for name in names}
    rooms: dict[str, Counter[str]] = {}
    for name, word in verdicts.items():
        room = ".".join(name.module.split(".")[:2])
        rooms.setdefault(room, Counter())[word] += 1
    for room, counts in sorted(rooms.items(), key=lambda item: -item[1]["absent"]):
        share = 100 * counts["there"] / counts.total()
        print(f"{room or 'mxnet':28} {share:5.1f} %  {dict(counts)}")
    total = Counter(verdicts.values())
    print(f"{len(names)} names: {dict(total)}, there {100 * total['there'] / len(names):.1f} %")
    if "--list" in arguments:
        for name, word in verdicts.items():
            if word != "there":
                lacks = " ".join(lacking(name, look_up(name))) if word == "narrower" else ""
                print(word, name.module, name.name, lacks)


if __name__ == "__main__":
    main(sys.argv[1:])
