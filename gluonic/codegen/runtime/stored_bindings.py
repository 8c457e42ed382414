"""Compiled graphs on disk: a second process loads a binding, and neither rewrites nor divides the graph.

Stored are the names of the object files and how they refer to each other, how calls use the code, and the
launch arguments for one set of shapes. A graph of which Python or an extension library runs a part is not
stored.
"""

import json
from collections.abc import Callable
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

if TYPE_CHECKING:
    from gluonic.codegen.native.specialization import Specialization
    from gluonic.codegen.shapes.facts import Facts


def save_binding(key: str, binding: Binding) -> None:
    """Store a binding under a key, if it is machine code alone."""
    executable, launch = binding.executable, binding.launch
    library, call = executable.library, executable.call
    if library is None or not executable.is_native or call.has_foreign_steps:
        return
    plans = launch.persistent, launch.transient
    content = {
        "libraries": described(library),
        "functions": len(executable.functions),
        "call": {**asdict(call), "results": [(slot, dtype.str) for slot, dtype in call.results]},
        "table": launch.table.tolist(),
        "plans": [(plan.offsets, plan.size) for plan in plans],
        "results": launch.results,
        "signature": [(shape, dtype and dtype.str) for shape, dtype in binding.signature],
    }
    cache.store(key, json.dumps(content, separators=(",", ":")).encode())


def load_binding(
    key: str, details: "Callable[[Executable], tuple[Specialization, Facts]]"
) -> Binding | None:
    """Load a binding; None if there is none, or if an object file is missing.

    Parameters
    ----------
    key : its key
    details : finds the specialization of the executable, and the shapes and dtypes of all results
    """
    begin = perf_counter()
    stored = cache.read(key)
    if stored is None:
        return None
    content: dict[str, Any] = json.loads(stored)
    library = linked(content["libraries"])
    if library is None:
        return None
    functions = sum(len(each["keys"]) for each in content["libraries"])
    library.origin = CodeOrigin(functions, 0, True, perf_counter() - begin)
    runs = [native_function(library.addresses[f"run{i}"]) for i in range(content["functions"])]
    executable = Executable(_call(content["call"]), runs, library, Room())
    persistent, transient = (MemoryPlan(offsets, size) for offsets, size in content["plans"])
    table = np.array(content["table"], np.int64)
    if table[SHARE]:
        table[SHARE] = workers().share
    launch = Launch(table, persistent, transient, [tuple(s) for s in content["results"]])
    signature = tuple(
        [
            (None if shape is None else tuple(shape), None if dtype is None else np.dtype(dtype))
            for shape, dtype in content["signature"]
        ]
    )
    return Binding(executable, launch, signature, lambda: details(executable))


def _call(stored: dict[str, Any]) -> CallSpec:
    """How calls use the code, from its JSON."""
    results = [(slot, np.dtype(dtype)) for slot, dtype in stored.pop("results")]
    returned = [(index, copied) for index, copied in stored.pop("returned")]
    return CallSpec(results=results, returned=returned, **stored)
