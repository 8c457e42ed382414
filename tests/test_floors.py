"""Imports point down the floors, and a room does not know those above it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gluonic import graph

PACKAGE = Path(__file__).parent.parent / "gluonic"
ALLOWED = {
    "support": {"support"},
    "graph": {"support", "graph"},
    "device": {"support", "graph", "device"},
    "codegen": {"support", "graph", "device", "codegen"},
    "distributed": {"support", "graph", "distributed"},
    "drawing": {"support", "graph", "codegen", "drawing"},
    "numpy_functions": {"support", "graph", "numpy_functions"},
    "ndarray": {"support", "graph", "codegen", "drawing", "numpy_functions", "ndarray", "device"},
    "extension": {"support", "graph", "codegen", "ndarray", "extension"},
    "onnx": {"support", "graph", "codegen", "ndarray", "symbol", "onnx"},
    "pytorch": {"support", "graph", "codegen", "symbol", "onnx", "pytorch"},
    "symbol": {
        "support",
        "graph",
        "device",
        "codegen",
        "ndarray",
        "numpy_functions",
        "drawing",
        "symbol",
    },
    "mxnet_names": {"support", "graph", "mxnet_names", "pickling"},
}
FACE = {
    "gluonic",
    "alias",
    "c_api",
    "horovod",
    "mxnet2",
    "mxnet_names",
    "module",
    "visualization",
    "minpy",
    "library",
    "one_element_numbers",
    "removed_names",
    "running",
    "commands",
    "tools",
    "served",
    "serving",
    "__main__",
}


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """The rooms and modules of the package that a file imports, with the lines."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            module, names = node.module, [alias.name for alias in node.names]
            if module == "gluonic":
                yield from ((node.lineno, name) for name in names)
            elif module.startswith("gluonic."):
                yield node.lineno, module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("gluonic."):
                    yield node.lineno, alias.name.split(".")[1]


@pytest.mark.parametrize("room", ALLOWED)
def test_a_room_imports_only_what_lies_below(room: str) -> None:
    upwards = [
        f"{path.relative_to(PACKAGE.parent)}:{line} imports {name}"
        for path in (PACKAGE / room).rglob("*.py")
        for line, name in imported(path)
        if name not in ALLOWED[room] and not name.startswith("_version")
    ]
    assert not upwards, "\n".join(upwards)


def test_gluon_does_not_import_the_face() -> None:
    upwards = [
        f"{path.relative_to(PACKAGE.parent)}:{line} imports {name}"
        for path in (PACKAGE / "gluon").rglob("*.py")
        for line, name in imported(path)
        if name in FACE
    ]
    assert not upwards, "\n".join(upwards)


BESIDE_THE_DOOR = {
    "control_flow": "imported for the operators that it registers",
    "random_numbers": "loads LLVM",
    "machine": "loads LLVM, or describes the processor alone",
    "runtime": "for types alone",
    "csr_products": "loaded with the first large product of a csr matrix",
}
"""What of the compiler other rooms import by its own name, and why."""


def test_other_rooms_enter_the_compiler_by_its_door() -> None:
    doors = {
        f"{path.relative_to(PACKAGE.parent)} imports {module}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "codegen"
        for module in all_imports(path)
        if module.startswith("gluonic.codegen.") and module.split(".")[2] not in BESIDE_THE_DOOR
    }
    assert not doors, "\n".join(sorted(doors))


def test_rooms_that_use_graphs_import_what_these_are_made_of_by_the_door() -> None:
    """The decorator of operators has the name of its module, and stands behind the door."""
    doors = {
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno} imports {node.module}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in ("support", "graph")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module in BEHIND_THE_DOOR
        if not {alias.name for alias in node.names}.isdisjoint(graph.__all__)
    }
    assert not doors, "\n".join(sorted(doors))


BEHIND_THE_DOOR = {f"gluonic.graph.{name}" for name in ("application", "node", "operator")}


def all_imports(path: Path) -> list[str]:
    """The modules from which a file imports something."""
    text = path.read_text()
    if "gluonic.codegen." not in text:
        return []
    nodes = ast.walk(ast.parse(text))
    return [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]


CODEGEN = (
    "lowerings",
    "machine",
    "maths",
    "scalar",
    "writers",
    "shapes",
    "loops",
    "data_movement",
    "matmul",
    "recurrent",
    "ctc",
    "convolution",
    "small_integers",
    "pooling",
    "resampling",
    "tracing",
    "threads",
    "rewriting",
    "launch",
    "native",
    "runtime",
    "inspection",
    "library",
    "cuda",
)
"""The folders of the compiler, ground floor first; the modules beside them are on top."""


def test_all_folders_of_the_compiler_have_a_floor() -> None:
    assert {path.parent.name for path in (PACKAGE / "codegen").glob("*/__init__.py")} == {*CODEGEN}


NAMED_FROM_BELOW = {
    "lowerings": "an entry names the rule or the step of an operator, which is imported when a graph has it",
}
"""Folders whose strings name what lies above them, and why."""
_BY_STRING = re.compile(r"(?:gluonic\.codegen\.)?([a-z_]+)(?:\.[a-z_]+)*:[A-Za-z_.]+")


@pytest.mark.parametrize("folder", CODEGEN)
def test_a_folder_of_the_compiler_imports_only_what_lies_below(folder: str) -> None:
    allowed = CODEGEN[: CODEGEN.index(folder) + 1]
    upwards = [
        f"{path.relative_to(PACKAGE.parent)} imports {module}"
        for path in (PACKAGE / "codegen" / folder).rglob("*.py")
        for module in compiler_imports(path)
        if module not in allowed
    ]
    assert not upwards, "\n".join(upwards)


@pytest.mark.parametrize("folder", CODEGEN)
def test_a_folder_of_the_compiler_names_only_what_lies_below(folder: str) -> None:
    """What is imported by a string, such as ``"convolution.steps:ConvolutionStep"``, is imported, too."""
    allowed = CODEGEN[: CODEGEN.index(folder) + 1]
    upwards = [
        f"{path.relative_to(PACKAGE.parent)} names {found[0]}"
        for path in (PACKAGE / "codegen" / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (found := _BY_STRING.fullmatch(node.value)) and found[1] in CODEGEN
        if found[1] not in allowed
    ]
    assert bool(upwards) == (folder in NAMED_FROM_BELOW), "\n".join(upwards)


def compiler_imports(path: Path) -> list[str]:
    """The folders of the compiler that a file imports from: at once, in functions, or for types alone."""
    imports = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
    modules = [f"{node.module}.{alias.name}" for node in imports for alias in node.names]
    return [m.split(".")[2] for m in modules if m.startswith("gluonic.codegen.")]


def test_rules_take_no_private_member_of_a_node() -> None:
    """What a node's view has besides the operator's own names is asked by functions of its file."""
    views = {PACKAGE / "graph" / "view.py", PACKAGE / "onnx" / "use.py"}
    taken = [
        f"{path.relative_to(PACKAGE.parent)}:{node.lineno} {ast.unparse(node)}"
        for path in PACKAGE.rglob("*.py")
        if path not in views and re.search(r"\b(n|view)\._", path.read_text())
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and is_a_view(node.value)
    ]
    assert not taken, "\n".join(taken)


def is_a_view(node: ast.AST) -> bool:
    """Whether it is what rules call a view of a node."""
    return ast.unparse(node) in ("n", "view", "site.n", "self.n")
