"""Linking an object file to a shared library, by the system's C compiler."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gluonic.codegen.machine.target import Target
from gluonic.graph.errors import MXNetError, describe


class LinkError(MXNetError):
    """A library cannot be linked."""


def linker(target: Target, library: str) -> list[str]:
    """The command of the C compiler for a processor, with its options: ``CC`` if it is this machine's.

    Parameters
    ----------
    library : the name of what is linked, for the message

    Raises
    ------
    LinkError
        if there is none
    """
    is_own = sys.platform == "linux" and platform.machine() == target.architecture
    named = shlex.split(os.environ.get("CC", "")) if is_own else []
    tried = [*named[:1], *(["cc", "gcc", "clang"] if is_own else [])]
    tried.append(f"{target.architecture}-linux-gnu-gcc")
    found = next((path for name in tried if (path := shutil.which(name))), None)
    if found is None:
        stem = Path(library).stem
        raise LinkError(
            describe(
                f"there is no C compiler to link {library}",
                where=f"export_library for {target.architecture}",
                facts=[f"looked for: {', '.join(tried)}"],
                hint=f"write {stem}.o, and link it elsewhere: cc -shared -o {stem}.so {stem}.o -lm",
            )
        )
    return [found, *(named[1:] if named and found == shutil.which(named[0]) else [])]


def link(command: list[str], image: bytes, library: Path) -> bytes:
    """Link an object file; returns the shared library.

    Parameters
    ----------
    command : what `linker` returned
    library : its place, whose name the library bears

    Raises
    ------
    LinkError
        if the compiler fails
    """
    with tempfile.TemporaryDirectory() as folder:
        source, goal = Path(folder, "net.o"), Path(folder, "net.so")
        source.write_bytes(image)
        # Start files would bring symbols of the compiler's own.
        options = ["-shared", "-nostartfiles", f"-Wl,-soname,{library.name}", "-o", str(goal)]
        run = [*command, *options, str(source), "-lm"]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LinkError(
                describe(
                    f"{command[0]} cannot link {library.name}",
                    where="export_library",
                    facts=done.stderr.strip().splitlines()[-5:],
                    hint=f"write {library.stem}.o, and link it by hand",
                )
            )
        return goal.read_bytes()
