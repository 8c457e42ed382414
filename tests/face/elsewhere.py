"""Use gluonic where Python answers as it does on Windows or macOS: without what only Linux, or only POSIX, has.

usage: python -m tests.face.elsewhere win32|darwin

Other libraries are imported before, so that gluonic alone is deceived. Code for other processors is what
tests.codegen.elsewhere is about; here it remains this one's.
"""

import builtins
import concurrent.futures.process  # noqa: F401
import ctypes
import ctypes.util
import importlib
import io
import mmap
import multiprocessing.connection
import multiprocessing.popen_fork
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker  # noqa: F401
import os
import pkgutil
import signal
import sys
import tempfile
import urllib.request  # noqa: F401
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
import networkx  # noqa: F401
import numpy as np
import scipy.linalg
import scipy.special  # noqa: F401
import threadpoolctl  # noqa: F401
import tqdm.auto  # noqa: F401

_MODULES = {"win32": ("fcntl", "grp", "pwd", "resource", "syslog", "termios"), "darwin": ()}
_NAMES: dict[str, dict[ModuleType, str]] = {
    "win32": {
        os: "fchmod fork forkpty getegid geteuid getgid getloadavg getuid killpg memfd_create mkfifo nice "
        "posix_fallocate register_at_fork sched_getaffinity sched_setaffinity sched_yield setsid sysconf uname "
        "RTLD_GLOBAL RTLD_LAZY RTLD_LOCAL RTLD_NOW",
        mmap: "MAP_ANONYMOUS MAP_PRIVATE MAP_SHARED PROT_EXEC PROT_READ PROT_WRITE",
        signal: "SIGALRM SIGHUP SIGKILL SIGURG SIGUSR1 SIGUSR2 pthread_sigmask",
    },
    "darwin": {os: "memfd_create posix_fallocate sched_getaffinity sched_setaffinity"},
}
_SYMBOLS = {
    "win32": ("malloc_trim", "mallopt", "pthread_", "sched_"),
    "darwin": ("malloc_trim", "mallopt", "sched_getcpu"),
}
"""Beginnings of the names of C functions that are not there."""
_OPTIONAL = {"mpi4py", "horovod"}
_READ_BY_OTHERS = "/proc/self/maps"  # by threadpoolctl


class _Missing:
    """Refuses modules that the platform lacks."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def deceive(platform: str) -> None:
    """Let Python answer as on another platform."""
    for name in _MODULES[platform]:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Missing(_MODULES[platform]))
    for module, names in _NAMES[platform].items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    sys.platform = platform

    really_open, really_load, really_address = open, ctypes.CDLL.__init__, llvm.address_of_symbol

    def opened(file: Any, *arguments: Any, **settings: Any) -> Any:
        name = "" if isinstance(file, int) else os.fsdecode(file)
        if name.startswith(("/proc/", "/sys/")) and name != _READ_BY_OTHERS:
            raise FileNotFoundError(name)
        return really_open(file, *arguments, **settings)

    def load(library: Any, name: Any, *arguments: Any, **settings: Any) -> None:
        if platform == "win32" and name is None:
            raise TypeError("LoadLibrary() argument 1 must be str, not None")
        really_load(library, None if name == "ucrtbase" else name, *arguments, **settings)

    def address(name: str) -> Any:
        return None if name.startswith(_SYMBOLS[platform]) else really_address(name)

    builtins.open = io.open = opened
    ctypes.CDLL.__init__ = load  # type: ignore[assignment, method-assign]
    ctypes.util.find_library = lambda name: None
    llvm.address_of_symbol = address


def use(folder: Path) -> None:
    """Train, compile, save, load and draw a net."""
    import gluonic as mx
    from gluonic import autograd, gluon, nd
    from gluonic.gluon import nn

    mx.random.seed(1)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(), nn.Flatten(), nn.Dense(3))
    net.initialize()
    x, label = nd.random.uniform(shape=(32, 3, 12, 12)), nd.zeros((32,))
    eager = net(x).asnumpy()
    net.hybridize(compile_at_once=True)
    assert np.allclose(net(x).asnumpy(), eager, atol=1e-5)
    trainer = gluon.Trainer(net.collect_params(), "adam")
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    for _ in range(2):
        with autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(32)
    prefix = str(folder / "net")
    net.save_parameters(f"{prefix}.params")
    net.load_parameters(f"{prefix}.params")
    trainer.save_states(f"{prefix}.states")
    trainer.load_states(f"{prefix}.states")
    files = net.export(prefix)
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    assert np.allclose(again(x).asnumpy(), net(x).asnumpy(), atol=1e-5)
    nd.save(f"{prefix}.nd", {"x": x})
    assert (nd.load(f"{prefix}.nd")["x"] == x).asnumpy().all()
    net.plot(x).render(prefix)
    assert net.explain(x).kernels
    data = gluon.data.ArrayDataset(x, label)
    loader = gluon.data.DataLoader(data, 16, num_workers=2, thread_pool=True)
    assert sum(len(images) for images, _ in loader) == 32


def main() -> None:
    """Use gluonic, then import all of its modules."""
    deceive(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        use(Path(folder))
    import gluonic

    for module in pkgutil.walk_packages(gluonic.__path__, "gluonic."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as error:
                if error.name not in _OPTIONAL:
                    raise


if __name__ == "__main__":
    main()
