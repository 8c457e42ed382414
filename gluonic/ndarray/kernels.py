"""Running kernels without floating-point warnings; results share memory with nothing."""

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any, TypeAlias

import numpy as np

from gluonic.codegen import compiled_outputs, may_repay_compiling
from gluonic.graph import Application, Array, Run, Signature
from gluonic.graph.conforming import conform, own
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.kernel_runs import ARRAY_ERRORS, computed, refused, signature_of, without_memory
from gluonic.graph.memory import lacks_memory, too_large
from gluonic.graph.promotion import WIDENS_SCALARS, widens
from gluonic.graph.versions import mark_all_modified, write
from gluonic.ndarray.array import NDArray, NoElementsError
from gluonic.ndarray.placing import on_devices
from gluonic.ndarray.state import current_run
from gluonic.support.suppress_fp_warnings import quietly

OutputType: TypeAlias = tuple[tuple[int, ...] | None, np.dtype[Any]]
"""The shape and the dtype of an operator's only output."""


def compute(application: Application, arrays: Sequence[Array], expected: Signature) -> list[Array]:
    """Run a kernel without floating-point warnings; returns an array per output, which shares no memory.

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


def conformed(
    result: Any, application: Application, arrays: Sequence[Array], output_type: OutputType
) -> Array:
    """The result of a kernel, converted to the shape and dtype that inference gives."""
    shape, dtype = output_type
    try:
        if type(result) is np.ndarray and result.shape == shape and not WIDENS_SCALARS:
            if result.dtype == dtype:
                return own(result, arrays)
            return quietly(result.astype, dtype, "C")  # type: ignore[no-any-return]
        expected = signature_of(application, arrays)
        if WIDENS_SCALARS and widens(application, expected):
            return own(quietly(computed, application, arrays, None, expected)[0], arrays)
        results = result if type(result) is tuple else (result,)
        return own(quietly(conform, results, expected, application)[0], arrays)
    except MemoryError as error:
        expected = signature_of(application, arrays)
        raise without_memory(application, expected, error) from error


def overwrite(target: NDArray, values: Any) -> None:
    """Write values, broadcast and converted to the target's dtype, without warnings."""
    try:
        quietly(write, target.elements, np.asarray(values))
        return
    except NoElementsError:
        if not target.on_device:
            raise
    except MemoryError as error:
        raise too_large("the values to write", error) from None
    on_devices().overwrite(target, values)
