"""Running kernels: without floating point warnings, on memory that is nobody else's."""

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

import numpy as np

from gluonic.codegen import compiled_outputs, may_repay_compiling
from gluonic.graph import Application, Array, Run, Signature
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.interpret import ARRAY_ERRORS, computed, own, refused, without_memory
from gluonic.graph.memory import lacks_memory, too_large
from gluonic.graph.versions import mark_all_modified, write
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.state import current_run
from gluonic.support.suppress_fp_warnings import quietly


def compute(application: Application, arrays: Sequence[Array], expected: Signature) -> list[Array]:
    """Run a kernel without floating point warnings; an array for each output, shared with nobody.

    Raises
    ------
    TooLargeError
        if there is no memory for the results
    """
    if EVENTS.imperative:
        begin = perf_counter_ns()
        results = _compute(application, arrays, expected)
        EVENTS.eager(application.op.name, begin, inputs=[list(a.shape) for a in arrays])
        return results
    return _compute(application, arrays, expected)


def _compute(application: Application, arrays: Sequence[Array], expected: Signature) -> list[Array]:
    if may_repay_compiling(application, arrays):
        results = compiled_outputs(application, arrays, current_run())
        if results is not None:
            return results
    run = current_run() if application.op.run_name is not None else None
    if application.op.calls_back:
        return _computed(application, arrays, run, expected)
    try:
        return quietly(_computed, application, arrays, run, expected)  # type: ignore[no-any-return]
    except (MemoryError, *ARRAY_ERRORS) as error:
        if isinstance(error, MXNetError):
            raise
        if lacks_memory(error):
            raise without_memory(application, expected, error) from error
        raise refused(application, arrays, error) from error


def _computed(
    application: Application, arrays: Sequence[Array], run: Run | None, expected: Signature
) -> list[Array]:
    results = computed(application, arrays, run, expected)
    if application.states:
        mark_all_modified(application.states_among(arrays))
    return [own(array, arrays) for array in results]


def overwrite(target: NDArray, values: Any) -> None:
    """Write values, broadcast and converted to the dtype there is; warnings are off."""
    try:
        quietly(write, target.elements, np.asarray(values))
    except MemoryError as error:
        raise too_large("the values that are to be written", error) from None
