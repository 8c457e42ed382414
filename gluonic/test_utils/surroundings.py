"""Environment variables, exceptions, files, data sets and iterators for tests."""

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gluonic.gluon.data.vision import MNIST
from gluonic.gluon.fetching import download as fetch
from gluonic.io import DataIter

_Function = TypeVar("_Function", bound=Callable[..., Any])


@contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Set environment variables inside the ``with`` block.

    Parameters
    ----------
    args : name and value, or a dictionary; the value None deletes a variable
    """
    wanted: Mapping[str, Any] = args[0] if len(args) == 1 else {args[0]: args[1]}
    before = {name: os.environ.get(name) for name in wanted}
    _set(wanted)
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, Any]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = str(value)


@contextmanager
def discard_stderr() -> Iterator[None]:
    """Discard the process's standard error inside the ``with`` block."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def assert_exception(
    f: Callable[..., Any], exception_type: type[BaseException], *args: Any, **kwargs: Any
) -> None:
    """Raise an AssertionError unless a call raises an exception of a type."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"{exception_type.__name__} was not raised")


def retry(n: int) -> Callable[[_Function], _Function]:
    """Return a decorator that lets a test fail `n - 1` times."""
    if n < 1:
        raise AssertionError(f"a test cannot be tried {n} times")

    def decorate(test: _Function) -> _Function:
        @wraps(test)
        def tried(*args: Any, **kwargs: Any) -> Any:
            for left in reversed(range(n)):
                try:
                    return test(*args, **kwargs)
                except AssertionError:
                    if not left:
                        raise
            return None

        return tried  # type: ignore[return-value]

    return decorate


def list_gpus() -> range:
    """Return the numbers of the GPUs: none."""
    return range(0)


def download(
    url: str,
    fname: str | None = None,
    dirname: str | None = None,
    overwrite: bool = False,
    retries: int = 5,
) -> str:
    """Return a file that is on this machine; nothing is fetched from the network.

    Parameters
    ----------
    url : a ``file://`` address; any other one will do if the file is there already
    fname, dirname : where the file is, or goes
    overwrite : copy even if it is there
    retries : accepted for compatibility
    """
    path = Path(dirname or "") / (fname or url.rsplit("/", 1)[-1])
    return fetch(url, str(path), overwrite, retries=retries)


def get_mnist() -> dict[str, Any]:
    """Return the handwritten digits of MNIST, from files on this machine, as floats from 0 to 1."""
    found: dict[str, Any] = {}
    for part, train in (("train", True), ("test", False)):
        images, labels = MNIST(train=train)[:]
        found[f"{part}_data"] = images.asnumpy().transpose(0, 3, 1, 2).astype(np.float32) / 255
        found[f"{part}_label"] = labels
    return found


class DummyIter(DataIter):
    """A data iterator that repeats the first batch of another one, to time everything else.

    Parameters
    ----------
    real_iter : the other iterator
    """

    def __init__(self, real_iter: Any) -> None:
        super().__init__(real_iter.batch_size)
        self.real_iter = real_iter
        self.provide_data, self.provide_label = real_iter.provide_data, real_iter.provide_label
        self.the_batch = next(real_iter)

    def next(self) -> Any:
        """Return the batch."""
        return self.the_batch

    def reset(self) -> None:
        """Do nothing."""


def is_cd_run() -> bool:
    """Return whether tests run in continuous deployment."""
    return os.environ.get("CD_JOB", "") == "1"


def is_aarch64_run() -> bool:
    """Return whether tests run on a 64-bit ARM processor."""
    return platform.machine() == "aarch64"


def has_tvm_ops() -> bool:
    """Return False: there are no operators compiled by TVM."""
    return False


def is_op_runnable() -> bool:
    """Return True: all operators run on this machine."""
    return True
