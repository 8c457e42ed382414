"""Contexts: the devices of MXNet programs, the CPU and NVIDIA's GPUs.

The environment variable ``GLUONIC_GPU`` chooses what serves the contexts of GPUs: by default the GPUs that the
driver shows, with ``emulated`` the interpreter of their code, and with ``cpu`` the CPU: arrays there report
``gpu(0)``, and contexts compare and print as they do in MXNet, but everything is computed by the CPU.
"""

import logging
import os
import threading
from functools import cache
from types import TracebackType
from typing import Any, ClassVar, Self

from gluonic.graph.errors import MXNetError, describe

_NAMES = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
_IDS = {name: number for number, name in _NAMES.items()}
_GPU = _IDS["gpu"]


@cache
def devices() -> Any:
    """The devices of the process; the module is imported when somebody asks for GPUs."""
    import gluonic.device.devices

    return gluonic.device.devices


class _Default(threading.local):
    """The thread's current context, and those of the enclosing ``with`` blocks."""

    def __init__(self) -> None:
        self.value: Context = CPU
        self.outer: list[Context] = []


class _ContextType(type):
    """The type of `Context`: a class with a property."""

    @property
    def default_ctx(cls) -> "Context":
        """The thread's current context."""
        return current_context()

    @default_ctx.setter
    def default_ctx(cls, context: "Context") -> None:
        _default.value = context


class Context(metaclass=_ContextType):
    """A device, by kind and index; in a ``with`` block, the default for arrays created inside.

    Parameters
    ----------
    device_type : ``"cpu"``, ``"gpu"``, ``"cpu_pinned"``, ``"cpu_shared"``, or another context
    device_id : the index of the device

    Attributes
    ----------
    default_ctx : the thread's current context (of the class)

    Examples
    --------
    >>> Context("cpu", 1)
    cpu(1)
    """

    __slots__ = ("device_id", "device_typeid")

    _default_ctx: ClassVar[_Default]
    devtype2str: ClassVar[dict[int, str]] = _NAMES
    devstr2type: ClassVar[dict[str, int]] = _IDS

    device_typeid: int
    device_id: int

    def __init__(self, device_type: "str | Context", device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            self.device_typeid, self.device_id = device_type.device_typeid, device_type.device_id
        elif device_type in _IDS:
            self.device_typeid, self.device_id = _IDS[device_type], device_id
        else:
            raise MXNetError(f"{device_type!r} is no kind of device; there are {', '.join(_IDS)}")

    @property
    def device_type(self) -> str:
        """The kind of device."""
        return _NAMES[self.device_typeid]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Context)
            and self.device_typeid == other.device_typeid
            and self.device_id == other.device_id
        )

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    def __reduce__(self) -> Any:
        return Context, (self.device_type, self.device_id)

    def __setstate__(self, state: dict[str, Any]) -> None:  # of MXNet's pickles
        self.device_typeid, self.device_id = state["device_typeid"], state["device_id"]

    def __enter__(self) -> Self:
        _default.outer.append(_default.value)
        _default.value = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _default.value = _default.outer.pop()

    def empty_cache(self) -> None:
        """Give memory of a GPU that arrays no longer use back to its driver; the CPU keeps none.

        Raises
        ------
        MXNetError
            if there is no such GPU
        """
        if self.device_typeid == _GPU and not is_served_by_cpu(self):
            devices().device(self.device_id).empty_cache()


CPU = Context("cpu", 0)
_default = Context._default_ctx = _Default()


def cpu(device_id: int = 0) -> Context:
    """Return a CPU context.

    Parameters
    ----------
    device_id : a number that programs choose; all are the same memory
    """
    return CPU if device_id == 0 else Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Return a context of page-locked memory, which ``gpu(device_id)`` copies while it computes.

    Arrays that `nd.array`, copies and `DataLoader` put there are in such memory, where there is that GPU; all
    others are in ordinary memory.

    Parameters
    ----------
    device_id : the number of the GPU
    """
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """Return a GPU context. It can be named and compared; using it raises `MXNetError` if there is no such GPU.

    With ``GLUONIC_GPU=cpu`` (which ``python -m gluonic --cpu`` sets) the CPU serves it: arrays on it, any
    number of such contexts, parameters on several of them. The first use is logged.

    Parameters
    ----------
    device_id : the GPU's number, counted from 0
    """
    return Context("gpu", device_id)


def num_gpus() -> int:
    """Return the number of GPUs; 0 if the CPU serves GPU contexts.

    Programs that fall back to the CPU if there is no GPU still do so then; ``GLUONIC_GPU=cpu`` is for programs
    that use a GPU without checking. Asking makes no context on a GPU.
    """
    if os.environ.get("GLUONIC_GPU") == "cpu":
        return 0
    return devices().count()  # type: ignore[no-any-return]


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return the free and the total memory in bytes; if the CPU serves GPU contexts, that of the machine.

    Parameters
    ----------
    device_id : the GPU's number, counted from 0

    Raises
    ------
    MXNetError
        if there is no such GPU
    """
    if not is_served_by_cpu(gpu(device_id)):
        return tuple(devices().device(device_id).memory_info())
    page = os.sysconf("SC_PAGE_SIZE")
    total = page * os.sysconf("SC_PHYS_PAGES")
    told = "SC_AVPHYS_PAGES" in os.sysconf_names
    return (page * os.sysconf("SC_AVPHYS_PAGES") if told else total), total


def is_served_by_cpu(context: Context) -> bool:
    """Whether the CPU serves a GPU's context.

    Parameters
    ----------
    context : that of a GPU

    Raises
    ------
    MXNetError
        if it does not, and there is no such GPU
    """
    if devices().in_use(context.device_id) is not None:
        return False
    if os.environ.get("GLUONIC_GPU") == "cpu":
        _tell_once()
        return True
    if 0 <= context.device_id < devices().count():
        return False
    raise MXNetError(
        describe(
            f"{context}: there is no such GPU; use mx.cpu(), or let the CPU serve GPU contexts: "
            "python -m gluonic --cpu script.py, or GLUONIC_GPU=cpu in the environment",
            facts=devices().absence(),
        )
    )


@cache
def _tell_once() -> None:
    logging.getLogger("gluonic").warning(
        "GLUONIC_GPU=cpu: the CPU serves GPU contexts; there is no GPU"
    )


def current_context() -> Context:
    """Return the context of the innermost ``with`` block, `cpu(0)` outside of any."""
    return _default.value


def usable(context: Any) -> Context:
    """The context to allocate on: the current one for None.

    Parameters
    ----------
    context : a context, its text, or None

    Raises
    ------
    MXNetError
        for a GPU that is not there, unless the CPU serves it
    """
    context = named(context)
    if context.device_typeid == _GPU:
        is_served_by_cpu(context)
    return context  # type: ignore[no-any-return]


def named(context: Any) -> Context:
    """A context as users give it.

    Parameters
    ----------
    context : a context, its name, or None for the current one; it may be that of a GPU which is not there

    Raises
    ------
    MXNetError
        if it is something else
    """
    if isinstance(context, Context):
        return context
    if context is None or context == "":
        return _default.value
    if isinstance(context, str):
        return _from_string(context)
    raise MXNetError(f"ctx must be a Context such as mx.cpu(), not {context!r}")


def _from_string(text: str) -> Context:
    kind, _, number = text.rstrip(")").partition("(")
    device_id = int(number) if number.isdigit() else 0
    return cpu(device_id) if kind == "cpu" else Context(kind, device_id)
