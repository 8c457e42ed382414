"""The interface of key-value stores for trainers, and the base of all stores in one process."""

from typing import Any, ClassVar, TypeVar

from gluonic.ndarray import sparse
from gluonic.ndarray.array import NDArray
from gluonic.optimizer import Optimizer
from gluonic.registry import enter

__all__ = ["KVStoreBase", "TestStore"]

_Class = TypeVar("_Class", bound=type)


class KVStoreBase:
    """The interface of stores for trainers; a new kind overrides these methods and is registered.

    Attributes
    ----------
    OPTIMIZER : the name of the capability to run optimizers
    kv_registry : all registered kinds, by name in lower case
    """

    OPTIMIZER: ClassVar[str] = "optimizer"
    kv_registry: ClassVar[dict[str, type["KVStoreBase"]]] = {}

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Register a class under its name in lower case; a decorator."""
        enter(KVStoreBase.kv_registry, klass, "store")
        return klass

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {what}")

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Store a value and copy it to all arrays of `out`."""
        raise self._lacks("broadcast")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum `value` and copy the result to `out`, or else back to `value`."""
        raise self._lacks("pushpull")

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Let the store update weights when gradients are pushed."""
        raise self._lacks("set_optimizer")

    def is_capable(self, capability: str) -> bool:
        """Return whether the store can do something, such as run an optimizer."""
        raise self._lacks("is_capable")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Save the states of the store's optimizer."""
        raise self._lacks("save_optimizer_states")

    def load_optimizer_states(self, fname: str) -> None:
        """Load the states of the store's optimizer."""
        raise self._lacks("load_optimizer_states")

    @property
    def type(self) -> str:
        """The name of this kind of store."""
        raise self._lacks("type")

    @property
    def rank(self) -> int:
        """The rank of this worker."""
        raise self._lacks("rank")

    @property
    def num_workers(self) -> int:
        """The number of workers."""
        raise self._lacks("num_workers")


def as_list(value: Any) -> list[NDArray]:
    return [value] if isinstance(value, NDArray) else list(value)


def total_of(values: Any) -> NDArray:
    """Sum the arrays of several contexts on the context of the first one."""
    first, *rest = as_list(values)
    total: NDArray = first.copy()
    for value in rest:
        here = value.as_in_context(total.context)
        if total.stype == here.stype == "default":
            total += here
        else:
            total = sparse.add(total, here)
    return total


def spread(value: NDArray, outs: Any) -> None:
    for out in as_list(outs):
        out[:] = value.as_in_context(out.context)


class OneWorker(KVStoreBase):
    """A store in this process, which is the only worker."""

    _runs_optimizers: ClassVar[bool]

    @property
    def rank(self) -> int:
        """0: there is one worker."""
        return 0

    @property
    def num_workers(self) -> int:
        """1: there is one worker."""
        return 1

    @classmethod
    def is_capable(cls, capability: str) -> bool:
        """Whether it has a capability; ``"optimizer"`` is the only one."""
        if capability.lower() != cls.OPTIMIZER:
            raise ValueError(f"there is no capability {capability!r}")
        return cls._runs_optimizers


@KVStoreBase.register
class TestStore(OneWorker):
    """A store that only sums, and stores nothing; for tests."""

    _runs_optimizers = False

    @property
    def type(self) -> str:
        """Its name."""
        return "teststore"

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copy a value to all arrays of `out`."""
        spread(value, out)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum `value` and copy the result to `out`, or else back to `value`."""
        spread(total_of(value), value if out is None else out)
