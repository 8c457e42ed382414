"""Measure the quality of the code base: ``python -m tests.house``, or ``make house``.

The counts are taken by the rules of a review, so that they can be compared from version to version.
ARCHITECTURE.md names the aims.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median

import networkx

import gluonic.graph.ops  # noqa: F401 (fills the registry)
from gluonic.graph.operator import REGISTRY

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gluonic"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def trees() -> dict[Path, ast.Module]:
    """All files of the package, parsed."""
    return {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def _nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(trees()[path]))


def all_nodes(
    folder: Path = PACKAGE, without: Path | None = None
) -> Iterator[tuple[Path, ast.AST]]:
    """Everything that stands in the files of a folder, but for those of one in it, with the file."""
    for path in trees():
        if path.is_relative_to(folder) and not (without and path.is_relative_to(without)):
            for node in _nodes_of(path):
                yield path, node


# -- sizes --------------------------------------------------------------------------------------


def lines_of_files() -> dict[Path, int]:
    """How long files are, in lines."""
    return {path: len(path.read_text().splitlines()) for path in trees()}


def lines_of_functions() -> list[int]:
    """How long functions are, in lines."""
    return [_lines(node) for _, node in all_nodes() if isinstance(node, FUNCTIONS)]


def lines_of_bodies() -> dict[str, int]:
    """How many lines each function has without its signature and documentation, and those of inner ones."""
    return {
        f"{path.relative_to(ROOT)}:{node.name}": _lines(node)
        - sum(map(_header_lines, ast.walk(node)))
        for path, node in all_nodes()
        if isinstance(node, FUNCTIONS)
    }


def _lines(node: ast.stmt | ast.expr) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _header_lines(node: ast.AST) -> int:
    """How many lines of a function are signature and documentation."""
    if not isinstance(node, FUNCTIONS):
        return 0
    text = node.body[0] if ast.get_docstring(node) is not None else None
    return node.body[0].lineno - node.lineno + (0 if text is None else _lines(text))


# -- names --------------------------------------------------------------------------------------


def homonyms() -> dict[str, list[Path]]:
    """Classes of one name in several files, but for those that begin with an underscore."""
    found = defaultdict(list)
    for path, node in all_nodes():
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def operator_names() -> dict[Path, int]:
    """How many names of operators stand as text in each file of the compiler, but for their entries.

    Names that are plain words, such as ``mean``, are left out: they mean other things, too.
    """
    names = {name for name in REGISTRY if not name.islower() or "_" in name}
    compiler = PACKAGE / "codegen"
    found: Counter[Path] = Counter()
    for path, node in all_nodes(compiler, without=compiler / "lowerings"):
        if isinstance(node, ast.Constant):
            found[path] += isinstance(node.value, str) and node.value in names
    return {path: count for path, count in found.items() if count}


_PUBLIC = {
    *("_replace", "_asdict"),  # of named tuples
    *("_repr_html_", "_repr_svg_", "_fields_", "_obj"),  # of notebooks, of ctypes
    *("_exit", "_getframe", "_create_unverified_context"),  # of os, sys, ssl
}
"""What its documentation calls public in spite of its underscore."""


_OWN = ("self", "cls", "F")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _PUBLIC


def _is_own(owner: ast.expr) -> bool:
    """Whether it is self, cls, super() or a namespace of operators."""
    if isinstance(owner, ast.Call):
        return isinstance(owner.func, ast.Name) and owner.func.id == "super"
    return isinstance(owner, ast.Name) and owner.id in _OWN


def _own_privates(tree: ast.Module) -> set[str]:
    """The private names that a file defines, or takes from an object as its own methods."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and _is_own(node.value):
            found.add(node.attr)
        elif isinstance(node, ast.AnnAssign):
            found.add(ast.unparse(node.target))
    return found


def _privates_of_objects(tree: ast.Module) -> Iterator[ast.Attribute]:
    """Where a file takes a private member, of what is neither self nor a namespace of operators."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not _is_private(node.attr):
            continue
        if not _is_own(node.value) and "_internal" not in ast.unparse(node.value):
            yield node


def private_accesses() -> list[str]:
    """Where files take private members that other files define."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}"
        for path, tree in trees().items()
        for own in [_own_privates(tree)]
        for node in _privates_of_objects(tree)
        if node.attr not in own
    ]


def privates_read_by_tests() -> Counter[str]:
    """Private names that tests take from modules and objects that are not their own, with how often.

    Files that run on the real MXNet, too, are left out: there is no other name for what they ask it for.
    """
    tests, found = ROOT / "tests", Counter[str]()
    for path in tests.rglob("*.py"):
        if path.relative_to(tests).parts[0] not in ("measured", "oracle"):
            found.update(_privates_read(ast.parse(path.read_text())))
    return found


def _privates_read(tree: ast.Module) -> Iterator[str]:
    taken = [node.attr for node in _privates_of_objects(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            taken += [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setattr"):
            given = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            taken += [name for name in given if isinstance(name, str)]
    own = _own_privates(tree)
    yield from (name for name in taken if _is_private(name) and name not in own)


def silent_ends() -> list[str]:
    """Where a test, or a function that it checks with, ends or goes on without having looked at anything.

    That is an exception that is passed over, or a `return` in a block in which nothing is checked before it.
    """
    found = []
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, FUNCTIONS) and node.name.startswith(("test_", "check_")):
                lines = silent_lines(node)
                found += [f"{path.relative_to(ROOT)}:{line}" for line in lines]
    return found


def silent_lines(function: ast.AST) -> Iterator[int]:
    """The lines of statements in a function that end it, or an exception, in silence."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        block = getattr(node, "body", [])
        last = block[-1] if isinstance(block, list) and block else None
        silent = (
            (ast.Return, ast.Pass, ast.Continue)
            if isinstance(node, ast.ExceptHandler)
            else ast.Return
        )
        if isinstance(last, silent) and getattr(last, "value", None) is None and not _looks(block):
            yield last.lineno
        yield from silent_lines(node)


def _looks(block: Sequence[ast.stmt]) -> bool:
    """Whether something is asserted, or given to a function that may."""
    nodes = [node for statement in block for node in ast.walk(statement)]
    return any(isinstance(node, (ast.Assert, ast.Call, ast.Raise)) for node in nodes)


def instructions_as_text() -> int:
    """How many instructions of LLVM are written as f-strings."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("op", "do")
        and any(isinstance(argument, ast.JoinedStr) for argument in node.args)
        for _, node in all_nodes(PACKAGE / "codegen")
    )


# -- imports ------------------------------------------------------------------------------------


def module_name(path: Path) -> str:
    """What a file is imported as."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.Module, kinds: set[str], modules: Container[str]) -> Iterator[str]:
    """The modules that a file imports: ``top`` at import, ``late`` in functions, ``types`` for types alone."""

    def walk(node: ast.AST, kind: str) -> Iterator[str]:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            kind = "types"
        elif isinstance(node, FUNCTIONS):
            kind = "late"
        if isinstance(node, ast.ImportFrom) and node.module and kind in kinds:
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                yield name if name in modules else node.module
        for child in ast.iter_child_nodes(node):
            yield from walk(child, kind)

    return walk(tree, "top")


def circles(*kinds: str) -> list[list[str]]:
    """The groups of modules that import each other, the largest first."""
    modules = {module_name(path): tree for path, tree in trees().items()}
    graph = networkx.DiGraph()
    for name, tree in modules.items():
        graph.add_edges_from(
            (name, other)
            for other in imports(tree, set(kinds), modules)
            if other in modules and other != name
        )
    found = [sorted(group) for group in networkx.strongly_connected_components(graph)]
    return sorted((group for group in found if len(group) > 1), key=len, reverse=True)


def rows() -> Iterator[tuple[str, str]]:
    """What is counted, with the counts."""
    files, functions = lines_of_files(), lines_of_functions()
    yield (
        "files, lines, median",
        f"{len(files)}, {sum(files.values())}, {median(files.values()):.0f}",
    )
    yield "files of more than 400 lines", f"{sum(n > 400 for n in files.values())}"
    yield "functions, median", f"{len(functions)}, {median(functions):.0f}"
    yield (
        "functions of more than 50, 100 lines",
        f"{sum(n > 50 for n in functions)}, {sum(n > 100 for n in functions)}",
    )
    yield "bodies of more than 50 lines", f"{sum(n > 50 for n in lines_of_bodies().values())}"
    yield "classes that share their name with another", f"{len(homonyms())}"
    names = operator_names()
    yield "operators' names outside lowerings, files", f"{sum(names.values())}, {len(names)}"
    yield "private members from outside", f"{len(private_accesses())}"
    yield "private names that tests read", f"{privates_read_by_tests().total()}"
    yield "instructions written as text", f"{instructions_as_text()}"
    yield "circles at import", f"{len(circles('top'))}"
    yield "circles with functions' imports", f"{len(circles('top', 'late'))}"
    yield "circles with types", f"{len(circles('top', 'late', 'types'))}"


def main() -> None:
    """Print the counts, then what is behind them."""
    for what, count in rows():
        print(f"{what:45} {count}")
    for name, paths in sorted(homonyms().items()):
        print(f"  {name}: {', '.join(map(module_name, paths))}")
    for circle in circles("top", "late", "types"):
        print(f"  circle: {', '.join(circle)}")


if __name__ == "__main__":
    main()
