"""Compiling libraries for the tests, each once a session, several at a time."""

import fcntl
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gluonic.libinfo import find_include_path

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples" / "extensions"
SOURCES = {
    "gemm": EXAMPLES / "lib_custom_op" / "gemm_lib.cc",
    "relu": EXAMPLES / "lib_custom_op" / "relu_lib.cc",
    "transpose": EXAMPLES / "lib_custom_op" / "transpose_lib.cc",
    "subgraph": EXAMPLES / "lib_subgraph" / "subgraph_lib.cc",
    "pass": EXAMPLES / "lib_pass" / "pass_lib.cc",
    "probe": HERE / "libraries" / "probe.cc",
    "sparse": HERE / "libraries" / "sparse.cc",
    "graphs": HERE / "libraries" / "graphs.cc",
}
Build = Callable[[str], Path]
COMPILER = shutil.which("g++") or shutil.which("c++")


def compile_library(source: Path, target: Path) -> Path:
    """Compile one library."""
    assert COMPILER is not None
    flags = ["-std=c++11", "-O0", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    command = [COMPILER, *flags, f"-I{find_include_path()}", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def compile_once(source: Path, target: Path) -> Path:
    """Compile one library, unless another process of the session has or does."""
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            compile_library(source, target.with_suffix(".part")).rename(target)
    return target


class Builder:
    """Compiles what is asked for; the known libraries all at once, in the background.

    Parameters
    ----------
    folder : for this process alone
    common : for the known libraries, which all processes of the session share
    """

    def __init__(self, folder: Path, common: Path) -> None:
        if COMPILER is None:
            pytest.skip("there is no C++ compiler")
        self.folder = folder
        self._workers = ThreadPoolExecutor(2)
        self._known = {
            name: self._workers.submit(compile_once, source, common / f"lib{name}.so")
            for name, source in SOURCES.items()
        }

    def __call__(self, name: str) -> Path:
        """Return a known library."""
        return self._known[name].result()

    def text(self, name: str, code: str) -> Path:
        """Compile a library from its text."""
        source = self.folder / f"{name}.cc"
        source.write_text(code)
        return compile_library(source, self.folder / f"lib{name}.so")
