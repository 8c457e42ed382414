"""What a program uses of other packages, read from its text without running it."""

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from gluonic.support.record import record

_SERVED = {"mxnet", "gluonic", "minpy", "horovod"}
_FALLBACKS = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "NameError"}
_OF_VERSIONS = {"version_info", "PY2", "PY3", "__version__"}
_SKIPPED_FOLDERS = {"site-packages", "node_modules", "__pycache__", "build"}
FUNCTIONS = "F"
"""The parameter of ``hybrid_forward`` that is mx.nd or mx.sym; names in it begin with this."""


@record
class UsedName:
    """A name, a method (``.ptp``), a call (``numpy.reshape()``) or a keyword of one, and where it is used."""

    what: str
    file: str
    line: int

    def __str__(self) -> str:
        """The file and the line."""
        return f"{self.file}:{self.line}"

    @property
    def root(self) -> str:
        """The package or module that the name begins with; empty for methods and relative imports."""
        return self.what.partition("(")[0].partition(".")[0]

    def split(self) -> tuple[str, str]:
        """The name without a call, and the keyword, if it is one of a call."""
        name, _, keyword = self.what.rstrip(")").partition("(")
        return name, "" if keyword == "!" else keyword


@record
class ProgramUses:
    """What one file uses, and the modules that it imports, in order.

    Imports and plain assignments (``nn = mx.gluon.nn``) are followed, wherever in the file they are. What has a
    fallback, or depends on a version, is left out.
    """

    uses: list[UsedName]
    imports: list[UsedName]


def read_program(file: Path, name: str) -> ProgramUses:
    """Read a program, which is called `name` in what is returned.

    Raises
    ------
    SyntaxError, ValueError
        if it is no program for Python 3
    OSError
        if it cannot be read
    """
    reader = _Reader(name, ast.parse(file.read_bytes(), name))
    return ProgramUses(reader.uses, reader.imports)


@record
class UsedNames:
    """What files use.

    Attributes
    ----------
    files : those that were read
    uses : what they use, in the order of the files and lines
    modules : for each module of other packages that they import, the files that do
    unreadable : files that are not Python 3, with the line and what is wrong
    """

    files: list[str] = field(default_factory=list)
    uses: list[UsedName] = field(default_factory=list)
    modules: dict[str, set[str]] = field(default_factory=dict)
    unreadable: list[UsedName] = field(default_factory=list)


def uses_of(paths: Sequence[Path]) -> UsedNames:
    """Read scripts with the modules beside them that they import, and all programs in folders.

    Parameters
    ----------
    paths : files and folders

    Raises
    ------
    OSError
        if a file cannot be read
    """
    found = UsedNames()
    paths = [path.resolve() for path in paths]
    roots = [path if path.is_dir() else path.parent for path in paths]
    waiting = [file for path in paths for file in program_files(path)]
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop(0)
        if file in seen:
            continue
        seen.add(file)
        name = _shown(file)
        found.files.append(name)
        try:
            program = read_program(file, name)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            found.unreadable.append(UsedName(getattr(error, "msg", str(error)), name, line))
            continue
        own = {""}
        for module in program.imports:
            root, local = module.root, list(_local(module.what, file, roots))
            waiting.extend(local)
            if local:
                own.add(root)
            elif is_foreign(root):
                found.modules.setdefault(root, set()).add(name)
        found.uses.extend(_as_method(use) if use.root in own else use for use in program.uses)
    for name in {part for file in seen for part in (file.stem, file.parent.name)}:
        found.modules.pop(name, None)  # found along a path that the program makes while it runs
    return found


def is_foreign(package: str) -> bool:
    """Whether a package must be installed for a program: neither Python nor gluonic has it."""
    return bool(package) and package not in _SERVED | sys.stdlib_module_names


def _as_method(use: UsedName) -> UsedName:
    """A use of something of the program's own, of which only the last name tells anything."""
    return replace(use, what=f".{use.what.rpartition('.')[2]}")


def _shown(file: Path) -> str:
    """The file's path, from the current folder if it is inside."""
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)


def program_files(path: Path) -> Iterator[Path]:
    """A file, or the Python files in a folder, except those of installed packages."""
    if not path.is_dir():
        yield path
        return
    for file in sorted(path.rglob("*.py")):
        inner = file.relative_to(path).parts
        if not any(part in _SKIPPED_FOLDERS or part.startswith(".") for part in inner):
            yield file


def _local(module: str, file: Path, roots: Iterable[Path]) -> Iterator[Path]:
    """The program's own files that an import of a module runs; a relative one begins with dots."""
    relative = len(module) - len(module.lstrip("."))
    folders = [file.parents[relative - 1]] if relative else [file.parent, *roots]
    parts = [part for part in module.split(".") if part]
    for folder in folders:
        for count in range(1, len(parts) + 1):
            place = folder.joinpath(*parts[:count])
            yield from filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py"))


def _aliases(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import binds, and what they stand for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or name, name
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (f"{node.module}." if node.module else "")
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name, f"{module}{alias.name}"


def _bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, wherever in the file that is; imports aside."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


class _Reader(ast.NodeVisitor):
    """Collects what one file imports and uses, except in fallbacks and behind checks of versions."""

    def __init__(self, file: str, tree: ast.AST) -> None:
        self.file = file
        self.aliases = dict(alias for node in ast.walk(tree) for alias in _aliases(node))
        self._bound = {name for node in ast.walk(tree) for name in _bound_names(node)}
        self.uses: list[UsedName] = []
        self.imports: list[UsedName] = []
        self._is_optional = False
        if any(isinstance(node, ast.arg) and node.arg == FUNCTIONS for node in ast.walk(tree)):
            self.aliases.setdefault(FUNCTIONS, FUNCTIONS)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._follow(node.targets[0], node.value)
        self.visit(tree)

    def _follow(self, target: ast.AST, value: ast.AST) -> None:
        """Note that an assignment gives a known name another one."""
        name = self._name(value)
        if name is not None and isinstance(target, ast.Name):
            self.aliases.setdefault(target.id, name)

    def _note(self, what: str, node: ast.AST) -> None:
        if not self._is_optional:
            self.uses.append(UsedName(what, self.file, getattr(node, "lineno", 1)))

    # ------------------------------------------------------------------------ imports

    def visit_Import(self, node: ast.Import) -> None:
        """Note the modules."""
        for alias in node.names:
            self._note_import(alias.name, node)
            self._note(alias.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note the names that are imported from a module."""
        module = "." * node.level + (node.module or "")
        self._note_import(module, node)
        if any(alias.name == "*" for alias in node.names):
            self._note(module, node)
        for _, name in _aliases(node):
            self._note(name, node)
            self._note_import(name, node)  # it may be a module, too

    def _note_import(self, module: str, node: ast.AST) -> None:
        if not self._is_optional or module.startswith("."):
            self.imports.append(UsedName(module, self.file, getattr(node, "lineno", 1)))

    # ------------------------------------------------------------------------ what may not run

    def visit_Try(self, node: ast.Try) -> None:
        """Leave out what has a fallback, and the fallback."""
        caught = {
            n.id for h in node.handlers for n in ast.walk(h.type or h) if isinstance(n, ast.Name)
        }
        has_fallback = any(h.type is None for h in node.handlers) or not caught.isdisjoint(
            _FALLBACKS
        )
        self._visit_all([*node.body, *node.handlers], optional=has_fallback)
        self._visit_all([*node.orelse, *node.finalbody])

    def visit_If(self, node: ast.If) -> None:
        """Leave out what a check of versions decides about."""
        names = {getattr(n, "attr", getattr(n, "id", "")) for n in ast.walk(node.test)}
        self._visit_all([node.test])
        self._visit_all([*node.body, *node.orelse], optional=not names.isdisjoint(_OF_VERSIONS))

    def _visit_all(self, nodes: Iterable[ast.AST], optional: bool = False) -> None:
        before = self._is_optional
        self._is_optional = before or optional
        for node in nodes:
            self.visit(node)
        self._is_optional = before

    # ------------------------------------------------------------------------ uses

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note the whole name of what an import leads to, and the attributes of all else."""
        name = self._name(node)
        if name is None:
            self._note(f".{node.attr}", node)
            self.visit(node.value)
        elif isinstance(node.ctx, ast.Load):
            self._note(name, node)

    def visit_Name(self, node: ast.Name) -> None:
        """Note names that nothing in the file binds: built-in ones, of this Python or an older one."""
        if node.id not in self._bound and node.id not in self.aliases:
            self._note(node.id, node)

    def visit_Call(self, node: ast.Call) -> None:
        """Note keywords, too."""
        name = self._name(node.func)
        if name is None and isinstance(node.func, ast.Attribute):
            name = f".{node.func.attr}"
        if name is not None:
            keywords = [keyword.arg for keyword in node.keywords if keyword.arg]
            self._note(f"{name}()", node)
            for keyword in keywords:
                self._note(f"{name}({keyword})", node)
            if len(node.args) == 1 and not node.keywords:
                self._note(f"{name}(!)", node)
        self.generic_visit(node)

    def _name(self, node: ast.AST) -> str | None:
        """The whole name of what a chain of attributes of an imported name is."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return None
        return ".".join([self.aliases[node.id], *reversed(parts)])
