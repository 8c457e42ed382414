"""Serving ``import mxnet`` to a program and to the processes that it starts.

Whoever starts a process hands on the environment, and its ``PYTHONPATH`` leads to the folder `mxnet` here.
A child that `multiprocessing` spawns runs the program's script again, from its first line; it is served
before that.
"""

import os
from multiprocessing import spawn
from pathlib import Path
from typing import Any

from gluonic._version import MXNET_VERSION
from gluonic.alias import install_as_mxnet

_FOLDER = str(Path(__file__).parent)
_ALIASES = "GLUONIC_NUMPY_ALIASES"
_VERSION = "GLUONIC_MXNET"


def serve() -> None:
    """Serve this process, as the environment says, and those that it starts."""
    version = os.environ.get(_VERSION) or MXNET_VERSION
    install_as_mxnet(numpy_aliases=os.environ.get(_ALIASES) != "0", version=version)
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if _FOLDER not in others:
        os.environ["PYTHONPATH"] = os.pathsep.join([_FOLDER, *others])
    _serve_spawned()


class _Served:
    """What serves the process that unpickles it."""

    def __reduce__(self) -> Any:
        return serve, ()


def _serve_spawned() -> None:
    """Put a `_Served` into what a spawned child unpickles before it runs the script."""
    prepare = spawn.get_preparation_data

    def prepare_served(name: str) -> dict[str, Any]:
        return {"gluonic": _Served(), **prepare(name)}

    if not hasattr(prepare, "serves_gluonic"):
        prepare_served.serves_gluonic = True  # type: ignore[attr-defined]
        spawn.get_preparation_data = prepare_served
