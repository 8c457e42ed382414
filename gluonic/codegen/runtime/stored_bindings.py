"""Compiled graphs on disk: a second process loads a binding, and neither rewrites nor divides the graph.

Stored are the names of the object files and how they refer to each other, how calls use the code, and the
launch arguments for one set of shapes. A graph of which Python or an extension library runs a part is not
stored.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.codegen.launch.launch import SHARE, Launch
from gluonic.codegen.machine import cache
from gluonic.codegen.machine.memory import MemoryPlan, Room
from gluonic.codegen.machine.workers import workers
from gluonic.codegen.native.executable import CallSpec, Executable, native_function
from gluonic.codegen.native.shared_kernels import CodeOrigin
from gluonic.codegen.native.stored_code import described, linked
from gluonic.codegen.runtime.binding import Binding
from gluonic.graph import Signatures

if TYPE_CHECKING:
    from gluonic.codegen.native.specialization import Specialization
    from gluonic.codegen.shapes.facts import Facts


def save_binding(key: str, binding: Binding, costs: Sequence[int]) -> None:
    """Store a binding under a key, if it is machine code alone.

    Parameters
    ----------
    costs : the estimated times of the pieces in which it was made, in nanoseconds
    """
    executable, launch = binding.executable, binding.launch
    library, call = executable.library, executable.call
    if library is None or not executable.is_native or call.has_foreign_steps:
        return
    plans = launch.persistent, launch.transient
    content = {
        "costs": costs,
        "libraries": described(library),
        "functions": len(executable.functions),
        "call": {**asdict(call), "results": [(slot, dtype.str) for slot, dtype in call.results]},
        "table": launch.table.tolist(),
        "plans": [(plan.offsets, plan.size) for plan in plans],
        "results": launch.results,
        "signature": [(shape, dtype and dtype.str) for shape, dtype in binding.signature],
    }
    cache.store(key, json.dumps(content, separators=(",", ":")).encode())


class StoredBinding:
    """A binding on disk.

    Parameters
    ----------
    content : what `save_binding` stored

    Attributes
    ----------
    costs : the estimated times of the pieces in which it was made, in nanoseconds. A process that loads it lets
        as much time pass, so that the same call is the first to run machine code
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content
        self.costs = [int(cost) for cost in content["costs"]]

    @classmethod
    def read(cls, key: str, given: Signatures) -> "StoredBinding | None":
        """The binding stored under a key; None if there is none that fits.

        Parameters
        ----------
        key : its key
        given : the shapes and dtypes of the inputs
        """
        stored = cache.read(key)
        if stored is None:
            return None
        try:
            content = json.loads(stored)
            return cls(content) if _serves(content["signature"], given) else None
        except (ValueError, TypeError, LookupError):  # another version of gluonic wrote it
            return None

    def load(
        self, details: "Callable[[Executable], tuple[Specialization, Facts]]"
    ) -> Binding | None:
        """Load the binding; None if an object file is missing, or something does not fit.

        Parameters
        ----------
        details : finds the specialization of the executable, and the shapes and dtypes of all results
        """
        begin, content = perf_counter(), self._content
        try:
            library = linked(content["libraries"])
            if library is None:
                return None
            count = sum(len(each["keys"]) for each in content["libraries"])
            library.origin = CodeOrigin(count, 0, True, perf_counter() - begin)
            runs = [
                native_function(library.addresses[f"run{i}"]) for i in range(content["functions"])
            ]
            executable = Executable(_call(content["call"]), runs, library, Room())
            launch = _launch(content)
        except (ValueError, TypeError, LookupError):  # another version of gluonic wrote it
            return None
        signature = _signature(content["signature"])
        return Binding(executable, launch, signature, lambda: details(executable))


def _serves(stored: Sequence[Any], given: Signatures) -> bool:
    """Whether a binding was made for such inputs; the shapes of some are not read, nor stored."""
    found = _signature(stored)
    return len(found) == len(given) and all(
        (shape is None or shape == given_shape) and (dtype is None or dtype == given_dtype)
        for (shape, dtype), (given_shape, given_dtype) in zip(found, given, strict=True)
    )


def _signature(stored: Sequence[Any]) -> tuple[Any, ...]:
    """The shapes and dtypes of the inputs, from their JSON."""
    return tuple(
        [
            (None if shape is None else tuple(shape), None if dtype is None else np.dtype(dtype))
            for shape, dtype in stored
        ]
    )


def _launch(content: dict[str, Any]) -> Launch:
    """The launch, from its JSON."""
    persistent, transient = (MemoryPlan(offsets, size) for offsets, size in content["plans"])
    table = np.array(content["table"], np.int64)
    if table[SHARE]:
        table[SHARE] = workers().share
    return Launch(table, persistent, transient, [tuple(s) for s in content["results"]])


def _call(stored: dict[str, Any]) -> CallSpec:
    """How calls use the code, from its JSON."""
    results = [(slot, np.dtype(dtype)) for slot, dtype in stored.pop("results")]
    returned = [(index, copied) for index, copied in stored.pop("returned")]
    return CallSpec(results=results, returned=returned, **stored)
