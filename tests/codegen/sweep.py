"""Every operator on unusual inputs: without axes, without elements, with strides, of other dtypes.

``python -m tests.codegen.sweep [--only NAME] [--eager]`` takes the samples of the registry, changes their
inputs, and runs them eagerly and compiled. Both must agree, or both raise an error of gluonic that names this
file's line. The tests change the first sample of each operator in all ways, and compile every second of them;
they change each other sample in every fourth.
"""

from __future__ import annotations

import argparse
import os
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from gluonic.graph.application import Application
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import REGISTRY
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.cached_op import CachedGraph
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.recording import wrap
from tests.graph.applying import application
from tests.graph.registry_samples import SAMPLES
from tests.graph.samples.sample import Sample

Array = np.ndarray[Any, Any]
_INNER = frozenset({"_reduce_like", "_take_flat", "_away_from_label", "_channel_window_sum"})
_DTYPES = ("float16", "float32", "float64", "int32", "int64", "int8", "uint8", "bool")


def _empty(array: Array, axis: int) -> Array:
    return array.take(np.arange(0), axis=axis) if array.ndim > axis else array


def _scalar(array: Array) -> Array:
    return array.ravel()[:1].reshape(()) if array.size else array


def _strided(array: Array) -> Array:
    """The same numbers, every second element of a larger array, axes in the opposite order in memory."""
    larger = np.zeros(tuple(2 * n for n in array.shape[::-1]), array.dtype).T
    every_second = larger[tuple(slice(None, None, 2) for _ in array.shape)]
    view: Array = np.asarray(every_second)  # without axes it is a number
    view[...] = array
    return view


def variants(sample: Sample) -> Iterator[tuple[str, list[Array]]]:
    """The sample's inputs, changed in many ways, none of which gives what another has given."""
    seen = set()
    for what, arrays in _variants(sample):
        key = tuple((a.dtype, a.shape, a.strides, a.tobytes()) for a in arrays)
        if key not in seen:
            seen.add(key)
            yield what, arrays


def _variants(sample: Sample) -> Iterator[tuple[str, list[Array]]]:
    """Numbers are in float32 unless the dtype is what changes."""
    given = [np.asarray(a) for a in sample.inputs]
    plain = [a.astype("float32") if a.dtype == np.float64 else a for a in given]
    yield "as it is", plain
    yield "with strides", [_strided(a) for a in plain]
    for dtype in _DTYPES:
        yield dtype, [a.astype(dtype) if a.dtype == np.float64 else a for a in given]
        yield f"all {dtype}", [a.astype(dtype) for a in given]
    yield "without axes", [_scalar(a) for a in plain]
    yield "with one axis", [a.ravel() for a in plain]
    yield "with one more axis", [a[None] for a in plain]
    for axis in range(max((a.ndim for a in plain), default=0)):
        yield f"without elements along axis {axis}", [_empty(a, axis) for a in plain]
    for i in range(len(plain)):
        for what, changed in (
            ("without axes", _scalar(plain[i])),
            ("without elements", _empty(plain[i], 0)),
            ("in float64", plain[i].astype("float64")),
        ):
            yield f"input {i} {what}", [*plain[:i], changed, *plain[i + 1 :]]


def outcome(run: Any) -> list[Array] | str:
    """What a call returns, or the kind of error; errors that are not gluonic's or name no line are reported."""
    try:
        return [(x.tostype("default") if x.is_sparse else x).elements for x in run()]
    except (MXNetError, NotImplementedError) as error:
        if isinstance(error, MXNetError) and "sweep.py" not in str(error):
            return f"NO LINE {type(error).__name__}: {error}"
        if "gluonic bug" in str(error):
            return f"BUG {error}"
        return type(error).__name__
    except Exception as error:  # what is looked for
        return f"RAW {type(error).__name__}: {error}"


def compiled(used: Application, arrays: list[Array]) -> list[NDArray]:
    """The outputs, as hybridized nets compute them."""
    variables = [Node(None, f"x{i}") for i in range(len(arrays))]
    node = Node(used, "node", [v.entry() for v in variables])
    graph = Graph(node.entry(i) for i in range(used.visible))
    return CachedGraph(graph, variables)(
        *[wrap(a.copy() if a.flags.c_contiguous else a) for a in arrays]
    )


def _agree(a: Array, b: Array) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    tolerance = 1e-2 if a.dtype == np.float16 else 1e-4
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def fault(name: str, used: Application, arrays: list[Array], *, eager_only: bool) -> str:
    """What is wrong; nothing if all is well."""
    eager = outcome(lambda: invoke(used, [wrap(_kept(a)) for a in arrays])[: used.visible])
    if isinstance(eager, str) and eager.startswith(("RAW", "BUG", "NO LINE")):
        return f"eagerly {eager}"
    if eager_only or used.op.calls_back or any(a.dtype == object for a in arrays):
        return ""
    found = outcome(lambda: compiled(used, [_kept(a) for a in arrays]))
    if isinstance(found, str) and found.startswith(("RAW", "BUG", "NO LINE")):
        return f"compiled {found}"
    if isinstance(eager, str) or isinstance(found, str):
        outcomes = [x if isinstance(x, str) else "results" for x in (eager, found)]
        return (
            "" if outcomes[0] == outcomes[1] else f"eagerly {outcomes[0]}, compiled {outcomes[1]}"
        )
    if used.op.run_name is not None:
        return "" if [a.shape for a in eager] == [a.shape for a in found] else "other shapes"
    if all(_agree(a, b) for a, b in zip(eager, found, strict=True)):
        return ""
    return f"eagerly {eager}, compiled {found}"


def _kept(array: Array) -> Array:
    """A copy with the same strides."""
    return array.copy() if array.flags.c_contiguous else _strided(array)


def names() -> list[str]:
    """The operators that are tried."""
    return [name for name in SAMPLES if name in REGISTRY and name not in _INNER]


def faults_of(
    name: str, *, eager_only: bool = False, of_further_samples: int = 1, compiled_one_in: int = 1
) -> Iterator[str]:
    """For each use of an operator that was tried, what is wrong; nothing if all is well.

    Parameters
    ----------
    name : the operator
    eager_only : do not compile
    of_further_samples : of the ways to change a sample, the first excepted, one in so many is tried: other ones
        for each sample
    compiled_one_in : of the ways to change an operator's first sample, one in so many is compiled, too: other
        ones for each operator
    """
    turn = zlib.crc32(name.encode())
    for number, sample in enumerate(SAMPLES[name]):
        for way, (what, arrays) in enumerate(variants(sample)):
            if number and (way + number) % of_further_samples:
                continue
            try:
                used = application(name, len(arrays), sample.attributes)
            except MXNetError:
                continue
            eager = eager_only or (not number and (way + turn) % compiled_one_in > 0)
            found = fault(name, used, arrays, eager_only=eager)
            shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in arrays)
            yield f"{name} {number} {what} ({shapes}): {found[:400]}" if found else ""


def main() -> int:
    """Try everything; return how many faults were found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="operators with this in their names")
    parser.add_argument("--eager", action="store_true", help="do not compile")
    chosen = parser.parse_args()
    tried = faulty = 0
    for name in names():
        if chosen.only not in name:
            continue
        for found in faults_of(name, eager_only=chosen.eager):
            tried += 1
            if found:
                faulty += 1
                print(found, flush=True)
    print(tried, "uses tried,", faulty, "faults")
    return faulty


if __name__ == "__main__":
    os.environ.setdefault("GLUONIC_EXECUTOR", "compile")
    sys.exit(bool(main()))
