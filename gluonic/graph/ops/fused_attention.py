"""MXNet's fused products of attention, in float32 and on small integers. No gradients."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.graph.operator import REGISTRY, Array, Operator, Run
from gluonic.graph.ops.attention import selfatt_qk, selfatt_valatt
from gluonic.graph.ops.fused_bodies import (
    FusedKind,
    dtype_rule,
    infer_shape,
    input_names,
    output_names,
)
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    UINT8,
    Ranged,
    ResultRange,
    product_range,
    result_dtype,
    rounded,
)
from gluonic.graph.subgraphs import Subgraphs


def _ranges(n: Any, names: Collection[str]) -> list[str]:
    short = ("qkv", "attention")[: len(names)]
    return [f"{end}_{name}" for name in short for end in ("min", "max")]


def _multiply(
    op: Operator, factors: Sequence[Ranged], heads: int, divisor: Any, into: ResultRange
) -> Any:
    """A product of small integers, divided by a number: the result, and the range of integers."""
    quotients = op.kernel(*(each.array.astype(np.float64) for each in factors), heads=heads)
    sums = np.rint(quotients * np.float64(divisor)).astype(FLOAT32)
    first, last = factors[0], factors[-1]
    if into.dtype == INT32:
        ends = product_range((last.low, last.high), (first.low, first.high), last.array.dtype)
        return rounded(sums * (1 / divisor), INT32), *ends
    scale = np.float32(1) if into.dtype == FLOAT32 else into.scale
    results = sums * (scale / (first.scale * last.scale) / divisor)
    return results if into.dtype == FLOAT32 else (rounded(results, into.dtype), *into.ends)


def _root_of_size(projection: Array, heads: int) -> Any:
    """The root of the length of a query, by which scores are divided."""
    return np.sqrt(np.float32(projection.shape[2] // (3 * heads)))


def _undivided(projection: Array, heads: int) -> Any:
    return np.float32(1)


def _fuse(
    op: Operator,
    name: str,
    integers: Mapping[str, Collection[np.dtype[Any]]],
    divisor: Callable[[Array, int], Any],
    summary: str,
) -> None:
    """Register the fused form of a product.

    Parameters
    ----------
    integers : the dtypes of its quantized inputs
    divisor : the number that it divides by, for a projection and the number of heads
    summary : the first line of its documentation
    """
    kind = FusedKind(op.name, frozenset(), lambda n: integers, _ranges)

    def run_fused(
        *data: Array,
        subgraphs: Subgraphs,
        heads: int,
        quantized: bool = False,
        enable_float_output: bool = False,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        run: Run,
    ) -> Any:
        (body,) = subgraphs.bodies
        if not quantized:
            return body.run(data, run)
        count = len(body.names)
        ends = data[count:]
        factors = list(map(Ranged, data[:count], ends[::2], ends[1::2]))
        dtype = result_dtype(min_calib_range, max_calib_range, floating=enable_float_output)
        into = ResultRange(min_calib_range, max_calib_range, dtype)
        return _multiply(op, factors, heads, divisor(data[0], heads), into)

    run_fused.__doc__ = f"{summary}\n\n{inspect.cleandoc(_DOCUMENTATION)}"
    fused = Operator(
        name,
        run_fused,
        arguments=input_names(kind),
        outputs=output_names(kind),
        shape=infer_shape,
        dtype=dtype_rule(kind, lambda n: False),
    )
    fused.gradient()
    REGISTRY.add(fused)


_DOCUMENTATION = """
    Parameters
    ----------
    data : the inputs of the graph; if quantized then the minimum and the maximum of each
    subgraphs : the graph
    heads : number of heads
    quantized : whether projections are int8, and attention is uint8
    enable_float_output : whether the result is float32 although the inputs are quantized
    min_calib_range, max_calib_range : float, optional
        The range of the quantized result, found by calibration.

    Returns
    -------
    float32 array; if quantized an array, and its range: two float32 arrays of shape (1,)
        int8; int32 if its range is not given.
"""
_fuse(
    selfatt_qk,
    "_sg_mkldnn_selfatt_qk",
    {"queries_keys_values": (INT8,)},
    _root_of_size,
    "Multiply queries and keys, as small integers if quantized.",
)
_fuse(
    selfatt_valatt,
    "_sg_mkldnn_selfatt_valatt",
    {"queries_keys_values": (INT8,), "attention": (UINT8,)},
    _undivided,
    "Multiply attention and values, as small integers if quantized.",
)
