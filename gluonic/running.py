"""Running a program as Python does: a script, a module, code, or standard input."""

import builtins
import os
import sys
from collections.abc import Sequence
from dataclasses import field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader, SourcelessFileLoader
from importlib.util import find_spec
from io import open_code
from types import CodeType, ModuleType
from typing import Any

from gluonic.support.record import record


class NotRunnableError(ImportError):
    """There is no such module, or it cannot be run."""


@record
class MainProgram:
    """A program to run as the main module.

    Attributes
    ----------
    code : the program itself
    argument : the value of ``sys.argv[0]``
    folder : the first folder on its import path
    attributes : those of its module
    is_in_folder : whether the program is this folder, or archive, itself
    """

    code: CodeType
    argument: str
    folder: str
    attributes: dict[str, Any] = field(default_factory=dict)
    is_in_folder: bool = False


def of_code(source: str) -> MainProgram:
    """Make a program of the argument of ``-c``."""
    return MainProgram(compile(source, "<string>", "exec"), "-c", "")


def of_input(source: str) -> MainProgram:
    """Make a program of standard input."""
    file = "<stdin>"
    attributes = {"__cached__": None, "__file__": file}
    return MainProgram(compile(source, file, "exec"), "-", "", attributes)


def of_module(name: str) -> MainProgram:
    """Find a module by its name, or the ``__main__`` of a package.

    Raises
    ------
    NotRunnableError
        if there is none
    """
    folder = os.getcwd()
    _import_first_from(folder)
    spec = _look_for(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name = f"{name}.__main__"
        spec = _look_for(name)
    return _of_spec(spec, name, folder)


def of_script(path: str) -> MainProgram:
    """Read a file, or find the ``__main__`` in a folder or an archive.

    Raises
    ------
    NotRunnableError
        if a folder has none, or compiled code is another Python's
    OSError
        if the file cannot be read
    """
    file = os.path.abspath(path)
    spec = PathFinder.find_spec("__main__", [file])
    if spec is not None or os.path.isdir(file):
        return _of_spec(spec, path, file, argument=path)
    loader: SourcelessFileLoader | SourceFileLoader
    if file.endswith(".pyc"):
        loader = SourcelessFileLoader("__main__", file)
        code = _compiled(loader, file)
    else:
        loader = SourceFileLoader("__main__", file)
        with open_code(file) as opened:
            code = compile(opened.read(), file, "exec")
    attributes = {"__file__": file, "__cached__": None, "__loader__": loader}
    return MainProgram(code, path, os.path.dirname(os.path.realpath(path)), attributes)


def run(program: MainProgram, arguments: Sequence[str]) -> None:
    """Run a program; it stays the main module when its code has ended."""
    module = ModuleType("__main__")
    vars(module).update(program.attributes, __builtins__=builtins)
    _import_first_from(program.folder, program.is_in_folder)
    sys.argv[:] = [program.argument, *arguments]
    # The second is multiprocessing's name for the main module, which it found when it was imported.
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    exec(program.code, vars(module))


def _import_first_from(folder: str, always: bool = False) -> None:
    """Replace the folder of ``python -m gluonic`` on the import path; with ``-P`` there is none."""
    if not sys.flags.safe_path:
        sys.path[0] = folder
    elif always:
        sys.path.insert(0, folder)


def _compiled(loader: SourcelessFileLoader, file: str) -> CodeType:
    try:
        code = loader.get_code("__main__")
    except (EOFError, ImportError, ValueError) as error:
        raise NotRunnableError(f"{file}: {error}") from error
    if code is None:
        raise NotRunnableError(f"{file} has no code")
    return code


def _look_for(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None


def _of_spec(
    spec: ModuleSpec | None, name: str, folder: str, argument: str | None = None
) -> MainProgram:
    get_code = getattr(spec and spec.loader, "get_code", None)
    code = get_code(spec.name) if spec is not None and get_code is not None else None
    if spec is None or code is None:
        raise NotRunnableError(
            f"No module named {name}" if argument is None else f"{name} has no __main__"
        )
    attributes = {
        "__cached__": spec.cached, "__file__": spec.origin, "__loader__": spec.loader,
        "__package__": spec.parent, "__spec__": spec,
    }  # fmt: skip
    first = argument or spec.origin or name
    return MainProgram(code, first, folder, attributes, is_in_folder=argument is not None)
