"""Runs of a single operator's kernel: with inferred signatures, and with NumPy's errors as the operator's."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.application import Application, Signature
from gluonic.graph.conforming import conform
from gluonic.graph.dtypes import BFLOAT16_CODE, CODES, is_bfloat16
from gluonic.graph.errors import InferenceError, MXNetError, describe, present
from gluonic.graph.infer import signature
from gluonic.graph.memory import lacks_memory, sized, too_large
from gluonic.graph.node import Node
from gluonic.graph.operator import Array, Run, Signatures, shapes_and_dtypes
from gluonic.graph.promotion import WIDENS_SCALARS, widens, with_axes
from gluonic.support.suppress_fp_warnings import quietly


def signature_of(application: Application, arrays: Sequence[Array]) -> Signature:
    """The inferred output signature for the inputs, cached with the operator."""
    return signature_for(application, shapes_and_dtypes(arrays))


def signature_for(application: Application, inputs: Signatures) -> Signature:
    """The inferred output signature for inputs of these shapes and dtypes, cached with the operator."""
    found = application.signatures.get(inputs)
    if found is None:
        found = signature(application, [s for s, _ in inputs], [dtype for _, dtype in inputs])
        application.signatures.remember(inputs, found)
    return found


def refused(application: Application, arrays: Sequence[Array], error: Exception) -> MXNetError:
    """NumPy's error on inputs that no rule has refused, as an error of the operator."""
    facts = [
        f"{name}: shape {array.shape}, dtype {array.dtype}"
        for name, array in zip(application.inputs, arrays, strict=False)
    ]
    return InferenceError(
        describe(
            f"cannot compute with such inputs: {error}", where=application.op.name, facts=facts
        )
    )


def without_memory(application: Application, expected: Signature, error: Exception) -> MXNetError:
    """NumPy's error when there is no memory for the results, as an error of the operator."""
    known = zip(application.outputs, expected.shapes, expected.dtypes, strict=True)
    facts = [f"{n}: {sized(s, dtype)}" for n, s, dtype in known if s is not None]
    found = too_large("the result", error, where=application.op.name)
    found.facts.extend(facts)
    return found


def computed(
    application: Application, arrays: Sequence[Array], run: Run | None, expected: Signature
) -> list[Array]:
    """Run a kernel and conform the results."""
    if WIDENS_SCALARS and widens(application, expected):
        arrays = with_axes(application, arrays)
    if BFLOAT16_CODE in CODES and any(is_bfloat16(array.dtype) for array in arrays):
        return conform(_executed_in_float32(application, arrays, run), expected, application)
    return conform(application.execute(arrays, run), expected, application)


def _executed_in_float32(
    application: Application, arrays: Sequence[Array], run: Run | None
) -> tuple[Any, ...]:
    """The results of a kernel on bfloat16: computed in float32, and rounded once afterwards."""
    wide = [array.astype(np.float32) if is_bfloat16(array.dtype) else array for array in arrays]
    results = application.execute(wide, run)
    for name, array, computed_with in zip(application.inputs, arrays, wide, strict=True):
        if name in application.states and computed_with is not array:
            array[...] = computed_with
    return results


# NumPy's errors for shapes or numbers that do not match.
ARRAY_ERRORS = (IndexError, ValueError, TypeError, ZeroDivisionError)


def run_node(
    application: Application, arrays: Sequence[Array], run: Run, expected: Signature | None = None
) -> list[Array]:
    """Run the kernel of one node and conform the results; without `expected`, check the inputs first."""
    if expected is None:
        expected = signature_of(application, arrays)
    if application.op.calls_back:
        return computed(application, arrays, run, expected)
    try:
        found: list[Array] = quietly(computed, application, arrays, run, expected)
        return found
    except (MemoryError, *ARRAY_ERRORS) as error:
        if isinstance(error, (MXNetError, NotImplementedError)):
            raise
        raise as_operators_error(application, arrays, expected, error) from error


def as_operators_error(
    application: Application, arrays: Sequence[Array], expected: Signature, error: Exception
) -> MXNetError:
    """NumPy's error, as an error of the operator."""
    if lacks_memory(error):
        return without_memory(application, expected, error)
    return refused(application, arrays, error)


def run_in_graph(
    node: Node, arrays: Sequence[Array], run: Run, expected: Signature | None = None
) -> list[Array]:
    """Run a node as `run_node` does; an error also names the user's line that made the node."""
    try:
        return run_node(node.applied, arrays, run, expected)
    except MXNetError as error:
        name_line(node, error)
        raise


def name_line(node: Node, error: MXNetError) -> None:
    """Let an error name the user's line that made a node."""
    told = str(error)
    if node.location is not None and str(present(node.location)) not in told:
        error.facts.append(f"{node.title} is from {present(node.location)}")
    elif node.title not in told:
        error.facts.append(f"in {node.title}")
