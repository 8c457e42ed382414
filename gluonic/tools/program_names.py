"""The names of modules that a program uses, found in its text alone."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple


class NameUse(NamedTuple):
    """A use of a name of a module.

    Attributes
    ----------
    name : the dotted name: ``mxnet.gluon.nn.Dense``; ``F.relu`` for the operators of ``hybrid_forward``
    line : where it is
    keywords : those of the call, if it is called
    is_import : whether the program imports it
    """

    name: str
    line: int
    keywords: tuple[str, ...] = ()
    is_import: bool = False


FUNCTIONS = "F"
"""The parameter of ``hybrid_forward`` that is mx.nd or mx.sym."""


def uses_in(tree: ast.AST, packages: Iterable[str]) -> list[NameUse]:
    r"""The uses of names of some packages, and of ``F``, in the order of their lines.

    Names are followed through imports and plain assignments (``nn = mx.gluon.nn``), wherever in the program
    these are.

    >>> uses_in(ast.parse("import mxnet as mx\nmx.nd.ones(shape=(2,))"), ["mxnet"])[1]
    NameUse(name='mxnet.nd.ones', line=2, keywords=('shape',), is_import=False)
    """
    wanted = {*packages}
    imports = [use for use in _imports(tree) if use[0].name.partition(".")[0] in wanted]
    meanings = {local: use.name for use, local in imports if local}
    if any(isinstance(node, ast.arg) and node.arg == FUNCTIONS for node in ast.walk(tree)):
        meanings.setdefault(FUNCTIONS, FUNCTIONS)
    _follow_assignments(tree, meanings)
    found = {use for use, _ in imports} | {*_attributes(tree, meanings)}
    return sorted(found, key=lambda use: (use.line, use.name))


def imported_packages(tree: ast.AST) -> dict[str, int]:
    """The packages that a program imports, with the first line of each."""
    found: dict[str, int] = {}
    for use, _ in _imports(tree):
        found.setdefault(use.name.partition(".")[0], use.line)
    return found


def _imports(tree: ast.AST) -> Iterator[tuple[NameUse, str]]:
    """What is imported, and the names that it gets; none for ``from x import *``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                use = NameUse(alias.name, node.lineno, is_import=True)
                if alias.asname:
                    yield use, alias.asname
                else:
                    top = alias.name.partition(".")[0]
                    yield NameUse(top, node.lineno, is_import=True), top
                    yield use, ""
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = node.module if alias.name == "*" else f"{node.module}.{alias.name}"
                local = "" if alias.name == "*" else alias.asname or alias.name
                yield NameUse(name, node.lineno, is_import=True), local


def _follow_assignments(tree: ast.AST, meanings: dict[str, str]) -> None:
    """Add names that are other names for what is known."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, name = node.targets[0], _dotted(node.value, meanings)
            if name is not None and isinstance(target, ast.Name) and target.id not in meanings:
                meanings[target.id] = name


def _attributes(tree: ast.AST, meanings: Mapping[str, str]) -> Iterator[NameUse]:
    """The longest dotted names."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if id(node) in inner or not isinstance(node, (ast.Attribute, ast.Name)):
            continue
        name = _dotted(node, meanings)
        if name is not None and isinstance(node.ctx, ast.Load):
            call = calls.get(id(node))
            keywords = () if call is None else tuple(k.arg for k in call.keywords if k.arg)
            yield NameUse(name, node.lineno, keywords)


def _dotted(node: ast.AST, meanings: Mapping[str, str]) -> str | None:
    """The name that an expression means, None if it is none that is known."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in meanings:
        return None
    return ".".join([meanings[node.id], *reversed(parts)])
