"""The reference, written when the site is built: operators, modules, commands, errors."""

import argparse
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from docs.operator_examples import example
from gluonic.commands.table import COMMANDS
from gluonic.graph.namespaces import public_name_of
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.reference import LaterPage
from gluonic.mxnet_names.correspondences import correspondences
from gluonic.tools.command import command_parser

MODULES = {
    "Arrays and symbols": "nd sym random nd.sparse nd.contrib sym.contrib autograd operator library",
    "The NumPy interface": "np np.random np.linalg npx",
    "Gluon": "gluon gluon.nn gluon.rnn gluon.loss gluon.utils gluon.contrib.nn gluon.contrib.rnn "
    "gluon.contrib.cnn gluon.contrib.estimator",
    "Data": "gluon.data gluon.data.vision gluon.data.vision.transforms gluon.contrib.data io image recordio",
    "Models": "gluon.model_zoo.vision model contrib.text contrib.text.vocab contrib.text.embedding",
    "Training": "optimizer lr_scheduler initializer metric callback monitor contrib.amp kvstore horovod",
    "Modules": "mod rnn executor",
    "Files, formats, quantization": "contrib.onnx contrib.quantization",
    "Looking inside": "viz profiler runtime engine",
    "The rest": "base context name attribute util test_utils minpy",
}
"""The modules with a page, by subject."""


DOCUMENTS = ("ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG")
"""Documents that stand beside this folder."""


def write(folder: Path) -> None:
    """Write the pages that have changed into a folder, and remove those that are no more."""
    pages = {**_operators(), **_modules(), "commands": _commands(), "errors": _errors()}
    pages["mxnet2_names"] = _names_of_two()
    texts = {f"{name}.rst": text for name, text in pages.items()}
    for name in DOCUMENTS:
        texts[f"{name.lower()}.md"] = (folder.parent.parent / f"{name}.md").read_text("utf-8")
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _tree(names: list[str], *, depth: int = 1) -> str:
    listed = "".join(f"   {name}\n" for name in names)
    return f".. toctree::\n   :maxdepth: {depth}\n\n{listed}\n"


# -- operators ----------------------------------------------------------------------------------


def _operators() -> dict[str, str]:
    """The pages of operators, one a family, and their list."""
    families: dict[str, list[Operator]] = defaultdict(list)
    for operator in REGISTRY.operators():
        module = operator.kernel.__module__
        is_public = not operator.name.startswith("_backward")
        if is_public and module.startswith("gluonic.graph.ops."):
            families[module].append(operator)
    pages = {f"operators-{_family(module)}": _page(module, ops) for module, ops in families.items()}
    introduction = (
        "Each operator is a function of ``nd`` (at once, on arrays) and of ``sym`` (in graphs), and so of "
        "``F``. Names that begin with an underscore are called by other functions: those with ``_npi_``, "
        "``_np_`` or ``_npx_`` by functions of ``np`` and ``npx``. ``help(mx.nd.Convolution)`` shows the same "
        "text.\n\n"
    )
    pages["operators"] = (
        _heading("Operators", "=") + introduction + _tree(sorted(pages)) + _index(families)
    )
    return pages


def _family(module: str) -> str:
    return module.removeprefix("gluonic.graph.ops.").replace(".", "-").replace("_", "-")


def _index(families: dict[str, list[Operator]]) -> str:
    """All operators by name."""
    names = sorted(
        (_title(operator), operator.name) for ops in families.values() for operator in ops
    )
    links = ", ".join(f":ref:`{title} <operator-{name}>`" for title, name in names)
    return _heading("By name", "-") + links + "\n"


def _title(operator: Operator) -> str:
    public = public_name_of(operator.name)
    return ".".join([*([] if public.module == "op" else [public.module]), public.name])


def _page(module: str, operators: list[Operator]) -> str:
    documentation = inspect.getdoc(importlib.import_module(module)) or ""
    first = documentation.partition("\n\n")[0].replace("\n", " ")
    title = _family(module).replace("-", " ").capitalize()
    return _heading(title, "=") + f"{first}\n\n" + "".join(map(_section, operators))


def _section(operator: Operator) -> str:
    title = _title(operator)
    parts = [
        f".. _operator-{operator.name}:\n\n",
        _heading(title.replace("_", r"\_"), "-"),
        f".. autofunction:: gluonic.nd.{title}\n   :no-index-entry:\n\n",
    ]
    if shown := example(operator.name):
        code = "".join(f"   {line}\n" for line in shown.splitlines())
        parts.append(f".. code-block:: pycon\n\n{code}\n")
    return "".join(parts)


# -- modules ------------------------------------------------------------------------------------


def _modules() -> dict[str, str]:
    """The pages of modules, and their list."""
    seen: set[int] = set()
    pages: dict[str, str] = {}
    parts = [_heading("Modules", "=")]
    for subject, names in MODULES.items():
        listed = [f"module-{name}" for name in names.split()]
        pages.update({f"module-{name}": _module(name, seen) for name in names.split()})
        parts += [_heading(subject, "-"), _tree(listed)]
    return {**pages, "modules": "".join(parts)}


def module_of(name: str) -> Any:
    """A module by the name that programs use after ``import gluonic as mx``."""
    import gluonic

    found: Any = gluonic
    for part in name.split("."):
        found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")
    return found


def _module(name: str, seen: set[int]) -> str:
    module = module_of(name)
    introduction = inspect.getdoc(module) or ""
    parts = [_heading(f"mx.{name}".replace("_", r"\_"), "="), f"{introduction}\n\n"]
    for member, value in public_members(module):
        if id(value) in seen:
            continue
        seen.add(id(value))
        directive = "autoclass" if inspect.isclass(value) else "autofunction"
        options = "   :members:\n" if inspect.isclass(value) else ""
        parts.append(f".. {directive}:: gluonic.{name}.{member}\n{options}\n")
    return "".join(parts)


def public_members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The classes and functions of a module that are its own, but for functions of operators."""
    listed = getattr(module, "__all__", None) or dir(module)
    for name in sorted(listed):
        value = getattr(module, name)
        is_own = (getattr(value, "__module__", None) or "").startswith("gluonic")
        is_operator = isinstance(getattr(value, "__doc__", None), LaterPage)
        is_kind = inspect.isclass(value) or inspect.isfunction(value)
        if is_kind and is_own and not is_operator and not name.startswith("_"):
            yield name, value


# -- commands and errors ------------------------------------------------------------------------


def _commands() -> str:
    parts = [_heading("Commands", "="), "What ``gluonic COMMAND --help`` prints.\n\n"]
    for name, command in COMMANDS.items():
        text = _help(command_parser(command))
        shown = "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())
        parts += [_heading(name, "-"), f".. code-block:: text\n\n{shown}\n"]
    return "".join(parts)


def _help(parser: argparse.ArgumentParser) -> str:
    parser.prog = re.sub(r"^.*?(?=\s|$)", "gluonic", parser.prog, count=1)
    return parser.format_help()


def _errors() -> str:
    from gluonic.base import MXNetError

    introduction = (
        "Every error of gluonic is an ``MXNetError``, and also the error that Python or MXNet would raise in "
        "its place: ``except ValueError`` catches what is a ``ValueError`` there.\n\n"
    )
    parts = [_heading("Errors", "="), introduction]
    for kind in sorted(_derived(MXNetError), key=lambda each: each.__name__):
        also = [base.__name__ for base in kind.__mro__[1:] if base.__module__ == "builtins"]
        plain = [name for name in also if name not in ("Exception", "BaseException", "object")]
        first = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
        extra = f" Also ``{'``, ``'.join(plain)}``." if plain else ""
        parts.append(f"``{kind.__name__}``\n   {first}{extra}\n\n")
    return "".join(parts)


def _names_of_two() -> str:
    """The table of 1.x's names and 2.0's."""
    introduction = (
        "What names of MXNet 1.x are called in 2.0. ``gluonic modernize`` rewrites those without a remark, "
        "which compute the same; elsewhere it leaves a comment. Names that are not here are the same.\n\n"
        ".. list-table::\n   :header-rows: 1\n\n   * - 1.x\n     - 2.0\n     - what to decide\n"
    )
    rows = [
        f"   * - ``{_of_mxnet(row.before)}``\n     - {f'``{_of_mxnet(row.after)}``' if row.after else ''}\n"
        f"     - {row.why}\n"
        for row in correspondences().values()
    ]
    return _heading("Names of MXNet 1.x and 2.0", "=") + introduction + "".join(rows)


def _of_mxnet(name: str) -> str:
    return name if name.startswith(".") else f"mx.{name}"


def _derived(kind: type) -> set[type]:
    """A class and all derived from it."""
    return {kind}.union(*map(_derived, kind.__subclasses__()))
